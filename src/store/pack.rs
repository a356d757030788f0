//! Small objects of one run, one after the other in one file.
//!
//! An entry is `BPO1`, the length as four little-endian bytes, the 32 bytes of the digest, and the object.

use crate::digest::Digest;

const MAGIC: &[u8; 4] = b"BPO1";

/// The bytes before each object.
pub(super) const HEADER_BYTES: usize = 4 + 4 + 32;

/// Where an object lies in a pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Position {
    /// The first byte of the object itself.
    pub(super) offset: u64,
    /// Its length.
    pub(super) length: u32,
}

/// Appends an entry to a buffer; the object is shorter than 4 GiB.
pub(super) fn append(buffer: &mut Vec<u8>, digest: &Digest, bytes: &[u8]) {
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    assert!(length as usize == bytes.len(), "only small objects are packed");
    buffer.extend_from_slice(MAGIC);
    buffer.extend_from_slice(&length.to_le_bytes());
    buffer.extend_from_slice(digest.as_bytes());
    buffer.extend_from_slice(bytes);
}

/// All entries of a pack's bytes, their digests not yet checked; the offset of the damage where it is not well formed.
pub(super) fn entries(pack: &[u8]) -> Result<Vec<(Digest, Position)>, usize> {
    let mut found = vec![];
    let mut at = 0;
    while at < pack.len() {
        let header = pack.get(at..at + HEADER_BYTES).filter(|header| header.starts_with(MAGIC)).ok_or(at)?;
        let length = u32::from_le_bytes(header[4..8].try_into().map_err(|_| at)?);
        let digest = Digest::from_bytes(header[8..].try_into().map_err(|_| at)?);
        let offset = at + HEADER_BYTES;
        let end = offset.checked_add(length as usize).filter(|end| *end <= pack.len()).ok_or(at)?;
        found.push((digest, Position { offset: offset as u64, length }));
        at = end;
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_appended_is_found_and_a_cut_is_seen() {
        let mut pack = vec![];
        append(&mut pack, &Digest::of(b"one"), b"one");
        append(&mut pack, &Digest::of(b""), b"");
        let found = entries(&pack).unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].1, Position { offset: HEADER_BYTES as u64, length: 3 });
        for end in 1..pack.len() {
            let is_boundary = end == HEADER_BYTES + 3;
            assert_eq!(entries(&pack[..end]).is_err(), !is_boundary, "cut at {end}");
        }
    }
}
