//! The disks of a fresh guest: made, or converted from an image, and what is in them hashed.

use std::path::Path;

use rand_chacha::rand_core::{Rng as _, SeedableRng as _};

use crate::digest::Digest;
use crate::guest::{DiskSpec, qemu};
use crate::os::{self, Input, Launch, Os};

/// What an image must be found in, and its content.
pub(super) struct Source<'a> {
    /// Beside the manifest: name and bytes.
    pub(super) files: &'a [(String, Vec<u8>)],
    /// The mark of the run.
    pub(super) variables: &'a [(String, String)],
}

/// Makes a disk in a folder. Returns what is to be recorded of a conversion.
pub(super) fn make(os: &dyn Os, folder: &Path, disk: &DiskSpec, source: &Source<'_>) -> Result<Option<String>, String> {
    let target = qemu::disk_file(disk);
    let size = disk.bytes.to_string();
    let perform = |argv: &[&str]| perform(os, folder, argv, source.variables);
    let Some((from, format)) = begin(os, folder, disk, source)? else {
        if disk.format == "raw" {
            return sparse(os, folder, &target, &size, source.variables).map(|()| None);
        }
        return perform(&[qemu::IMAGE_PROGRAM, "create", "-q", "-f", &disk.format, &target, &size]).map(|_| None);
    };
    let held = virtual_size(os, folder, (&from, &format), source.variables)?;
    if held > disk.bytes {
        return Err(format!("the image of {held} B is larger than the disk `{}` of {size} B", disk.name));
    }
    perform(&[qemu::IMAGE_PROGRAM, "convert", "-f", &format, "-O", &disk.format, &from, &target])?;
    if held < disk.bytes {
        perform(&[qemu::IMAGE_PROGRAM, "resize", "-q", "-f", &disk.format, &target, &size])?;
    }
    let (before, after) =
        (content(os, folder, (&from, &format), source)?, content(os, folder, (&target, &disk.format), source)?);
    let _ = os.remove_file(&folder.join(&from));
    if held == disk.bytes && before != after {
        return Err(format!(
            "converting the disk `{}` from {format} to {} changed what is in it",
            disk.name, disk.format
        ));
    }
    Ok(Some(format!("disk {}: {format} {} to {} {}\n", disk.name, before.0, disk.format, after.0)))
}

/// The file that a disk is converted from, and its format; none for an empty one.
fn begin(os: &dyn Os, folder: &Path, disk: &DiskSpec, source: &Source<'_>) -> Result<Option<(String, String)>, String> {
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        os::write_atomically(os, &path, bytes).map_err(|error| format!("writing {}: {error}", path.display()))
    };
    let from = format!("from-{}", disk.name);
    if let Some((file, _)) = &disk.image {
        let bytes = source.files.iter().find(|(name, _)| name == file).map(|(_, bytes)| bytes.as_slice());
        let bytes = bytes.ok_or_else(|| format!("the image `{file}` is not there"))?;
        let head = &bytes[..bytes.len().min(crate::guest::image::HEAD_BYTES as usize)];
        let format = crate::guest::image::format_of(head).map_err(|reason| format!("the image `{file}`: {reason}"))?;
        write(&from, bytes)?;
        return Ok(Some((from, format.to_owned())));
    }
    let Some(format) = &disk.converted_from else { return Ok(None) };
    write_random(os, &folder.join(&from), disk).map_err(|error| format!("writing {from}: {error}"))?;
    if format == "raw" {
        return Ok(Some((from, format.clone())));
    }
    let first = format!("first-{}", disk.name);
    perform(os, folder, &[qemu::IMAGE_PROGRAM, "convert", "-f", "raw", "-O", format, &from, &first], source.variables)?;
    let _ = os.remove_file(&folder.join(&from));
    Ok(Some((first, format.clone())))
}

/// Writes bytes that no format can leave out, the same for the same disk.
fn write_random(os: &dyn Os, path: &Path, disk: &DiskSpec) -> std::io::Result<()> {
    const PIECE_BYTES: u64 = 1 << 20;
    let seed = Digest::tagged("benchpaper/disk@1", &[disk.name.as_bytes()]);
    let mut random = rand_chacha::ChaCha8Rng::from_seed(*seed.as_bytes());
    let mut file = os.create_file(path)?;
    let mut left = disk.bytes;
    while left > 0 {
        let mut piece = vec![0; left.min(PIECE_BYTES) as usize];
        random.fill_bytes(&mut piece);
        file.append(&piece)?;
        left -= piece.len() as u64;
    }
    Ok(())
}

/// A file without content, of a size.
fn sparse(os: &dyn Os, folder: &Path, name: &str, size: &str, variables: &[(String, String)]) -> Result<(), String> {
    perform(os, folder, &[qemu::IMAGE_PROGRAM, "create", "-q", "-f", "raw", name, size], variables).map(|_| ())
}

/// The digest and length of what a guest would read. VMDK files differ each time they are made; their content does not.
fn content(
    os: &dyn Os,
    folder: &Path,
    (file, format): (&str, &str),
    source: &Source<'_>,
) -> Result<(Digest, u64), String> {
    let plain = format!("{file}.content");
    let path = if format == "raw" {
        folder.join(file)
    } else {
        perform(
            os,
            folder,
            &[qemu::IMAGE_PROGRAM, "convert", "-f", format, "-O", "raw", file, &plain],
            source.variables,
        )?;
        folder.join(&plain)
    };
    let hashed = os.open(&path).and_then(|mut file| Digest::of_reader(&mut *file));
    if format != "raw" {
        let _ = os.remove_file(&path);
    }
    hashed.map_err(|error| format!("{}: {error}", path.display()))
}

fn virtual_size(
    os: &dyn Os,
    folder: &Path,
    (file, format): (&str, &str),
    variables: &[(String, String)],
) -> Result<u64, String> {
    let shown = perform(os, folder, &[qemu::IMAGE_PROGRAM, "info", "-f", format, "--output=json", file], variables)?;
    let value: serde_json::Value = serde_json::from_slice(&shown).map_err(|error| error.to_string())?;
    value["virtual-size"].as_u64().ok_or_else(|| "qemu-img tells no size".to_owned())
}

fn perform(os: &dyn Os, folder: &Path, argv: &[&str], variables: &[(String, String)]) -> Result<Vec<u8>, String> {
    let words = argv.iter().map(|word| (*word).to_owned()).collect();
    let launch = Launch { argv: words, folder: folder.to_owned(), variables: variables.to_vec(), input: Input::Null };
    let done = os.perform(&launch).map_err(|error| format!("starting `{}`: {error}", argv[0]))?;
    if done.is_success {
        return Ok(done.stdout);
    }
    let text = String::from_utf8_lossy(&done.stderr);
    Err(format!("`{}` failed: {}", argv[..2.min(argv.len())].join(" "), crate::diagnostic::printable(text.trim())))
}
