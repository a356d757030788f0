//! `qm config` of Proxmox VE: the configuration of a guest. Names, addresses and identifiers are left out.

use super::{Found, Reader, fact};
use crate::inventory::Fact;

pub(super) const READER: Reader = Reader { name: "qm config", commands: &[], recognises, read };

/// What says how a guest was built.
const PLAIN: &[&str] = &[
    "cores",
    "sockets",
    "vcpus",
    "memory",
    "balloon",
    "cpu",
    "machine",
    "bios",
    "numa",
    "ostype",
    "scsihw",
    "agent",
    "affinity",
    "hugepages",
];
/// The options of a disk that change how fast it is; one that is not there has its default.
const DISK: &[(&str, &str)] =
    &[("cache", "default"), ("aio", "default"), ("iothread", "default"), ("discard", "default"), ("ssd", "default")];

fn recognises(text: &str) -> bool {
    let has = |key: &str| text.lines().any(|line| line.starts_with(key));
    let has_disk = text.lines().any(|line| disk_of(line).is_some());
    (has("cores: ") || has("sockets: ") || has("scsihw: ")) && (has("memory: ") || has_disk)
}

/// `scsi0: local-zfs:vm-100-disk-0,cache=writeback,size=32G`; a drive without a disk in it is none.
fn disk_of(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(": ")?;
    let bus = key.trim_end_matches(|one: char| one.is_ascii_digit());
    let is_disk = matches!(bus, "scsi" | "virtio" | "sata" | "ide") && bus.len() < key.len();
    (is_disk && !value.contains("media=cdrom") && value.contains(':')).then_some((key, value))
}

pub(super) fn read(text: &str, _: &str) -> Found {
    let mut facts: Vec<(String, Fact)> = vec![];
    for line in text.lines().map(str::trim) {
        // snapshots follow the present configuration
        if line.starts_with('[') {
            break;
        }
        let Some((key, value)) = line.split_once(": ") else { continue };
        if PLAIN.contains(&key) {
            let name = if key == "scsihw" { "controller" } else { key };
            let value = if key == "memory" { format!("{value} MiB") } else { value.to_owned() };
            facts.push((format!("vm.{name}"), fact(&value)));
        } else if key == "args" {
            facts.push(("vm.args".to_owned(), fact(value)));
        } else if let Some((disk, value)) = disk_of(line) {
            add_disk(disk, value, &mut facts);
        } else if key.starts_with("net") && key.len() > 3 {
            // the first part is the model with its address
            let model = value.split(['=', ',']).next().unwrap_or_default();
            facts.push((format!("vm.{key}.model"), fact(model)));
            let queues = value.split(',').find_map(|part| part.strip_prefix("queues="));
            facts.extend(queues.map(|queues| (format!("vm.{key}.queues"), fact(queues))));
        }
    }
    Ok(facts)
}

fn add_disk(disk: &str, value: &str, facts: &mut Vec<(String, Fact)>) {
    let mut parts = value.split(',');
    let storage = parts.next().and_then(|volume| volume.split_once(':')).map_or("", |(storage, _)| storage);
    facts.push((format!("vm.disk.{disk}.storage"), fact(storage)));
    let options: Vec<(&str, &str)> = parts.filter_map(|part| part.split_once('=')).collect();
    let of = |key: &str| options.iter().find(|(one, _)| *one == key).map(|(_, value)| *value);
    for (key, default) in DISK {
        facts.push((format!("vm.disk.{disk}.{key}"), fact(of(key).unwrap_or(default))));
    }
    facts.extend(of("size").map(|size| (format!("vm.disk.{disk}.size"), fact(size))));
    let limits = options.iter().filter(|(key, _)| key.starts_with("iops") || key.starts_with("mbps"));
    facts.extend(limits.map(|(key, value)| (format!("vm.disk.{disk}.{key}"), fact(value))));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disks_have_their_defaults_and_cards_no_addresses() {
        let text = "agent: 1\ncores: 4\nmemory: 4096\nname: secret\nnet0: virtio=AA:BB:CC:DD:EE:FF,bridge=vmbr0,queues=4\nscsi0: local-zfs:vm-100-disk-0,cache=writeback,iothread=1,size=32G\nide2: none,media=cdrom\nscsihw: virtio-scsi-single\n\n[before]\ncores: 2\n";
        assert!(recognises(text));
        let facts = read(text, "").unwrap();
        let value = |path: &str| {
            facts.iter().find(|(one, _)| one == path).and_then(|(_, fact)| fact.value().map(str::to_owned))
        };
        assert_eq!(value("vm.cores").as_deref(), Some("4"));
        assert_eq!(value("vm.disk.scsi0.cache").as_deref(), Some("writeback"));
        assert_eq!(value("vm.disk.scsi0.discard").as_deref(), Some("default"));
        assert_eq!(
            (value("vm.net0.model").as_deref(), value("vm.net0.queues").as_deref()),
            (Some("virtio"), Some("4"))
        );
        assert!(!format!("{facts:?}").contains("AA:BB") && !format!("{facts:?}").contains("secret"));
        assert!(!facts.iter().any(|(path, _)| path.contains("ide2")));
    }
}
