//! The pipe between a runner and its supervisor.
#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "this is the door to the machine")]

use std::io::{self, BufRead as _, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::Duration;

use super::{Machine, Os as _, Sharing};

/// A running supervisor. Dropping it closes the pipe and waits until the supervisor has ended what was left.
#[derive(Debug)]
pub struct Supervision {
    pipe: Option<ChildStdin>,
    child: Child,
}

impl Drop for Supervision {
    fn drop(&mut self) {
        drop(self.pipe.take());
        let _ = self.child.wait();
    }
}

const READY: &str = "ready";

/// Starts a supervisor; `None` where another holds the measuring lock.
pub fn start(argv: &[String]) -> io::Result<Option<Supervision>> {
    let (program, arguments) = argv.split_first().ok_or_else(|| io::Error::other("no program"))?;
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn()?;
    let pipe = child.stdin.take();
    let mut answer = String::new();
    if let Some(stdout) = child.stdout.take() {
        io::BufReader::new(stdout).take(64).read_line(&mut answer)?;
    }
    let supervision = Supervision { pipe, child };
    Ok((answer.trim() == READY).then_some(supervision))
}

/// Takes the lock, says so, waits until the pipe closes, and does what is to be done then.
pub fn serve(lock: Option<&Path>, at_end: &dyn Fn()) -> io::Result<()> {
    let held = lock.map(|lock| Machine.lock(lock, Sharing::Exclusive)).transpose()?;
    let mut stdout = io::stdout();
    writeln!(stdout, "{READY}")?;
    stdout.flush()?;
    let mut rest = vec![];
    let _ = io::stdin().read_to_end(&mut rest);
    at_end();
    drop(held);
    Ok(())
}

/// Waits without doing anything.
pub fn rest(time: Duration) {
    std::thread::sleep(time);
}
