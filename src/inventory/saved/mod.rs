//! Saved outputs: facts of a machine from what its programs print, on the machine itself or in a folder of files.
//!
//! One reader a file, in the table [`READERS`]; live and saved outputs go through the same readers. Serial numbers,
//! addresses and host names are left out. What is not understood is listed, never guessed.

mod dmidecode;
mod esxcli;
mod ethtool;
mod lscpu;
mod lspci;
mod nvme;
mod owed;
mod powershell;
mod pvesh;
mod pveversion;
mod qemu_img;
mod qm;
mod virsh;

use std::collections::BTreeMap;

use super::{Fact, Inventory};
use crate::digest::Digest;
use crate::encoding::decode;
use crate::os::Os;

pub use owed::{Owed, owed};

/// What a reader found: facts by path, or why there are none.
type Found = Result<Vec<(String, Fact)>, String>;

/// A program whose output is read.
struct Reader {
    /// Its name.
    name: &'static str,
    /// How it is asked on the machine itself.
    commands: &'static [&'static [&'static str]],
    /// Whether a text is its output; the name of the file may say more.
    recognises: fn(&str) -> bool,
    /// Reads the facts; the second text is the name of the file.
    read: fn(&str, &str) -> Found,
}

/// All readers; the first that recognises a text reads it.
const READERS: &[Reader] = &[
    pveversion::READER,
    pvesh::READER,
    qm::READER,
    qemu_img::READER,
    esxcli::READER,
    lscpu::READER,
    lspci::READER,
    dmidecode::READER,
    nvme::READER,
    ethtool::READER,
    virsh::READER,
    powershell::READER,
];

/// The names of the programs that are read.
pub fn names() -> impl Iterator<Item = &'static str> {
    READERS.iter().map(|reader| reader.name)
}

/// Where a fact was read.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Origin {
    /// The file.
    pub file: String,
    /// Its digest.
    pub object: Digest,
}

/// What a folder of outputs says.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize)]
pub struct Saved {
    /// The facts.
    pub facts: Inventory,
    /// Where each was read.
    pub origins: BTreeMap<String, Origin>,
    /// Files that were not understood, and facts that two outputs have otherwise, each with the reason.
    pub problems: Vec<String>,
}

/// Reads saved outputs: name and bytes of each.
pub fn read(files: &[(String, Vec<u8>)]) -> Saved {
    let mut saved = Saved::default();
    for (name, bytes) in files {
        let text = String::from_utf8_lossy(&decode(bytes)).into_owned();
        let Some(reader) = READERS.iter().find(|reader| (reader.recognises)(&text)) else {
            let known: Vec<&str> = names().collect();
            saved.problems.push(format!("{name}: not understood; outputs of {} are read", known.join(", ")));
            continue;
        };
        match (reader.read)(&text, name) {
            Ok(facts) if facts.is_empty() => {
                saved.problems.push(format!("{name}: this output of {} says nothing", reader.name))
            }
            Ok(facts) => add(&mut saved, facts, &Origin { file: name.clone(), object: Digest::of(bytes) }),
            Err(reason) => saved.problems.push(format!("{name}: {}: {reason}", reader.name)),
        }
    }
    saved
}

/// Why a fact is none that outputs have otherwise.
const DIFFER: &str = "outputs differ";

/// A fact that two outputs have otherwise is no fact.
fn add(saved: &mut Saved, facts: Vec<(String, Fact)>, origin: &Origin) {
    for (path, fact) in facts {
        let path = name(&path);
        match saved.facts.0.get(&path) {
            Some(Fact::Unavailable(reason)) if reason == DIFFER => {
                saved.problems.push(format!("{path}: {} has another value of its own; none is used", origin.file));
            }
            Some(known) if *known != fact && known.value().is_some() && fact.value().is_some() => {
                let other = saved.origins.get(&path).map_or("", |origin| origin.file.as_str());
                let (one, two) = (known.value().unwrap_or_default(), fact.value().unwrap_or_default());
                saved
                    .problems
                    .push(format!("{path}: {other} has `{one}`, {} has `{two}`; neither is used", origin.file));
                saved.facts.0.insert(path, Fact::Unavailable(DIFFER.to_owned()));
            }
            Some(known) if known.value().is_some() || fact.value().is_none() => {}
            _ => {
                saved.origins.insert(path.clone(), origin.clone());
                saved.facts.0.insert(path, fact);
            }
        }
    }
}

/// The facts that programs of this machine print, where they are installed.
pub(super) fn live(os: &dyn Os) -> Vec<(String, Fact)> {
    let mut facts = vec![];
    for reader in READERS {
        for command in reader.commands {
            let Some(path) = command.first().and_then(|program| os.find_program(program)) else { continue };
            let path = path.display().to_string();
            let argv: Vec<&str> = std::iter::once(path.as_str()).chain(command[1..].iter().copied()).collect();
            let Ok(captured) = os.capture(&argv) else { continue };
            let text = String::from_utf8_lossy(&captured.stdout).into_owned();
            if captured.is_success && (reader.recognises)(&text) {
                let found = (reader.read)(&text, "").unwrap_or_default();
                facts.extend(found.into_iter().map(|(path, fact)| (name(&path), fact)));
            }
        }
    }
    facts
}

/// A path as a manifest can have it: letters, digits, `-`, `_` and `.`, at most 64 of them.
fn name(path: &str) -> String {
    let letter = |one: char| if one.is_ascii_alphanumeric() || matches!(one, '-' | '_' | '.') { one } else { '_' };
    let name: String = path.chars().map(letter).take(64).collect();
    name.trim_end_matches(['.', '_']).to_owned()
}

/// A value that was read; nothing, or a word for nothing, is unavailable.
fn fact(value: &str) -> Fact {
    let value = crate::diagnostic::printable(value.trim()).replace('\n', " ");
    let is_nothing = matches!(
        value.to_ascii_lowercase().as_str(),
        "" | "n/a"
            | "-"
            | "none given"
            | "not specified"
            | "unknown"
            | "unspecified"
            | "to be filled by o.e.m."
            | "default string"
    );
    if is_nothing { Fact::Unavailable(format!("it says `{value}`")) } else { Fact::Measured(value) }
}

/// The value of `key: value` lines, the first of each key.
fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then(|| value.trim())
    })
}

/// The last JSON value of a text that other words may stand before.
fn json(text: &str) -> Result<serde_json::Value, String> {
    let start = text.lines().scan(0, |at, line| {
        let start = *at;
        *at += line.len() + 1;
        Some((start, line))
    });
    let start = start.into_iter().find(|(_, line)| line.trim_start().starts_with(['{', '[']));
    let Some((start, _)) = start else { return Err("there is no JSON".to_owned()) };
    serde_json::from_str(text.get(start..).unwrap_or_default())
        .map_err(|error| format!("the JSON is cut or damaged: {error}"))
}

/// A number or a text, as some versions print one and some the other.
fn scalar(value: &serde_json::Value) -> Option<String> {
    match value {
        serde_json::Value::String(text) => Some(text.clone()),
        serde_json::Value::Number(number) => Some(number.to_string()),
        serde_json::Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

/// Bytes as whole MiB, as facts have sizes.
fn mebibytes(bytes: u64) -> Fact {
    Fact::Measured(format!("{} MiB", bytes >> 20))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_one(name: &str, text: &str) -> Saved {
        read(&[(name.to_owned(), text.as_bytes().to_vec())])
    }

    #[test]
    fn what_two_outputs_have_otherwise_is_no_fact() {
        let one = "pve-manager/7.2-7/aaaa0001 (running kernel: 5.15.1-1-pve)\n";
        let other = "pve-manager/7.2-8/aaaa0002 (running kernel: 5.15.1-1-pve)\n";
        let files = [("a.txt".to_owned(), one.as_bytes().to_vec()), ("b.txt".to_owned(), other.as_bytes().to_vec())];
        let saved = read(&files);
        assert_eq!(saved.facts.value("hypervisor.version"), None);
        assert_eq!(saved.facts.value("hypervisor.kernel"), Some("5.15.1-1-pve"));
        assert!(saved.problems.iter().any(|problem| problem.contains("7.2-7") && problem.contains("b.txt")));
    }

    #[test]
    fn what_is_not_understood_is_listed() {
        let saved = read_one("notes.txt", "we used a fast server\n");
        assert!(saved.facts.0.is_empty() && saved.problems[0].starts_with("notes.txt: not understood"));
    }

    #[test]
    fn each_fact_knows_its_bytes() {
        let text = "pve-manager/7.2-7/aaaa0001 (running kernel: 5.15.1-1-pve)\n";
        let saved = read_one("v.txt", text);
        assert_eq!(
            saved.origins["hypervisor.version"],
            Origin { file: "v.txt".to_owned(), object: Digest::of(text.as_bytes()) }
        );
    }

    #[test]
    fn every_reader_takes_any_text() {
        for reader in READERS {
            for text in ["", ":", "{", "[]", "{}", "a: b", "\u{1b}[31m", "vmnic0", "Devices", "x\n  y: z\n"] {
                let _ = ((reader.recognises)(text), (reader.read)(text, "x.txt"));
            }
        }
    }
}
