//! The matrix: factors whose levels are combined, what is left out, and further parts with factors of their own.

use super::node::{Node, Value};
use super::shape::{Map, Problems, Shape, Spanned, record};
use crate::name::Name;
use crate::source::Span;

record! {
    /// The factors whose levels are combined.
    pub struct Matrix {
        /// Each factor with its levels; `workload` and `arm` choose among the workloads and arms.
        factors: Map<Levels>,
        /// Combinations that are left out, each with a reason.
        exclude: Vec<Exclusion>,
        /// Further cases with factors of their own, such as what others published.
        also: Vec<MatrixPart>,
    }
}

record! {
    /// Cases with factors of their own.
    pub struct MatrixPart {
        /// What the paper calls them.
        title: String,
        /// Each factor with its levels.
        factors: Map<Levels>,
        /// Combinations that are left out, each with a reason.
        exclude: Vec<Exclusion>,
    }
}

/// One part of a matrix: its title, its factors and what is left out.
#[derive(Debug, Clone, Copy)]
pub struct Part<'a> {
    /// None of the first part.
    pub title: Option<&'a str>,
    /// Each factor with its levels.
    pub factors: &'a Map<Levels>,
    /// Combinations that are left out.
    pub exclude: &'a [Exclusion],
}

impl Matrix {
    /// The parts, the main one first.
    pub fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        let first = Part { title: None, factors: &self.factors, exclude: &self.exclude };
        let rest = self.also.iter().map(|part| Part {
            title: Some(part.title.as_str()),
            factors: &part.factors,
            exclude: &part.exclude,
        });
        std::iter::once(first).chain(rest)
    }

    /// The names of all factors, once each, in the order written.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = vec![];
        for name in self.parts().flat_map(|part| part.factors.names()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// The levels that a factor has in any part; none where it is no factor.
    pub fn levels(&self, name: &str) -> Option<Vec<&Level>> {
        let mut found: Option<Vec<&Level>> = None;
        for levels in self.parts().filter_map(|part| part.factors.get(name)) {
            let found = found.get_or_insert_default();
            found.extend(
                levels.0.iter().filter(|level| !found.iter().any(|one| one.text == level.text)).collect::<Vec<_>>(),
            );
        }
        found
    }
}

/// The levels of a factor.
#[derive(Debug, Clone, PartialEq)]
pub struct Levels(pub Vec<Level>);

/// One level: its text, and its node for whoever reads it as a setting.
#[derive(Debug, Clone, PartialEq)]
pub struct Level {
    /// As written.
    pub text: String,
    /// With its place.
    pub node: Node,
}

impl Shape for Levels {
    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let Value::List(items) = &node.value else {
            problems.expected(node, "a list of levels", "Write it as `[one, two]`.");
            return None;
        };
        let mut levels: Vec<Level> = vec![];
        let mut seen = std::collections::BTreeSet::new();
        for item in items {
            let Some(text) = item.scalar() else {
                problems.expected(item, "a level: a word, a number or a quantity", "A level is one value.");
                return None;
            };
            if !seen.insert(text.clone()) {
                let message = format!("the level `{text}` stands here a second time");
                problems.error("manifest::duplicate-level", item.span, message, "Keep one of the two.");
            }
            levels.push(Level { text, node: item.clone() });
        }
        if levels.is_empty() {
            problems.error("manifest::no-levels", node.span, "a factor without levels", "Name at least one level.");
        }
        Some(Self(levels))
    }

    fn schema() -> serde_json::Value {
        serde_json::json!({"type": "array", "minItems": 1, "uniqueItems": true, "items": {"type": ["string", "number", "boolean"]}})
    }
}

/// A combination that is left out.
#[derive(Debug, Clone, PartialEq)]
pub struct Exclusion {
    /// Where it stands.
    pub span: Span,
    /// Factors and the levels that are left out together.
    pub levels: Vec<(Spanned<Name>, Vec<Spanned<String>>)>,
    /// Why.
    pub reason: String,
}

impl Shape for Exclusion {
    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let Value::Map(entries) = &node.value else {
            problems.expected(node, "a combination to leave out", "Write `{factor: level, reason: …}`.");
            return None;
        };
        let mut levels = vec![];
        for (key, value) in entries.iter().filter(|(key, _)| key.text != "reason") {
            let nodes =
                if let Value::List(items) = &value.value { items.as_slice() } else { std::slice::from_ref(value) };
            let texts =
                nodes.iter().filter_map(|node| Some(Spanned { span: node.span, value: node.scalar()? })).collect();
            let name = Name::new(&key.text).ok()?;
            levels.push((Spanned { span: key.span, value: name }, texts));
        }
        let Some(reason) = node.get("reason") else {
            let help = "Add `reason: …`: cells that are left out without one look chosen.";
            problems.error("manifest::exclude-without-reason", node.span, "an exclude without a reason", help);
            return None;
        };
        Some(Self { span: node.span, levels, reason: String::decode(reason, problems)? })
    }

    fn schema() -> serde_json::Value {
        serde_json::json!({
            "type": "object", "required": ["reason"],
            "properties": {"reason": {"type": "string", "description": "Why this combination is left out."}},
        })
    }
}
