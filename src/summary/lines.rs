//! Lines that fit a width and hold nothing but printable letters.

use super::Form;
use crate::diagnostic::printable;

/// No control characters, no end of a fence, and only ASCII where that was asked for.
pub(super) fn safe(line: &str, form: Form) -> String {
    let line = printable(line).replace(['\n', '\t'], " ").replace("```", "'''");
    if form != Form::Commit {
        return line;
    }
    let ascii = |one: char| match one {
        'µ' | 'μ' => "u".to_owned(),
        '×' => "x".to_owned(),
        '–' | '—' | '−' => "-".to_owned(),
        '…' => "...".to_owned(),
        '·' => "-".to_owned(),
        one if one.is_ascii() => one.to_string(),
        _ => "?".to_owned(),
    };
    line.chars().map(ascii).collect()
}

pub(super) fn fitted(line: &str, width: usize) -> String {
    if line.chars().count() <= width {
        return line.trim_end().to_owned();
    }
    format!("{}...", line.chars().take(width - 3).collect::<String>().trim_end())
}

/// A label and its text on as many lines as may be.
pub(super) fn wrapped(label: &str, text: &str, (width, most): (usize, usize)) -> Vec<String> {
    let indent = if label == "!" { 1 } else { 14 };
    let room = width - indent - 1;
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.len() - 1;
        let is_full = !lines[last].is_empty() && lines[last].chars().count() + 1 + word.chars().count() > room;
        if is_full && lines.len() < most {
            lines.push(word.to_owned());
        } else {
            if !lines[last].is_empty() {
                lines[last].push(' ');
            }
            lines[last].push_str(word);
        }
    }
    let line = |(number, text): (usize, String)| format!("{:indent$} {text}", if number == 0 { label } else { "" });
    lines.into_iter().enumerate().map(line).collect()
}
