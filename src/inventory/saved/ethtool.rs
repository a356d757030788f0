//! `ethtool`, plain, `-i`, `-c` and `-k`: speed, driver, firmware, coalescing, offloads.
//!
//! `-i` does not say of which card it is; the name of the file may (`ethtool-i-eth0.txt`).

use super::{Found, Reader, fact, value};
use crate::inventory::Fact;

pub(super) const READER: Reader = Reader { name: "ethtool", commands: &[], recognises, read };

/// The offloads that change what a benchmark of a network or of storage over it measures.
const OFFLOADS: &[&str] = &[
    "rx-checksumming",
    "tx-checksumming",
    "scatter-gather",
    "tcp-segmentation-offload",
    "generic-segmentation-offload",
    "generic-receive-offload",
    "large-receive-offload",
    "ntuple-filters",
    "receive-hashing",
    "hw-tc-offload",
];

/// The heads of the forms that name their card.
const HEADS: &[&str] = &["Coalesce parameters for ", "Features for ", "Settings for "];

fn recognises(text: &str) -> bool {
    HEADS.iter().any(|head| text.trim_start().starts_with(head))
        || (text.starts_with("driver: ") && text.contains("firmware-version:"))
}

fn read(text: &str, file: &str) -> Found {
    let text = text.trim_start();
    let first = text.lines().next().unwrap_or_default();
    let named = HEADS.iter().find_map(|head| first.strip_prefix(head)).map(|rest| rest.trim_end_matches(':'));
    let name = named.map(str::to_owned).unwrap_or_else(|| card_of(file));
    let mut facts: Vec<(String, Fact)> = vec![];
    let mut add = |path: &str, value: Fact| facts.push((format!("nic.{name}.{path}"), value));
    if first.starts_with("Coalesce") {
        coalescing(text, &mut add);
    } else if first.starts_with("Features") {
        for offload in OFFLOADS {
            if let Some(state) = value(text, offload) {
                add(&format!("offload.{offload}"), fact(state.split_whitespace().next().unwrap_or_default()));
            }
        }
    } else if first.starts_with("Settings") {
        if let Some(speed) = value(text, "Speed") {
            let number = speed.strip_suffix("Mb/s").filter(|number| number.parse::<u64>().is_ok());
            let unknown = || Fact::Unavailable(format!("it says `{speed}`"));
            add("speed", number.map_or_else(unknown, |number| Fact::Measured(format!("{number} Mbit/s"))));
        }
        for (key, path) in
            [("Duplex", "duplex"), ("Port", "port"), ("Auto-negotiation", "autonegotiation"), ("Link detected", "link")]
        {
            if let Some(found) = value(text, key) {
                add(path, fact(found));
            }
        }
    } else {
        for (key, path) in [("driver", "driver"), ("version", "driver_version"), ("firmware-version", "firmware")] {
            if let Some(found) = value(text, key) {
                add(path, fact(found));
            }
        }
    }
    Ok(facts)
}

fn coalescing(text: &str, add: &mut dyn FnMut(&str, Fact)) {
    if let Some(adaptive) = text.lines().find_map(|line| line.strip_prefix("Adaptive RX: ")) {
        let (rx, tx) = adaptive.split_once("TX:").unwrap_or((adaptive, ""));
        add("coalesce.adaptive_rx", fact(rx));
        add("coalesce.adaptive_tx", fact(tx));
    }
    for (key, path) in
        [("rx-usecs", "rx_usecs"), ("rx-frames", "rx_frames"), ("tx-usecs", "tx_usecs"), ("tx-frames", "tx_frames")]
    {
        if let Some(found) = value(text, key) {
            add(&format!("coalesce.{path}"), fact(found));
        }
    }
}

/// The card that the name of a file names.
fn card_of(file: &str) -> String {
    let stem = file.rsplit('/').next().unwrap_or(file).split('.').next().unwrap_or_default();
    let is_card = |word: &&str| {
        let starts = ["eth", "en", "vmnic", "ib", "bond"].iter().any(|start| word.starts_with(start));
        starts && word.bytes().any(|byte| byte.is_ascii_digit())
    };
    stem.split(['-', '_', ' ']).find(is_card).unwrap_or("card").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value_of(text: &str, file: &str, path: &str) -> Option<String> {
        assert!(recognises(text));
        read(text, file)
            .unwrap()
            .into_iter()
            .find(|(one, _)| one == path)
            .and_then(|(_, fact)| fact.value().map(str::to_owned))
    }

    #[test]
    fn the_four_forms_are_read() {
        let coalesce = "Coalesce parameters for eth1:\nAdaptive RX: on  TX: n/a\n\nrx-usecs: 8\nrx-frames: n/a\n";
        assert_eq!(value_of(coalesce, "", "nic.eth1.coalesce.adaptive_rx").as_deref(), Some("on"));
        assert_eq!(value_of(coalesce, "", "nic.eth1.coalesce.adaptive_tx"), None, "n/a is not off");
        assert_eq!(value_of(coalesce, "", "nic.eth1.coalesce.rx_usecs").as_deref(), Some("8"));
        let settings = "Settings for eth1:\n\tSpeed: 40000Mb/s\n\tDuplex: Full\n";
        assert_eq!(value_of(settings, "", "nic.eth1.speed").as_deref(), Some("40000 Mbit/s"));
        let features =
            "Features for eth1:\ntcp-segmentation-offload: on\n\ttx-tcp: on\nlarge-receive-offload: off [fixed]\n";
        assert_eq!(value_of(features, "", "nic.eth1.offload.large-receive-offload").as_deref(), Some("off"));
        let driver = "driver: mlx5_core\nversion: 5.1\nfirmware-version: 16.3 (X)\nbus-info: 0000:01:00.0\n";
        assert_eq!(value_of(driver, "ethtool-i-enp1s0.txt", "nic.enp1s0.firmware").as_deref(), Some("16.3 (X)"));
    }
}
