//! `supervise`: the process that outlives a killed runner.

use crate::cli::arguments::SuperviseArguments;
use crate::cli::failure::Failure;
use crate::run::supervisor;

pub(crate) fn run(arguments: &SuperviseArguments) -> Result<u8, Failure> {
    supervisor::supervise(&arguments.mark, arguments.lock.as_deref())
        .map_err(|error| Failure::incomplete(error.to_string()))?;
    Ok(0)
}
