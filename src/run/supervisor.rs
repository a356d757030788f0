//! The supervisor: a process of our own that ends what a killed runner leaves behind.
//!
//! It reads a pipe that only the runner holds. When the pipe closes, however the runner ended, it ends every process
//! that carries the run's mark in its environment, and then lets go of the host-wide measuring lock. The mark reaches
//! also processes that left their group, and one that was being started at the very moment.
//! Signals typed at the terminal do not reach it, for it leads its own process group.

use std::path::Path;
use std::time::Duration;

use super::RunError;
use crate::os::supervision::{self, Supervision};

/// Starts a supervisor where there is a program for it, and waits until it holds the measuring lock.
pub(super) fn start(program: Option<&Path>, mark: &str, lock: Option<&Path>) -> Result<Option<Supervision>, RunError> {
    let Some(program) = program else { return Ok(None) };
    let mut argv = vec![program.display().to_string(), "supervise".to_owned(), mark.to_owned()];
    argv.extend(lock.map(|lock| lock.display().to_string()));
    match supervision::start(&argv) {
        Ok(Some(supervision)) => Ok(Some(supervision)),
        Ok(None) => Err(RunError::Measuring),
        Err(error) => Err(RunError::Os { what: "starting the supervisor".to_owned(), error }),
    }
}

/// What the supervisor process does. Returns when nothing is left to end.
pub fn supervise(mark: &str, lock: Option<&Path>) -> std::io::Result<()> {
    match supervision::serve(lock, &|| end_marked(mark)) {
        // the runner reads from the closed pipe that the lock is taken, and says so
        Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => Ok(()),
        other => other,
    }
}

/// What a job left behind must not disturb the next: ended, where one look finds any. Guests that are kept are not.
pub(super) fn end_strays(mark: &str, kept: &[i32]) {
    if crate::os::marked_processes(mark).iter().any(|process| !kept.contains(process)) {
        end_marked_but(mark, kept);
    }
}

/// Ends all processes that carry a mark: politely, then not.
pub(super) fn end_marked(mark: &str) {
    end_marked_but(mark, &[]);
}

fn end_marked_but(mark: &str, kept: &[i32]) {
    const GRACE: Duration = Duration::from_millis(300);
    const LOOKS: usize = 100;
    let mut is_first = true;
    let mut looks_empty = 0;
    for _ in 0..LOOKS {
        let mut found = crate::os::marked_processes(mark);
        found.retain(|process| !kept.contains(process));
        if found.is_empty() {
            looks_empty += 1;
            if looks_empty == 2 {
                return;
            }
            supervision::rest(Duration::from_millis(20));
            continue;
        }
        looks_empty = 0;
        if is_first {
            crate::os::ask_to_end(&found);
            supervision::rest(GRACE);
        } else {
            crate::os::end(&found);
            supervision::rest(Duration::from_millis(20));
        }
        is_first = false;
    }
}
