//! Large objects: one file each, named by digest.

use std::io;
use std::path::Path;

use super::{Layout, StoreError};
use crate::digest::Digest;
use crate::os::{self, Files, Os};

/// Objects longer than this are files of their own; shorter ones go into the pack of their run.
pub const LOOSE_FROM_BYTES: usize = 64 * 1024;

/// The largest object that is read into memory, in bytes.
pub(super) const OBJECT_LIMIT_BYTES: u64 = 4 << 30;

/// Writes a large object durably, but for its entry in its folder, which the caller syncs at the next commit. An
/// existing file stands for it only when its bytes are right; a damaged one is set aside.
pub(super) fn put(os: &dyn Os, layout: &Layout, digest: &Digest, bytes: &[u8]) -> Result<(), StoreError> {
    let path = layout.object(digest);
    let fail = || StoreError::io(&path);
    let folder = path.parent().unwrap_or(layout.folder());
    os::create_folders(os, folder).map_err(StoreError::io(folder))?;
    if os::is_there(os, &path).map_err(fail())? {
        if is_intact(os, &path, digest).map_err(fail())? {
            return sync_existing(os, &path).map_err(fail());
        }
        set_aside(os, &path).map_err(fail())?;
    }
    let temporary = os::temporary_beside(os, &path).map_err(fail())?;
    let written = (|| {
        let mut file = os.create_file(&temporary)?;
        file.append(bytes)?;
        file.sync()?;
        os.rename(&temporary, &path)
    })();
    if written.is_err() {
        let _ = os.remove_file(&temporary);
    }
    written.map_err(fail())
}

/// Whether a large object has its digest, read as a stream.
pub(super) fn is_intact(os: &dyn Files, path: &Path, digest: &Digest) -> io::Result<bool> {
    let mut reader = os.open(path)?;
    Ok(Digest::of_reader(&mut *reader)?.0 == *digest)
}

/// Another run may have left it without a commit, so it is made durable once more.
fn sync_existing(os: &dyn Os, path: &Path) -> io::Result<()> {
    os.append_file(path)?.sync()
}

fn set_aside(os: &dyn Os, path: &Path) -> io::Result<()> {
    let mut random = [0; 4];
    os.random(&mut random)?;
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("object");
    os.rename(path, &path.with_file_name(format!("{name}.damaged-{:08x}", u32::from_le_bytes(random))))
}

/// Reads a large object and checks it; `None` where there is no such file.
pub(super) fn get(os: &dyn Files, layout: &Layout, digest: &Digest) -> Result<Option<Vec<u8>>, StoreError> {
    let path = layout.object(digest);
    let bytes = match os.read(&path, OBJECT_LIMIT_BYTES) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(StoreError::Io { path, error }),
    };
    if Digest::of(&bytes) == *digest {
        Ok(Some(bytes))
    } else {
        Err(StoreError::integrity(path.display().to_string(), "its bytes do not have the digest in its name"))
    }
}
