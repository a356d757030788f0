//! Where evidence is kept: objects by digest, and one chained journal a run.
//!
//! Layout below `artifacts/`:
//! `objects/sha256/ab/…` large objects · `runs/<id>/{journal.jsonl,head,pack}` the record of a run and its small
//! objects · `index` derived, never trusted by a verifier · `lock` shared by readers and writers, held alone by prune.
//!
//! What must stay true: an object is never overwritten; whatever is reported done is durable; damage is found.

pub mod bundle;
pub mod check;
pub mod event;
pub mod history;
pub mod index;
mod journal;
mod object;
mod pack;
pub mod prune;
mod reader;
mod writer;

use std::io;
use std::path::{Path, PathBuf};

use crate::digest::Digest;
use crate::name::{Name, RunId};
use crate::os::{Files, Held, Os, Sharing};

pub use journal::{Journal, Line, read_journal};
pub use object::LOOSE_FROM_BYTES;
pub use reader::Reader;
pub use writer::{NewRun, Writer};

/// The store can not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file system failed.
    #[error("{}: {error}", path.display())]
    Io {
        /// At this path.
        path: PathBuf,
        /// With this error.
        error: io::Error,
    },
    /// What is there is not what was written: exit code 4.
    #[error("integrity failure: {what}: {detail}")]
    Integrity {
        /// The file, line or object.
        what: String,
        /// How it was found.
        detail: String,
    },
    /// An object that something refers to is not in the store.
    #[error("object {0} is not in the store")]
    Missing(Digest),
    /// A run that a later one was begun after is gone.
    #[error("run {run} is missing, though run {named_by} was begun after it")]
    RunMissing {
        /// The run that is gone.
        run: RunId,
        /// The run that names it.
        named_by: RunId,
    },
    /// Another process holds the lock.
    #[error("{what} is in use by another process")]
    Busy {
        /// What is locked.
        what: String,
    },
    /// A value could not be written as JSON.
    #[error("can not be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// A sync failed earlier in this run; nothing more is written to it.
    #[error("an earlier write of this run failed, so it takes no more; `run --resume` continues it in new files")]
    Poisoned,
}

impl StoreError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |error| Self::Io { path, error }
    }

    pub(crate) fn integrity(what: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::Integrity { what: what.into(), detail: detail.into() }
    }
}

/// The places of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    folder: PathBuf,
}

impl Layout {
    /// Of the store in this folder (`artifacts`).
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// The folder itself.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where all runs are.
    pub fn runs(&self) -> PathBuf {
        self.folder.join("runs")
    }

    /// Where one run is.
    pub fn run(&self, run: &RunId) -> PathBuf {
        self.runs().join(run.as_str())
    }

    /// Where large objects are.
    pub fn objects(&self) -> PathBuf {
        self.folder.join("objects").join("sha256")
    }

    /// Where one large object is.
    pub fn object(&self, digest: &Digest) -> PathBuf {
        let hex = digest.hex();
        self.objects().join(&hex[..2]).join(hex)
    }

    /// The derived index.
    pub fn index(&self) -> PathBuf {
        self.folder.join("index")
    }

    /// The ids of all runs, sorted; none where there is no store yet.
    pub fn run_ids(&self, files: &dyn Files) -> Result<Vec<RunId>, StoreError> {
        let runs = self.runs();
        match files.list(&runs) {
            Ok(names) => Ok(names.iter().filter_map(|name| RunId::new(name).ok()).collect()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(vec![]),
            Err(error) => Err(StoreError::Io { path: runs, error }),
        }
    }

    /// Takes the lock of the whole store.
    pub fn lock(&self, os: &dyn Os, sharing: Sharing) -> Result<Box<dyn Held>, StoreError> {
        crate::os::create_folders(os, &self.folder).map_err(StoreError::io(&self.folder))?;
        take_lock(os, &self.folder.join("lock"), sharing, "the store")
    }
}

impl Layout {
    /// Takes the lock of one experiment, which a run holds from deciding what to measure to its end.
    pub fn lock_experiment(&self, os: &dyn Os, experiment: &Name) -> Result<Box<dyn Held>, StoreError> {
        crate::os::create_folders(os, &self.folder).map_err(StoreError::io(&self.folder))?;
        let path = self.folder.join(format!("{experiment}.lock"));
        take_lock(os, &path, Sharing::Exclusive, &format!("the experiment `{experiment}`"))
    }
}

/// Takes a lock; says plainly when another holds it and when the file system has none.
fn take_lock(os: &dyn Os, path: &Path, sharing: Sharing, what: &str) -> Result<Box<dyn Held>, StoreError> {
    // a lock may be held for a moment longer than its holder lives, by a process that is just being started
    const TRIES: usize = 20;
    let mut taken = os.lock(path, sharing);
    for _ in 1..TRIES {
        match &taken {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                crate::os::supervision::rest(std::time::Duration::from_millis(10));
                taken = os.lock(path, sharing);
            }
            _ => break,
        }
    }
    taken.map_err(|error| match error.kind() {
        io::ErrorKind::WouldBlock => StoreError::Busy { what: what.to_owned() },
        io::ErrorKind::Unsupported => StoreError::Io {
            path: path.to_owned(),
            error: io::Error::other("this file system has no locks; keep `artifacts` on a local disk"),
        },
        _ => StoreError::Io { path: path.to_owned(), error },
    })
}
