//! The problems found in one source.

use super::super::node::Node;
use crate::diagnostic::Diagnostic;
use crate::source::{Source, Span};

/// The problems found in one source.
pub struct Problems {
    pub(super) source: Source,
    pub(super) found: Vec<Diagnostic>,
}

impl Problems {
    /// None yet.
    pub fn new(source: &Source) -> Self {
        Self { source: source.clone(), found: vec![] }
    }

    /// Adds an error at a place, with a way out.
    pub fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.found.push(Diagnostic::error(code, message).at(&self.source, span).help(help));
    }

    /// Adds a warning at a place, with a way out.
    pub fn warn(&mut self, code: &'static str, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.found.push(Diagnostic::warning(code, message).at(&self.source, span).help(help));
    }

    /// Found against expected.
    pub fn expected(&mut self, node: &Node, what: &str, help: &str) {
        self.error("manifest::wrong-type", node.span, format!("found {}, expected {what}", node.kind()), help);
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.found.len()
    }

    /// All of them, in the order of their places.
    pub fn into_sorted(mut self) -> Vec<Diagnostic> {
        self.found.sort_by_key(|problem| problem.place.as_ref().map(|(_, span)| *span));
        self.found
    }
}
