//! Facts of a claims file: values with their unit and basis.

use crate::manifest::node::{Node, Value};
use crate::manifest::shape::{Problems, Shape};
use serde_json::json;

/// How a fact is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// The paper says it.
    Stated,
    /// Somebody else says it.
    Sourced,
    /// It follows from what the paper says.
    Inferred,
    /// Nobody says it.
    Assumed,
}

pub(super) const BASES: &[(&str, Basis)] = &[
    ("stated", Basis::Stated),
    ("sourced", Basis::Sourced),
    ("inferred", Basis::Inferred),
    ("assumed", Basis::Assumed),
];

impl Basis {
    /// The word as written.
    pub fn word(self) -> &'static str {
        BASES.iter().find(|(_, basis)| *basis == self).map_or("stated", |(word, _)| word)
    }
}

/// A fact of the context: a value, how it is known, and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Fact {
    /// As written: a scalar or a list of scalars.
    pub value: Node,
    /// How it is known.
    pub basis: Basis,
    /// Where it stands, or why it is so.
    pub note: String,
    /// What it should be one of, by a source.
    pub known: Vec<String>,
}

impl Fact {
    /// The words of the value.
    pub fn text(&self) -> String {
        self.value.shown()
    }

    /// The scalars of a list, or the one.
    pub fn items(&self) -> Vec<String> {
        match &self.value.value {
            Value::List(items) => items.iter().map(Node::shown).collect(),
            Value::Null => vec![],
            _ => vec![self.text()],
        }
    }
}

impl Shape for Fact {
    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let Value::Map(entries) = &node.value else {
            return Some(Self { value: node.clone(), basis: Basis::Stated, note: String::new(), known: vec![] });
        };
        let (mut value, mut basis, mut known) = (None, None, vec![]);
        for (key, inner) in entries {
            match BASES.iter().find(|(word, _)| *word == key.text) {
                Some((_, found)) if basis.is_none() => basis = Some((*found, inner.shown())),
                Some(_) => problems.error("claims::basis", key.span, "a second word of how it is known", "Keep one."),
                None if key.text == "value" => value = Some(inner.clone()),
                None if key.text == "known" => {
                    known = Vec::<Node>::decode(inner, problems)?.iter().map(Node::shown).collect()
                }
                None => {
                    let words = ["value", "stated", "sourced", "inferred", "assumed", "known"];
                    crate::manifest::shape::unknown_key(key, &words, problems);
                }
            }
        }
        let (basis, note) = basis.unwrap_or((Basis::Stated, String::new()));
        let Some(value) = value else {
            problems.error("claims::fact", node.span, "a fact without a value", "Add `value: …`.");
            return None;
        };
        Some(Self { value, basis, note, known })
    }

    fn schema() -> serde_json::Value {
        let text = json!({"type": "string"});
        json!({"anyOf": [
            {"type": ["string", "number", "boolean", "array"]},
            {"type": "object", "required": ["value"], "additionalProperties": false, "properties": {
                "value": {}, "stated": text, "sourced": text, "inferred": text, "assumed": text,
                "known": {"type": "array", "items": {"type": ["string", "number"]}},
            }},
        ]})
    }
}
