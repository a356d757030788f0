//! A store opened for reading: objects by digest, each checked when it is read.

use std::collections::HashMap;

use super::pack::{self, Position};
use super::{Journal, Layout, StoreError, object, read_journal};
use crate::digest::Digest;
use crate::name::RunId;
use crate::os::{Files, Held, Os, Sharing};

/// Reads objects of the runs it was opened on.
pub struct Reader<'a> {
    files: &'a dyn Files,
    layout: Layout,
    packed: HashMap<Digest, (usize, Position)>,
    packs: Vec<Pack>,
    #[expect(dead_code, reason = "held so that nothing is pruned meanwhile")]
    lock: Option<Box<dyn Held>>,
}

struct Pack {
    name: String,
    bytes: Vec<u8>,
}

impl<'a> Reader<'a> {
    /// Opens a store and shares it with other readers and writers; one that may not be written to is read without a lock, for
    /// nothing can be pruned from it by whoever may not write.
    pub fn open(os: &'a dyn Os, layout: &Layout) -> Result<Self, StoreError> {
        use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
        let is_there = crate::os::is_there(os, layout.folder()).map_err(StoreError::io(layout.folder()))?;
        let lock = match is_there.then(|| layout.lock(os, Sharing::Shared)).transpose() {
            Err(StoreError::Io { error, .. }) if matches!(error.kind(), PermissionDenied | ReadOnlyFilesystem) => None,
            taken => taken?,
        };
        Ok(Self { lock, ..Self::unlocked(os, layout) })
    }

    /// Reads a store whose lock the caller holds, or that nobody else can change.
    pub fn unlocked(files: &'a dyn Files, layout: &Layout) -> Self {
        Self { files, layout: layout.clone(), packed: HashMap::new(), packs: vec![], lock: None }
    }

    /// Reads the journal of a run and makes its small objects known.
    pub fn load(&mut self, run: &RunId) -> Result<Journal, StoreError> {
        let journal = read_journal(self.files, &self.layout, run)?;
        let path = self.layout.run(run).join("pack");
        let shown = path.display().to_string();
        let bytes = match self.files.read_range(&path, 0, journal.pack_bytes) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => vec![],
            Err(error) => return Err(StoreError::Io { path, error }),
        };
        if (bytes.len() as u64) < journal.pack_bytes {
            let detail = format!("{} bytes, but {} were committed", bytes.len(), journal.pack_bytes);
            return Err(StoreError::integrity(shown, detail));
        }
        let entries = pack::entries(&bytes)
            .map_err(|at| StoreError::integrity(shown.as_str(), format!("damaged at byte {at}")))?;
        let number = self.packs.len();
        self.packed.extend(entries.into_iter().map(|(digest, position)| (digest, (number, position))));
        self.packs.push(Pack { name: shown, bytes });
        Ok(journal)
    }

    /// The bytes of an object, checked against its digest.
    pub fn get(&self, digest: &Digest) -> Result<std::borrow::Cow<'_, [u8]>, StoreError> {
        let Some((number, position)) = self.packed.get(digest) else {
            let loose = object::get(self.files, &self.layout, digest)?;
            return loose.map(Into::into).ok_or(StoreError::Missing(*digest));
        };
        let pack = &self.packs[*number];
        let start = position.offset as usize;
        let bytes = &pack.bytes[start..start + position.length as usize];
        if Digest::of(bytes) == *digest {
            Ok(bytes.into())
        } else {
            Err(StoreError::integrity(&pack.name, format!("the object {digest} at byte {start} has other bytes")))
        }
    }

    /// Whether an object is at hand, its bytes unread.
    pub fn holds(&self, digest: &Digest) -> Result<bool, StoreError> {
        let path = self.layout.object(digest);
        let is_loose = || crate::os::is_there(self.files, &path).map_err(StoreError::io(&path));
        if self.packed.contains_key(digest) { Ok(true) } else { is_loose() }
    }

    /// Checks every packed object that was loaded; the number checked.
    pub fn check_packed(&self) -> Result<u64, StoreError> {
        let mut digests: Vec<&Digest> = self.packed.keys().collect();
        digests.sort();
        for digest in &digests {
            self.get(digest)?;
        }
        Ok(digests.len() as u64)
    }
}
