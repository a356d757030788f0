//! From a prose template to blocks: minijinja first, then Markdown, then tokens and generated parts in their places.
//!
//! Expressions never see a number: what a function returns shows as a pair of private-use characters round an index and
//! allows no arithmetic. Markup is never built by joining strings with values.

use std::sync::{Arc, Mutex};

use minijinja::{AutoEscape, Environment, Error, ErrorKind, UndefinedBehavior};

use super::Scope;
use super::board::{Board, Placed};
use super::function::{self, Shared};
use super::markup::{check_headings, to_blocks};
use super::sections;
use crate::diagnostic::Diagnostic;
use crate::document::Document;
use crate::source::{Source, Span};
use crate::words::Language;

/// What a template may cost.
const FUEL: u64 = 1_000_000;
/// How much a template may print, in bytes.
const PRINTED_BYTES_MAX: usize = 4 << 20;

/// The longest expression, in bytes: deep ones would exhaust the parser's stack.
const EXPRESSION_BYTES_MAX: usize = 2_000;
/// The stack on which templates are parsed and rendered.
const STACK_BYTES: usize = 64 << 20;

/// The document that a template makes.
pub(super) fn document(scope: &Scope<'_>, source: &Source) -> Result<Document, Vec<Diagnostic>> {
    check_expressions(source)?;
    let mut board = Board::default();
    let warnings = sections::warnings(scope, &mut board.parts);
    // recursion of the parsers is bounded by the length of expressions, on a stack that holds it
    let work = || evaluate(scope, source, board);
    let (text, board) = std::thread::scope(|threads| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(threads, work);
        let thread = thread.map_err(|error| vec![Diagnostic::error("paper::template", error.to_string())])?;
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })?;
    let mut blocks = warnings;
    blocks.extend(to_blocks(&text, &board).map_err(|message| vec![Diagnostic::error("paper::markdown", message)])?);
    check_headings(&blocks, source)?;
    Ok(Document { title: Default::default(), blocks, tokens: board.parts.tokens.0, drawings: board.parts.drawings })
}

/// Refuses expressions that are too long.
fn check_expressions(source: &Source) -> Result<(), Vec<Diagnostic>> {
    for (open, close) in [("{{", "}}"), ("{%", "%}")] {
        let mut from = 0;
        while let Some(start) = source.text()[from..].find(open).map(|at| from + at) {
            let end = source.text()[start..].find(close).map_or(source.text().len(), |at| start + at);
            if end - start > EXPRESSION_BYTES_MAX {
                let span = Span { start, end: start + 2 };
                let message = format!("an expression of {} bytes, more than {EXPRESSION_BYTES_MAX}", end - start);
                return Err(vec![
                    Diagnostic::error("paper::template", message).at(source, span).help("Write it shorter."),
                ]);
            }
            from = end;
        }
    }
    Ok(())
}

fn invalid(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidOperation, message.into())
}

fn evaluate(scope: &Scope<'_>, source: &Source, board: Board) -> Result<(String, Board), Vec<Diagnostic>> {
    let shared: Shared = Arc::new(Mutex::new(board));
    // minijinja wants functions that outlive the rendering, so what they need is cloned into one shared, owned view
    let view = Arc::new(OwnedView::new(scope));
    let render = || {
        let mut environment = Environment::empty();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_auto_escape_callback(|_| AutoEscape::None);
        environment.set_fuel(Some(FUEL));
        environment.set_formatter(|out, _, value| match value.downcast_object_ref::<Placed>() {
            Some(_) => write!(out, "{value}").map_err(Error::from),
            None => Err(invalid("an expression prints what a function returns, and nothing else")),
        });
        environment.set_recursion_limit(100);
        function::register(&mut environment, &view, &shared);
        let template = environment.template_from_named_str("paper/en.md", source.text())?;
        let mut sink = Capped { bytes: vec![], room: PRINTED_BYTES_MAX };
        template.render_captured_to(minijinja::context! {}, &mut sink)?;
        Ok::<_, Error>(sink.bytes)
    };
    let bytes = render().map_err(|error| vec![diagnostic(source, &error)])?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let board =
        Arc::try_unwrap(shared).map_or_else(|_| Board::default(), |board| board.into_inner().unwrap_or_default());
    Ok((text, board))
}

struct Capped {
    bytes: Vec<u8>,
    room: usize,
}

impl std::io::Write for Capped {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.room =
            self.room.checked_sub(bytes.len()).ok_or_else(|| std::io::Error::other("the template prints too much"))?;
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn diagnostic(source: &Source, error: &Error) -> Diagnostic {
    let message = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
    let span = error.range().map(|range| Span { start: range.start, end: range.end });
    let span = span.or_else(|| error.line().map(|line| source.line_span(line))).unwrap_or_default();
    let names: Vec<&str> = function::functions().into_iter().map(|one| one.name).collect();
    let help = format!("Functions: {}.", names.join(", "));
    Diagnostic::error("paper::template", message).at(source, span).help(help)
}

/// What functions look at, owned.
pub(super) struct OwnedView {
    resolved: crate::plan::Resolved,
    power: crate::plan::Power,
    input: super::Input,
    words: &'static Language,
}

impl OwnedView {
    fn new(scope: &Scope<'_>) -> Self {
        Self {
            resolved: scope.resolved.clone(),
            power: scope.power.clone(),
            input: scope.input.clone(),
            words: scope.words,
        }
    }

    pub(super) fn scope(&self) -> Scope<'_> {
        Scope {
            resolved: &self.resolved,
            experiment: &self.resolved.experiment,
            lock: &self.resolved.lock,
            plan: &self.resolved.plan,
            power: self.power.clone(),
            results: &self.input.results,
            input: &self.input,
            words: self.words,
        }
    }
}
