//! A bundle: the runs of an experiment with all their objects, as one tar archive.
//!
//! It is laid out as a store is, so `tar` packs and unpacks it, too. The same runs give the same bytes. It is read as a
//! stream, without being unpacked: regular files with the names of a store, and nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use super::check::references;
use super::history::History;
use super::{Layout, StoreError};
use crate::digest::Digest;
use crate::name::RunId;
use crate::os::tree::Tree;
use crate::os::{Files, is_there};

/// The most bytes that a bundle may hold.
pub const BYTES_MAX: u64 = 1 << 30;
/// The files of a run.
const RUN_FILES: &[&str] = &["head", "journal.jsonl", "pack"];

/// Writes the runs of a history, with the objects that they name; the number of files.
pub fn write(files: &dyn Files, layout: &Layout, history: &History, out: impl Write) -> Result<u64, StoreError> {
    let mut paths: BTreeSet<PathBuf> = BTreeSet::new();
    for (run, journal) in &history.runs {
        paths.extend(RUN_FILES.iter().map(|name| layout.run(run).join(name)));
        paths.extend(journal.events().flat_map(references).map(|digest| layout.object(&digest)));
    }
    let mut archive = tar::Builder::new(out);
    let mut count = 0;
    for path in &paths {
        // small objects lie in packs, and a run without any has none
        if !is_there(files, path).map_err(StoreError::io(path))? {
            continue;
        }
        let inside = path.strip_prefix(layout.folder()).unwrap_or(path);
        let bytes = files.read(path, BYTES_MAX).map_err(StoreError::io(path))?;
        let mut header = tar::Header::new_ustar();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        header.set_mtime(0);
        archive.append_data(&mut header, inside, bytes.as_slice()).map_err(StoreError::io(path))?;
        count += 1;
    }
    let written = archive.into_inner().and_then(|mut out| out.flush());
    written.map_err(StoreError::io(Path::new("bundle")))?;
    Ok(count)
}

/// Whether bytes begin as a tar archive does.
pub fn is_bundle(start: &[u8]) -> bool {
    start.get(257..262) == Some(b"ustar")
}

/// Reads a bundle into memory, where it is a store whose folder has no name: [`Layout`] of an empty path.
pub fn read(bundle: impl Read) -> Result<Tree, StoreError> {
    let refused = |detail: String| StoreError::integrity("the bundle", detail);
    let unreadable = |error: io::Error| StoreError::integrity("the bundle", error.to_string());
    let mut archive = tar::Archive::new(bundle.take(BYTES_MAX));
    let mut files: BTreeMap<PathBuf, Vec<u8>> = BTreeMap::new();
    let mut room = BYTES_MAX;
    for entry in archive.entries().map_err(unreadable)? {
        let mut entry = entry.map_err(unreadable)?;
        let path = entry.path().map_err(unreadable)?.into_owned();
        match entry.header().entry_type() {
            tar::EntryType::Directory => continue,
            tar::EntryType::Regular if is_known(&path) => {}
            _ => return Err(refused(format!("{} does not belong into one", path.display()))),
        }
        let size = entry.size();
        room = room.checked_sub(size).ok_or_else(|| refused(format!("it holds more than {BYTES_MAX} bytes")))?;
        let mut bytes = vec![];
        entry.read_to_end(&mut bytes).map_err(unreadable)?;
        if bytes.len() as u64 != size {
            return Err(refused(format!("{} is cut", path.display())));
        }
        if files.insert(path.clone(), bytes).is_some() {
            return Err(refused(format!("{} stands in it twice", path.display())));
        }
    }
    Ok(Tree(files))
}

/// Whether a path is one of a store: a file of a run, or an object by its digest.
fn is_known(path: &Path) -> bool {
    let parts: Option<Vec<&str>> = path.iter().map(|part| part.to_str()).collect();
    match parts.as_deref() {
        Some(["runs", run, name]) => RunId::new(run).is_ok() && RUN_FILES.contains(name),
        Some(["objects", "sha256", start, hex]) => {
            hex.starts_with(start) && start.len() == 2 && format!("sha256:{hex}").parse::<Digest>().is_ok()
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive(entries: &[(&str, tar::EntryType)]) -> Vec<u8> {
        let mut builder = tar::Builder::new(vec![]);
        for (path, kind) in entries {
            let mut header = tar::Header::new_ustar();
            header.set_entry_type(*kind);
            header.set_size(1);
            header.as_mut_bytes()[..path.len()].copy_from_slice(path.as_bytes());
            header.set_cksum();
            builder.append(&header, &b"x"[..]).unwrap();
        }
        builder.into_inner().unwrap()
    }

    #[test]
    fn only_the_files_of_a_store_are_read() {
        use tar::EntryType::{Regular, Symlink};
        let known = archive(&[("runs/0123456789abcdef0123/head", Regular)]);
        assert!(is_bundle(&known));
        let tree = read(known.as_slice()).unwrap();
        assert_eq!(Layout::new(Path::new("")).run_ids(&tree).unwrap()[0].as_str(), "0123456789abcdef0123");
        for (path, kind) in [
            ("../head", Regular),
            ("/etc/passwd", Regular),
            ("runs/x/../../y", Regular),
            ("lock", Regular),
            ("objects/sha256/ab/abc", Regular),
            ("runs/0123456789abcdef0123/head", Symlink),
        ] {
            let refused = read(archive(&[(path, kind)]).as_slice());
            assert!(matches!(refused, Err(StoreError::Integrity { .. })), "{path}: {refused:?}");
        }
        assert!(read(&known[..600]).is_err(), "what is cut is no bundle");
        assert!(read(&b"no archive at all"[..]).is_err());
    }
}
