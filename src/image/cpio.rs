//! Archives that Linux unpacks at boot: cpio in the format `newc`, the same bytes for the same files.
//!
//! Names are sorted, inodes numbered in that order, times and owners zero. Folders are added where files need them.

use std::collections::{BTreeMap, BTreeSet};

const FOLDER: u32 = 0o040_755;

/// A file of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Without a leading slash.
    pub path: String,
    /// What it holds; the target of a link.
    pub bytes: Vec<u8>,
    mode: u32,
}

impl File {
    /// A file that may be executed.
    pub fn program(path: &str, bytes: Vec<u8>) -> Self {
        Self { path: path.to_owned(), bytes, mode: 0o100_755 }
    }

    /// A file that may be read.
    pub fn data(path: &str, bytes: Vec<u8>) -> Self {
        Self { path: path.to_owned(), bytes, mode: 0o100_644 }
    }

    /// A symbolic link.
    pub fn link(path: &str, target: &str) -> Self {
        Self { path: path.to_owned(), bytes: target.as_bytes().to_vec(), mode: 0o120_777 }
    }
}

/// The archive. Of two files with one path the last counts.
pub fn archive(files: Vec<File>) -> Vec<u8> {
    let mut folders: BTreeSet<String> = BTreeSet::new();
    for file in &files {
        let mut path = file.path.as_str();
        while let Some((folder, _)) = path.rsplit_once('/') {
            folders.insert(folder.to_owned());
            path = folder;
        }
    }
    let mut entries: BTreeMap<String, (u32, Vec<u8>)> = BTreeMap::new();
    entries.extend(folders.into_iter().map(|folder| (folder, (FOLDER, vec![]))));
    entries.extend(files.into_iter().map(|file| (file.path, (file.mode, file.bytes))));
    let mut bytes = vec![];
    for (number, (path, (mode, content))) in entries.iter().enumerate() {
        append(&mut bytes, path, (number as u32 + 1, *mode), content);
    }
    append(&mut bytes, "TRAILER!!!", (0, 0), &[]);
    bytes
}

fn append(bytes: &mut Vec<u8>, path: &str, (inode, mode): (u32, u32), content: &[u8]) {
    let links = if mode == FOLDER { 2 } else { 1 };
    let fields = [inode, mode, 0, 0, links, 0, content.len() as u32, 0, 0, 0, 0, path.len() as u32 + 1, 0];
    bytes.extend_from_slice(b"070701");
    for field in fields {
        bytes.extend_from_slice(format!("{field:08x}").as_bytes());
    }
    bytes.extend_from_slice(path.as_bytes());
    bytes.push(0);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes.extend_from_slice(content);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_files_does_not_matter() {
        let files = || vec![File::program("bin/a", b"one".to_vec()), File::data("etc/b/c", vec![])];
        let mut turned = files();
        turned.reverse();
        let bytes = archive(files());
        assert_eq!(bytes, archive(turned));
        assert_eq!(bytes.len() % 4, 0);
        let text = String::from_utf8_lossy(&bytes);
        let at = |name: &str| text.find(name).unwrap();
        assert!(at("bin\0") < at("bin/a\0") && at("etc/b\0") < at("etc/b/c\0") && at("etc/b/c\0") < at("TRAILER"));
    }
}
