//! What readers of text share: places, numbers at the beginning of a text, words anywhere in it.
//!
//! Places are lines, counted from 1 in what is left after decoding: `line/12`.

pub(super) use crate::encoding::decode;

/// The place of a line, counted from 0.
pub(super) fn place(line: usize) -> String {
    format!("line/{}", line + 1)
}

/// Whether some bytes hold a word.
pub(super) fn holds(bytes: &[u8], needle: &str) -> bool {
    let needle = needle.as_bytes();
    needle.is_empty() || bytes.windows(needle.len()).any(|window| window == needle)
}

/// The beginning of an output, in which a tool is recognised.
pub(super) fn head(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.len().min(64 << 10)]
}

/// The number at the beginning of a text, as it is written: `12.5MiB/s` gives `12.5` and `MiB/s`.
pub(super) fn number(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let end = text.find(|one: char| !one.is_ascii_digit() && one != '.').unwrap_or(text.len());
    let is_number = text[..end].bytes().any(|byte| byte.is_ascii_digit());
    is_number.then(|| (&text[..end], text[end..].trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_ends_where_its_unit_begins() {
        assert_eq!(number(" 12.5MiB/s (x)"), Some(("12.5", "MiB/s (x)")));
        assert_eq!(number("n/a"), None);
    }
}
