//! Shapes: how a tree becomes a typed value, with every problem on the way, and the JSON Schema of the same.
//!
//! [`record!`] makes a struct, its decoder and its schema from one definition, so that the three can not disagree.

mod fields;
mod problems;
mod quantity;

use super::node::{Key, Node, Value};
use crate::name::{Name, nearest};
use crate::source::Span;
pub use problems::Problems;
pub use quantity::{Share, Size, Time, decode_quantity};
use serde_json::json;

pub use fields::{Fields, unknown_key};

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

/// What the schema of a record says of a field.
pub struct FieldSchema {
    /// Its key.
    pub name: &'static str,
    /// The schema of its values.
    pub schema: serde_json::Value,
    /// Whether it must be written.
    pub is_required: bool,
    /// What it is.
    pub doc: &'static str,
}

/// The schema of a record.
pub fn record_schema(doc: &str, fields: &[FieldSchema]) -> serde_json::Value {
    let mut properties = serde_json::Map::new();
    for field in fields {
        let mut schema = field.schema.clone();
        if let Some(object) = schema.as_object_mut() {
            object.insert("description".to_owned(), json!(field.doc.trim()));
        }
        properties.insert(field.name.to_owned(), schema);
    }
    let required: Vec<&str> = fields.iter().filter(|field| field.is_required).map(|field| field.name).collect();
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
                    &[$($crate::manifest::shape::FieldSchema {
                        name: stringify!($field),
                        schema: <$type as Shape>::schema(),
                        is_required: <$type as Shape>::missing().is_none(),
                        doc: concat!($($field_doc),+),
                    }),*],
                )
            }
        }
    };
}

/// Defines an enum that is read from a word.
macro_rules! words {
    ($(#[doc = $doc:literal])+ pub enum $name:ident { $($(#[doc = $variant_doc:literal])+ $variant:ident = $word:literal,)* }) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $name { $($(#[doc = $variant_doc])+ #[serde(rename = $word)] $variant,)* }

        $crate::manifest::shape::words_of! { $name { $($variant = $word,)* } }

        impl $name {
            /// The word as written.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.pad(self.word())
            }
        }
    };
}

/// Lets an enum be read from a word.
macro_rules! words_of {
    ($name:ident { $($variant:ident = $word:literal,)* }) => {
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

pub(crate) use {record, words, words_of};
