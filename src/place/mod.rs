//! Places: where jobs run, and what may be asked of such a place.
//!
//! The controller is the machine that this program runs on: it holds journal and store and is reached through [`Os`]. A
//! place is where something is started and measured. It may be the same machine ([`Local`]), a guest, or a machine that is
//! reached over a network; whoever runs jobs never knows which. Every question is asynchronous: none may hold up another
//! slot's time limit, or a signal.
//!
//! A new place is one file here and two lines below: its module, and its entry in [`ACCESSES`].
//!
//! [`Os`]: crate::os::Os

mod local;
#[cfg(test)]
mod memory;

use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use futures_util::future::LocalBoxFuture;
use tokio::io::{AsyncBufRead, AsyncRead, AsyncWrite};

use crate::digest::Digest;
use crate::inventory::{Inventory, Program};
use crate::os::{Exit, Input, Kind, Os, Output, Stat};

pub use local::{Local, boot_id, end_marked};
#[cfg(test)]
pub(crate) use memory::{Answer, Memory};

/// An answer that may take its time.
pub type Step<'a, T> = LocalBoxFuture<'a, T>;

/// What is started in a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// Program and arguments, never through a shell.
    pub argv: Vec<String>,
    /// The folder it starts in.
    pub folder: PathBuf,
    /// Files that are written into the folder first: name and bytes. One that begins with `#!` may be executed.
    pub files: Vec<(String, Vec<u8>)>,
    /// The variable `NAME=value` that marks what belongs to a run.
    pub mark: String,
    /// What it reads.
    pub input: Input,
}

/// The clocks of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    /// Nanoseconds since the epoch, by its wall clock.
    pub wall_ns: i128,
    /// Nanoseconds of a clock that never steps back, where it has one that can be read.
    pub monotonic_ns: Option<u64>,
}

/// Where something runs.
pub trait Place {
    /// The facts of the machine. `scratch` is the folder under which test files lie, `programs` are those that jobs use.
    fn facts<'a>(&'a self, scratch: &'a Path, programs: &'a [Program]) -> Step<'a, io::Result<Inventory>>;
    /// The full path of a program, where it is there and may be executed.
    fn find_program<'a>(&'a self, name: &'a str) -> Step<'a, io::Result<Option<PathBuf>>>;
    /// Starts a process that leads a group of its own and carries the mark.
    fn start<'a>(&'a self, launch: &'a Launch) -> Step<'a, io::Result<Box<dyn Running>>>;
    /// Writes a file anew, with the folders above it.
    fn put<'a>(&'a self, path: &'a Path, bytes: &'a [u8]) -> Step<'a, io::Result<()>>;
    /// Reads a file of at most `limit` bytes.
    fn take<'a>(&'a self, path: &'a Path, limit: u64) -> Step<'a, io::Result<Vec<u8>>>;
    /// Its clocks now.
    fn clock(&self) -> Step<'_, io::Result<Clock>>;
    /// The boot that it is in; `unknown` where it does not say.
    fn boot_id(&self) -> Step<'_, String>;
    /// Ends whatever carries a mark, politely and then not, but for the processes that are kept.
    fn end_all<'a>(&'a self, mark: &'a str, kept: &'a [i32]) -> Step<'a, ()>;
}

/// A place with a file system that this program may work in: where slots lie, and guests are brought up.
pub trait Host: Place {
    /// Makes a folder and those above it.
    fn create_folder<'a>(&'a self, path: &'a Path) -> Step<'a, io::Result<()>>;
    /// The paths in a folder, sorted.
    fn entries<'a>(&'a self, folder: &'a Path) -> Step<'a, io::Result<Vec<PathBuf>>>;
    /// What a path is, links not followed.
    fn stat<'a>(&'a self, path: &'a Path) -> Step<'a, io::Result<Stat>>;
    /// Removes a file, or a folder and all below it; what is not there is no error.
    fn remove<'a>(&'a self, path: &'a Path) -> Step<'a, io::Result<()>>;
    /// Lets a file be executed by its owner.
    fn make_executable<'a>(&'a self, path: &'a Path) -> Step<'a, io::Result<()>>;
    /// Writes at the end of a file that is there.
    fn append<'a>(&'a self, path: &'a Path, bytes: &'a [u8]) -> Step<'a, io::Result<()>>;
    /// Reads `length` bytes from `offset`; fewer at the end of the file.
    fn read_range<'a>(&'a self, path: &'a Path, offset: u64, length: u64) -> Step<'a, io::Result<Vec<u8>>>;
    /// The digest and length of a file.
    fn digest<'a>(&'a self, path: &'a Path) -> Step<'a, io::Result<(Digest, u64)>>;
    /// The path without links and dots.
    fn canonical<'a>(&'a self, path: &'a Path) -> Step<'a, io::Result<PathBuf>>;
    /// The bytes that are free under a folder.
    fn free_bytes<'a>(&'a self, folder: &'a Path) -> Step<'a, io::Result<u64>>;
    /// A TCP port of its 127.0.0.1 that nobody listens on now.
    fn free_port(&self) -> Step<'_, io::Result<u16>>;
    /// Whether a process of it listens on a TCP port of 127.0.0.1; asked of the kernel, no connection is made.
    fn is_listening(&self, port: u16) -> Step<'_, io::Result<bool>>;
}

/// A process that was started in a place. Dropping it ends at least the process itself.
pub trait Running {
    /// What tells its group from others of the same place, until it was waited for.
    fn group(&self) -> Option<i32>;
    /// The ends of its pipes, once, where its input is one.
    fn pipes(&mut self) -> Option<Pipes>;
    /// Waits until it has ended.
    fn ended(&mut self) -> Step<'_, io::Result<Exit>>;
    /// Reads all it prints, at most `limit_bytes` each way, until it ends.
    fn output(&mut self, limit_bytes: u64) -> Step<'_, io::Result<Output>>;
    /// Ends its group.
    fn end(&mut self) -> Step<'_, ()>;
}

/// The ends of a running process's pipes.
pub struct Pipes {
    /// What it reads.
    pub input: Box<dyn AsyncWrite + Unpin + Send>,
    /// What it prints.
    pub output: Box<dyn AsyncBufRead + Unpin + Send>,
    /// What it complains.
    pub errors: Box<dyn AsyncRead + Unpin + Send>,
}

/// Runs a step of ours in a place to its end: what it printed, or why it failed.
pub async fn perform(place: &dyn Place, launch: &Launch) -> Result<Vec<u8>, String> {
    const PRINTED_BYTES_MAX: u64 = 4 << 20;
    let program = launch.argv.first().cloned().unwrap_or_default();
    let starting = |error: io::Error| format!("starting `{program}`: {error}");
    let mut running = place.start(launch).await.map_err(starting)?;
    let output = running.output(PRINTED_BYTES_MAX).await.map_err(starting)?;
    if output.exit == Exit::Code(0) {
        return Ok(output.stdout);
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let words = launch.argv[..2.min(launch.argv.len())].join(" ");
    Err(format!("`{words}` failed: {}", crate::diagnostic::printable(text.trim())))
}

/// Whether a path exists; an unreadable one is an error.
pub async fn is_there(host: &dyn Host, path: &Path) -> io::Result<bool> {
    match host.stat(path).await {
        Ok(_) => Ok(true),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether a path is a folder.
pub async fn is_folder(host: &dyn Host, path: &Path) -> bool {
    host.stat(path).await.is_ok_and(|stat| stat.kind == Kind::Folder)
}

/// A way to reach a place: the word that a manifest has for it, and how it is opened.
pub struct Access {
    /// The word of `hosts.NAME.access`.
    pub word: &'static str,
    /// Opens it from the controller; `Err` says why it cannot be reached.
    pub open: Open,
}

/// How a place is opened.
pub type Open = fn(controller: &Arc<dyn Os>) -> Result<Rc<dyn Host>, String>;

/// All ways to reach a place.
pub const ACCESSES: &[Access] = &[
    local::ACCESS, //
];

/// The way that a word of a manifest names.
pub fn access(word: &str) -> Option<&'static Access> {
    ACCESSES.iter().find(|access| access.word == word)
}
