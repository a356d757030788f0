//! YAML as a tree in which every node knows its place, within budgets.
//!
//! The parser's events are read directly, so that all problems of a file are found at once and no alias can make the
//! tree grow. What people write needs no aliases: they are refused with the place.

use std::collections::BTreeMap;

use serde_saphyr::granit_parser::{self, Event, Parser, ScalarStyle, StructureStyle};

use crate::diagnostic::Diagnostic;
use crate::source::{Source, Span};

/// The largest file that is read, in bytes.
pub const FILE_LIMIT_BYTES: usize = 4 << 20;
/// The deepest nesting.
const DEPTH_MAX: usize = 32;
/// The most nodes.
const NODES_MAX: usize = 400_000;

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub value: Value,
}

/// What a node is. Numbers keep their text.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Nothing, `~` or `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A plain number, as written.
    Number(String),
    /// Any other scalar.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A mapping, in the order written, without duplicate keys.
    Map(Vec<(Key, Node)>),
}

/// The key of a mapping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// Where it stands.
    pub span: Span,
    /// What it says.
    pub text: String,
}

impl Node {
    /// What it is, in words for messages.
    pub fn kind(&self) -> String {
        match &self.value {
            Value::Null => "nothing".to_owned(),
            Value::Bool(value) => format!("`{value}`"),
            Value::Number(text) => format!("the number `{text}`"),
            Value::Text(text) => format!("the text `{}`", text.chars().take(60).collect::<String>()),
            Value::List(_) => "a list".to_owned(),
            Value::Map(_) => "a mapping".to_owned(),
        }
    }

    /// The value in one line, for a table.
    pub fn shown(&self) -> String {
        match &self.value {
            Value::List(items) => items.iter().map(Self::shown).collect::<Vec<_>>().join(" "),
            Value::Map(entries) => entries
                .iter()
                .map(|(key, node)| format!("{}: {}", key.text, node.shown()))
                .collect::<Vec<_>>()
                .join(", "),
            _ => self.scalar().unwrap_or_default(),
        }
    }

    /// The text of a scalar, as written.
    pub fn scalar(&self) -> Option<String> {
        match &self.value {
            Value::Bool(value) => Some(value.to_string()),
            Value::Number(text) | Value::Text(text) => Some(text.clone()),
            _ => None,
        }
    }

    /// The value under a key of a mapping.
    pub fn get(&self, key: &str) -> Option<&Self> {
        match &self.value {
            Value::Map(entries) => entries.iter().find(|(one, _)| one.text == key).map(|(_, node)| node),
            _ => None,
        }
    }
}

struct Frame {
    node: Node,
    key: Option<Key>,
    is_flow: bool,
    keys: BTreeMap<String, Span>,
}

struct Builder<'a> {
    source: &'a Source,
    frames: Vec<Frame>,
    root: Option<Node>,
    nodes: usize,
    documents: usize,
    problems: Vec<Diagnostic>,
}

/// Reads one document. Where there are problems the tree may be missing or incomplete.
pub fn parse(source: &Source) -> (Option<Node>, Vec<Diagnostic>) {
    if source.text().len() > FILE_LIMIT_BYTES {
        let message = format!("{} bytes, more than the {FILE_LIMIT_BYTES} that are read", source.text().len());
        return (None, vec![Diagnostic::error("yaml::too-large", message)]);
    }
    let options = granit_parser::options! {
        emit_comments: false, disallow_directives: true, emit_unresolved_aliases: true,
        flow_nesting_limit: DEPTH_MAX + 1, block_nesting_limit: DEPTH_MAX + 1
    };
    let mut builder = Builder { source, frames: vec![], root: None, nodes: 0, documents: 0, problems: vec![] };
    for event in Parser::new_from_str_with_options(source.text(), options) {
        let goes_on = match event {
            Ok((event, span)) => {
                let range = span.byte_range().unwrap_or(0..0);
                builder.event(event, Span { start: range.start, end: range.end })
            }
            Err(error) => {
                let at = error.marker().byte_offset().unwrap_or(0);
                builder.fatal("yaml::syntax", Span { start: at, end: at }, error.info().to_string())
            }
        };
        if !goes_on {
            return (None, builder.problems);
        }
    }
    (builder.root, builder.problems)
}

impl Builder<'_> {
    fn problem(&mut self, code: &'static str, span: Span, message: impl Into<String>, help: &str) {
        self.problems.push(Diagnostic::error(code, message).at(self.source, span).help(help));
    }

    fn fatal(&mut self, code: &'static str, span: Span, message: impl Into<String>) -> bool {
        self.problems.push(Diagnostic::error(code, message).at(self.source, span));
        false
    }

    /// Takes one event in; false where reading stops.
    fn event(&mut self, event: Event<'_>, span: Span) -> bool {
        if event.is_node() {
            self.nodes += 1;
            if self.nodes > NODES_MAX {
                return self.fatal("yaml::too-large", span, format!("more than {NODES_MAX} values"));
            }
        }
        if event.anchor_id().is_some_and(|anchor| anchor != 0) {
            self.problem(
                "yaml::anchor",
                span,
                "anchors and aliases are not read",
                "Write the value out where it is used.",
            );
        }
        if event.tag().is_some_and(|tag| tag.core_suffix().is_none()) {
            self.problem("yaml::tag", span, "tags are not read", "Leave the tag away.");
        }
        match event {
            Event::Scalar(text, style, ..) => {
                let value = if style == ScalarStyle::Plain { plain(&text) } else { Value::Text(text.into_owned()) };
                self.place(Node { span, value });
                true
            }
            Event::SequenceStart(style, ..) => self.open(span, style == StructureStyle::Flow, Value::List(vec![])),
            Event::MappingStart(style, ..) => self.open(span, style == StructureStyle::Flow, Value::Map(vec![])),
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(mut frame) = self.frames.pop() {
                    if frame.is_flow {
                        frame.node.span.end = span.end;
                    }
                    self.place(frame.node);
                }
                true
            }
            Event::Alias(_) | Event::UnresolvedAlias(_) => {
                self.problem(
                    "yaml::alias",
                    span,
                    "anchors and aliases are not read",
                    "Write the value out where it is used.",
                );
                self.place(Node { span, value: Value::Null });
                true
            }
            Event::DocumentStart(..) => {
                self.documents += 1;
                self.documents == 1 || self.fatal("yaml::documents", span, "a second document; one file holds one")
            }
            _ => true,
        }
    }

    fn open(&mut self, span: Span, is_flow: bool, value: Value) -> bool {
        if self.frames.len() >= DEPTH_MAX {
            return self.fatal("yaml::too-deep", span, format!("nested more than {DEPTH_MAX} deep"));
        }
        self.frames.push(Frame { node: Node { span, value }, key: None, is_flow, keys: BTreeMap::new() });
        true
    }

    fn place(&mut self, node: Node) {
        let Some(frame) = self.frames.last_mut() else {
            self.root = Some(node);
            return;
        };
        frame.node.span.end = frame.node.span.end.max(node.span.end);
        match &mut frame.node.value {
            Value::List(items) => items.push(node),
            Value::Map(entries) => match frame.key.take() {
                Some(key) => {
                    if !frame.keys.contains_key(&key.text) {
                        frame.keys.insert(key.text.clone(), key.span);
                        entries.push((key, node));
                    }
                }
                None => {
                    let text = node.scalar().unwrap_or_default();
                    let is_duplicate = frame.keys.contains_key(&text);
                    frame.key = Some(Key { span: node.span, text: text.clone() });
                    if node.scalar().is_none() {
                        self.problem("yaml::key", node.span, format!("{} as a key", node.kind()), "A key is a word.");
                    } else if is_duplicate {
                        let message = format!("the key `{text}` stands here a second time");
                        self.problem("yaml::duplicate-key", node.span, message, "Keep one of the two.");
                    }
                }
            },
            _ => {}
        }
    }
}

/// A plain scalar by the YAML 1.2 core schema; numbers are those of JSON.
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ if is_number(text) => Value::Number(text.to_owned()),
        _ => Value::Text(text.to_owned()),
    }
}

fn is_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    is_digits(whole) && is_digits(fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(text: &str) -> Vec<&'static str> {
        parse(&Source::new("x.yaml", text)).1.into_iter().map(|problem| problem.code).collect()
    }

    #[test]
    fn every_node_knows_its_place() {
        let source = Source::new("x.yaml", "a: {b: 4 KiB}\nc: [1, true]\n");
        let (root, problems) = parse(&source);
        let root = root.unwrap();
        assert!(problems.is_empty(), "{problems:?}");
        let span = root.get("a").unwrap().get("b").unwrap().span;
        assert_eq!(&source.text()[span.start..span.end], "4 KiB");
        assert!(matches!(root.get("c").unwrap().value, Value::List(ref items) if items.len() == 2));
    }

    #[test]
    fn duplicates_anchors_and_second_documents_are_found() {
        assert_eq!(codes("a: 1\na: 2\nb: 1\nb: 2\n"), ["yaml::duplicate-key", "yaml::duplicate-key"]);
        assert_eq!(codes("a: &x 1\nb: *x\n"), ["yaml::anchor", "yaml::alias"]);
        assert_eq!(codes("a: 1\n---\nb: 1\n"), ["yaml::documents"]);
        assert_eq!(codes("? [a]\n: 1\n"), ["yaml::key"]);
    }
}
