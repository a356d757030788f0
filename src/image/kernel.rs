//! Kernels: the ELF file within a bzImage, which QEMU starts directly, and the parts of a kernel's package.

use std::collections::BTreeSet;
use std::io::Read as _;

use super::module::Modules;
use super::{ImageError, archive};

/// The most that a kernel unpacks to, in bytes.
const KERNEL_BYTES_MAX: usize = 512 << 20;
/// The largest block of the legacy LZ4 format.
const LZ4_BLOCK_BYTES: usize = 8 << 20;

/// What is taken out of a kernel's package.
pub(super) struct Parts {
    pub(super) kernel: Vec<u8>,
    pub(super) release: String,
    pub(super) modules: Modules,
}

impl Parts {
    /// Reads a package: `boot/vmlinuz-RELEASE`, `lib/modules/RELEASE/…`. A wanted module that is neither a file nor
    /// built in is an error.
    pub(super) fn read(package: &[u8], wanted: &BTreeSet<String>) -> Result<Self, ImageError> {
        let (mut image, mut release, mut modules) = (None, String::new(), Modules::default());
        archive::each_file(package, &mut |path, reader| {
            let path = path.strip_prefix("usr/").unwrap_or(path);
            if let Some(found) = path.strip_prefix("boot/vmlinuz-") {
                let mut bytes = vec![];
                reader.read_to_end(&mut bytes)?;
                (image, release) = (Some(bytes), found.to_owned());
            } else if let Some((_, inside)) = path.strip_prefix("lib/modules/").and_then(|path| path.split_once('/')) {
                modules.take(inside, reader)?;
            }
            Ok(())
        })?;
        let help = "Name a package that holds a kernel, such as `linux-image-amd64`.";
        let image = image.ok_or_else(|| ImageError::new("the package holds no kernel", help))?;
        Ok(Self { kernel: unpack(&image)?, release, modules: modules.closure(wanted)? })
    }
}

/// The ELF file of a kernel: itself, or the payload of a bzImage. Linux' boot protocol, `Documentation/arch/x86/boot`:
/// the number of setup sectors at 0x1f1, the payload's offset and length at 0x248.
pub(super) fn unpack(image: &[u8]) -> Result<Vec<u8>, ImageError> {
    if image.starts_with(b"\x7fELF") {
        return Ok(image.to_vec());
    }
    let help = "Give an ELF kernel (vmlinux), or a bzImage compressed by LZ4, xz or gzip.";
    let wrong = |what: &str| ImageError::new(format!("the kernel can not be read: {what}"), help);
    let number = |at: usize| {
        image
            .get(at..at + 4)
            .and_then(|bytes| <[u8; 4]>::try_from(bytes).ok())
            .map(|bytes| u32::from_le_bytes(bytes) as usize)
    };
    if image.get(0x202..0x206) != Some(b"HdrS") {
        return Err(wrong("it is neither ELF nor a bzImage"));
    }
    let setup = match image.get(0x1f1) {
        Some(0) | None => 4,
        Some(count) => usize::from(*count),
    };
    let (offset, length) = (number(0x248).unwrap_or(0), number(0x24c).unwrap_or(0));
    let start = (setup + 1) * 512 + offset;
    let payload = image.get(start..start + length).ok_or_else(|| wrong("its payload is cut"))?;
    let elf = if payload.starts_with(&[0x02, 0x21, 0x4c, 0x18]) {
        // the last four bytes are the unpacked length, and no part of the stream
        lz4_legacy(&payload[4..payload.len().saturating_sub(4).max(4)])
    } else if payload.starts_with(b"\xfd7zXZ\0") {
        read_limited(liblzma::read::XzDecoder::new(payload))
    } else if payload.starts_with(&[0x1f, 0x8b]) {
        read_limited(flate2::read::GzDecoder::new(payload))
    } else {
        None
    };
    match elf {
        Some(elf) if elf.starts_with(b"\x7fELF") => Ok(elf),
        _ => Err(wrong("its payload is compressed by something else, or damaged")),
    }
}

fn read_limited(reader: impl std::io::Read) -> Option<Vec<u8>> {
    let mut bytes = vec![];
    reader.take(KERNEL_BYTES_MAX as u64).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Blocks, each behind its packed length.
fn lz4_legacy(mut packed: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = vec![];
    while packed.len() > 4 && bytes.len() < KERNEL_BYTES_MAX {
        let length = u32::from_le_bytes(packed[..4].try_into().ok()?) as usize;
        let block = packed.get(4..4 + length)?;
        bytes.extend(lz4_flex::block::decompress(block, LZ4_BLOCK_BYTES).ok()?);
        packed = &packed[4 + length..];
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bzimage_with_a_damaged_payload_is_an_error() {
        let mut image = vec![0; 0x400];
        image[0x202..0x206].copy_from_slice(b"HdrS");
        image[0x1f1] = 1;
        image[0x24c] = 200;
        assert!(unpack(&image).unwrap_err().message.contains("cut"));
        image.resize(0x1000, 7);
        assert!(unpack(&image).unwrap_err().message.contains("compressed"));
        assert!(unpack(b"text").unwrap_err().message.contains("neither"));
        assert_eq!(unpack(b"\x7fELFx").unwrap(), b"\x7fELFx");
    }
}
