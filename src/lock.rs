//! The lock: what the manifest's words meant on the machine that was measured.
//!
//! It pins facts (machine, kernel, programs with their digests) and the digest of the expanded cases of every profile.
//! It is written by `lock`, compared by `lock --check` and by every run. Reading it runs nothing.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::diagnostic::Diagnostic;
use crate::digest::Digest;
use crate::image::Image;
use crate::inventory::{Fact, Inventory, meets};
use crate::manifest::{Experiment, Role};
use crate::name::Name;
use crate::source::Source;

/// The version of the format.
pub const FORMAT: &str = "benchpaper/lock@1";

/// The largest lock that is read, in bytes.
pub const LOCK_LIMIT_BYTES: u64 = 4 << 20;

/// Resolved pins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    /// [`FORMAT`].
    pub format: String,
    /// The experiment.
    pub experiment: Name,
    /// Facts that must hold when it runs, by path.
    pub facts: BTreeMap<String, String>,
    /// The files beside the manifest that jobs use.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, Digest>,
    /// What guests boot, by the guests' name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub images: BTreeMap<String, Image>,
    /// The expanded cases of each profile.
    pub cases: BTreeMap<String, CasesPin>,
}

/// The expanded cases of a profile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CasesPin {
    /// How many there are.
    pub count: usize,
    /// The digest of all of them.
    pub digest: Digest,
}

/// Facts that are pinned wherever they are known; those of programs come on top.
const PINNED: &[&str] = &[
    "cpu.model",
    "cpu.cores",
    "cpu.threads",
    "cpu.microcode",
    "cpu.smt",
    "memory.size",
    "os.architecture",
    "os.family",
    "os.kernel",
    "os.kernel_build",
    "virtualization.role",
];

/// The lock of an experiment on a machine.
pub fn resolve(
    experiment: &Experiment,
    inventory: &Inventory,
    files: BTreeMap<String, Digest>,
    cases: BTreeMap<String, CasesPin>,
) -> Lock {
    let is_pinned = |path: &str| PINNED.contains(&path) || path.starts_with("tool.");
    let facts = inventory.0.iter().filter(|(path, _)| is_pinned(path));
    let facts = facts.filter_map(|(path, fact)| Some((path.clone(), fact.value()?.to_owned()))).collect();
    let name = experiment.name.value.clone();
    Lock { format: FORMAT.to_owned(), experiment: name, facts, files, images: BTreeMap::new(), cases }
}

/// The lock as YAML, with a line that says who writes it.
pub fn to_yaml(lock: &Lock) -> Result<String, String> {
    let body = serde_yaml::to_string(lock).map_err(|error| error.to_string())?;
    Ok(format!("# Written by `benchpaper lock`. Commit it; do not edit it.\n{body}"))
}

/// Reads a lock, strictly and within a budget.
pub fn parse(source: &Source) -> Result<Lock, Diagnostic> {
    let options = serde_saphyr::options! { strict_booleans: true, with_snippet: false };
    let lock: Result<Lock, _> = serde_saphyr::from_str_with_options(source.text(), options);
    let help = "Run `benchpaper lock` to write it again.";
    match lock {
        Ok(lock) if lock.format == FORMAT => Ok(lock),
        Ok(lock) => {
            Err(Diagnostic::error("lock::format", format!("the format `{}`, expected `{FORMAT}`", lock.format))
                .help(help))
        }
        Err(error) => {
            let line = error.location().map_or(1, |location| location.line() as usize);
            let message = error.without_snippet().to_string();
            Err(Diagnostic::error("lock::syntax", message).at(source, source.line_span(line)).help(help))
        }
    }
}

/// Where lock and machine differ: fact, locked value, found value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The fact's path.
    pub fact: String,
    /// What the lock says.
    pub locked: String,
    /// What the machine says.
    pub found: String,
}

/// The facts in which a machine differs from the lock.
pub fn differences(lock: &Lock, inventory: &Inventory) -> Vec<Difference> {
    let found = |path: &str| match inventory.0.get(path) {
        Some(Fact::Unavailable(reason)) => format!("unavailable ({reason})"),
        Some(fact) => fact.value().unwrap_or_default().to_owned(),
        None => "absent".to_owned(),
    };
    let differs = |(path, locked): &(&String, &String)| inventory.value(path) != Some(locked.as_str());
    lock.facts
        .iter()
        .filter(differs)
        .map(|(path, locked)| Difference { fact: path.clone(), locked: locked.clone(), found: found(path) })
        .collect()
}

/// What the manifest requires of the machine and its tools and does not find.
pub fn check_requirements(experiment: &Experiment, inventory: &Inventory, source: &Source) -> Vec<Diagnostic> {
    let hosts = experiment.hosts.iter().filter(|(_, host)| host.role.0.contains(&Role::Sut));
    let of_hosts =
        hosts.flat_map(|(_, host)| host.require.iter().map(|(path, wanted)| (path.value.to_string(), wanted)));
    let of_tools = experiment.tools.iter().filter(|_| experiment.guest().is_none());
    let of_tools = of_tools.map(|(name, pin)| (format!("tool.{}.version", name.value), &pin.version));
    let version_of = |one: &'_ crate::manifest::guest::Hypervisor| {
        let product = crate::guest::hypervisor::find(one.product.value.as_str())?;
        Some(format!("tool.{}.version", product.emulator().name))
    };
    let of_hypervisors = experiment.hypervisors.iter();
    let of_hypervisors = of_hypervisors.filter_map(|(_, one)| Some((version_of(one)?, one.version.as_ref()?)));
    let mut found = vec![];
    for (path, wanted) in of_hosts.chain(of_tools).chain(of_hypervisors) {
        let value = inventory.value(&path);
        let message = match value.map(|value| meets(value, &wanted.value)) {
            Some(Some(true)) => continue,
            Some(Some(false)) => format!("`{path}` is `{}`, required is `{}`", value.unwrap_or_default(), wanted.value),
            Some(None) => format!("`{}` can not be compared with `{path}`", wanted.value),
            None => format!("`{path}` is not known on this machine, required is `{}`", wanted.value),
        };
        let help = "`benchpaper inventory` prints all facts of this machine.";
        found.push(Diagnostic::error("lock::requirement", message).at(source, wanted.span).help(help));
    }
    found
}

/// What the manifest requires of the programs in an image and does not find.
pub fn check_image(experiment: &Experiment, image: &Image, source: &Source) -> Vec<Diagnostic> {
    let mut found = vec![];
    for (name, pin) in experiment.tools.iter() {
        let Some(program) = image.programs.get(name.value.as_str()) else { continue };
        if meets(&program.version, &pin.version.value) != Some(true) {
            let message =
                format!("the guests' `{}` is `{}`, required is `{}`", name.value, program.version, pin.version.value);
            let help = "Require what the archive has.";
            found.push(Diagnostic::error("lock::requirement", message).at(source, pin.version.span).help(help));
        }
    }
    found
}

/// What keys of jobs depend on besides the case: machine, programs, what guests boot, and kind of environment.
pub fn binding(lock: &Lock, environment: &str, (programs, image): (&[String], Option<&str>)) -> Digest {
    const MACHINE: &[&str] =
        &["cpu.model", "cpu.cores", "cpu.threads", "memory.size", "os.kernel", "virtualization.role"];
    let mut text = format!("environment={environment}\n");
    for path in MACHINE {
        text.push_str(&format!("{path}={}\n", lock.facts.get(*path).map_or("unavailable", String::as_str)));
    }
    for program in programs {
        let name = program.rsplit('/').next().unwrap_or(program);
        let path = format!("tool.{name}.sha256");
        text.push_str(&format!("{path}={}\n", lock.facts.get(&path).map_or("unavailable", String::as_str)));
    }
    if let Some(image) = image.and_then(|name| lock.images.get(name)) {
        text.push_str(&format!("guest={}\nimage.kernel={}\n", crate::guest::VERSION, image.kernel));
        text.push_str(&format!("image.initramfs={}\n", image.initramfs));
    }
    Digest::tagged("benchpaper/binding@1", &[text.as_bytes()])
}

/// What keys of jobs that a person runs depend on besides the case: the kind of environment. Their machine is not this one.
pub fn manual_binding(environment: &str) -> Digest {
    Digest::tagged("benchpaper/manual-binding@1", &[format!("environment={environment}\n").as_bytes()])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lock() -> Lock {
        let facts = BTreeMap::from([("cpu.model".to_owned(), "X: \"1\"".to_owned())]);
        let pin = CasesPin { count: 3, digest: Digest::of(b"cases") };
        let cases = BTreeMap::from([("default".to_owned(), pin)]);
        let experiment = Name::new("x").unwrap();
        Lock { format: FORMAT.to_owned(), experiment, facts, files: BTreeMap::new(), images: BTreeMap::new(), cases }
    }

    #[test]
    fn a_lock_survives_being_written_and_read() {
        let text = to_yaml(&lock()).unwrap();
        assert_eq!(parse(&Source::new("l", &text)).unwrap(), lock());
    }

    #[test]
    fn another_format_a_duplicate_and_a_stranger_s_key_are_refused() {
        let text = to_yaml(&lock()).unwrap();
        assert!(parse(&Source::new("l", &text.replace("lock@1", "lock@9"))).is_err());
        assert!(parse(&Source::new("l", &format!("{text}colour: red\n"))).is_err());
        assert!(parse(&Source::new("l", &format!("{text}experiment: y\n"))).is_err());
    }

    #[test]
    fn a_changed_machine_is_named_fact_by_fact() {
        let inventory = Inventory(BTreeMap::from([("cpu.model".to_owned(), Fact::Measured("Y".to_owned()))]));
        let found = differences(&lock(), &inventory);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].fact.as_str(), found[0].found.as_str()), ("cpu.model", "Y"));
    }
}
