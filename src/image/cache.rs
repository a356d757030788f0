//! What was downloaded and made, by digest: `artifacts/images/sha256/ab/…`.
//!
//! It holds no evidence: the lock names what it must hold, and what is missing is made again. It is never in git.

use std::path::{Path, PathBuf};

use super::ImageError;
use crate::digest::Digest;
use crate::os::{self, Held, Os, Sharing};

/// The largest file that is kept, in bytes.
const FILE_BYTES_MAX: u64 = 2 << 30;

/// The folder.
#[derive(Debug, Clone)]
pub struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// Below the folder of the store.
    pub fn new(artifacts: &Path) -> Self {
        Self { folder: artifacts.join("images") }
    }

    /// Waits until nobody else makes images here, and keeps others from it as long as what is returned lives.
    pub(super) fn alone(&self, os: &dyn Os, tell: &dyn Fn(&str)) -> Result<Box<dyn Held>, ImageError> {
        const LOOKS: usize = 6_000;
        os::create_folders(os, &self.folder).map_err(ImageError::io(&self.folder))?;
        let path = self.folder.join("lock");
        for look in 0..LOOKS {
            match os.lock(&path, Sharing::Exclusive) {
                Ok(held) => return Ok(held),
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                    if look == 5 {
                        tell("waiting for another benchpaper that makes images");
                    }
                    os::supervision::rest(std::time::Duration::from_millis(100));
                }
                Err(error) => return Err(ImageError::io(&path)(error)),
            }
        }
        Err(ImageError::new("another benchpaper has been making images for ten minutes", "Wait until it has ended."))
    }

    /// A folder for what is being made.
    pub(super) fn workshop(&self) -> PathBuf {
        self.folder.join("workshop")
    }

    fn path(&self, digest: &Digest) -> PathBuf {
        let hex = digest.hex();
        self.folder.join("sha256").join(&hex[..2]).join(&hex[2..])
    }

    /// Whether it has these bytes, undamaged.
    pub fn holds(&self, os: &dyn Os, digest: &Digest) -> Result<bool, ImageError> {
        let path = self.path(digest);
        if !os::is_there(os, &path).map_err(ImageError::io(&path))? {
            return Ok(false);
        }
        let found = os.open(&path).and_then(|mut file| Digest::of_reader(&mut *file)).map_err(ImageError::io(&path))?;
        if found.0 != *digest {
            os.remove_file(&path).map_err(ImageError::io(&path))?;
        }
        Ok(found.0 == *digest)
    }

    /// The bytes of a digest, checked; `None` where it has none.
    pub fn get(&self, os: &dyn Os, digest: &Digest) -> Result<Option<Vec<u8>>, ImageError> {
        let path = self.path(digest);
        match os.read(&path, FILE_BYTES_MAX) {
            Ok(bytes) if Digest::of(&bytes) == *digest => Ok(Some(bytes)),
            Ok(_) => {
                os.remove_file(&path).map_err(ImageError::io(&path))?;
                Ok(None)
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(ImageError::io(&path)(error)),
        }
    }

    /// Keeps some bytes.
    pub fn put(&self, os: &dyn Os, bytes: &[u8]) -> Result<Digest, ImageError> {
        let digest = Digest::of(bytes);
        let path = self.path(&digest);
        if !self.holds(os, &digest)? {
            let folder = path.parent().unwrap_or(&self.folder);
            os::create_folders(os, folder).map_err(ImageError::io(folder))?;
            os::write_atomically(os, &path, bytes).map_err(ImageError::io(&path))?;
        }
        Ok(digest)
    }

    /// What a recipe gave, where it is remembered.
    pub(super) fn recall(&self, os: &dyn Os, recipe: &Digest) -> Option<String> {
        let bytes = os.read(&self.folder.join("recipes").join(recipe.hex()), 1 << 16).ok()?;
        String::from_utf8(bytes).ok()
    }

    /// Remembers what a recipe gave.
    pub(super) fn remember(&self, os: &dyn Os, recipe: &Digest, text: &str) -> Result<(), ImageError> {
        let folder = self.folder.join("recipes");
        os::create_folders(os, &folder).map_err(ImageError::io(&folder))?;
        let path = folder.join(recipe.hex());
        os::write_atomically(os, &path, text.as_bytes()).map_err(ImageError::io(&path))
    }
}
