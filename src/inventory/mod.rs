//! The inventory: facts of the machine, each measured, declared or unavailable with a reason.
//!
//! One probe a file, in the table [`PROBES`]. Probes read and never write; they collect no serial numbers, addresses or
//! host names. A fact that can not be read says why: absent is never a value.

mod block;
mod cpu;
mod filesystem;
mod kernel;
mod memory;
mod network;
mod program;
pub mod saved;
mod virtualization;

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::os::Os;
use crate::quantity::Quantity;
use crate::unit::Dimension;

/// What is known of one property.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fact {
    /// Read from the machine.
    Measured(String),
    /// Stated by the authors.
    Declared(String),
    /// Not known, for this reason.
    Unavailable(String),
}

impl Fact {
    /// The value, measured or declared.
    pub fn value(&self) -> Option<&str> {
        match self {
            Self::Measured(value) | Self::Declared(value) => Some(value),
            Self::Unavailable(_) => None,
        }
    }

    /// `measured`, `declared` or `unavailable`.
    pub const fn state(&self) -> &'static str {
        match self {
            Self::Measured(_) => "measured",
            Self::Declared(_) => "declared",
            Self::Unavailable(_) => "unavailable",
        }
    }
}

/// Facts by path: `cpu.model`, `tool.fio.version`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Inventory(pub BTreeMap<String, Fact>);

/// What probes look at.
pub struct Scope<'a> {
    /// The machine.
    pub os: &'a dyn Os,
    /// The folder under which test files lie.
    pub scratch: &'a Path,
    /// The programs that jobs use.
    pub programs: &'a [Program],
}

/// A program whose version and digest are facts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Its name, or its path.
    pub name: String,
    /// Whether `--version` prints its version and does nothing else. A stranger's program is never run to find out.
    pub answers_version: bool,
}

/// A named group of facts and how it is read.
pub struct Probe {
    /// The first part of the paths of its facts.
    pub name: &'static str,
    read: fn(&Scope<'_>) -> Vec<(String, Fact)>,
}

/// All probes.
pub const PROBES: &[Probe] = &[
    Probe { name: "block", read: block::read },
    Probe { name: "cpu", read: cpu::read },
    Probe { name: "filesystem", read: filesystem::read },
    Probe { name: "os", read: kernel::read },
    Probe { name: "memory", read: memory::read },
    Probe { name: "nic", read: network::read },
    Probe { name: "tool", read: program::read },
    Probe { name: "virtualization", read: virtualization::read },
];

/// Reads all facts.
pub fn collect(scope: &Scope<'_>) -> Inventory {
    let facts = PROBES.iter().flat_map(|probe| {
        let prefix = probe.name;
        (probe.read)(scope).into_iter().map(move |(path, fact)| (format!("{prefix}.{path}"), fact))
    });
    let mut found: BTreeMap<String, Fact> = facts.collect();
    // what the kernel says comes before what a program makes of it
    for (path, fact) in saved::live(scope.os) {
        found.entry(path).or_insert(fact);
    }
    Inventory(found)
}

impl Inventory {
    /// The value of a fact, measured or declared.
    pub fn value(&self, path: &str) -> Option<&str> {
        self.0.get(path).and_then(Fact::value)
    }

    /// What differs from an earlier inventory: one line a fact.
    pub fn changes_since(&self, earlier: &Self) -> Vec<String> {
        let shown = |fact: Option<&Fact>| match fact {
            Some(fact) => fact.value().unwrap_or("unavailable").to_owned(),
            None => "absent".to_owned(),
        };
        let paths: std::collections::BTreeSet<&String> = self.0.keys().chain(earlier.0.keys()).collect();
        paths
            .into_iter()
            .filter(|path| self.0.get(*path) != earlier.0.get(*path))
            .map(|path| format!("{path}: {} → {}", shown(earlier.0.get(path)), shown(self.0.get(path))))
            .collect()
    }
}

/// Whether a value meets a requirement such as `>= 2`, `== 3.33`, `linux`; `None` where the requirement can not be read.
pub fn meets(value: &str, requirement: &str) -> Option<bool> {
    let requirement = requirement.trim();
    let operator_end = requirement.find(|one: char| !matches!(one, '<' | '>' | '=' | '!')).unwrap_or(requirement.len());
    let (operator, wanted) = requirement.split_at(operator_end);
    let wanted = wanted.trim();
    if matches!(operator, "" | "==") {
        return Some(value == wanted);
    }
    if operator == "!=" {
        return Some(value != wanted);
    }
    let order = compare(value, wanted)?;
    Some(match operator {
        "<" => order.is_lt(),
        "<=" => order.is_le(),
        ">" => order.is_gt(),
        ">=" => order.is_ge(),
        _ => return None,
    })
}

/// Compares sizes, or whole numbers and dotted versions part by part.
fn compare(one: &str, other: &str) -> Option<std::cmp::Ordering> {
    let size = |text: &str| Quantity::parse(text, Dimension::Size).ok().map(|quantity| quantity.in_base());
    if let (Some(one), Some(other)) = (size(one), size(other)) {
        return Some(one.cmp(&other));
    }
    let version = |text: &str| {
        let numbers: Option<Vec<u64>> = text
            .split(|one: char| !one.is_ascii_digit())
            .filter(|part| !part.is_empty())
            .map(|part| part.parse().ok())
            .collect();
        numbers.filter(|numbers| !numbers.is_empty())
    };
    Some(version(one)?.cmp(&version(other)?))
}

/// A file's text without its end, as a fact.
fn read_fact(os: &dyn Os, path: &str) -> Fact {
    match read_text(os, path) {
        Ok(text) if text.is_empty() => Fact::Unavailable(format!("{path} is empty")),
        Ok(text) => Fact::Measured(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Fact::Unavailable(format!("there is no {path}")),
        Err(error) => Fact::Unavailable(format!("{path}: {error}")),
    }
}

/// A small file's text, trimmed, control characters replaced.
fn read_text(os: &dyn Os, path: &str) -> std::io::Result<String> {
    let bytes = os.read(Path::new(path), 1 << 20)?;
    Ok(crate::diagnostic::printable(String::from_utf8_lossy(&bytes).trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements_compare_what_they_look_like() {
        assert_eq!(meets("2", ">= 2"), Some(true));
        assert_eq!(meets("16 GiB", ">= 4 GiB"), Some(true));
        assert_eq!(meets("3.9", ">= 3.30"), Some(false), "versions are no decimal numbers");
        assert_eq!(meets("fio-3.33", ">= fio-3.9"), Some(true), "as versions 33 is more than 9");
        assert_eq!(meets("linux", "linux"), Some(true));
        assert_eq!(meets("linux", "~ 3"), Some(false));
        assert_eq!(meets("linux", "> x"), None);
    }

    #[test]
    fn every_probe_file_is_in_the_table() {
        let names: Vec<&str> = PROBES.iter().map(|probe| probe.name).collect();
        assert_eq!(names.len(), 8, "{names:?}");
    }
}
