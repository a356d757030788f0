//! Text that people wrote, and places in it.
//!
//! A place is a range of bytes; lines and columns are computed when they are shown. Columns count characters from 1.

use std::sync::Arc;

/// A file's text under the name it is shown by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    name: Arc<str>,
    text: Arc<str>,
}

/// A range of bytes in a source, end excluded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

impl Source {
    /// The text of the file shown as `name`.
    pub fn new(name: &str, text: &str) -> Self {
        Self { name: name.into(), text: text.into() }
    }

    /// The name it is shown by.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Line and column, each from 1, of a byte; the end of the text for any later byte.
    pub fn line_and_column(&self, byte: usize) -> (usize, usize) {
        let mut end = byte.min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        let before = &self.text[..end];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }

    /// The text of the line with this number, from 1, without its end.
    pub fn line(&self, number: usize) -> &str {
        self.text.lines().nth(number.saturating_sub(1)).unwrap_or("")
    }

    /// The span of a line with this number, from 1.
    pub fn line_span(&self, number: usize) -> Span {
        let line = self.line(number);
        let start = line.as_ptr() as usize - self.text.as_ptr() as usize;
        if line.is_empty() { Span::default() } else { Span { start, end: start + line.len() } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters() {
        let source = Source::new("x", "a\nµs = 1\n");
        let byte = source.text().find('=').unwrap();
        assert_eq!(source.line_and_column(byte), (2, 4));
        assert_eq!(source.line(2), "µs = 1");
        assert_eq!(source.line_and_column(9999), (3, 1));
    }
}
