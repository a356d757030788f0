//! A run being written: the only thing that changes a store.
//!
//! Group commit: large objects are durable when put; then the pack is synced, then the journal's lines with their
//! commit, then the head is replaced. Any failure poisons the writer: nothing more is written to these files, and a
//! resume goes on in new ones.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use super::event::{Event, Genesis, ObjectReference};
use super::journal::{self, Head, Journal};
use super::{Layout, StoreError, object, pack, take_lock};
use crate::digest::Digest;
use crate::name::RunId;
use crate::os::{self, Held, Os, Sharing, WritableFile};

/// A commit is due after so many finished jobs.
const COMMIT_JOBS: u64 = 64;
/// A commit is due after so many bytes.
const COMMIT_BYTES: usize = 16 << 20;
/// A commit is due after so long.
const COMMIT_NS: u64 = 100_000_000;

/// The open record of a run.
pub struct Writer<'a> {
    os: &'a dyn Os,
    layout: Layout,
    folder: PathBuf,
    run: RunId,
    journal: Box<dyn WritableFile>,
    pack: Box<dyn WritableFile>,
    chain: Digest,
    journal_bytes: u64,
    pack_bytes: u64,
    pending: Pending,
    known: HashSet<Digest>,
    is_poisoned: bool,
    #[expect(dead_code, reason = "held until the run is closed")]
    locks: [Box<dyn Held>; 2],
}

#[derive(Default)]
struct Pending {
    lines: Vec<u8>,
    count: u64,
    jobs: u64,
    pack: Vec<u8>,
    folders: BTreeSet<PathBuf>,
    since_ns: Option<u64>,
}

/// What begins a run, besides the random id.
pub struct NewRun<'a> {
    /// The bytes of the manifest.
    pub manifest: &'a [u8],
    /// The bytes of the lock.
    pub lock: &'a [u8],
    /// Makes the genesis of a run with this id, manifest and lock.
    pub genesis: &'a dyn Fn(RunId, Digest, Digest) -> Genesis,
}

impl<'a> Writer<'a> {
    /// Begins a run. Its folder appears under its name only when genesis and head are durable.
    pub fn begin(os: &'a dyn Os, layout: &Layout, new: &NewRun<'_>) -> Result<Self, StoreError> {
        let store_lock = layout.lock(os, Sharing::Shared)?;
        let runs = layout.runs();
        os::create_folders(os, &runs).map_err(StoreError::io(&runs))?;
        let mut random = [0; 10];
        os.random(&mut random).map_err(StoreError::io(&runs))?;
        let run = RunId::from_random(random);
        let folder = layout.run(&run);
        let temporary = runs.join(format!("{}{}", os::TEMPORARY_PREFIX, run.as_str()));
        let begun = Self::begin_in(os, layout, &temporary, new, (run, store_lock));
        let mut writer = match begun {
            Ok(writer) => writer,
            Err(error) => {
                let _ = os::remove_tree(os, &temporary);
                return Err(error);
            }
        };
        os.rename(&temporary, &folder).map_err(StoreError::io(&folder))?;
        os.sync_folder(&runs).map_err(StoreError::io(&runs))?;
        writer.folder = folder;
        Ok(writer)
    }

    fn begin_in(
        os: &'a dyn Os,
        layout: &Layout,
        folder: &Path,
        new: &NewRun<'_>,
        (run, store_lock): (RunId, Box<dyn Held>),
    ) -> Result<Self, StoreError> {
        os.create_folder(folder).map_err(StoreError::io(folder))?;
        let run_lock = take_lock(os, &folder.join("lock"), Sharing::Exclusive, "this run")?;
        let (journal_path, pack_path) = (folder.join("journal.jsonl"), folder.join("pack"));
        let mut writer = Self {
            os,
            layout: layout.clone(),
            folder: folder.to_owned(),
            run: run.clone(),
            journal: os.create_file(&journal_path).map_err(StoreError::io(&journal_path))?,
            pack: os.create_file(&pack_path).map_err(StoreError::io(&pack_path))?,
            chain: journal::chain_start(),
            journal_bytes: 0,
            pack_bytes: 0,
            pending: Pending::default(),
            known: HashSet::new(),
            is_poisoned: false,
            locks: [store_lock, run_lock],
        };
        let manifest = writer.put(new.manifest)?.digest;
        let lock = writer.put(new.lock)?.digest;
        writer.record(&Event::Genesis(Box::new((new.genesis)(run, manifest, lock))))?;
        writer.commit()?;
        Ok(writer)
    }

    /// Continues a run that was not sealed. The committed part is copied to new files; the rest is set aside.
    pub fn resume(os: &'a dyn Os, layout: &Layout, run: &RunId) -> Result<(Self, Journal), StoreError> {
        let store_lock = layout.lock(os, Sharing::Shared)?;
        let folder = layout.run(run);
        let run_lock = take_lock(os, &folder.join("lock"), Sharing::Exclusive, "this run")?;
        let journal = journal::read_journal(os, layout, run)?;
        if journal.is_sealed {
            return Err(StoreError::integrity(folder.display().to_string(), "a sealed run can not be continued"));
        }
        let (journal_path, pack_path) = (folder.join("journal.jsonl"), folder.join("pack"));
        keep_tail(os, &folder, &journal.tail)?;
        let pack_bytes = copy_prefix(os, &pack_path, journal.pack_bytes)?;
        copy_prefix(os, &journal_path, journal.length)?;
        let known = pack::entries(&pack_bytes)
            .map_err(|at| StoreError::integrity(pack_path.display().to_string(), format!("damaged at byte {at}")))?;
        for (digest, position) in &known {
            let start = position.offset as usize;
            if Digest::of(&pack_bytes[start..start + position.length as usize]) != *digest {
                let detail = format!("the object {digest} has other bytes");
                return Err(StoreError::integrity(pack_path.display().to_string(), detail));
            }
        }
        let mut writer = Self {
            os,
            layout: layout.clone(),
            folder,
            run: run.clone(),
            journal: os.append_file(&journal_path).map_err(StoreError::io(&journal_path))?,
            pack: os.append_file(&pack_path).map_err(StoreError::io(&pack_path))?,
            chain: journal.chain,
            journal_bytes: journal.length,
            pack_bytes: journal.pack_bytes,
            pending: Pending::default(),
            known: known.into_iter().map(|(digest, _)| digest).collect(),
            is_poisoned: false,
            locks: [store_lock, run_lock],
        };
        let attempts = open_attempts(&journal);
        writer.record(&Event::Recovered { discarded: Digest::of(&journal.tail), attempts })?;
        writer.commit()?;
        Ok((writer, journal))
    }

    /// The run being written.
    pub fn run(&self) -> &RunId {
        &self.run
    }

    /// Keeps an object; it is durable after the next commit.
    pub fn put(&mut self, bytes: &[u8]) -> Result<ObjectReference, StoreError> {
        self.refuse_when_poisoned()?;
        let digest = Digest::of(bytes);
        let reference = ObjectReference { digest, bytes: bytes.len() as u64 };
        if !self.known.insert(digest) {
            return Ok(reference);
        }
        if bytes.len() > super::LOOSE_FROM_BYTES {
            let put = object::put(self.os, &self.layout, &digest, bytes);
            self.poison_on_error(put)?;
            let path = self.layout.object(&digest);
            self.pending.folders.extend(path.parent().map(Path::to_owned));
        } else {
            pack::append(&mut self.pending.pack, &digest, bytes);
        }
        self.note_pending();
        Ok(reference)
    }

    /// Adds an event; it is durable after the next commit.
    pub fn record(&mut self, event: &Event) -> Result<(), StoreError> {
        self.refuse_when_poisoned()?;
        self.chain = journal::append_line(&mut self.pending.lines, &self.chain, event)?;
        self.pending.count += 1;
        if matches!(event, Event::Finished(_)) {
            self.pending.jobs += 1;
        }
        self.note_pending();
        Ok(())
    }

    fn note_pending(&mut self) {
        if self.pending.since_ns.is_none() {
            self.pending.since_ns = Some(self.os.monotonic_ns());
        }
    }

    /// Whether enough has gathered that a commit is due.
    pub fn is_commit_due(&self) -> bool {
        let waited = |since: u64| self.os.monotonic_ns().saturating_sub(since) >= COMMIT_NS;
        let bytes = self.pending.lines.len() + self.pending.pack.len();
        self.pending.jobs >= COMMIT_JOBS || bytes >= COMMIT_BYTES || self.pending.since_ns.is_some_and(waited)
    }

    /// Makes durable all that was put and recorded; then, and only then, it may be reported.
    pub fn commit(&mut self) -> Result<(), StoreError> {
        self.refuse_when_poisoned()?;
        if self.pending.count == 0 && self.pending.pack.is_empty() && self.pending.folders.is_empty() {
            return Ok(());
        }
        let committed = self.write_commit();
        self.poison_on_error(committed)
    }

    fn write_commit(&mut self) -> Result<(), StoreError> {
        let Pending { lines, count, pack, folders, .. } = std::mem::take(&mut self.pending);
        for folder in folders {
            self.os.sync_folder(&folder).map_err(StoreError::io(&folder))?;
        }
        if !pack.is_empty() {
            let path = self.folder.join("pack");
            self.pack.append(&pack).and_then(|()| self.pack.sync()).map_err(StoreError::io(&path))?;
            self.pack_bytes += pack.len() as u64;
        }
        let mut lines = lines;
        let commit = Event::Commit { count, pack_bytes: self.pack_bytes };
        self.chain = journal::append_line(&mut lines, &self.chain, &commit)?;
        let path = self.folder.join("journal.jsonl");
        self.journal.append(&lines).and_then(|()| self.journal.sync()).map_err(StoreError::io(&path))?;
        self.journal_bytes += lines.len() as u64;
        let head = Head { run: self.run.clone(), length: self.journal_bytes, chain: self.chain.hex() };
        let path = self.folder.join("head");
        os::write_atomically(self.os, &path, &serde_json::to_vec(&head)?).map_err(StoreError::io(&path))
    }

    /// Ends the run: nothing can be added after it. Returns the last chain.
    pub fn seal(mut self, ok: u64, not_ok: u64) -> Result<Digest, StoreError> {
        self.record(&Event::Sealed { ok, not_ok })?;
        self.commit()?;
        Ok(self.chain)
    }

    /// The chain of the last recorded line, and the committed length.
    pub fn head(&self) -> (Digest, u64) {
        (self.chain, self.journal_bytes)
    }

    fn refuse_when_poisoned(&self) -> Result<(), StoreError> {
        if self.is_poisoned { Err(StoreError::Poisoned) } else { Ok(()) }
    }

    fn poison_on_error<T>(&mut self, result: Result<T, StoreError>) -> Result<T, StoreError> {
        self.is_poisoned |= result.is_err();
        result
    }
}

/// How many attempts started without an end.
fn open_attempts(journal: &Journal) -> u64 {
    let count = |is_wanted: fn(&Event) -> bool| journal.events().filter(|event| is_wanted(event)).count() as u64;
    let started = count(|event| matches!(event, Event::Started { .. }));
    started.saturating_sub(count(|event| matches!(event, Event::Finished(_))))
}

/// Sets the uncommitted tail aside under the next free number.
fn keep_tail(os: &dyn Os, folder: &Path, tail: &[u8]) -> Result<(), StoreError> {
    if tail.is_empty() {
        return Ok(());
    }
    for number in 1..u32::MAX {
        let path = folder.join(format!("journal.discarded-{number}"));
        if !os::is_there(os, &path).map_err(StoreError::io(&path))? {
            return os::write_atomically(os, &path, tail).map_err(StoreError::io(&path));
        }
    }
    Ok(())
}

/// Replaces a file by a durable copy of its first bytes, and returns them.
fn copy_prefix(os: &dyn Os, path: &Path, length: u64) -> Result<Vec<u8>, StoreError> {
    let bytes = os.read_range(path, 0, length).map_err(StoreError::io(path))?;
    if (bytes.len() as u64) < length {
        return Err(StoreError::integrity(
            path.display().to_string(),
            format!("it is shorter than the {length} bytes committed"),
        ));
    }
    os::write_atomically(os, path, &bytes).map_err(StoreError::io(path))?;
    Ok(bytes)
}
