//! The supervisor: a process of our own that ends what a killed runner leaves behind.
//!
//! It reads a pipe that only the runner holds. When the pipe closes, however the runner ended, it ends every process
//! that carries the run's mark in its environment, and then lets go of the host-wide measuring lock. The mark reaches
//! also processes that left their group, and one that was being started at the very moment.
//! Signals typed at the terminal do not reach it, for it leads its own process group.

use std::path::Path;

use super::RunError;
use crate::os::supervision::{self, Supervision};
use crate::place;

/// Starts a supervisor where there is a program for it, and waits until it holds the measuring lock.
pub(super) fn start(program: Option<&Path>, mark: &str, lock: Option<&Path>) -> Result<Option<Supervision>, RunError> {
    let Some(program) = program else { return Ok(None) };
    let mut argv = vec![program.display().to_string(), "supervise".to_owned(), mark.to_owned()];
    argv.extend(lock.map(|lock| lock.display().to_string()));
    match supervision::start(&argv) {
        Ok(Some(supervision)) => Ok(Some(supervision)),
        Ok(None) => Err(RunError::Measuring),
        Err(error) => Err(RunError::while_doing("starting the supervisor")(error)),
    }
}

/// What the supervisor process does. Returns when nothing is left to end.
pub fn supervise(mark: &str, lock: Option<&Path>) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    match supervision::serve(lock, &|| runtime.block_on(place::end_marked(mark, &[]))) {
        // the runner reads from the closed pipe that the lock is taken, and says so
        Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => Ok(()),
        other => other,
    }
}
