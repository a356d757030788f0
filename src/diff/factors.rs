//! What differs in what was pinned: manifests, locks and facts, by meaning.
//!
//! Names that were changed and nothing else, lists in another order, and quantities written otherwise are no difference.
//! What only people read (titles, authors, reasons) is folded away.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::Side;
use crate::manifest::node::{self, Node, Value};
use crate::printed::{DecimalMark, Printed};
use crate::source::Source;

/// What a difference can do to results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// It changes what is measured, on what, or how.
    Factor,
    /// It changes which cases there are, how often or in which order they are measured.
    Design,
    /// It changes how results are read.
    Analysis,
    /// A name was changed, and nothing else.
    Renamed,
    /// People read it, jobs do not.
    Prose,
}

impl Kind {
    /// In a word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Factor => "factor",
            Self::Design => "design",
            Self::Analysis => "analysis",
            Self::Renamed => "renamed",
            Self::Prose => "prose",
        }
    }

    /// What the word means.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Factor => "it changes what is measured, on what, or how",
            Self::Design => "it changes which cases there are, how often or in which order",
            Self::Analysis => "it changes how results are read",
            Self::Renamed => "the name was changed, and nothing else",
            Self::Prose => "people read it, jobs do not",
        }
    }
}

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Factor {
    /// What it can do.
    pub kind: Kind,
    /// What differs together: one cause.
    pub cause: String,
    /// Where.
    pub path: String,
    /// On the first side; none where it is not there.
    pub a: Option<String>,
    /// On the second.
    pub b: Option<String>,
    /// Why it is listed.
    pub why: &'static str,
}

/// Parts of a manifest whose entries have names that people choose.
const NAMED: &[&str] = &["workloads", "guests", "hypervisors", "hosts", "arms"];
/// Lists whose order is part of what they say.
const ORDERED: &[&str] = &["argv", "steps", "commands", "sessions"];

/// A manifest as paths and scalars.
pub(super) type Flat = BTreeMap<String, String>;

pub(super) fn flatten(node: &Node, path: &str, found: &mut Flat) {
    match &node.value {
        Value::Map(entries) => {
            for (key, inner) in entries {
                let path = if path.is_empty() { key.text.clone() } else { format!("{path}.{}", key.text) };
                flatten(inner, &path, found);
            }
        }
        Value::List(items) => {
            let last = path.rsplit('.').next().unwrap_or(path);
            let is_plain = items.iter().all(|item| !matches!(item.value, Value::Map(_) | Value::List(_)));
            if is_plain {
                let mut texts: Vec<String> = items.iter().map(Node::shown).collect();
                if !ORDERED.contains(&last) {
                    texts.sort();
                }
                // the first level of a factor is what the others are compared with
                if let Some(first) = items.first().filter(|_| path.contains("factors.")) {
                    found.insert(format!("{path}.first"), first.shown());
                }
                found.insert(path.to_owned(), texts.join(", "));
            } else {
                for (number, item) in items.iter().enumerate() {
                    flatten(item, &format!("{path}[{number}]"), found);
                }
            }
        }
        _ => {
            found.insert(path.to_owned(), node.shown());
        }
    }
}

/// Whether two scalars mean the same: `64 KiB` and `65536 B` do.
fn is_same(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    let parts = |text: &str| -> Vec<String> {
        let meant = |part: &str| match Printed::parse(part.trim(), DecimalMark::Point, None) {
            Ok(printed) => format!("{} {:?}", printed.value().to_fraction(), printed.dim()),
            Err(_) => part.trim().to_owned(),
        };
        let mut parts: Vec<String> = text.split(", ").map(meant).collect();
        parts.sort();
        parts
    };
    parts(one) == parts(other)
}

/// An entry, such as a workload, whose name was changed.
struct Renamed {
    part: &'static str,
    old: String,
    new: String,
}

/// Names of entries that were changed while all else of them stayed: old and new, by part.
fn renames(a: &Flat, b: &Flat) -> Vec<Renamed> {
    let mut found = vec![];
    for part in NAMED {
        let entries = |flat: &Flat| -> BTreeMap<String, Vec<(String, String)>> {
            let mut entries: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
            for (path, value) in flat {
                let Some(rest) = path.strip_prefix(&format!("{part}.")) else { continue };
                let (name, inner) = rest.split_once('.').unwrap_or((rest, ""));
                entries.entry(name.to_owned()).or_default().push((inner.to_owned(), value.clone()));
            }
            entries
        };
        let (one, other) = (entries(a), entries(b));
        for (name, inner) in one.iter().filter(|(name, _)| !other.contains_key(*name)) {
            let twin = other.iter().find(|(new, content)| !one.contains_key(*new) && *content == inner);
            if let Some((new, _)) = twin {
                found.push(Renamed { part, old: name.clone(), new: new.clone() });
            }
        }
    }
    found
}

/// All that differs between two sides.
pub(super) fn factors(a: &Side, b: &Side) -> Vec<Factor> {
    let (mut one, other) = (a.flat(), b.flat());
    let renamed = renames(&one, &other);
    let mut found: Vec<Factor> = vec![];
    for Renamed { part, old, new } in &renamed {
        let path = format!("{part}.{old}");
        found.push(row(Kind::Renamed, &path, (Some(old.clone()), Some(new.clone()))));
        let moved: Flat = one
            .iter()
            .map(|(path, value)| {
                let path = match path.strip_prefix(&format!("{part}.{old}.")) {
                    Some(rest) => format!("{part}.{new}.{rest}"),
                    None => path.clone(),
                };
                let values: Vec<&str> =
                    value.split(", ").map(|one| if one == old { new.as_str() } else { one }).collect();
                (path, values.join(", "))
            })
            .collect();
        one = moved;
    }
    found.extend(only_one_side(&one, &other));
    let is_listed = |path: &str| found.iter().any(|factor| path.starts_with(&format!("{}.", factor.path)));
    let rest: Vec<Factor> = differences(&one, &other)
        .filter(|one| !is_listed(&one.path))
        .map(|Difference { path, a, b }| row(kind_of(&path), &path, (a, b)))
        .collect();
    found.extend(rest);
    // what a lock pins and what a run found are the same facts
    let facts = |side: &Side| -> Flat {
        let mut facts: Flat = side.lock.facts.clone();
        let found =
            side.results.facts.0.iter().filter_map(|(path, fact)| Some((path.clone(), fact.value()?.to_owned())));
        facts.extend(found);
        facts.extend(side.lock.files.iter().map(|(name, digest)| (format!("file.{name}"), digest.to_string())));
        let images = side.lock.images.iter();
        facts.extend(images.map(|(name, image)| (format!("image.{name}"), image.initramfs.to_string())));
        facts
    };
    let facts = (facts(a), facts(b));
    found.extend(differences(&facts.0, &facts.1).filter(|one| one.a.is_some() && one.b.is_some()).map(
        |Difference { path, a, b }| {
            let mut factor = row(Kind::Factor, &path, (a, b));
            (factor.cause, factor.why) = (cause_of_fact(&path), "a fact that was pinned or found");
            factor
        },
    ));
    found.sort();
    found
}

/// Entries with a name, such as a workload, that only one side has: no case of the other has to do with them.
fn only_one_side(a: &Flat, b: &Flat) -> Vec<Factor> {
    let entries = |flat: &Flat| -> BTreeMap<String, usize> {
        let mut entries = BTreeMap::new();
        for path in flat.keys() {
            let mut parts = path.splitn(3, '.');
            let (Some(part), Some(name)) = (parts.next(), parts.next()) else { continue };
            // a further part of the matrix has no name but its place
            if NAMED.contains(&part) || name.starts_with("also[") {
                *entries.entry(format!("{part}.{name}")).or_default() += 1;
            }
        }
        entries
    };
    let (one, other) = (entries(a), entries(b));
    let alone = |entries: &BTreeMap<String, usize>, others: &BTreeMap<String, usize>, is_first: bool| {
        let alone = entries.iter().filter(|(path, _)| !others.contains_key(*path));
        let shown = |count: &usize| Some(format!("{count} settings"));
        alone
            .map(|(path, count)| {
                let sides = if is_first { (shown(count), None) } else { (None, shown(count)) };
                Factor { why: "only one side has it", ..row(Kind::Design, path, sides) }
            })
            .collect::<Vec<Factor>>()
    };
    [alone(&one, &other, true), alone(&other, &one, false)].concat()
}

/// A path, and what each side has there.
struct Difference {
    path: String,
    a: Option<String>,
    b: Option<String>,
}

fn differences(a: &Flat, b: &Flat) -> impl Iterator<Item = Difference> {
    let paths: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    let found: Vec<Difference> = paths
        .into_iter()
        .filter(|path| match (a.get(*path), b.get(*path)) {
            (Some(one), Some(other)) => !is_same(one, other),
            _ => true,
        })
        .map(|path| Difference { path: path.clone(), a: a.get(path).cloned(), b: b.get(path).cloned() })
        .collect();
    found.into_iter()
}

fn row(kind: Kind, path: &str, (a, b): (Option<String>, Option<String>)) -> Factor {
    Factor { kind, cause: path.to_owned(), path: path.to_owned(), a, b, why: kind.meaning() }
}

/// What a path of a manifest can do to results.
fn kind_of(path: &str) -> Kind {
    let first = path.split(['.', '[']).next().unwrap_or(path);
    let last = path.rsplit('.').next().unwrap_or(path);
    match first {
        "title" | "authors" | "version" | "license" | "question" | "format" | "name" => Kind::Prose,
        "metrics" | "treatment" | "disclosure" | "imports" => Kind::Analysis,
        _ if matches!(last, "why" | "steps" | "declared") => Kind::Prose,
        "matrix" | "profiles" => Kind::Design,
        "design" => match path {
            "design.runtime" | "design.ramp_time" | "design.pause" | "design.concurrency" | "design.reboot_guests" => {
                Kind::Factor
            }
            path if path.starts_with("design.precondition") || path.starts_with("design.steady_state") => Kind::Factor,
            _ => Kind::Design,
        },
        _ => Kind::Factor,
    }
}

/// What changes together with a fact: `tool.fio.version` and `tool.fio.sha256` are one program.
fn cause_of_fact(path: &str) -> String {
    let parts: Vec<&str> = path.split('.').collect();
    match parts.as_slice() {
        ["tool" | "block" | "nic" | "image" | "file", name, ..] => format!("{}.{name}", parts[0]),
        ["os", ..] => "os".to_owned(),
        _ => path.to_owned(),
    }
}

/// What of a manifest decides how results are read, and differs in another: paths with both values.
pub fn changes_of_analysis(before: &Source, after: &Source) -> Vec<String> {
    let flat = |source: &Source| {
        let mut flat = Flat::new();
        if let Some(tree) = node::parse(source).0 {
            flatten(&tree, "", &mut flat);
        }
        flat
    };
    let shown = |text: Option<String>| text.unwrap_or_else(|| "nothing".to_owned());
    let is_analysis = |path: &str| {
        ["metrics.", "treatment", "matrix.exclude", "design.order"].iter().any(|part| path.starts_with(part))
            || (path.starts_with("matrix.") && path.ends_with(".first"))
    };
    differences(&flat(before), &flat(after))
        .filter(|one| is_analysis(&one.path))
        .map(|Difference { path, a, b }| format!("{path}: {} then, {} now", shown(a), shown(b)))
        .collect()
}

/// What results may be due to: differences that can change them, each cause once.
pub(super) fn causes(factors: &[Factor]) -> Vec<String> {
    let causes: BTreeSet<&String> =
        factors.iter().filter(|factor| factor.kind == Kind::Factor).map(|factor| &factor.cause).collect();
    causes.into_iter().cloned().collect()
}
