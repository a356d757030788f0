//! Shapes: how a tree becomes a typed value, with every problem on the way, and the JSON Schema of the same.
//!
//! [`record!`] makes a struct, its decoder and its schema from one definition, so that the three can not disagree.

use serde_json::json;

use super::node::{Key, Node, Value};
use crate::diagnostic::Diagnostic;
use crate::name::{Name, nearest};
use crate::quantity::{Quantity, QuantityError};
use crate::source::{Source, Span};
use crate::unit::{Dimension, Unit};

/// The problems found in one source.
pub struct Problems {
    source: Source,
    found: Vec<Diagnostic>,
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

/// A type that can be read from a tree.
pub trait Shape: Sized {
    /// Reads it; `None` where a problem was reported.
    fn decode(node: &Node, problems: &mut Problems) -> Option<Self>;
    /// Its JSON Schema (draft 2020-12).
    fn schema() -> serde_json::Value;
    /// What stands for it where it is not written; `None` where it must be written.
    fn missing() -> Option<Self> {
        None
    }
}

/// A value with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Spanned<T> {
    /// Where it stands.
    pub span: Span,
    /// What it says.
    pub value: T,
}

impl<T: Shape> Shape for Spanned<T> {
    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        Some(Self { span: node.span, value: T::decode(node, problems)? })
    }

    fn schema() -> serde_json::Value {
        T::schema()
    }

    fn missing() -> Option<Self> {
        T::missing().map(|value| Self { span: Span::default(), value })
    }
}

impl<T: Shape> Shape for Option<T> {
    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        T::decode(node, problems).map(Some)
    }

    fn schema() -> serde_json::Value {
        T::schema()
    }

    fn missing() -> Option<Self> {
        Some(None)
    }
}

impl<T: Shape> Shape for Vec<T> {
    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let Value::List(items) = &node.value else {
            problems.expected(node, "a list", "Write it as `[one, two]`.");
            return None;
        };
        let decoded: Vec<Option<T>> = items.iter().map(|item| T::decode(item, problems)).collect();
        decoded.into_iter().collect()
    }

    fn schema() -> serde_json::Value {
        json!({"type": "array", "items": T::schema()})
    }

    fn missing() -> Option<Self> {
        Some(vec![])
    }
}

/// One value, or a list of them.
#[derive(Debug, Clone, PartialEq)]
pub struct OneOrMany<T>(pub Vec<T>);

impl<T: Shape> Shape for OneOrMany<T> {
    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        if matches!(node.value, Value::List(_)) {
            Vec::decode(node, problems).map(Self)
        } else {
            T::decode(node, problems).map(|one| Self(vec![one]))
        }
    }

    fn schema() -> serde_json::Value {
        json!({"anyOf": [T::schema(), {"type": "array", "items": T::schema()}]})
    }
}

/// Named values in the order written.
#[derive(Debug, Clone, PartialEq)]
pub struct Map<T>(Vec<(Spanned<Name>, T)>);

impl<T> Map<T> {
    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.0.iter().find(|(key, _)| key.value.as_str() == name).map(|(_, value)| value)
    }

    /// Names and values in the order written.
    pub fn iter(&self) -> impl Iterator<Item = (&Spanned<Name>, &T)> {
        self.0.iter().map(|(key, value)| (key, value))
    }

    /// The names in the order written.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(key, _)| key.value.as_str())
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T: Shape> Shape for Map<T> {
    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let Value::Map(entries) = &node.value else {
            problems.expected(node, "a mapping of names to values", "Write it as `name: value`.");
            return None;
        };
        let mut read = vec![];
        for (key, node) in entries {
            let name = decode_key(key, problems);
            let value = T::decode(node, problems);
            read.push(name.zip(value));
        }
        read.into_iter().collect::<Option<Vec<_>>>().map(Self)
    }

    fn schema() -> serde_json::Value {
        json!({"type": "object", "additionalProperties": T::schema()})
    }

    fn missing() -> Option<Self> {
        Some(Self(vec![]))
    }
}

fn decode_key(key: &Key, problems: &mut Problems) -> Option<Spanned<Name>> {
    match Name::new(&key.text) {
        Ok(value) => Some(Spanned { span: key.span, value }),
        Err(error) => {
            problems.error("manifest::name", key.span, error.to_string(), "Names become parts of paths and captions.");
            None
        }
    }
}

impl Shape for Node {
    fn decode(node: &Node, _: &mut Problems) -> Option<Self> {
        Some(node.clone())
    }

    fn schema() -> serde_json::Value {
        json!({})
    }
}

impl Shape for String {
    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        match &node.value {
            Value::Text(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
            Value::Number(text) => {
                problems.expected(node, "text", &format!("Put it in quotes: `\"{text}\"`."));
                None
            }
            _ => {
                problems.expected(node, "text", "Write some words here.");
                None
            }
        }
    }

    fn schema() -> serde_json::Value {
        json!({"type": "string"})
    }
}

impl Shape for Name {
    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let text = node.scalar().unwrap_or_default();
        let name = Name::new(&text);
        if let Err(error) = &name {
            problems.error("manifest::name", node.span, error.to_string(), "Names become parts of paths and captions.");
        }
        name.ok()
    }

    fn schema() -> serde_json::Value {
        json!({"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"})
    }
}

impl Shape for bool {
    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        if let Value::Bool(value) = node.value {
            return Some(value);
        }
        problems.expected(node, "`true` or `false`", "Write `true` or `false`.");
        None
    }

    fn schema() -> serde_json::Value {
        json!({"type": "boolean"})
    }
}

impl Shape for u64 {
    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let value = match &node.value {
            Value::Number(text) => text.parse().ok(),
            _ => None,
        };
        if value.is_none() {
            problems.expected(node, "a whole number", "Write a number without a unit, such as `8`.");
        }
        value
    }

    fn schema() -> serde_json::Value {
        json!({"type": "integer", "minimum": 0})
    }
}

/// The longest time: 1,000 hours.
const TIME_NS_MAX: u64 = 3_600_000_000_000_000;
/// The largest size: 1,024 TiB.
const SIZE_BYTES_MAX: u64 = 1 << 50;

/// Reads a quantity of a dimension, with the message that belongs to each mistake.
pub fn decode_quantity(node: &Node, dimension: Dimension, problems: &mut Problems) -> Option<Quantity> {
    let units = Unit::symbols(dimension).collect::<Vec<_>>();
    let help = format!(
        "Write a number and one of the units {}.",
        units.iter().map(|unit| format!("`{unit}`")).collect::<Vec<_>>().join(", ")
    );
    let text = match &node.value {
        Value::Number(text) => {
            let message = format!("the bare number `{text}` where a {dimension} with a unit belongs");
            problems.error("manifest::unit-missing", node.span, message, help);
            return None;
        }
        Value::Text(text) => text,
        _ => {
            problems.expected(node, &format!("a {dimension} with a unit"), &help);
            return None;
        }
    };
    Quantity::parse(text, dimension)
        .and_then(|quantity| quantity.whole_base_of(dimension).map(|()| quantity))
        .and_then(|quantity| {
            let most = if dimension == Dimension::Time { TIME_NS_MAX } else { SIZE_BYTES_MAX };
            let is_too_much = matches!(dimension, Dimension::Time | Dimension::Size) && quantity.whole_base()? > most;
            if is_too_much { Err(QuantityError::OutOfRange { text: text.clone() }) } else { Ok(quantity) }
        })
        .map_err(|error| {
            let code = match error {
                QuantityError::UnitMissing { .. } => "manifest::unit-missing",
                _ => "manifest::quantity",
            };
            problems.error(code, node.span, format!("{error}, expected a {dimension}"), help);
        })
        .ok()
}

/// A quantity type of one dimension, in whole base units.
macro_rules! quantity_shape {
    ($(#[$doc:meta])* $name:ident, $dimension:expr, $pattern:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name(Quantity);

        impl $name {
            /// In base units.
            pub fn base(&self) -> u64 {
                self.0.whole_base().unwrap_or(0)
            }

            /// As written.
            pub fn quantity(&self) -> &Quantity {
                &self.0
            }
        }

        impl Shape for $name {
            fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
                decode_quantity(node, $dimension, problems).map(Self)
            }

            fn schema() -> serde_json::Value {
                json!({"type": "string", "pattern": $pattern})
            }
        }
    };
}
quantity_shape!(
    /// An amount of data; base unit byte.
    Size, Dimension::Size, "^[0-9.]+ ?(B|KiB|MiB|GiB|TiB|kB|MB|GB|TB)$"
);
quantity_shape!(
    /// A length of time; base unit nanosecond.
    Time, Dimension::Time, "^[0-9.]+ ?(ns|µs|us|ms|s|min|h)$"
);

/// A share in percent, exact.
#[derive(Debug, Clone, PartialEq)]
pub struct Share(Quantity);

impl Share {
    /// As a fraction of one.
    pub fn fraction(&self) -> f64 {
        self.0.in_base().to_float()
    }

    /// As written.
    pub fn quantity(&self) -> &Quantity {
        &self.0
    }
}

impl Shape for Share {
    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        decode_quantity(node, Dimension::Share, problems).map(Self)
    }

    fn schema() -> serde_json::Value {
        json!({"type": "string", "pattern": "^[0-9.]+ ?%$"})
    }
}

/// The fields of a mapping while it is read: what was asked for, and so what is unknown.
pub struct Fields<'a> {
    node: &'a Node,
    entries: &'a [(Key, Node)],
    asked: Vec<&'static str>,
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

/// Reads a word out of a fixed set.
pub fn decode_word<T: Copy>(node: &Node, words: &[(&str, T)], problems: &mut Problems) -> Option<T> {
    let text = node.scalar().unwrap_or_default();
    if let Some((_, value)) = words.iter().find(|(word, _)| *word == text) {
        return Some(*value);
    }
    let list = words.iter().map(|(word, _)| format!("`{word}`")).collect::<Vec<_>>().join(", ");
    let help = match nearest(&text, words.iter().map(|(word, _)| *word)) {
        Some(meant) => format!("Did you mean `{meant}`? Known: {list}."),
        None => format!("Known: {list}."),
    };
    problems.error("manifest::word", node.span, format!("found {}, expected one of {list}", node.kind()), help);
    None
}

/// The schema of a record.
pub fn record_schema(doc: &str, fields: &[(&str, serde_json::Value, bool, &str)]) -> serde_json::Value {
    let mut properties = serde_json::Map::new();
    for (name, schema, _, doc) in fields {
        let mut schema = schema.clone();
        if let Some(object) = schema.as_object_mut() {
            object.insert("description".to_owned(), json!(doc.trim()));
        }
        properties.insert((*name).to_owned(), schema);
    }
    let required: Vec<&str> =
        fields.iter().filter(|(_, _, is_required, _)| *is_required).map(|field| field.0).collect();
    json!({
        "type": "object", "description": doc.trim(), "properties": properties, "required": required,
        "additionalProperties": false,
    })
}

/// Defines a struct that is read from a mapping: the struct, its decoder and its schema.
macro_rules! record {
    ($(#[doc = $doc:literal])+ pub struct $name:ident { $($(#[doc = $field_doc:literal])+ $field:ident: $type:ty,)* }) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name { $($(#[doc = $field_doc])+ pub $field: $type,)* }

        impl $crate::manifest::shape::Shape for $name {
            fn decode(
                node: &$crate::manifest::node::Node,
                problems: &mut $crate::manifest::shape::Problems,
            ) -> Option<Self> {
                let mut fields = $crate::manifest::shape::Fields::open(node, stringify!($name), problems)?;
                $(let $field = fields.take::<$type>(stringify!($field), problems);)*
                fields.finish(problems);
                Some(Self { $($field: $field?,)* })
            }

            fn schema() -> serde_json::Value {
                use $crate::manifest::shape::Shape;
                $crate::manifest::shape::record_schema(
                    concat!($($doc),+),
                    &[$((
                        stringify!($field),
                        <$type as Shape>::schema(),
                        <$type as Shape>::missing().is_none(),
                        concat!($($field_doc),+),
                    )),*],
                )
            }
        }
    };
}

/// Defines an enum that is read from a word.
macro_rules! words {
    ($(#[doc = $doc:literal])+ pub enum $name:ident { $($(#[doc = $variant_doc:literal])+ $variant:ident = $word:literal,)* }) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $($(#[doc = $variant_doc])+ $variant,)* }

        impl $name {
            /// The word as written.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }
        }

        impl $crate::manifest::shape::Shape for $name {
            fn decode(
                node: &$crate::manifest::node::Node,
                problems: &mut $crate::manifest::shape::Problems,
            ) -> Option<Self> {
                $crate::manifest::shape::decode_word(node, &[$(($word, Self::$variant)),*], problems)
            }

            fn schema() -> serde_json::Value {
                serde_json::json!({"enum": [$($word),*]})
            }
        }
    };
}

pub(crate) use {record, words};
