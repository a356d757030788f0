//! `pvesh get … --output-format json` of Proxmox VE: the status of a node, and the configuration of a guest. The API prints
//! the same within `{"data": …}`; some versions print numbers as texts.

use serde_json::Value;

use super::{Found, Reader, fact, json, mebibytes, qm, scalar};
use crate::inventory::Fact;

pub(super) const READER: Reader = Reader { name: "pvesh", commands: &[], recognises, read };

fn recognises(text: &str) -> bool {
    text.contains("\"cpuinfo\"") || (text.contains("\"scsihw\"") && text.trim_start().starts_with('{'))
}

fn read(text: &str, _: &str) -> Found {
    let document = json(text)?;
    let node = document.get("data").unwrap_or(&document);
    if node.get("cpuinfo").is_none() {
        let entries = node.as_object().ok_or("it is no configuration of a guest")?;
        let lines = entries.iter().filter_map(|(key, value)| Some(format!("{key}: {}", scalar(value)?)));
        return qm::read(&lines.collect::<Vec<_>>().join("\n"), "");
    }
    let mut facts: Vec<(String, Fact)> = vec![];
    let mut add = |path: &str, value: Option<String>| facts.extend(value.map(|value| (path.to_owned(), fact(&value))));
    let of = |pointer: &str| node.pointer(pointer).and_then(scalar);
    add("cpu.model", of("/cpuinfo/model"));
    add("cpu.sockets", of("/cpuinfo/sockets"));
    add("cpu.cores", of("/cpuinfo/cores"));
    add("cpu.threads", of("/cpuinfo/cpus"));
    let kernel =
        of("/current-kernel/release").or_else(|| of("/kversion")?.split_whitespace().nth(1).map(str::to_owned));
    add("hypervisor.kernel", kernel);
    if let Some(version) = of("/pveversion") {
        let mut parts = version.split('/').skip(1);
        add("hypervisor.product", Some("Proxmox VE".to_owned()));
        add("hypervisor.version", parts.next().map(str::to_owned));
        add("hypervisor.build", parts.next().map(str::to_owned));
    }
    if let Some(bytes) = node.pointer("/memory/total").and_then(Value::as_u64) {
        facts.push(("memory.size".to_owned(), mebibytes(bytes)));
    }
    Ok(facts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_envelope_and_texts_for_numbers_change_nothing() {
        let plain = r#"{"cpuinfo":{"model":"X 1","sockets":2,"cores":16,"cpus":32},"kversion":"Linux 6.8.1 #1","pveversion":"pve-manager/8.2.1/ab12","memory":{"total":2147483648}}"#;
        let wrapped = format!(r#"{{"data":{}}}"#, plain.replace(":2,", ":\"2\","));
        assert_eq!(read(plain, "").unwrap(), read(&wrapped, "").unwrap());
        let facts = read(plain, "").unwrap();
        let value = |path: &str| facts.iter().find(|(one, _)| one == path).unwrap().1.value().unwrap().to_owned();
        assert_eq!(
            (value("cpu.threads"), value("hypervisor.build"), value("memory.size")),
            ("32".to_owned(), "ab12".to_owned(), "2048 MiB".to_owned())
        );
        assert_eq!(value("hypervisor.kernel"), "6.8.1");
    }

    #[test]
    fn the_configuration_of_a_guest_is_that_of_qm() {
        let facts = read(r#"{"cores":4,"memory":"8192","scsihw":"virtio-scsi-single"}"#, "").unwrap();
        assert!(facts.iter().any(|(path, fact)| path == "vm.cores" && fact.value() == Some("4")));
    }
}
