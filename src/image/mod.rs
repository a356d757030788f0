//! Guest images: from pinned packages, or files with digests, to a kernel and an initramfs.
//!
//! Each step is hashed and gives the same bytes twice: packages are downloaded by exact version, checked, kept by digest
//! and read without being installed; the archive has sorted names and no times. What was made once is found again by
//! the digest of its recipe, so nothing is built that is at hand. [`build`] executes `apt-cache`, `apt-get` and, for
//! fio, the C compiler on the source that Debian keeps; never a program that a manifest names.

mod archive;
mod cache;
pub mod cpio;
mod fio;
mod kernel;
mod module;
mod package;
mod program;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::os::Os;

pub use cache::Cache;
pub use package::Package;

/// What an image is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recipe {
    /// Where the kernel comes from.
    pub source: Source,
    /// The modules that guests load, by name.
    pub modules: BTreeSet<String>,
    /// The programs that jobs start in the guest.
    pub programs: BTreeSet<String>,
}

/// Where a kernel and its programs come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A package of Debian, with how its version begins.
    Debian {
        /// The package: `linux-image-amd64`.
        package: String,
        /// How the version begins; empty for the newest.
        version: String,
    },
    /// Two files.
    Files {
        /// ELF or bzImage.
        kernel: Vec<u8>,
        /// A cpio archive.
        userland: Vec<u8>,
    },
}

/// What was made; the lock keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Image {
    /// What it was made by: changes with the manifest.
    pub recipe: Digest,
    /// The kernel as it is booted.
    pub kernel: Digest,
    /// What the guest's `uname -r` must say; empty where the kernel was given as a file.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kernel_release: String,
    /// The archive that the kernel unpacks.
    pub initramfs: Digest,
    /// The packages it was made of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub packages: Vec<Package>,
    /// The programs in it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub programs: BTreeMap<String, Program>,
    /// The compiler that built what was built.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compiler: Option<String>,
}

/// A program of an image.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// As its package says.
    pub version: String,
    /// Of its file.
    pub digest: Digest,
}

/// An image can not be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ImageError {
    /// What happened.
    pub message: String,
    /// What to do.
    pub help: String,
    /// The driver that the kernel lacks, where that is what happened.
    pub driver: Option<String>,
}

impl ImageError {
    fn new(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { message: message.into(), help: help.into(), driver: None }
    }

    fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.display().to_string();
        move |error| Self::new(format!("{path}: {error}"), "Free some room, or look at the folder's rights.")
    }
}

impl Recipe {
    /// What identifies it.
    pub fn digest(&self) -> Digest {
        let mut text = match &self.source {
            Source::Debian { package, version } => format!("debian {package} {version}\n"),
            Source::Files { kernel, userland } => format!("files {} {}\n", Digest::of(kernel), Digest::of(userland)),
        };
        for name in self.modules.iter().chain(&self.programs) {
            text.push_str(&format!("{name}\n"));
        }
        Digest::tagged("benchpaper/image@1", &[text.as_bytes()])
    }
}

/// Where images are made.
pub struct Workshop<'a> {
    /// The machine.
    pub os: &'a dyn Os,
    /// What was made and downloaded before.
    pub cache: &'a Cache,
    /// Told before what takes long.
    pub tell: &'a dyn Fn(&str),
}

/// The programs that an image can have, besides those of busybox.
pub fn known_programs() -> Vec<&'static str> {
    program::known()
}

/// Makes an image, or finds it. With `locked` the packages are those of the lock, and what comes out must be what the
/// lock says.
pub fn build(workshop: &Workshop<'_>, recipe: &Recipe, locked: Option<&Image>) -> Result<Image, ImageError> {
    if let Some(locked) = locked
        && workshop.cache.holds(workshop.os, &locked.kernel)?
        && workshop.cache.holds(workshop.os, &locked.initramfs)?
    {
        return Ok(locked.clone());
    }
    let _alone = workshop.cache.alone(workshop.os, workshop.tell)?;
    let image = match &recipe.source {
        Source::Files { kernel, userland } => from_files(workshop, recipe, (kernel, userland))?,
        Source::Debian { package, version } => from_debian(workshop, recipe, (package, version), locked)?,
    };
    match locked {
        Some(locked) if *locked != image => {
            let help = match (&locked.compiler, &image.compiler) {
                (Some(one), Some(other)) if one != other => {
                    format!(
                        "The lock was made with `{one}`, here is `{other}`. Copy `artifacts/images` from where it was locked, or lock again."
                    )
                }
                _ => "Copy `artifacts/images` from where it was locked, or lock again.".to_owned(),
            };
            Err(ImageError::new("the image made here is not the one in the lock", help))
        }
        _ => Ok(image),
    }
}

fn from_files(
    workshop: &Workshop<'_>,
    recipe: &Recipe,
    (kernel, userland): (&[u8], &[u8]),
) -> Result<Image, ImageError> {
    let elf = kernel::unpack(kernel)?;
    let userland = inflate(userland)?;
    Ok(Image {
        recipe: recipe.digest(),
        kernel: workshop.cache.put(workshop.os, &elf)?,
        kernel_release: String::new(),
        initramfs: workshop.cache.put(workshop.os, &userland)?,
        packages: vec![],
        programs: BTreeMap::new(),
        compiler: None,
    })
}

/// A gzip archive is unpacked, for ours is appended to it.
fn inflate(userland: &[u8]) -> Result<Vec<u8>, ImageError> {
    const UNPACKED_BYTES_MAX: u64 = 1 << 30;
    let help = "Give a cpio archive (newc), plain or compressed by gzip.";
    let mut bytes = vec![];
    if userland.starts_with(&[0x1f, 0x8b]) {
        let mut reader = std::io::Read::take(flate2::read::GzDecoder::new(userland), UNPACKED_BYTES_MAX);
        std::io::Read::read_to_end(&mut reader, &mut bytes)
            .map_err(|error| ImageError::new(format!("the userland can not be unpacked: {error}"), help))?;
    } else {
        bytes.extend_from_slice(userland);
    }
    if !bytes.starts_with(b"070701") {
        return Err(ImageError::new("the userland is no cpio archive", help));
    }
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    Ok(bytes)
}

fn from_debian(
    workshop: &Workshop<'_>,
    recipe: &Recipe,
    (name, version): (&str, &str),
    locked: Option<&Image>,
) -> Result<Image, ImageError> {
    let packages = package::Shelf::new(workshop, locked.map(|image| image.packages.as_slice()));
    let mut used: Vec<Package> = vec![];
    let (kernel_package, bytes) = packages.kernel(name, version)?;
    let parts = kernel::Parts::read(&bytes, &recipe.modules)?;
    used.push(kernel_package);
    let mut files: Vec<cpio::File> = parts.modules.files(&parts.release);
    let mut programs = BTreeMap::new();
    let busybox = program::of_package(&packages, "busybox-static", "bin/busybox")?;
    let mut chosen = vec![(busybox, "busybox".to_owned())];
    let mut compiler = None;
    for wanted in &recipe.programs {
        if wanted == "fio" {
            let built = fio::build(workshop, &packages)?;
            compiler = Some(built.compiler);
            used.push(built.source);
            programs.insert(wanted.clone(), Program { version: built.version, digest: Digest::of(&built.bytes) });
            files.push(cpio::File::program("bin/fio", built.bytes));
            continue;
        }
        let Some((package, path)) = program::home(wanted) else {
            let known = program::known().join(", ");
            let help = format!("Programs that guests can have: {known}. Give `file` and `userland` for others.");
            return Err(ImageError::new(format!("`{wanted}` is no program of a guest image"), help));
        };
        chosen.push((program::of_package(&packages, package, path)?, wanted.clone()));
    }
    for (found, name) in chosen {
        programs.insert(name, Program { version: found.package.version.clone(), digest: Digest::of(&found.bytes) });
        used.push(found.package);
        files.extend(
            found.libraries.iter().map(|(soname, bytes)| cpio::File::program(&format!("lib/{soname}"), bytes.clone())),
        );
        used.extend(found.library_packages);
        files.push(cpio::File::program(&found.place, found.bytes));
    }
    if files.iter().any(|file| file.path.starts_with("lib/ld-")) {
        files.push(cpio::File::link("lib64", "lib"));
    }
    used.sort();
    used.dedup();
    Ok(Image {
        recipe: recipe.digest(),
        kernel: workshop.cache.put(workshop.os, &parts.kernel)?,
        kernel_release: parts.release,
        initramfs: workshop.cache.put(workshop.os, &cpio::archive(files))?,
        packages: used,
        programs,
        compiler,
    })
}
