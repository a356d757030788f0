//! Debian's packages read as streams: an `ar` archive (deb(5)) that holds a tar archive, compressed by xz.

use std::io::{self, Read};

use super::ImageError;

const HEADER_BYTES: usize = 60;

/// The most that is unpacked of one package, in bytes.
const UNPACKED_BYTES_MAX: u64 = 4 << 30;

/// Calls `take` with the path, without a leading `./`, and the content of each regular file and link in a package. For
/// a link the content is its target.
pub(super) fn each_file(
    package: &[u8],
    take: &mut dyn FnMut(&str, &mut dyn Read) -> io::Result<()>,
) -> Result<(), ImageError> {
    let damaged = |what: &dyn std::fmt::Display| {
        ImageError::new(format!("a package can not be read: {what}"), "Lock again, so that it is downloaded anew.")
    };
    let (name, data) = member(package).ok_or_else(|| damaged(&"it has no `data.tar`"))?;
    let plain: Box<dyn Read + '_> = match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("xz") => Box::new(liblzma::read::XzDecoder::new(data)),
        Some("gz") => Box::new(flate2::read::GzDecoder::new(data)),
        Some("tar") => Box::new(data),
        _ => return Err(damaged(&format!("`{name}` is compressed by something else than xz or gzip"))),
    };
    let mut archive = tar::Archive::new(plain.take(UNPACKED_BYTES_MAX));
    let mut walk = || -> io::Result<()> {
        for entry in archive.entries()? {
            let mut entry = entry?;
            let path = entry.path()?.to_string_lossy().trim_start_matches("./").to_owned();
            match entry.header().entry_type() {
                tar::EntryType::Regular => take(&path, &mut entry)?,
                tar::EntryType::Symlink => {
                    let target = entry.link_name()?.map(|target| target.to_string_lossy().into_owned());
                    let target = format!("{LINK}{}", target.unwrap_or_default());
                    take(&path, &mut target.as_bytes())?;
                }
                _ => {}
            }
        }
        Ok(())
    };
    walk().map_err(|error| damaged(&error))
}

/// How the content of a link begins.
pub(super) const LINK: &str = "link:";

/// The member whose name begins with `data.tar`.
fn member(package: &[u8]) -> Option<(&str, &[u8])> {
    let mut rest = package.strip_prefix(b"!<arch>\n")?;
    while rest.len() >= HEADER_BYTES {
        let (header, body) = rest.split_at(HEADER_BYTES);
        let text = |from: usize, to: usize| std::str::from_utf8(&header[from..to]).ok().map(str::trim);
        let length: usize = text(48, 58)?.parse().ok()?;
        let content = body.get(..length)?;
        let name = text(0, 16)?.trim_end_matches('/');
        if name.starts_with("data.tar") {
            return Some((name, content));
        }
        rest = body.get(length.next_multiple_of(2)..)?;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_package_is_an_error() {
        let cut = b"!<arch>\ndata.tar.xz     0           0     0     100644  99        `\nshort";
        for bytes in [&b""[..], b"!<arch>\n", b"no archive", cut] {
            assert!(each_file(bytes, &mut |_, _| Ok(())).is_err());
        }
    }
}
