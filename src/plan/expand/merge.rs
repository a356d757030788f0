//! Settings with an arm's in their place, and factors replaced by their levels.

use super::Levels;
use crate::manifest::node::{Key, Node, Value};
use crate::manifest::shape::Problems;
use crate::name::nearest;

/// Settings with an arm's in their place, and factors replaced by their levels.
pub(super) fn merged(
    settings: &Node,
    set: Option<&Node>,
    levels: &Levels<'_>,
    problems: &mut Problems,
) -> Option<Node> {
    let Value::Map(entries) = &settings.value else {
        problems.expected(settings, "a mapping of settings", "Write it as `key: value`.");
        return None;
    };
    let mut entries: Vec<(Key, Node)> = entries.clone();
    if let Some(set) = set {
        let Value::Map(set) = &set.value else {
            problems.expected(set, "settings that replace those of the workload", "Write `set: {engine: libaio}`.");
            return None;
        };
        for (key, node) in set {
            match entries.iter_mut().find(|(one, _)| one.text == key.text) {
                Some((_, old)) => overlay(old, node),
                None => entries.push((key.clone(), node.clone())),
            }
        }
    }
    // a setting whose factor is not known is reported and left away, so that the others are looked at too
    entries.retain_mut(|(_, node)| replace_factors(node, levels, problems).is_some());
    Some(Node { span: settings.span, value: Value::Map(entries) })
}

/// Puts a setting in the place of another; of two mappings the entries are joined.
pub(super) fn overlay(old: &mut Node, new: &Node) {
    let (Value::Map(entries), Value::Map(set)) = (&mut old.value, &new.value) else {
        *old = new.clone();
        return;
    };
    if factor_reference(new).is_some() {
        *old = new.clone();
        return;
    }
    for (key, node) in set {
        match entries.iter_mut().find(|(one, _)| one.text == key.text) {
            Some((_, old)) => overlay(old, node),
            None => entries.push((key.clone(), node.clone())),
        }
    }
}

/// Replaces `{factor: name}` by the level, wherever it stands.
pub(super) fn replace_factors(node: &mut Node, levels: &Levels<'_>, problems: &mut Problems) -> Option<()> {
    if let Some(name) = factor_reference(node) {
        let Some((_, level)) = levels.iter().find(|(factor, _)| *factor == name) else {
            let known = levels.iter().map(|(factor, _)| *factor);
            let help = nearest(&name, known.clone()).map_or_else(
                || format!("The factors are {}.", known.map(|one| format!("`{one}`")).collect::<Vec<_>>().join(", ")),
                |meant| format!("Did you mean `{meant}`?"),
            );
            problems.error("plan::unknown-factor", node.span, format!("no factor is called `{name}`"), help);
            return None;
        };
        *node = level.node.clone();
        return Some(());
    }
    match &mut node.value {
        Value::List(items) => items.iter_mut().try_for_each(|item| replace_factors(item, levels, problems)),
        Value::Map(entries) => entries.iter_mut().try_for_each(|(_, item)| replace_factors(item, levels, problems)),
        _ => Some(()),
    }
}

/// The name in `{factor: name}`.
pub(super) fn factor_reference(node: &Node) -> Option<String> {
    match &node.value {
        Value::Map(entries) if entries.len() == 1 && entries[0].0.text == "factor" => entries[0].1.scalar(),
        _ => None,
    }
}

pub(in crate::plan) fn refers_to(node: &Node, factor: &str) -> bool {
    if factor_reference(node).is_some_and(|name| name == factor) {
        return true;
    }
    match &node.value {
        Value::Text(text) => text.contains(&format!("{{{factor}}}")),
        Value::List(items) => items.iter().any(|item| refers_to(item, factor)),
        Value::Map(entries) => entries.iter().any(|(_, item)| refers_to(item, factor)),
        _ => false,
    }
}
