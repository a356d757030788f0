//! `pveversion` and `pveversion -v` of Proxmox VE: product, version, build, kernel, packages.

use super::{Found, Reader, fact};

pub(super) const READER: Reader = Reader { name: "pveversion", commands: &[&["pveversion", "-v"]], recognises, read };

/// The packages that storage and guests depend on.
const PACKAGES: &[&str] = &[
    "pve-qemu-kvm",
    "qemu-server",
    "zfsutils-linux",
    "lvm2",
    "libpve-storage-perl",
    "ceph-fuse",
    "pve-firmware",
    "ifupdown2",
];

fn recognises(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("pve-manager/") || line.starts_with("pve-manager: "))
}

fn read(text: &str, _: &str) -> Found {
    let mut facts = vec![("hypervisor.product".to_owned(), fact("Proxmox VE"))];
    let mut add = |path: &str, value: &str| facts.push((format!("hypervisor.{path}"), fact(value)));
    for line in text.lines().map(str::trim) {
        // pve-manager/7.2-7/d0dd0e85 (running kernel: 5.15.53-1-pve)
        if let Some(rest) = line.strip_prefix("pve-manager/") {
            let mut parts = rest.split([' ', '/']);
            add("version", parts.next().unwrap_or_default());
            add("build", parts.next().unwrap_or_default());
        }
        // pve-manager: 8.3.2 (running version: 8.3.2/3e76eec21c4a14a7)
        if let Some(rest) = line.strip_prefix("pve-manager: ") {
            add("version", rest.split_whitespace().next().unwrap_or_default());
            let build = rest.split_once("running version: ").and_then(|(_, rest)| rest.split_once('/'));
            if let Some((_, build)) = build {
                add("build", build.trim_end_matches(')'));
            }
        }
        if let Some((_, rest)) = line.split_once("running kernel: ") {
            add("kernel", rest.trim_end_matches(')'));
        }
        if let Some((name, version)) = line.split_once(": ")
            && PACKAGES.contains(&name)
        {
            add(&format!("package.{name}"), version);
        }
    }
    Ok(facts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str, path: &str) -> Option<String> {
        let facts = read(text, "").unwrap();
        facts.into_iter().find(|(one, _)| one == path).and_then(|(_, fact)| fact.value().map(str::to_owned))
    }

    #[test]
    fn one_line_and_many_say_the_same() {
        let short = "pve-manager/8.1-3/abcdef01 (running kernel: 6.5.1-1-pve)\n";
        let long = "proxmox-ve: 8.1-1 (running kernel: 6.5.1-1-pve)\npve-manager: 8.1-3 (running version: 8.1-3/abcdef01)\npve-qemu-kvm: 8.1.2-4\n";
        for text in [short, long] {
            assert!(recognises(text));
            assert_eq!(value(text, "hypervisor.version").as_deref(), Some("8.1-3"));
            assert_eq!(value(text, "hypervisor.build").as_deref(), Some("abcdef01"));
            assert_eq!(value(text, "hypervisor.kernel").as_deref(), Some("6.5.1-1-pve"));
        }
        assert_eq!(value(long, "hypervisor.package.pve-qemu-kvm").as_deref(), Some("8.1.2-4"));
    }
}
