//! `completions`: for a shell.

use clap::CommandFactory as _;

use crate::cli::arguments::{Arguments, CompletionsArguments};
use crate::cli::failure::Failure;
use crate::cli::{Session, show};

pub(crate) fn run(_: &Session, arguments: &CompletionsArguments) -> Result<u8, Failure> {
    let mut text = vec![];
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "benchpaper", &mut text);
    show::print_bytes(&text);
    Ok(0)
}
