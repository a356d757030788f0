//! Prose templates: the words of a paper, in which results appear only as tokens.
//!
//! A template is Markdown with minijinja expressions. This module reads the text and refuses what would break the first
//! rule of a paper: a number typed by hand in a section that reports results.

use crate::diagnostic::Diagnostic;
use crate::source::{Source, Span};

/// The largest template, in bytes.
pub const TEMPLATE_LIMIT_BYTES: u64 = 1 << 20;

/// The first of the characters that stand for tokens while prose is rendered; a template must not hold any.
pub const MARKERS: [char; 4] = ['\u{e000}', '\u{e001}', '\u{e002}', '\u{e003}'];

/// The functions whose use makes a section one that reports results.
const REPORTING: &[&str] =
    &["value(", "change(", "ratio(", "results(", "result_table(", "chart(", "comparison(", "noise("];

/// Checks a template without rendering it.
pub fn check(source: &Source) -> Vec<Diagnostic> {
    let mut found = vec![];
    if let Some(at) = source.text().find(MARKERS) {
        let span = Span { start: at, end: at + 3 };
        found.push(
            Diagnostic::error("paper::private-use", "a private-use character").at(source, span).help("Remove it."),
        );
    }
    for section in sections(source.text()) {
        if REPORTING.iter().any(|function| section.text.contains(function)) {
            found.extend(literal_numbers(source, &section));
        }
    }
    found
}

struct Section<'a> {
    start: usize,
    text: &'a str,
}

/// The parts of a template between headings of the first level.
fn sections(text: &str) -> Vec<Section<'_>> {
    let mut starts = vec![0];
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with("# ") && at > 0 {
            starts.push(at);
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).map(|(start, end)| Section { start: *start, text: &text[*start..end] }).collect()
}

/// Numbers that stand by themselves in the words of a section: not in an expression, a code span, a link target or a
/// word such as `p99`.
fn literal_numbers(source: &Source, section: &Section<'_>) -> Vec<Diagnostic> {
    let words = without_markup(section.text);
    let bytes = words.as_bytes();
    let mut found = vec![];
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len()
            && (bytes[at].is_ascii_digit()
                || (matches!(bytes[at], b'.' | b',') && bytes.get(at + 1).is_some_and(u8::is_ascii_digit)))
        {
            at += 1;
        }
        let joins = |byte: Option<&u8>| {
            byte.is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-') || *byte >= 0x80)
        };
        let is_in_word =
            (start > 0 && joins(bytes.get(start - 1))) || bytes.get(at).is_some_and(u8::is_ascii_alphabetic);
        if !is_in_word {
            let span = Span { start: section.start + start, end: section.start + at };
            let number = &words[start..at];
            let help = "Write `{{ value(…) }}` for a result, or `{{ configured(…) }}` for what the manifest sets.";
            found.push(
                Diagnostic::error("paper::literal-number", format!("the number `{number}` is typed by hand"))
                    .at(source, span)
                    .help(help),
            );
        }
    }
    found
}

/// The same text, same length, with expressions, code spans and link targets blanked.
fn without_markup(text: &str) -> String {
    let mut blanked: Vec<u8> = text.as_bytes().to_vec();
    for (open, close) in [("{{", "}}"), ("{%", "%}"), ("{#", "#}"), ("`", "`"), ("](", ")")] {
        let mut from = 0;
        while let Some(start) = text[from..].find(open).map(|at| from + at) {
            let inner = start + open.len();
            let Some(end) = text[inner..].find(close).map(|at| inner + at + close.len()) else { break };
            blanked[start..end].fill(b' ');
            from = end;
        }
    }
    String::from_utf8(blanked).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str) -> Vec<String> {
        check(&Source::new("en.md", text)).into_iter().map(|one| one.message).collect()
    }

    #[test]
    fn a_typed_number_in_a_section_with_results_is_refused() {
        let text = "# Results\nIt is {{ value('iops', arm='b2') }}, 38 % more, p99 and `4096` and [x](http://a/1).\n\n# Notes\nIn 2019.\n";
        assert_eq!(numbers(text), ["the number `38` is typed by hand"]);
        assert_eq!(numbers("# Results\n{{ results() }}\nBy 1.5, or 1,000.\n").len(), 2);
        assert!(numbers("# Method\nOn 2 cores.\n").is_empty());
    }
}
