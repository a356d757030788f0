//! The fields of a mapping while it is read.

use super::super::node::{Key, Node, Value};
use super::Shape;
use super::problems::Problems;
use crate::name::nearest;
use crate::source::Span;

/// The fields of a mapping while it is read: what was asked for, and so what is unknown.
pub struct Fields<'a> {
    pub(super) node: &'a Node,
    pub(super) entries: &'a [(Key, Node)],
    pub(super) asked: Vec<&'static str>,
}

impl<'a> Fields<'a> {
    /// Opens a mapping called `what` in messages.
    pub fn open(node: &'a Node, what: &str, problems: &mut Problems) -> Option<Self> {
        if let Value::Map(entries) = &node.value {
            return Some(Self { node, entries, asked: vec![] });
        }
        problems.expected(node, &format!("the fields of {what}"), "Write it as `key: value`.");
        None
    }

    /// Reads one field.
    pub fn take<T: Shape>(&mut self, key: &'static str, problems: &mut Problems) -> Option<T> {
        self.asked.push(key);
        if let Some((_, node)) = self.entries.iter().find(|(one, _)| one.text == key) {
            return T::decode(node, problems);
        }
        let missing = T::missing();
        if missing.is_none() {
            let span = Span { start: self.node.span.start, end: self.node.span.start + 1 };
            problems.error(
                "manifest::missing-key",
                span,
                format!("the key `{key}` is missing"),
                format!("Add `{key}: …`."),
            );
        }
        missing
    }

    /// Reports what nobody asked for.
    pub fn finish(self, problems: &mut Problems) {
        for (key, _) in self.entries.iter().filter(|(key, _)| !self.asked.contains(&key.text.as_str())) {
            unknown_key(key, &self.asked, problems);
        }
    }
}

/// Reports an unknown key with what may have been meant.
pub fn unknown_key(key: &Key, known: &[&str], problems: &mut Problems) {
    let help = match nearest(&key.text, known.iter().copied()) {
        Some(meant) => format!("Did you mean `{meant}`?"),
        None => format!("Known here: {}.", known.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ")),
    };
    problems.error("manifest::unknown-key", key.span, format!("the key `{}` is unknown here", key.text), help);
}
