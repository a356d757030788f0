//! The only door to the machine: files, clock, environment, processes, git.
//!
//! Everything else is a pure function of values, or is handed an [`Os`]. The real one is [`Machine`]; [`Faulty`] wraps
//! it and fails, tears or stops the nth operation, which is how every promise about disk is tested.

mod faulty;
pub mod git;
pub mod limits;
mod machine;
mod process;
pub mod supervision;
pub mod tree;

use std::io;
use std::path::{Path, PathBuf};

pub use faulty::{Fault, Faulty};
pub use machine::Machine;
pub use process::{Captured, Child, Exit, Input, Launch, Output, Pipes, ask_to_end, end, kill_group, marked_processes};

/// What a path is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A block device.
    BlockDevice,
    /// Anything else.
    Other,
}

/// What the file system says of a path, links not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// What it is.
    pub kind: Kind,
    /// Bytes.
    pub length: u64,
    /// Bytes that are really allotted.
    pub allotted: u64,
    /// Last change of the content, nanoseconds since the epoch.
    pub modified_ns: i128,
    /// Last change of the inode, nanoseconds since the epoch.
    pub changed_ns: i128,
    /// Device and inode number.
    pub identity: (u64, u64),
}

/// Who else may hold a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sharing {
    /// Others that share.
    Shared,
    /// Nobody.
    Exclusive,
}

/// A lock that is held as long as this lives.
pub trait Held: Send + Sync {}

/// A file being written.
pub trait WritableFile: Send {
    /// Writes all bytes at the end.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;
    /// Makes all that was written durable.
    fn sync(&mut self) -> io::Result<()>;
}

/// Files that may be read: those of the machine, or of an archive.
pub trait Files: Send + Sync {
    /// Reads a whole file of at most `limit` bytes; a longer one is an error.
    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>>;
    /// Reads `length` bytes from `offset`; fewer at the end of the file.
    fn read_range(&self, path: &Path, offset: u64, length: u64) -> io::Result<Vec<u8>>;
    /// Opens a file to be read as a stream.
    fn open(&self, path: &Path) -> io::Result<Box<dyn io::Read + Send>>;
    /// What a path is, links not followed.
    fn stat(&self, path: &Path) -> io::Result<Stat>;
    /// The names in a folder, sorted; names that are not UTF-8 are an error.
    fn list(&self, folder: &Path) -> io::Result<Vec<String>>;
    /// The paths in a folder, sorted, whatever their names.
    fn entries(&self, folder: &Path) -> io::Result<Vec<PathBuf>>;
}

/// The machine.
pub trait Os: Files {
    /// How many bytes may still be written to the file system of a folder.
    fn free_bytes(&self, folder: &Path) -> io::Result<u64>;
    /// The path without links and dots.
    fn canonical(&self, path: &Path) -> io::Result<PathBuf>;

    /// Makes one folder that must not exist.
    fn create_folder(&self, path: &Path) -> io::Result<()>;
    /// Makes a file that must not exist.
    fn create_file(&self, path: &Path) -> io::Result<Box<dyn WritableFile>>;
    /// Lets a file be executed by its owner.
    fn make_executable(&self, path: &Path) -> io::Result<()>;
    /// Opens an existing file to append to.
    fn append_file(&self, path: &Path) -> io::Result<Box<dyn WritableFile>>;
    /// Renames, replacing what was there.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Makes the entries of a folder durable.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;
    /// Removes a file.
    fn remove_file(&self, path: &Path) -> io::Result<()>;
    /// Removes an empty folder.
    fn remove_folder(&self, path: &Path) -> io::Result<()>;
    /// Removes a folder and all below it, whatever the names; links are removed, not followed.
    fn remove_all(&self, path: &Path) -> io::Result<()>;
    /// Takes a lock on a file, made where missing; `WouldBlock` where another holds it.
    fn lock(&self, path: &Path, sharing: Sharing) -> io::Result<Box<dyn Held>>;

    /// Nanoseconds since the epoch, by the wall clock.
    fn now_ns(&self) -> i128;
    /// Nanoseconds since some moment, never stepping back.
    fn monotonic_ns(&self) -> u64;
    /// Random bytes.
    fn random(&self, bytes: &mut [u8]) -> io::Result<()>;
    /// An environment variable, where it is set and UTF-8.
    fn variable(&self, name: &str) -> Option<String>;
    /// The current folder.
    fn current_folder(&self) -> io::Result<PathBuf>;
    /// This program's own file.
    fn own_program(&self) -> io::Result<PathBuf>;
    /// The processors that may be used.
    fn processors(&self) -> usize;
    /// The full path of a program found on `PATH`, or of a path with a slash, where it may be executed.
    fn find_program(&self, name: &str) -> Option<PathBuf>;
    /// A TCP port of 127.0.0.1 that nobody listens on now.
    fn free_port(&self) -> io::Result<u16>;
    /// Runs one of our fixed probes to its end and returns what it printed.
    fn capture(&self, argv: &[&str]) -> io::Result<Captured>;
    /// Runs a step of ours in a folder to its end, with few variables, and returns the end of what it printed.
    fn perform(&self, launch: &Launch) -> io::Result<Captured>;
    /// Starts a process of a job.
    fn spawn(&self, launch: &Launch) -> io::Result<Child>;
}

/// Whether a path exists, links not followed; an unreadable one is an error.
pub fn is_there(files: &dyn Files, path: &Path) -> io::Result<bool> {
    match files.stat(path) {
        Ok(_) => Ok(true),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Makes a folder and those above it where they are missing; each new one is made durable in its parent.
pub fn create_folders(os: &dyn Os, path: &Path) -> io::Result<()> {
    if path.as_os_str().is_empty() || is_there(os, path)? {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        create_folders(os, parent)?;
    }
    match os.create_folder(path) {
        Ok(()) => sync_parent(os, path),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// Makes a path's entry in its folder durable.
pub fn sync_parent(os: &dyn Os, path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => os.sync_folder(Path::new(".")),
        Some(parent) => os.sync_folder(parent),
        None => Ok(()),
    }
}

/// Writes a file so that at every moment the old content or the whole new one is there: temporary, sync, rename, sync
/// of the folder.
pub fn write_atomically(os: &dyn Os, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = temporary_beside(os, path)?;
    let written = write_new(os, &temporary, bytes).and_then(|()| os.rename(&temporary, path));
    if written.is_err() {
        let _ = os.remove_file(&temporary);
    }
    written?;
    sync_parent(os, path)
}

fn write_new(os: &dyn Os, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = os.create_file(path)?;
    file.append(bytes)?;
    file.sync()
}

/// A name in the same folder that nobody else uses. Names that begin with [`TEMPORARY_PREFIX`] are leftovers.
pub fn temporary_beside(os: &dyn Os, path: &Path) -> io::Result<PathBuf> {
    let mut random = [0; 8];
    os.random(&mut random)?;
    Ok(path.with_file_name(format!("{TEMPORARY_PREFIX}{:016x}", u64::from_le_bytes(random))))
}

/// How the names of temporary files begin.
pub const TEMPORARY_PREFIX: &str = ".temporary-";

/// Removes a folder and all that is below it; links are removed, not followed.
pub fn remove_tree(os: &dyn Os, path: &Path) -> io::Result<()> {
    if os.stat(path)?.kind != Kind::Folder {
        return os.remove_file(path);
    }
    for name in os.list(path)? {
        remove_tree(os, &path.join(name))?;
    }
    os.remove_folder(path)
}

/// RFC 3339 to the second, UTC.
pub fn timestamp(nanoseconds_since_epoch: i128) -> String {
    jiff::Timestamp::from_nanosecond(nanoseconds_since_epoch)
        .map_or_else(|_| "unknown".to_owned(), |at| format!("{at:.0}"))
}
