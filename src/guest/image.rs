//! Disk images that strangers give: what format they are, and that they name no other file.
//!
//! Only the first bytes are read. QEMU follows backing files, external data files and extents that an image names, so
//! an image that names any is refused before QEMU sees it.

use crate::manifest::guest::DiskFormat;

/// How many bytes are looked at.
pub const HEAD_BYTES: u64 = 64 << 10;

/// The format of an image, or why it is refused. An image that is no qcow2 is raw; VMDK is
/// refused.
pub fn format_of(head: &[u8]) -> Result<DiskFormat, String> {
    if head.starts_with(b"QFI\xfb") {
        return qcow2(head).map(|()| DiskFormat::Qcow2);
    }
    // a VMDK has many ways to name other files: extents, hints of parents, footers that replace its header
    if head.starts_with(b"KDMV") || head.starts_with(b"COWD") || head.starts_with(b"# Disk DescriptorFile") {
        return Err("it is a VMDK, which may name other files".to_owned());
    }
    Ok(DiskFormat::Raw)
}

/// Header of qcow2, `docs/interop/qcow2.txt` of QEMU: backing file offset at 8, incompatible features at 72.
fn qcow2(head: &[u8]) -> Result<(), String> {
    const EXTERNAL_DATA: u64 = 1 << 2;
    let number =
        |at: usize| head.get(at..at + 8).map(|bytes| bytes.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)));
    if number(8) != Some(0) {
        return Err("it names a backing file".to_owned());
    }
    if head.get(7).is_some_and(|version| *version >= 3)
        && number(72).is_none_or(|features| features & EXTERNAL_DATA != 0)
    {
        return Err("it names an external data file".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_that_names_another_file_is_refused() {
        let mut qcow2 = vec![0; 104];
        qcow2[..8].copy_from_slice(b"QFI\xfb\0\0\0\x03");
        assert_eq!(format_of(&qcow2), Ok(DiskFormat::Qcow2));
        qcow2[79] = 4;
        assert!(format_of(&qcow2).unwrap_err().contains("external"));
        qcow2[79] = 0;
        qcow2[15] = 1;
        assert!(format_of(&qcow2).unwrap_err().contains("backing"));
        assert!(format_of(b"# Disk DescriptorFile\nRW 1 FLAT \"/etc/passwd\"").is_err());
        assert!(format_of(b"KDMV\x01\0\0\0").is_err());
        assert_eq!(format_of(b"\0\0\0"), Ok(DiskFormat::Raw));
    }
}
