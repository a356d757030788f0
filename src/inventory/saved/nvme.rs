//! `nvme list -o json`: models, firmware, sizes and how full a namespace is; the list of versions 1 and the nested one of 2.11.

use serde_json::Value;

use super::{Found, Reader, fact, json, mebibytes};
use crate::inventory::Fact;

pub(super) const READER: Reader =
    Reader { name: "nvme list", commands: &[&["nvme", "list", "-o", "json"]], recognises, read };

fn recognises(text: &str) -> bool {
    (text.contains("\"Devices\"") && (text.contains("\"ModelNumber\"") || text.contains("\"Controllers\"")))
        || text.starts_with("Failed to scan topology")
}

fn read(text: &str, _: &str) -> Found {
    if text.starts_with("Failed to scan topology") {
        return Err(text.lines().next().unwrap_or_default().to_owned());
    }
    let document = json(text)?;
    let devices = document.get("Devices").and_then(Value::as_array).ok_or("it has no list of devices")?;
    let mut facts = vec![];
    for device in devices {
        match device.get("Subsystems").and_then(Value::as_array) {
            Some(subsystems) => subsystems.iter().for_each(|subsystem| nested(subsystem, &mut facts)),
            None => {
                let path = device.get("DevicePath").and_then(Value::as_str).unwrap_or_default();
                one(path.rsplit('/').next().unwrap_or_default(), (device, device), &mut facts);
            }
        }
    }
    Ok(facts)
}

/// A subsystem of version 2.11: controllers hold what is known of the drive, namespaces the sizes.
fn nested(subsystem: &Value, facts: &mut Vec<(String, Fact)>) {
    let list = |value: &'_ Value, key: &str| value.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    for controller in list(subsystem, "Controllers") {
        let own = list(&controller, "Namespaces");
        let namespaces = if own.is_empty() { list(subsystem, "Namespaces") } else { own };
        for namespace in namespaces {
            let name = namespace.get("NameSpace").and_then(Value::as_str).unwrap_or_default();
            one(name, (&controller, &namespace), facts);
        }
    }
}

fn one(name: &str, (controller, namespace): (&Value, &Value), facts: &mut Vec<(String, Fact)>) {
    if name.is_empty() {
        return;
    }
    let mut add = |path: &str, value: Fact| facts.push((format!("block.{name}.{path}"), value));
    for (key, path) in [("ModelNumber", "model"), ("Firmware", "firmware")] {
        if let Some(text) = controller.get(key).and_then(Value::as_str) {
            add(path, fact(text));
        }
    }
    let number = |key: &str| namespace.get(key).and_then(Value::as_u64);
    let (used, size) = (number("UsedBytes"), number("PhysicalSize"));
    if let Some(size) = size {
        add("size", mebibytes(size));
    }
    if let (Some(used), Some(size)) = (used, size.filter(|size| *size > 0)) {
        add("fill", Fact::Measured(format!("{} %", u128::from(used) * 100 / u128::from(size))));
    }
    if let Some(sector) = number("SectorSize") {
        add("logical_block_size", Fact::Measured(format!("{sector} B")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_layouts_say_the_same_and_no_serial() {
        let flat = r#"{"Devices":[{"DevicePath":"/dev/nvme0n1","Firmware":"F1","ModelNumber":"M 1","SerialNumber":"SECRET","UsedBytes":1048576,"MaximiumLBA":4096,"PhysicalSize":2097152,"SectorSize":512}]}"#;
        let nested = r#"{"Devices":[{"HostNQN":"x","Subsystems":[{"Subsystem":"s","Controllers":[{"Controller":"nvme0","SerialNumber":"SECRET","ModelNumber":"M 1","Firmware":"F1","Namespaces":[{"NameSpace":"nvme0n1","UsedBytes":1048576,"PhysicalSize":2097152,"SectorSize":512}]}]}]}]}"#;
        assert_eq!(read(flat, "").unwrap(), read(nested, "").unwrap());
        let facts = read(flat, "").unwrap();
        assert!(facts.iter().any(|(path, fact)| path == "block.nvme0n1.fill" && fact.value() == Some("50 %")));
        assert!(!format!("{facts:?}").contains("SECRET"));
        assert!(read("Failed to scan topology: No such file or directory", "").is_err());
    }
}
