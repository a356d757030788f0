//! Prose templates: the words of a paper, in which results appear only as tokens.
//!
//! A template is Markdown with minijinja expressions. This module reads the text and refuses what would break the first
//! rule of a paper: a number typed by hand in a section that reports results.

mod mentions;

use crate::diagnostic::Diagnostic;
use crate::source::{Source, Span};

/// The largest template, in bytes.
pub const TEMPLATE_LIMIT_BYTES: u64 = 128 << 10;

/// The first of the characters that stand for tokens while prose is rendered; a template must not hold any.
pub const MARKERS: [char; 4] = ['\u{e000}', '\u{e001}', '\u{e002}', '\u{e003}'];

/// The most marks of emphasis, links and quotes in one line: deep nesting takes a Markdown parser long.
const LINE_MARKS_MAX: usize = 400;

/// A function that templates may call. The renderer has the table of all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: &'static str,
    /// Whether it shows what was measured: a section that mentions it holds no number typed by hand.
    pub shows_results: bool,
}

/// Checks a template without rendering it.
pub fn check(source: &Source, functions: &[Function]) -> Vec<Diagnostic> {
    let mut found = vec![];
    if source.text().len() as u64 > TEMPLATE_LIMIT_BYTES {
        let message = format!("{} bytes, more than the {TEMPLATE_LIMIT_BYTES} that are read", source.text().len());
        return vec![Diagnostic::error("paper::too-large", message)];
    }
    if let Some(nested) =
        source.text().lines().position(|line| line.matches(['*', '[', '_', '>', '!']).count() > LINE_MARKS_MAX)
    {
        let message = format!("line {} has more than {LINE_MARKS_MAX} marks", nested + 1);
        found.push(
            Diagnostic::error("paper::marks", message).at(source, source.line_span(nested + 1)).help("Break the line."),
        );
    }
    if let Some(at) = source.text().find(MARKERS) {
        let span = Span { start: at, end: at + 3 };
        found.push(
            Diagnostic::error("paper::private-use", "a private-use character").at(source, span).help("Remove it."),
        );
    }
    let mentions = mentions::of_results(source.text(), functions);
    for section in sections(source.text()) {
        if mentions.iter().any(|at| (section.start..section.start + section.text.len()).contains(at)) {
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

/// Numbers that begin a word of a section: not in an expression or a link target, nor within a word such as `p99`.
fn literal_numbers(source: &Source, section: &Section<'_>) -> Vec<Diagnostic> {
    let words = without_markup(section.text);
    numbers(&words)
        .into_iter()
        .map(|range| {
            let span = Span { start: section.start + range.start, end: section.start + range.end };
            let help = "Write `{{ value(…) }}` for a result, `{{ configured(…) }}` or `{{ level(…) }}` for what the manifest sets.";
            let message = format!("the number `{}` is typed by hand", &words[range]);
            Diagnostic::error("paper::literal-number", message).at(source, span).help(help)
        })
        .collect()
}

/// The first number that begins a word of a text.
pub fn first_number(text: &str) -> Option<String> {
    numbers(text).into_iter().next().map(|range| text[range].to_owned())
}

/// Where numbers begin words: digits not preceded by a letter, a digit or what joins words.
fn numbers(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut found = vec![];
    let mut before = ' ';
    let mut start = None;
    for (at, one) in text.char_indices().chain([(text.len(), ' ')]) {
        let goes_on = one.is_numeric() || matches!(one, '.' | ',') && start.is_some();
        match start {
            None if one.is_numeric() && !before.is_alphabetic() && !matches!(before, '_' | '-') => start = Some(at),
            Some(from) if !goes_on => {
                found.push(from..from + text[from..at].trim_end_matches(['.', ',']).len());
                start = None;
            }
            _ => {}
        }
        before = if one.is_numeric() && start.is_none() { 'x' } else { one };
    }
    found
}

/// The same text, same length, with expressions and link targets blanked.
fn without_markup(text: &str) -> String {
    let mut blanked: Vec<u8> = text.as_bytes().to_vec();
    for (open, close) in [("{{", "}}"), ("{%", "%}"), ("{#", "#}"), ("](", ")")] {
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

    fn messages(text: &str) -> Vec<String> {
        let functions = ["value", "results"].map(|name| Function { name, shows_results: true });
        check(&Source::new("en.md", text), &functions).into_iter().map(|one| one.message).collect()
    }

    #[test]
    fn a_typed_number_in_a_section_with_results_is_refused() {
        let text = "# Results\nIt is {{ value('iops', arm='b2') }}, 38 % more, p99 and [x](http://a/1).\n\n# Notes\nIn 2019.\n";
        assert_eq!(messages(text), ["the number `38` is typed by hand"]);
        assert_eq!(messages("# Results\n{{ results() }}\nBy 1.5, or 1,000.\n").len(), 2);
        assert_eq!(messages("# Results\n{{ results() }}\n≈17 and 9k, `77`, 10x, ⁹.\n").len(), 5);
        assert!(messages("# Method\nOn 2 cores.\n").is_empty());
    }
}
