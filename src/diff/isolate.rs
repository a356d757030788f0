//! Manifests that separate causes which changed together: the first side with one of them changed in each.

use super::{Diff, Factor, Kind, Side};
use crate::manifest::node::{Key, Node, Value};
use crate::source::Span;

/// A manifest with one cause changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Isolated {
    /// The name of the experiment.
    pub name: String,
    /// What is changed.
    pub cause: String,
    /// The manifest.
    pub manifest: String,
}

/// One manifest for each cause but the last, which the second side tells once the others are known; with the causes that no
/// manifest can change, such as a program that was updated.
pub fn isolate(diff: &Diff, a: &Side, b: &Side) -> (Vec<Isolated>, Vec<String>) {
    let (Some(first), Some(second)) = (a.tree(), b.tree()) else { return (vec![], vec![]) };
    let of_manifest = |cause: &&String| {
        if at(&first, cause).is_none() && at(&second, cause).is_none() {
            return false;
        }
        let mut factors = diff.factors.iter().filter(|factor| factor.cause == **cause && factor.kind == Kind::Factor);
        factors.all(|factor| factor.path == factor.cause)
    };
    let (settable, fixed): (Vec<&String>, Vec<&String>) = diff.causes.iter().partition(of_manifest);
    let most = if fixed.is_empty() { settable.len().saturating_sub(1) } else { settable.len() };
    let made = settable.iter().take(most).enumerate().filter_map(|(number, cause)| {
        let factor = diff.factors.iter().find(|factor| factor.cause == **cause)?;
        let name = format!("{}-isolated-{}", a.experiment.name.value, number + 1);
        let mut tree = first.clone();
        set(&mut tree, "name", Some(&text(&name)));
        apply(&mut tree, factor, &second);
        let head = format!("# as {} but for {cause}, which is as in {}\n", diff.a, diff.b);
        Some(Isolated { name, cause: (*cause).clone(), manifest: head + &to_yaml(&tree) })
    });
    (made.collect(), fixed.into_iter().cloned().collect())
}

fn text(text: &str) -> Node {
    Node { span: Span::default(), value: Value::Text(text.to_owned()) }
}

fn apply(tree: &mut Node, factor: &Factor, second: &Node) {
    set(tree, &factor.path, at(second, &factor.path));
}

/// The node at a path.
fn at<'a>(node: &'a Node, path: &str) -> Option<&'a Node> {
    if path.is_empty() {
        return Some(node);
    }
    let Value::Map(entries) = &node.value else { return None };
    // names may hold points: the longest key that begins the path
    let (key, inner) =
        entries.iter().filter(|(key, _)| begins(path, &key.text)).max_by_key(|(key, _)| key.text.len())?;
    at(inner, path[key.text.len()..].trim_start_matches('.'))
}

fn begins(path: &str, key: &str) -> bool {
    path == key || path.strip_prefix(key).is_some_and(|rest| rest.starts_with('.'))
}

/// Sets the node at a path, makes it where it is not there, or takes it away.
fn set(node: &mut Node, path: &str, to: Option<&Node>) {
    let Value::Map(entries) = &mut node.value else { return };
    let found = entries.iter().position(|(key, _)| begins(path, &key.text));
    match (found, to) {
        (Some(at), Some(to)) if entries[at].0.text == path => entries[at].1 = to.clone(),
        (Some(at), None) if entries[at].0.text == path => {
            entries.remove(at);
        }
        (Some(at), to) => {
            let rest = path[entries[at].0.text.len()..].trim_start_matches('.').to_owned();
            set(&mut entries[at].1, &rest, to);
        }
        (None, Some(to)) => {
            let (first, rest) = path.split_once('.').unwrap_or((path, ""));
            let mut inner = Node { span: Span::default(), value: Value::Map(vec![]) };
            if rest.is_empty() {
                inner = to.clone();
            } else {
                set(&mut inner, rest, Some(to));
            }
            entries.push((Key { span: Span::default(), text: first.to_owned() }, inner));
        }
        (None, None) => {}
    }
}

/// A tree as YAML that reads back as the same tree.
fn to_yaml(node: &Node) -> String {
    let mut made = String::new();
    write(node, 0, &mut made);
    made
}

fn write(node: &Node, depth: usize, made: &mut String) {
    let Value::Map(entries) = &node.value else {
        made.push_str(&inline(node));
        made.push('\n');
        return;
    };
    for (key, inner) in entries {
        made.push_str(&"  ".repeat(depth));
        made.push_str(&quoted(&key.text));
        made.push(':');
        match &inner.value {
            Value::Map(entries) if !entries.is_empty() && depth < 2 => {
                made.push('\n');
                write(inner, depth + 1, made);
            }
            _ => {
                made.push(' ');
                made.push_str(&inline(inner));
                made.push('\n');
            }
        }
    }
}

/// On one line.
fn inline(node: &Node) -> String {
    match &node.value {
        Value::Null => "~".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(text) => text.clone(),
        Value::Text(text) => quoted(text),
        Value::List(items) => format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", ")),
        Value::Map(entries) => {
            let one = |(key, inner): &(Key, Node)| format!("{}: {}", quoted(&key.text), inline(inner));
            format!("{{{}}}", entries.iter().map(one).collect::<Vec<_>>().join(", "))
        }
    }
}

/// Text that stays text: bare where it is a plain word, else in quotes.
fn quoted(text: &str) -> String {
    let is_word = text.starts_with(|one: char| one.is_ascii_alphabetic())
        && text.chars().all(|one| one.is_ascii_alphanumeric() || "_-./".contains(one))
        && !["true", "false", "null", "yes", "no", "on", "off"].contains(&text.to_lowercase().as_str());
    if is_word { text.to_owned() } else { serde_json::Value::from(text).to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::node;
    use crate::source::Source;

    #[test]
    fn what_is_written_reads_back_as_the_same_tree() {
        let text = "name: x\nhosts: {a: {role: [sut], access: local}}\nworkloads:\n  w: {tool: fio, block_size: 4 KiB, options: {rate: \"300\"}, direct: true, list: [1, \"yes\", a b]}\n";
        let tree = node::parse(&Source::new("a", text)).0.unwrap();
        let again = node::parse(&Source::new("b", &to_yaml(&tree))).0.unwrap();
        assert_eq!(inline(&tree), inline(&again));
        let mut changed = tree.clone();
        set(&mut changed, "workloads.w.block_size", at(&node::parse(&Source::new("c", "k: 8 KiB")).0.unwrap(), "k"));
        assert!(to_yaml(&changed).contains("block_size: \"8 KiB\""), "{}", to_yaml(&changed));
        set(&mut changed, "workloads.w.direct", None);
        assert!(!to_yaml(&changed).contains("direct"));
    }
}
