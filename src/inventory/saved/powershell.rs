//! PowerShell's `Get-ComputerInfo | ConvertTo-Json` and `Get-PhysicalDisk | ConvertTo-Json`. Names and serial numbers are left
//! out.

use serde_json::Value;

use super::{Found, Reader, fact, json, mebibytes, scalar};
use crate::inventory::Fact;

pub(super) const READER: Reader = Reader { name: "PowerShell", commands: &[], recognises, read };

/// The numbers that `ConvertTo-Json` writes for words, of `MSFT_PhysicalDisk`.
const MEDIA: &[(&str, &str)] = &[("0", "unspecified"), ("3", "HDD"), ("4", "SSD"), ("5", "SCM")];
const BUS: &[(&str, &str)] = &[
    ("1", "SCSI"),
    ("3", "ATA"),
    ("7", "USB"),
    ("8", "RAID"),
    ("9", "iSCSI"),
    ("10", "SAS"),
    ("11", "SATA"),
    ("14", "virtual"),
    ("15", "file-backed virtual"),
    ("16", "storage spaces"),
    ("17", "NVMe"),
];

fn recognises(text: &str) -> bool {
    let is_computer = text.contains("\"WindowsProductName\"") || text.contains("\"CsTotalPhysicalMemory\"");
    is_computer || (text.contains("\"MediaType\"") && text.contains("\"FriendlyName\""))
}

fn read(text: &str, _: &str) -> Found {
    let document = json(text)?;
    if document.get("CsTotalPhysicalMemory").is_some() || document.get("WindowsProductName").is_some() {
        return Ok(computer(&document));
    }
    let disks = match &document {
        Value::Array(disks) => disks.iter().collect(),
        one => vec![one],
    };
    let mut facts = vec![];
    for (number, disk) in disks.into_iter().enumerate() {
        let of = |key: &str| disk.get(key).and_then(scalar);
        let mut add = |path: &str, value: Option<Fact>| {
            facts.extend(value.map(|value| (format!("block.disk{}.{path}", number + 1), value)))
        };
        add("model", of("Model").or_else(|| of("FriendlyName")).map(|model| fact(&model)));
        add("firmware", of("FirmwareVersion").map(|version| fact(&version)));
        add("media", of("MediaType").map(|media| fact(word(MEDIA, &media))));
        add("bus", of("BusType").map(|bus| fact(word(BUS, &bus))));
        add("size", disk.get("Size").and_then(Value::as_u64).map(mebibytes));
        add("logical_block_size", of("LogicalSectorSize").map(|size| fact(&format!("{size} B"))));
        add("physical_block_size", of("PhysicalSectorSize").map(|size| fact(&format!("{size} B"))));
    }
    Ok(facts)
}

fn word<'a>(words: &[(&'a str, &'a str)], found: &'a str) -> &'a str {
    words.iter().find(|(number, _)| *number == found).map_or(found, |(_, word)| word)
}

fn computer(document: &Value) -> Vec<(String, Fact)> {
    let of = |key: &str| document.get(key).and_then(scalar);
    let mut facts: Vec<(String, Fact)> = vec![("os.family".to_owned(), Fact::Measured("windows".to_owned()))];
    let mut add = |path: &str, value: Option<String>| facts.extend(value.map(|value| (path.to_owned(), fact(&value))));
    add("os.name", of("OsName").or_else(|| of("WindowsProductName")));
    add(
        "os.kernel",
        of("OsVersion")
            .zip(of("WindowsBuildLabEx").or_else(|| of("OsBuildNumber")))
            .map(|(version, build)| format!("{version} ({build})")),
    );
    add("os.architecture", of("OsArchitecture"));
    add("system.manufacturer", of("CsManufacturer"));
    add("system.product", of("CsModel"));
    add("bios.vendor", of("BiosManufacturer"));
    add("bios.version", of("BiosSMBIOSBIOSVersion"));
    add(
        "virtualization.role",
        of("HyperVisorPresent")
            .map(|present| if present == "true" { "guest or host of Hyper-V" } else { "host" }.to_owned()),
    );
    add("os.power_scheme", of("PowerPlatformRole"));
    let processors = document.get("CsProcessors").and_then(Value::as_array);
    if let Some(processors) = processors.filter(|list| !list.is_empty()) {
        add("cpu.model", processors[0].get("Name").and_then(scalar));
        add("cpu.sockets", Some(processors.len().to_string()));
        let sum = |key: &str| {
            processors.iter().map(|one| one.get(key)?.as_u64()).sum::<Option<u64>>().map(|sum| sum.to_string())
        };
        add("cpu.cores", sum("NumberOfCores"));
        add("cpu.threads", sum("NumberOfLogicalProcessors"));
    }
    if let Some(bytes) = document.get("CsTotalPhysicalMemory").and_then(Value::as_u64) {
        facts.push(("memory.size".to_owned(), mebibytes(bytes)));
    }
    facts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_computer_and_one_disk_or_several_are_read() {
        let computer = r#"{"WindowsProductName":"Windows Server 2025","OsName":"Microsoft Windows Server 2025","OsVersion":"10.0.26100","OsBuildNumber":"26100","CsName":"SECRET","CsProcessors":[{"Name":"X 1","NumberOfCores":8,"NumberOfLogicalProcessors":16}],"CsTotalPhysicalMemory":2147483648}"#;
        assert!(recognises(computer));
        let facts = read(computer, "").unwrap();
        let value = |facts: &[(String, Fact)], path: &str| {
            facts.iter().find(|(one, _)| one == path).and_then(|(_, fact)| fact.value().map(str::to_owned))
        };
        assert_eq!(
            (value(&facts, "cpu.threads").as_deref(), value(&facts, "memory.size").as_deref()),
            (Some("16"), Some("2048 MiB"))
        );
        assert!(!format!("{facts:?}").contains("SECRET"));
        let disk = r#"{"FriendlyName":"D","Model":"M 1","FirmwareVersion":"F","MediaType":4,"BusType":17,"Size":1073741824,"SerialNumber":"SECRET"}"#;
        for text in [disk.to_owned(), format!("[{disk}]")] {
            let facts = read(&text, "").unwrap();
            assert_eq!(
                (value(&facts, "block.disk1.media").as_deref(), value(&facts, "block.disk1.bus").as_deref()),
                (Some("SSD"), Some("NVMe"))
            );
            assert!(!format!("{facts:?}").contains("SECRET"));
        }
    }
}
