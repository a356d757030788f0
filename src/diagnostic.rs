//! What is wrong with something a person wrote, where, and what to do about it.
//!
//! A diagnostic is a value: stages return all of them at once and the command line shows them. Messages are lower-case
//! fragments; help is a sentence. Nothing here prints.

use serde::Serialize;

use crate::source::{Source, Span};

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; the work goes on.
    Warning,
    /// The work can not go on.
    Error,
}

/// One problem with its place and its way out.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnostic {
    /// A stable word to search for: `manifest::unknown-key`.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What was found against what was expected.
    pub message: String,
    /// Where; `None` where it belongs to no text.
    pub place: Option<(Source, Span)>,
    /// What to do next.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, severity: Severity::Error, message: message.into(), place: None, help: None }
    }

    /// A warning.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, message) }
    }

    /// At this place.
    #[must_use]
    pub fn at(mut self, source: &Source, span: Span) -> Self {
        self.place = Some((source.clone(), span));
        self
    }

    /// With this way out.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// As data, for `--format json`.
    pub fn to_json(&self) -> serde_json::Value {
        let place = self.place.as_ref().map(|(source, span)| {
            let (line, column) = source.line_and_column(span.start);
            serde_json::json!({"file": source.name(), "line": line, "column": column})
        });
        serde_json::json!({
            "code": self.code, "severity": self.severity, "message": self.message, "place": place, "help": self.help,
        })
    }
}

/// Whether any of them is an error.
pub fn any_error(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}

/// The text without terminal escapes and other control characters; tabs and newlines stay. For all foreign text.
pub fn printable(text: &str) -> String {
    let is_hidden = |one: char| {
        (one.is_control() && one != '\n' && one != '\t')
            || matches!(one, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    text.chars().map(|one| if is_hidden(one) { '\u{fffd}' } else { one }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_of_foreign_text_are_not_passed_on() {
        assert_eq!(printable("a\u{1b}[31mb\u{202e}\n"), "a\u{fffd}[31mb\u{fffd}\n");
    }
}
