//! Showing: text to stdout, diagnostics and remarks to stderr. A closed pipe is no error.

use std::io::{IsTerminal as _, Write as _};

use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, NamedSource, Report, Severity};
use tabled::Table;
use tabled::builder::Builder;
use tabled::settings::object::Columns;
use tabled::settings::{Alignment, Style, Width};

use super::Session;
use super::failure::Failure;
use crate::diagnostic::{self, Diagnostic, printable};
use crate::source::{Source, Span};

/// The most diagnostics that are shown to people; `--format json` has them all.
const SHOWN_MAX: usize = 50;

/// Prints a result to stdout, without the terminal escapes that foreign text may hold.
pub(crate) fn print(text: &str) {
    let text = printable(text);
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
                wrap(&format!("help: {help}"), 98).iter().for_each(|line| note(&format!("  {line}")));
            }
        }
    }
}

/// Shows diagnostics: to people on stderr, as JSON on stdout where that was asked for and nothing else will stand there.
pub(crate) fn diagnostics(session: &Session, found: &[Diagnostic]) {
    if session.is_json && diagnostic::any_error(found) {
        let values: Vec<serde_json::Value> = found.iter().map(Diagnostic::to_json).collect();
        print(&serde_json::json!({"diagnostics": values}).to_string());
        return;
    }
    let is_terminal = std::io::stderr().is_terminal();
    let mut stderr = std::io::stderr().lock();
    for diagnostic in found.iter().take(SHOWN_MAX) {
        let _ = write!(stderr, "{}", rendered(diagnostic, is_terminal));
    }
    if found.len() > SHOWN_MAX {
        let _ = writeln!(stderr, "and {} more", found.len() - SHOWN_MAX);
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
    let handler = GraphicalReportHandler::new_themed(theme).with_links(false).with_width(100).with_context_lines(1);
    let mut text = String::new();
    let report = match &diagnostic.place {
        Some((source, span)) => {
            let Snippet { text, marked } = snippet(source, *span);
            let label = LabeledSpan::at(marked, "here");
            Report::from(shown.with_label(label)).with_source_code(NamedSource::new(source.name(), text))
        }
        None => Report::from(shown),
    };
    if handler.render_report(&mut text, report.as_ref()).is_err() {
        text = format!("{}: {}\n", diagnostic.code, diagnostic.message);
    }
    text
}

/// The longest line that is shown whole, in bytes.
const LINE_BYTES_MAX: usize = 400;

/// A source as it is shown, and the part of it that is marked.
struct Snippet {
    text: String,
    marked: std::ops::Range<usize>,
}

/// The source as it is shown. Control characters become spaces, so
/// that every place stays where it was; of a very long line only what surrounds the place is shown, under its number.
fn snippet(source: &Source, span: Span) -> Snippet {
    let text = source.text();
    let mut start = span.start.min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
    let length = span.end.clamp(start, line_end) - start;
    let is_shown = |one: char| !one.is_control() || matches!(one, '\n' | '\t');
    let safe = |text: &str| text.chars().map(|one| if is_shown(one) { one } else { ' ' }).collect::<String>();
    if line_end - line_start <= LINE_BYTES_MAX {
        return Snippet { text: safe(text), marked: start..start + length.max(1) };
    }
    let before: String = text[line_start..start].chars().rev().take(60).collect::<Vec<_>>().into_iter().rev().collect();
    let after: String = text[start..line_end].chars().take(60).collect();
    let lines = "\n".repeat(text[..line_start].matches('\n').count());
    let shown = format!("{lines}{}{}", safe(&before), safe(&after));
    let start = lines.len() + before.len();
    Snippet { text: shown, marked: start..start + length.clamp(1, after.len().max(1)) }
}

/// A table for the terminal; columns named in `right` are set flush right.
pub(crate) fn table(heads: &[&str], rows: &[Vec<String>], right: &[usize]) -> String {
    shown(&built(heads, rows, right))
}

/// The same in so many columns of text: columns named in `wide` go over several lines where they must.
pub(crate) fn table_within(
    width: usize,
    heads: &[&str],
    rows: &[Vec<String>],
    (right, wide): (&[usize], &[usize]),
) -> String {
    // a space on each side of a cell, and one between cells
    const PADDING: usize = 3;
    const LEAST: usize = 12;
    let longest = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.chain(heads.get(column).map(|head| head.chars().count())).max().unwrap_or(0)
    };
    let fixed: usize = (0..heads.len()).filter(|column| !wide.contains(column)).map(longest).sum();
    let mut room = width.saturating_sub(fixed + heads.len() * PADDING);
    let mut table = built(heads, rows, right);
    let mut columns: Vec<(usize, usize)> = wide.iter().map(|column| (longest(*column), *column)).collect();
    columns.sort_unstable();
    let mut left = columns.len();
    for (needed, column) in columns {
        let given = needed.min((room / left.max(1)).max(LEAST));
        if given < needed {
            table.modify(Columns::one(column), Width::wrap(given).keep_words(true));
        }
        (room, left) = (room.saturating_sub(given), left - 1);
    }
    shown(&table)
}

fn built(heads: &[&str], rows: &[Vec<String>], right: &[usize]) -> Table {
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
    table
}

fn shown(table: &Table) -> String {
    let text = table.to_string();
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

/// Words on lines of so many columns.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.len() - 1;
        if !lines[last].is_empty() && lines[last].chars().count() + 1 + word.chars().count() > width {
            lines.push(word.to_owned());
        } else {
            if !lines[last].is_empty() {
                lines[last].push(' ');
            }
            lines[last].push_str(word);
        }
    }
    lines
}
