//! Files held in memory, such as those of an archive: read, and never written.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use super::{Files, Kind, Stat};

/// Files by their paths; folders are those that paths go through.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tree(pub BTreeMap<PathBuf, Vec<u8>>);

impl Tree {
    fn file(&self, path: &Path) -> io::Result<&[u8]> {
        self.0.get(path).map(Vec::as_slice).ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
    }
}

impl Files for Tree {
    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        let bytes = self.file(path)?;
        if bytes.len() as u64 > limit { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes.to_vec()) }
    }

    fn read_range(&self, path: &Path, offset: u64, length: u64) -> io::Result<Vec<u8>> {
        let bytes = self.file(path)?;
        let start = bytes.len().min(usize::try_from(offset).unwrap_or(usize::MAX));
        let end = bytes.len().min(start.saturating_add(usize::try_from(length).unwrap_or(usize::MAX)));
        Ok(bytes[start..end].to_vec())
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn io::Read + Send>> {
        Ok(Box::new(io::Cursor::new(self.file(path)?.to_vec())))
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        let stat = |kind: Kind, length: u64| Stat {
            kind,
            length,
            allotted: length,
            modified_ns: 0,
            changed_ns: 0,
            identity: (0, 0),
        };
        match self.0.get(path) {
            Some(bytes) => Ok(stat(Kind::File, bytes.len() as u64)),
            None if self.0.keys().any(|one| one.starts_with(path)) => Ok(stat(Kind::Folder, 0)),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        let mut names: Vec<String> =
            self.entries(folder)?.iter().filter_map(|path| Some(path.file_name()?.to_str()?.to_owned())).collect();
        names.sort_unstable();
        Ok(names)
    }

    fn entries(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        let below = self.0.keys().filter_map(|path| path.strip_prefix(folder).ok()?.components().next());
        let mut paths: Vec<PathBuf> = below.map(|name| folder.join(name)).collect();
        paths.dedup();
        if paths.is_empty() { Err(io::ErrorKind::NotFound.into()) } else { Ok(paths) }
    }
}
