//! `esxcli` of VMware ESXi: `system version get`, `storage core device list`, `network nic list` and `network nic coalesce get`.
//!
//! Tables are read by what stands in their rows, for their heads are translated; a word for on or off that is not known is
//! said, not guessed. Names of devices hold serial numbers, so devices are numbered.

use super::{Found, Reader, fact, value};
use crate::inventory::Fact;

pub(super) const READER: Reader = Reader {
    name: "esxcli",
    commands: &[
        &["esxcli", "system", "version", "get"],
        &["esxcli", "storage", "core", "device", "list"],
        &["esxcli", "network", "nic", "list"],
        &["esxcli", "network", "nic", "coalesce", "get"],
    ],
    recognises,
    read,
};

/// What a device says of itself: the key, and the fact.
const DEVICE: &[(&str, &str)] = &[
    ("Vendor", "vendor"),
    ("Model", "model"),
    ("Revision", "firmware"),
    ("Is SSD", "ssd"),
    ("Is Local", "local"),
    ("Multipath Plugin", "multipath_plugin"),
    ("Device Max Queue Depth", "queue_depth"),
    ("No of outstanding IOs with competing worlds", "outstanding_ios"),
    ("Drive Type", "drive_type"),
    ("RAID Level", "raid_level"),
    ("Thin Provisioning Status", "thin_provisioning"),
    ("VAAI Status", "vaai"),
];

/// Words for on and off in the languages of the program.
const ON: &[&str] =
    &["enabled", "true", "yes", "on", "ativado", "activado", "activé", "aktiviert", "有効", "已启用", "已啟用", "사용"];
const OFF: &[&str] = &[
    "disabled",
    "false",
    "no",
    "off",
    "desativado",
    "desactivado",
    "désactivé",
    "deaktiviert",
    "無効",
    "已禁用",
    "已停用",
    "사용 안 함",
];

fn recognises(text: &str) -> bool {
    let is_version = text.contains("Product: VMware ESXi");
    let is_list = text.contains("Multipath Plugin: ") && text.contains("Display Name: ");
    is_version || is_list || text.lines().any(|line| nic(line).is_some())
}

/// The name of a card and the words after it, where a line is of one.
fn nic(line: &str) -> Option<(&str, Vec<&str>)> {
    let mut words = line.split_whitespace();
    let name = words.next()?;
    let is_nic = name.strip_prefix("vmnic")?.bytes().all(|byte| byte.is_ascii_digit()) && name.len() > 5;
    let rest: Vec<&str> = words.collect();
    (is_nic && rest.len() >= 4).then_some((name, rest))
}

fn read(text: &str, _: &str) -> Found {
    if text.contains("Product: VMware ESXi") {
        return Ok(version(text));
    }
    if text.contains("Multipath Plugin: ") {
        return Ok(devices(text));
    }
    let mut facts = vec![];
    for (name, words) in text.lines().filter_map(nic) {
        // a row of the coalescing table begins with four numbers
        let is_coalescing = words.iter().take(4).filter(|word| word.parse::<u64>().is_ok()).count() == 4;
        if is_coalescing { coalescing(name, &words, &mut facts) } else { card(name, &words, &mut facts) }
    }
    Ok(facts)
}

fn version(text: &str) -> Vec<(String, Fact)> {
    let mut facts = vec![];
    for (key, path) in
        [("Product", "product"), ("Version", "version"), ("Build", "build"), ("Update", "update"), ("Patch", "patch")]
    {
        let found = value(text, key).map(|found| found.trim_start_matches("Releasebuild-"));
        facts.extend(found.map(|found| (format!("hypervisor.{path}"), fact(found))));
    }
    facts
}

fn devices(text: &str) -> Vec<(String, Fact)> {
    let mut blocks: Vec<String> = vec![];
    for line in text.lines() {
        let is_name = !line.starts_with([' ', '\t']) && !line.trim().is_empty();
        if is_name {
            blocks.push(String::new());
        } else if let Some(block) = blocks.last_mut() {
            block.push_str(line);
            block.push('\n');
        }
    }
    let is_disk = |block: &&String| value(block, "Device Type").is_none_or(|kind| kind.starts_with("Direct-Access"));
    let mut facts = vec![];
    for (number, block) in blocks.iter().filter(is_disk).enumerate() {
        let mut add = |path: &str, value: Fact| facts.push((format!("block.disk{}.{path}", number + 1), value));
        for (key, path) in DEVICE {
            if let Some(found) = value(block, key) {
                add(path, fact(found));
            }
        }
        // the size is in MiB
        if let Some(size) = value(block, "Size").and_then(|size| size.parse::<u64>().ok()) {
            add("size", Fact::Measured(format!("{size} MiB")));
        }
    }
    facts
}

/// Driver, speed and MTU: the words of the row whatever the heads are; addresses are left out.
fn card(name: &str, words: &[&str], facts: &mut Vec<(String, Fact)>) {
    let is_address = |word: &&&str| !word.contains(':');
    let words: Vec<&str> = words.iter().filter(is_address).copied().collect();
    let mut add = |path: &str, value: Fact| facts.push((format!("nic.{name}.{path}"), value));
    let Some(driver) = words.first() else { return };
    add("driver", fact(driver));
    let numbers: Vec<(usize, u64)> =
        words.iter().enumerate().skip(1).filter_map(|(at, word)| Some((at, word.parse().ok()?))).collect();
    let (Some((_, speed)), Some((at, mtu))) = (numbers.first(), numbers.get(1)) else {
        add("speed", Fact::Unavailable("the row has no speed and MTU".to_owned()));
        return;
    };
    add("speed", Fact::Measured(format!("{speed} Mbit/s")));
    add("mtu", Fact::Measured(mtu.to_string()));
    let description = words[at + 1..].join(" ");
    add("model", fact(&description));
}

fn coalescing(name: &str, words: &[&str], facts: &mut Vec<(String, Fact)>) {
    const NUMBERS: &[&str] = &["rx_usecs", "rx_frames", "tx_usecs", "tx_frames"];
    for (path, word) in NUMBERS.iter().zip(words) {
        facts.push((format!("nic.{name}.coalesce.{path}"), fact(word)));
    }
    for (path, word) in ["adaptive_rx", "adaptive_tx"].iter().zip(&words[4..]) {
        let lower = word.to_lowercase();
        let value = if ON.contains(&lower.as_str()) {
            Fact::Measured("on".to_owned())
        } else if OFF.contains(&lower.as_str()) {
            Fact::Measured("off".to_owned())
        } else {
            Fact::Unavailable(format!("`{word}` is not understood"))
        };
        facts.push((format!("nic.{name}.coalesce.{path}"), value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value_of(facts: &[(String, Fact)], path: &str) -> Option<String> {
        facts.iter().find(|(one, _)| one == path).and_then(|(_, fact)| fact.value().map(str::to_owned))
    }

    #[test]
    fn the_version_has_its_build() {
        let facts = read("   Product: VMware ESXi\n   Version: 8.0.1\n   Build: Releasebuild-123\n", "").unwrap();
        assert_eq!(value_of(&facts, "hypervisor.build").as_deref(), Some("123"));
    }

    #[test]
    fn disks_are_numbered_and_other_devices_left_out() {
        let text = "naa.SERIAL1\n   Display Name: Local Disk (naa.SERIAL1)\n   Size: 2048\n   Device Type: Direct-Access \n   Multipath Plugin: NMP\n   Model: M 1\n   Revision: R2\nmpx.cd\n   Display Name: CD\n   Device Type: CD-ROM \n   Multipath Plugin: NMP\n";
        let facts = read(text, "").unwrap();
        assert_eq!(value_of(&facts, "block.disk1.model").as_deref(), Some("M 1"));
        assert_eq!(value_of(&facts, "block.disk1.size").as_deref(), Some("2048 MiB"));
        assert!(!facts.iter().any(|(path, _)| path.contains("disk2")) && !format!("{facts:?}").contains("SERIAL"));
    }

    #[test]
    fn cards_are_read_whatever_the_language_of_the_heads() {
        let english = "Name    PCI Device    Driver  Admin Status  Link Status  Speed  Duplex  MAC Address         MTU  Description\n------\nvmnic0  0000:04:00.0  ixgben  Up            Up           10000  Full    aa:bb:cc:dd:ee:ff  9000  Intel Card X\n";
        let other = "Nom Pilote État Vitesse MTU\n---\nvmnic0 ixgben Activé 10000 9000 Intel Card X\n";
        for text in [english, other] {
            let facts = read(text, "").unwrap();
            assert_eq!(value_of(&facts, "nic.vmnic0.driver").as_deref(), Some("ixgben"), "{facts:?}");
            assert_eq!(value_of(&facts, "nic.vmnic0.mtu").as_deref(), Some("9000"));
            assert_eq!(value_of(&facts, "nic.vmnic0.model").as_deref(), Some("Intel Card X"));
            assert!(!format!("{facts:?}").contains("aa:bb"));
        }
    }

    #[test]
    fn an_unknown_word_for_on_is_said() {
        let facts = read("vmnic1 18 15 72 53 Disabled Blorp\n", "").unwrap();
        assert_eq!(value_of(&facts, "nic.vmnic1.coalesce.adaptive_rx").as_deref(), Some("off"));
        assert_eq!(value_of(&facts, "nic.vmnic1.coalesce.tx_frames").as_deref(), Some("53"));
        assert_eq!(value_of(&facts, "nic.vmnic1.coalesce.adaptive_tx"), None);
    }
}
