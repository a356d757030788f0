//! Showing: text to stdout, diagnostics and remarks to stderr. A closed pipe is no error.

use std::io::{IsTerminal as _, Write as _};

use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, NamedSource, Report, Severity};
use tabled::builder::Builder;
use tabled::settings::object::Columns;
use tabled::settings::{Alignment, Style};

use super::Session;
use super::failure::Failure;
use crate::diagnostic::{self, Diagnostic, printable};

/// Prints a result to stdout.
pub(crate) fn print(text: &str) {
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes());
    if !text.ends_with('\n') {
        let _ = stdout.write_all(b"\n");
    }
}

/// Prints bytes to stdout as they are.
pub(crate) fn print_bytes(bytes: &[u8]) {
    let _ = std::io::stdout().lock().write_all(bytes);
}

/// Prints a JSON value to stdout.
pub(crate) fn print_json(value: &impl serde::Serialize) -> Result<(), Failure> {
    print(&serde_json::to_string_pretty(value)?);
    Ok(())
}

/// Says something on stderr.
pub(crate) fn note(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{}", printable(text));
}

/// Shows why a verb could not do its work; as JSON on stdout where that was asked for.
pub(crate) fn failure(session: &Session, failure: &Failure) {
    match failure {
        Failure::Input(found) => diagnostics(session, found),
        Failure::Other { code, message, help } => {
            if session.is_json {
                let value = serde_json::json!({"error": {"exit_code": code, "message": message, "help": help}});
                print(&value.to_string());
            }
            note(&format!("error: {message}"));
            if let Some(help) = help {
                note(&format!("  help: {help}"));
            }
        }
    }
}

/// Shows diagnostics: to people on stderr, as JSON on stdout where that was asked for.
pub(crate) fn diagnostics(session: &Session, found: &[Diagnostic]) {
    if session.is_json {
        let values: Vec<serde_json::Value> = found.iter().map(Diagnostic::to_json).collect();
        print(&serde_json::json!({"diagnostics": values}).to_string());
        return;
    }
    let is_terminal = std::io::stderr().is_terminal();
    let mut stderr = std::io::stderr().lock();
    for diagnostic in found {
        let _ = write!(stderr, "{}", rendered(diagnostic, is_terminal));
    }
    let count = |severity| found.iter().filter(|one| one.severity == severity).count();
    let (errors, warnings) = (count(diagnostic::Severity::Error), count(diagnostic::Severity::Warning));
    if errors + warnings > 0 {
        let plural = |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
        let _ = writeln!(stderr, "{}, {}", plural(errors, "error"), plural(warnings, "warning"));
    }
}

fn rendered(diagnostic: &Diagnostic, has_unicode: bool) -> String {
    let severity = match diagnostic.severity {
        diagnostic::Severity::Error => Severity::Error,
        diagnostic::Severity::Warning => Severity::Warning,
    };
    let mut shown =
        MietteDiagnostic::new(printable(&diagnostic.message)).with_code(diagnostic.code).with_severity(severity);
    if let Some(help) = &diagnostic.help {
        shown = shown.with_help(printable(help));
    }
    let theme = if has_unicode { GraphicalTheme::unicode_nocolor() } else { GraphicalTheme::none() };
    let handler = GraphicalReportHandler::new_themed(theme).with_links(false).with_width(100).with_context_lines(0);
    let mut text = String::new();
    let report = match &diagnostic.place {
        Some((source, span)) => {
            // one space for each control character keeps every place where it was
            let safe: String = source
                .text()
                .chars()
                .map(|one| if one.is_control() && !matches!(one, '\n' | '\t') { ' ' } else { one })
                .collect();
            let end = span.end.max(span.start + 1).min(safe.len().max(span.start + 1));
            let length =
                source.text().get(span.start..end).map_or(1, |text| text.lines().next().unwrap_or("").len().max(1));
            let label = LabeledSpan::at(span.start..span.start + length, "here");
            Report::from(shown.with_label(label)).with_source_code(NamedSource::new(source.name(), safe))
        }
        None => Report::from(shown),
    };
    if handler.render_report(&mut text, report.as_ref()).is_err() {
        text = format!("{}: {}\n", diagnostic.code, diagnostic.message);
    }
    text
}

/// A table for the terminal; columns named in `right` are set flush right.
pub(crate) fn table(heads: &[&str], rows: &[Vec<String>], right: &[usize]) -> String {
    let mut builder = Builder::default();
    builder.push_record(heads.iter().copied());
    for row in rows {
        builder.push_record(row.iter().map(|cell| printable(cell).replace('\n', " ")));
    }
    let mut table = builder.build();
    table.with(Style::blank());
    for column in right {
        table.modify(Columns::one(*column), Alignment::right());
    }
    let text = table.to_string();
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}
