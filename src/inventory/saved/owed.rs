//! What a trustworthy storage paper also discloses, and which outputs would say it.

use super::super::Inventory;

/// Something that readers need and the outputs do not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Owed {
    /// What it is.
    pub what: &'static str,
    /// Where it can be had.
    pub from: &'static str,
}

/// What is disclosed: the words, facts of which one must be known (`*` for any name), and where they come from. Without a
/// fact, it is the manifest that says it.
const DISCLOSED: &[(&str, &[&str], &str)] = &[
    ("hypervisor build", &["hypervisor.build"], "`pveversion -v`, `esxcli system version get`"),
    ("VM configuration", &["vm.cores", "vm.vcpus"], "`qm config ID`, `virsh dumpxml NAME`"),
    ("CPU", &["cpu.model"], "`lscpu`"),
    ("microcode", &["cpu.microcode"], "`lscpu` of util-linux 2.40, or `grep microcode /proc/cpuinfo`"),
    ("mitigations", &["cpu.mitigation.*"], "`lscpu`"),
    ("BIOS settings", &["bios.settings"], "its set-up; `declared` in the manifest"),
    ("BIOS version", &["bios.version"], "`dmidecode`"),
    ("governor", &["cpu.governor"], "`cpupower frequency-info`; `declared` in the manifest"),
    ("NUMA", &["cpu.numa_nodes"], "`lscpu`"),
    ("memory", &["memory.size", "memory.installed"], "`dmidecode`"),
    ("NIC firmware", &["nic.*.firmware"], "`ethtool -i CARD`"),
    ("coalescing", &["nic.*.coalesce.rx_usecs"], "`ethtool -c CARD`, `esxcli network nic coalesce get`"),
    ("offloads", &["nic.*.offload.*"], "`ethtool -k CARD`"),
    ("storage target", &["storage.target"], "`declared` in the manifest"),
    ("SSD firmware", &["block.*.firmware"], "`nvme list -o json`, `esxcli storage core device list`"),
    ("SSD fill", &["block.*.fill", "storage.fill"], "`nvme list -o json`"),
    (
        "controller and queues",
        &["vm.controller", "vm.disk.*.bus", "pci.storage1", "block.*.queue_depth"],
        "`qm config ID`, `lspci -nn`",
    ),
    ("disk format", &["image.*.format", "vm.disk.*.format"], "`qemu-img info --output=json IMAGE`"),
    ("cache mode", &["vm.disk.*.cache"], "`qm config ID`, `virsh dumpxml NAME`"),
    (
        "guest OS and kernel",
        &["guest.os.kernel", "os.kernel", "os.name"],
        "`uname -a` in the guest; PowerShell's `Get-ComputerInfo | ConvertTo-Json`",
    ),
    ("driver", &["nic.*.driver", "block.*.driver"], "`ethtool -i CARD`"),
    ("I/O scheduler", &["block.*.scheduler"], "`cat /sys/block/*/queue/scheduler`; `declared` in the manifest"),
    ("tool version and build", &["tool.*.version"], "the tool's output says it"),
    (
        "job file, working set, compressibility, preconditioning, ramp and run time, replicates, order",
        &[],
        "`workloads` and `design` of the manifest",
    ),
];

/// What an inventory lacks of it.
pub fn owed(facts: &Inventory) -> Vec<Owed> {
    let is_known = |wanted: &str| {
        let (start, end) = wanted.split_once('*').unwrap_or((wanted, ""));
        let fits = |path: &str| match wanted.contains('*') {
            true => path.len() >= start.len() + end.len() && path.starts_with(start) && path.ends_with(end),
            false => path == wanted,
        };
        facts.0.iter().any(|(path, fact)| fits(path) && fact.value().is_some())
    };
    let lacking = DISCLOSED.iter().filter(|(_, wanted, _)| !wanted.iter().any(|path| is_known(path)));
    lacking.map(|(what, _, from)| Owed { what, from }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inventory::Fact;

    #[test]
    fn what_is_known_is_not_owed_and_what_is_unavailable_is() {
        let mut facts = Inventory::default();
        facts.0.insert("cpu.model".to_owned(), Fact::Measured("X".to_owned()));
        facts.0.insert("nic.eth0.firmware".to_owned(), Fact::Unavailable("no".to_owned()));
        let owed: Vec<&str> = owed(&facts).into_iter().map(|one| one.what).collect();
        assert!(!owed.contains(&"CPU") && owed.contains(&"NIC firmware") && owed.contains(&"microcode"));
    }
}
