//! `lspci`, plain, `-nn`, `-v` and `-vmm`: the controllers of storage and networks.

use super::{Found, Reader, fact};

pub(super) const READER: Reader = Reader { name: "lspci", commands: &[&["lspci", "-nn"]], recognises, read };

/// Words of a class, and the group its devices belong to.
const CLASSES: &[(&str, &str)] = &[
    ("non-volatile memory", "storage"),
    ("raid bus", "storage"),
    ("sata", "storage"),
    ("scsi", "storage"),
    ("serial attached", "storage"),
    ("mass storage", "storage"),
    ("ide interface", "storage"),
    ("fibre channel", "storage"),
    ("ethernet", "network"),
    ("network controller", "network"),
    ("infiniband", "network"),
];

fn recognises(text: &str) -> bool {
    text.starts_with("Slot:\t") || text.lines().take(3).any(|line| device(line).is_some())
}

/// Class and device of `01:00.0 Ethernet controller [0200]: Intel … (rev 01)`, with or without a domain.
fn device(line: &str) -> Option<(&str, &str)> {
    let (slot, rest) = line.split_once(' ')?;
    let is_slot = slot.contains(':')
        && slot.contains('.')
        && slot.bytes().all(|byte| byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.'));
    let (class, device) = rest.split_once(": ")?;
    is_slot.then_some((class, device))
}

fn read(text: &str, _: &str) -> Found {
    let devices: Vec<(String, String)> = if text.starts_with("Slot:") {
        text.split("\n\n").filter_map(from_block).collect()
    } else {
        text.lines().filter_map(device).map(|(class, device)| (class.to_owned(), device.to_owned())).collect()
    };
    let mut facts = vec![];
    for group in ["storage", "network"] {
        let is_of = |class: &str| {
            let class = class.to_lowercase();
            CLASSES.iter().find(|(word, _)| class.contains(word)).is_some_and(|(_, found)| *found == group)
        };
        let of_group = devices.iter().filter(|(class, _)| is_of(class));
        facts.extend(
            of_group.enumerate().map(|(number, (_, device))| (format!("pci.{group}{}", number + 1), fact(device))),
        );
    }
    if facts.is_empty() { Err("it lists no controller of storage or networks".to_owned()) } else { Ok(facts) }
}

fn from_block(block: &str) -> Option<(String, String)> {
    let of = |key: &str| block.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(":\t"));
    Some((of("Class")?.to_owned(), format!("{} {}", of("Vendor")?, of("Device")?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_blocks_say_the_same() {
        let lines = "00:00.0 Host bridge: X\n01:00.0 Ethernet controller [0200]: V Card 1 (rev 01)\n\tSubsystem: V\n0000:02:00.0 Non-Volatile memory controller: V Disk\n";
        let facts = read(lines, "").unwrap();
        let shown: Vec<(&str, &str)> =
            facts.iter().map(|(path, fact)| (path.as_str(), fact.value().unwrap())).collect();
        assert_eq!(shown, [("pci.storage1", "V Disk"), ("pci.network1", "V Card 1 (rev 01)")]);
        let blocks = "Slot:\t01:00.0\nClass:\tEthernet controller\nVendor:\tV\nDevice:\tCard 1\n\nSlot:\t00:1f.0\nClass:\tISA bridge\nVendor:\tV\nDevice:\tB\n";
        assert_eq!(read(blocks, "").unwrap()[0].1.value(), Some("V Card 1"));
        assert!(recognises(lines) && recognises(blocks) && !recognises("a b: c\n"));
    }
}
