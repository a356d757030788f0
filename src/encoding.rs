//! Text as programs and people leave it: byte order marks, UTF-16, Markdown quotes.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};

/// The bytes as UTF-8 without a mark or quoting; bytes that are neither UTF-8 nor UTF-16 stay as they are.
pub fn decode(bytes: &[u8]) -> Cow<'_, [u8]> {
    let plain = match Encoding::for_bom(bytes) {
        Some((encoding, length)) if encoding == UTF_16LE || encoding == UTF_16BE => {
            let (text, _) = encoding.decode_without_bom_handling(&bytes[length..]);
            Cow::Owned(text.into_owned().into_bytes())
        }
        Some((_, length)) => Cow::Borrowed(&bytes[length..]),
        None if is_bare_utf16(bytes) => {
            let (text, _) = UTF_16LE.decode_without_bom_handling(bytes);
            Cow::Owned(text.into_owned().into_bytes())
        }
        None => Cow::Borrowed(bytes),
    };
    if is_quoted(&plain) { Cow::Owned(unquoted(&plain)) } else { plain }
}

/// UTF-16 without a mark, as some programs write what they redirect: every other byte of the beginning is zero.
fn is_bare_utf16(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(64)];
    head.len() >= 8 && head.chunks_exact(2).all(|pair| pair[0] != 0 && pair[1] == 0)
}

/// Whether every line that is not empty begins as a quote does in Markdown and in mail.
fn is_quoted(bytes: &[u8]) -> bool {
    if bytes.iter().find(|byte| !byte.is_ascii_whitespace()) != Some(&b'>') {
        return false;
    }
    let mut lines = bytes.split(|byte| *byte == b'\n');
    lines.all(|line| line.trim_ascii().is_empty() || line.trim_ascii_start().starts_with(b">"))
}

fn unquoted(bytes: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(bytes.len());
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let line = match line.trim_ascii_start().strip_prefix(b">") {
            Some(rest) => rest.strip_prefix(b" ").unwrap_or(rest),
            None => line,
        };
        plain.extend_from_slice(line);
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_wide_characters_and_quotes_leave_the_same_text() {
        let plain = "one: 1\n\ntwo: 2\n";
        let wide: Vec<u8> = plain.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let marked: Vec<u8> = [b"\xff\xfe".as_slice(), &wide].concat();
        let big: Vec<u8> = b"\xfe\xff".iter().copied().chain(plain.encode_utf16().flat_map(u16::to_be_bytes)).collect();
        for bytes in [plain.as_bytes(), &wide, &marked, &big, b"\xef\xbb\xbfone: 1\n\ntwo: 2\n"] {
            assert_eq!(decode(bytes), plain.as_bytes(), "{bytes:?}");
        }
        assert_eq!(decode(b"> one: 1\n>\n> two: 2\n"), plain.as_bytes());
        assert_eq!(decode(b"> one\ntwo\n").as_ref(), b"> one\ntwo\n", "not every line is quoted");
    }
}
