//! `schema`: for editors.

use crate::cli::arguments::{SchemaArguments, SchemaKind};
use crate::cli::failure::Failure;
use crate::cli::{Session, show};

pub(crate) fn run(_: &Session, arguments: &SchemaArguments) -> Result<u8, Failure> {
    match arguments.kind {
        SchemaKind::Claims => show::print_json(&crate::claims::schema())?,
        SchemaKind::Experiment => show::print_json(&crate::manifest::schema())?,
    }
    Ok(0)
}
