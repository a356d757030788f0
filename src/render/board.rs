//! What template functions place: tokens and blocks, which a template can move but not look into.

use std::fmt;
use std::sync::Arc;

use minijinja::value::{Enumerator, Object, ObjectRepr, Value};

use super::sections::Parts;
use crate::document::{Block, Inline};
use crate::paper::MARKERS;

/// A thing that a template places but can not look into, with a sign before it and a unit after it.
#[derive(Debug)]
pub(super) struct Placed {
    marks: (char, char),
    index: usize,
    sign: &'static str,
    unit: String,
}

impl Object for Placed {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::NonEnumerable
    }

    fn render(self: &Arc<Self>, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}{}{}{}{}", self.sign, self.marks.0, self.index, self.marks.1, self.unit)
    }
}

/// What template functions have placed so far.
#[derive(Default)]
pub(super) struct Board {
    pub(super) parts: Parts,
    pub(super) inlines: Vec<Inline>,
    pub(super) blocks: Vec<Vec<Block>>,
}

impl Board {
    pub(super) fn inline(&mut self, inline: Inline) -> Value {
        self.inlines.push(inline);
        self.placed("", "")
    }

    /// The newest inline, with a sign and a unit; a no-break space keeps number and unit together.
    pub(super) fn placed(&self, sign: &'static str, unit: &str) -> Value {
        let unit = if unit.is_empty() { String::new() } else { format!("\u{a0}{unit}") };
        Value::from_object(Placed { marks: (MARKERS[0], MARKERS[1]), index: self.inlines.len() - 1, sign, unit })
    }

    pub(super) fn block(&mut self, blocks: Vec<Block>) -> Value {
        self.blocks.push(blocks);
        let index = self.blocks.len() - 1;
        Value::from_object(Placed { marks: (MARKERS[2], MARKERS[3]), index, sign: "", unit: String::new() })
    }
}
