//! `dmidecode`: BIOS, system, processors and memory modules. Serial numbers, tags and identifiers are left out.

use std::collections::BTreeMap;

use super::{Found, Reader, fact, value};
use crate::inventory::Fact;

pub(super) const READER: Reader = Reader { name: "dmidecode", commands: &[&["dmidecode"]], recognises, read };

fn recognises(text: &str) -> bool {
    text.starts_with("# dmidecode") || text.contains("SMBIOS") && text.contains("Handle 0x")
}

/// The blocks of a kind.
fn blocks<'a>(text: &'a str, kind: &str) -> Vec<&'a str> {
    text.split("\n\n").filter(|block| block.lines().nth(1).is_some_and(|line| line.trim() == kind)).collect()
}

fn read(text: &str, _: &str) -> Found {
    let text = text.replace("\r\n", "\n");
    let mut facts: Vec<(String, Fact)> = vec![];
    let kinds = [
        ("BIOS Information", "bios", &[("Vendor", "vendor"), ("Version", "version"), ("Release Date", "date")] as &[_]),
        ("System Information", "system", &[("Manufacturer", "manufacturer"), ("Product Name", "product")]),
        ("Base Board Information", "board", &[("Manufacturer", "manufacturer"), ("Product Name", "product")]),
    ];
    for (kind, group, keys) in kinds {
        let Some(block) = blocks(&text, kind).first().copied() else { continue };
        for (key, path) in keys {
            facts.extend(value(block, key).map(|found| (format!("{group}.{path}"), fact(found))));
        }
    }
    let processors: Vec<&str> = blocks(&text, "Processor Information")
        .into_iter()
        .filter(|block| value(block, "Status").is_none_or(|status| status.starts_with("Populated")))
        .collect();
    if let Some(model) = processors.iter().find_map(|block| value(block, "Version")) {
        facts.push(("cpu.model".to_owned(), fact(model)));
        facts.push(("cpu.sockets".to_owned(), Fact::Measured(processors.len().to_string())));
    }
    facts.extend(memory(&blocks(&text, "Memory Device")));
    if facts.is_empty() { Err("it has no block that is known".to_owned()) } else { Ok(facts) }
}

/// The modules: how many of which size, and their speed.
fn memory(devices: &[&str]) -> Vec<(String, Fact)> {
    let mut sizes: BTreeMap<&str, u64> = BTreeMap::new();
    let mut speeds: BTreeMap<&str, u64> = BTreeMap::new();
    let mut megabytes: u64 = 0;
    for device in devices {
        let Some(size) = value(device, "Size").filter(|size| size.starts_with(|one: char| one.is_ascii_digit())) else {
            continue;
        };
        *sizes.entry(size).or_default() += 1;
        let number = size.split(' ').next().and_then(|number| number.parse::<u64>().ok()).unwrap_or(0);
        let scale = match size.split(' ').nth(1) {
            Some("GB") => 1024,
            Some("TB") => 1024 * 1024,
            _ => 1,
        };
        megabytes = megabytes.saturating_add(number.saturating_mul(scale));
        let speed = value(device, "Configured Memory Speed")
            .or_else(|| value(device, "Configured Clock Speed"))
            .or_else(|| value(device, "Speed"));
        *speeds.entry(speed.unwrap_or("unknown")).or_default() += 1;
    }
    if sizes.is_empty() {
        return vec![];
    }
    let list = |counts: &BTreeMap<&str, u64>| {
        counts.iter().map(|(what, count)| format!("{count} × {what}")).collect::<Vec<_>>().join(", ")
    };
    vec![
        ("memory.modules".to_owned(), Fact::Measured(list(&sizes))),
        ("memory.speed".to_owned(), Fact::Measured(list(&speeds))),
        ("memory.installed".to_owned(), Fact::Measured(format!("{megabytes} MiB"))),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_counted_and_serials_left_out() {
        let module = |size: &str| {
            format!(
                "Handle 0x1, DMI type 17, 34 bytes\nMemory Device\n\tSize: {size}\n\tSpeed: 2400 MT/s\n\tSerial Number: SECRET\n\n"
            )
        };
        let text = format!(
            "# dmidecode 3.3\nSMBIOS 3.0 present.\n\nHandle 0x0, DMI type 0, 24 bytes\nBIOS Information\n\tVendor: V\n\tVersion: 1.2\n\n{}{}{}",
            module("16 GB"),
            module("16 GB"),
            module("No Module Installed")
        );
        assert!(recognises(&text));
        let facts = read(&text, "").unwrap();
        let value = |path: &str| facts.iter().find(|(one, _)| one == path).unwrap().1.value().unwrap().to_owned();
        assert_eq!(
            (value("bios.version"), value("memory.modules"), value("memory.installed")),
            ("1.2".to_owned(), "2 × 16 GB".to_owned(), "32768 MiB".to_owned())
        );
        assert!(!format!("{facts:?}").contains("SECRET"));
    }
}
