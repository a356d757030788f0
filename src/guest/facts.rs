//! What a guest says of itself, and whether it is the guest that was asked for.

use std::collections::BTreeMap;

use super::Spec;

/// Facts by path: `kernel.release`, `disk.test.driver`.
pub type Facts = BTreeMap<String, String>;

/// The programs whose versions a guest is asked for.
pub const PROGRAMS: &[(&str, &str)] = &[("fio", "fio --version"), ("iperf3", "iperf3 --version")];

/// The commands that ask for the versions of programs.
pub fn ask_versions(programs: &[&str]) -> String {
    let asked = PROGRAMS.iter().filter(|(name, _)| programs.contains(name));
    asked.map(|(name, command)| format!("fact tool.{name}.version \"$({command} 2>&1 | head -n 1)\"\n")).collect()
}

/// Reads the lines `path=value`; a line without a sign is left out.
pub fn parse(text: &str) -> Facts {
    let lines = text.lines().filter_map(|line| line.split_once('='));
    lines.map(|(path, value)| (path.to_owned(), crate::diagnostic::printable(value.trim()))).collect()
}

/// Every way in which a guest is not the one asked for: found against expected. `pinned` are facts of its image; a card
/// is there where guests hear each other.
pub fn mismatches(spec: &Spec, pinned: &Facts, found: &Facts) -> Vec<String> {
    let mut expected: Facts = pinned.clone();
    expected.insert("cpu.count".to_owned(), spec.vcpus.to_string());
    for disk in &spec.disks {
        if let Some(driver) = disk.controller.driver() {
            expected.insert(format!("disk.{}.driver", disk.name), driver.to_owned());
            expected.insert(format!("disk.{}.size", disk.name), format!("{} B", disk.bytes));
        }
    }
    if let Some(network) = &spec.network {
        expected.insert("network.driver".to_owned(), network.card.driver(network.virtual_functions).to_owned());
        if network.virtual_functions > 0 {
            expected.insert("network.virtual_functions".to_owned(), network.virtual_functions.to_string());
        }
    }
    let mut wrong: Vec<String> = expected
        .iter()
        .filter(|(path, value)| found.get(*path) != Some(*value))
        .map(|(path, value)| {
            let got = found.get(path).map_or("nothing", String::as_str);
            format!("`{path}` is `{got}`, expected `{value}`")
        })
        .collect();
    for volume in &spec.volumes {
        let size = found
            .get(&format!("volume.{}.size", volume.name))
            .and_then(|size| size.strip_suffix(" B")?.parse::<u64>().ok());
        if size.is_none_or(|size| size < volume.bytes) {
            let got = size.map_or("nothing".to_owned(), |size| format!("{size} B"));
            wrong.push(format!("the volume `{}` has {got}, expected at least {} B", volume.name, volume.bytes));
        }
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_facts() {
        let facts = parse("kernel.release=6.1.0\r\nbroken\nkernel.command_line=a=b c\n");
        assert_eq!(facts["kernel.release"], "6.1.0");
        assert_eq!(facts["kernel.command_line"], "a=b c");
        assert_eq!(facts.len(), 2);
    }
}
