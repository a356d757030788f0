//! Processes: probes that are run to their end, and jobs that are started, limited and ended.
//!
//! A job's process leads its own process group and carries a mark in its environment. The group ends what a time limit
//! cuts off; the mark finds whatever left the group, and whatever was being started when the runner was killed.
#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "this is the door to the machine")]

use std::fs;
use std::io::{self, Read as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal};
use tokio::io::AsyncReadExt as _;

/// What a probe printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Captured {
    /// Standard output, at most 4 MiB.
    pub stdout: Vec<u8>,
    /// Standard error, at most 4 MiB.
    pub stderr: Vec<u8>,
    /// Whether it ended with code 0.
    pub is_success: bool,
}

/// A process to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// Program and arguments, never through a shell.
    pub argv: Vec<String>,
    /// The folder it starts in.
    pub folder: PathBuf,
    /// Variables set besides the few that are passed on.
    pub variables: Vec<(String, String)>,
    /// What it reads.
    pub input: Input,
}

/// What a process reads from its standard input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Input {
    /// Nothing.
    #[default]
    Null,
    /// What the runner writes.
    Pipe,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// By itself, with this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

/// What a job's process left behind.
#[derive(Debug)]
pub struct Output {
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
    /// How it ended.
    pub exit: Exit,
}

/// A running process of a job.
#[derive(Debug)]
pub struct Child {
    child: tokio::process::Child,
    group: Option<Pid>,
}

const CAPTURE_LIMIT_BYTES: u64 = 4 << 20;

/// The variables of ours that a job's process sees; all others would make results depend on who ran it.
const PASSED_ON: &[&str] = &["PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH"];

pub(super) fn capture(argv: &[&str]) -> io::Result<Captured> {
    let (program, arguments) = argv.split_first().ok_or_else(|| io::Error::other("no program"))?;
    let mut command = Command::new(program);
    command.args(arguments).env("LC_ALL", "C");
    run_to_end(command)
}

pub(super) fn perform(launch: &Launch) -> io::Result<Captured> {
    run_to_end(command(launch)?)
}

fn run_to_end(mut command: Command) -> io::Result<Captured> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let error_pipe = child.stderr.take();
    let reader = std::thread::spawn(move || error_pipe.map(read_all).transpose());
    let stdout = child.stdout.take().map(read_all).transpose();
    let status = child.wait()?;
    let stderr = reader.join().map_err(|_| io::Error::other("the reader of a pipe failed"))?;
    Ok(Captured {
        stdout: stdout?.unwrap_or_default(),
        stderr: stderr?.unwrap_or_default(),
        is_success: status.success(),
    })
}

/// Reads a pipe to its end and keeps so much of it; a program that prints more is not kept waiting.
fn read_all(mut pipe: impl io::Read) -> io::Result<Vec<u8>> {
    let mut bytes = vec![];
    (&mut pipe).take(CAPTURE_LIMIT_BYTES).read_to_end(&mut bytes)?;
    io::copy(&mut pipe, &mut io::sink())?;
    Ok(bytes)
}

/// A command with few of our variables and without an input.
fn command(launch: &Launch) -> io::Result<Command> {
    let (program, arguments) = launch.argv.split_first().ok_or_else(|| io::Error::other("no program"))?;
    let mut command = Command::new(program);
    command.args(arguments).current_dir(&launch.folder).env_clear();
    command.envs(PASSED_ON.iter().filter_map(|name| Some((*name, std::env::var_os(name)?))));
    command.env("LC_ALL", "C").envs(launch.variables.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Ok(command)
}

pub(super) fn spawn(launch: &Launch) -> io::Result<Child> {
    let mut command = command(launch)?;
    if launch.input == Input::Pipe {
        command.stdin(Stdio::piped());
    }
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut command = tokio::process::Command::from(command);
    command.kill_on_drop(true);
    let child = command.spawn()?;
    let group = child.id().and_then(|id| Pid::from_raw(id as i32));
    Ok(Child { child, group })
}

impl Child {
    /// The process group, until the process was waited for.
    pub fn group(&self) -> Option<i32> {
        self.group.map(|group| group.as_raw_nonzero().get())
    }

    /// The pipes of a process that is talked to: what it reads, what it prints, and what it complains.
    pub fn pipes(&mut self) -> Option<Pipes> {
        let (input, output, errors) = (self.child.stdin.take()?, self.child.stdout.take()?, self.child.stderr.take()?);
        Some(Pipes { input, output: tokio::io::BufReader::new(output), errors })
    }

    /// Waits until it has ended.
    pub async fn ended(&mut self) -> io::Result<Exit> {
        let exit = exit_of(self.child.wait().await?);
        // from now on the number may be another process's
        self.group = None;
        Ok(exit)
    }

    /// Reads all it prints, at most `limit_bytes` each way, until it ends.
    pub async fn wait(&mut self, limit_bytes: u64) -> io::Result<Output> {
        let (stdout, stderr) = (self.child.stdout.take(), self.child.stderr.take());
        let (stdout, stderr, status) =
            tokio::join!(read_limited(stdout, limit_bytes), read_limited(stderr, limit_bytes), self.child.wait());
        let exit = exit_of(status?);
        Ok(Output { stdout: stdout?, stderr: stderr?, exit })
    }
}

/// The ends of a running process's pipes.
pub struct Pipes {
    /// What it reads.
    pub input: tokio::process::ChildStdin,
    /// What it prints.
    pub output: tokio::io::BufReader<tokio::process::ChildStdout>,
    /// What it complains.
    pub errors: tokio::process::ChildStderr,
}

fn exit_of(status: std::process::ExitStatus) -> Exit {
    let signal = std::os::unix::process::ExitStatusExt::signal(&status).unwrap_or(0);
    status.code().map_or(Exit::Signal(signal), Exit::Code)
}

async fn read_limited(pipe: Option<impl tokio::io::AsyncRead + Unpin>, limit_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![];
    let Some(mut pipe) = pipe else { return Ok(bytes) };
    let count = (&mut pipe).take(limit_bytes + 1).read_to_end(&mut bytes).await?;
    if count as u64 > limit_bytes {
        return Err(io::Error::other(format!("the job printed more than {limit_bytes} bytes")));
    }
    Ok(bytes)
}

/// Sends a signal to a process group; nothing where it is gone.
pub fn kill_group(group: i32) {
    if let Some(group) = Pid::from_raw(group) {
        let _ = rustix::process::kill_process_group(group, Signal::KILL);
    }
}

/// The processes, but this one, whose environment holds `mark` (`NAME=value`).
pub fn marked_processes(mark: &str) -> Vec<i32> {
    let Ok(entries) = fs::read_dir("/proc") else { return vec![] };
    let own = std::process::id() as i32;
    let mut found = vec![];
    for entry in entries.flatten() {
        let Some(process) = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else { continue };
        let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
        if process != own && environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes()) {
            found.push(process);
        }
    }
    found
}

/// Asks processes to end.
pub fn ask_to_end(processes: &[i32]) {
    signal_all(processes, Signal::TERM);
}

/// Ends processes.
pub fn end(processes: &[i32]) {
    signal_all(processes, Signal::KILL);
}

fn signal_all(processes: &[i32], signal: Signal) {
    for process in processes.iter().filter_map(|process| Pid::from_raw(*process)) {
        let _ = rustix::process::kill_process(process, signal);
    }
}
