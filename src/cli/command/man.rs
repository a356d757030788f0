//! `man`: the manual page.

use clap::CommandFactory as _;

use crate::cli::arguments::Arguments;
use crate::cli::failure::Failure;
use crate::cli::{Session, show};

pub(crate) fn run(_: &Session) -> Result<u8, Failure> {
    let mut text = vec![];
    let rendered = clap_mangen::Man::new(Arguments::command()).render(&mut text);
    rendered.map_err(|error| Failure::incomplete(error.to_string()))?;
    show::print_bytes(&text);
    Ok(0)
}
