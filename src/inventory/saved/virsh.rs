//! `virsh version` and `virsh dumpxml` of libvirt. Names, identifiers and addresses are left out.

use super::{Found, Reader, fact, value};
use crate::inventory::Fact;
use crate::xml::{self, Element};

pub(super) const READER: Reader = Reader { name: "virsh", commands: &[&["virsh", "version"]], recognises, read };

fn recognises(text: &str) -> bool {
    text.contains("Running hypervisor: ") || (text.trim_start().starts_with("<domain ") && text.contains("</domain>"))
}

fn read(text: &str, _: &str) -> Found {
    if let Some(running) = value(text, "Running hypervisor") {
        let (product, version) = running.split_once(' ').unwrap_or((running, ""));
        let mut facts =
            vec![("hypervisor.product".to_owned(), fact(product)), ("hypervisor.version".to_owned(), fact(version))];
        let library = value(text, "Using library").map(|library| library.trim_start_matches("libvirt "));
        facts.extend(library.map(|version| ("hypervisor.libvirt".to_owned(), fact(version))));
        return Ok(facts);
    }
    let domain = xml::parse(text.as_bytes())?;
    let mut facts: Vec<(String, Fact)> = vec![];
    let mut add =
        |path: &str, value: Option<&str>| facts.extend(value.map(|value| (format!("vm.{path}"), fact(value))));
    add("vcpus", domain.value("vcpu"));
    let memory = domain.child("memory");
    let memory = memory.map(|one| format!("{} {}", one.text, one.attribute("unit").unwrap_or("KiB")));
    add("memory", memory.as_deref());
    let kind = domain.child("os").and_then(|os| os.child("type"));
    add("machine", kind.and_then(|kind| kind.attribute("machine")));
    let cpu = domain.child("cpu");
    add("cpu", cpu.and_then(|cpu| cpu.attribute("mode")).or_else(|| cpu.and_then(|cpu| cpu.value("model"))));
    let Some(devices) = domain.child("devices") else { return Ok(facts) };
    for (_, disk) in devices.all("disk").filter(|(_, disk)| disk.attribute("device") != Some("cdrom")) {
        add_disk(disk, &mut add);
    }
    for (_, controller) in devices.all("controller").filter(|(_, one)| one.attribute("type") == Some("scsi")) {
        add("controller", controller.attribute("model"));
    }
    for (number, card) in devices.all("interface") {
        add(&format!("net{number}.model"), card.child("model").and_then(|model| model.attribute("type")));
    }
    Ok(facts)
}

fn add_disk(disk: &Element, add: &mut dyn FnMut(&str, Option<&str>)) {
    let target = disk.child("target");
    let name = target.and_then(|target| target.attribute("dev")).unwrap_or("disk");
    let driver = disk.child("driver");
    let of = |key: &str| driver.and_then(|driver| driver.attribute(key));
    add(&format!("disk.{name}.bus"), target.and_then(|target| target.attribute("bus")));
    add(&format!("disk.{name}.format"), of("type"));
    add(&format!("disk.{name}.cache"), Some(of("cache").unwrap_or("default of the hypervisor")));
    add(&format!("disk.{name}.aio"), Some(of("io").unwrap_or("default of the hypervisor")));
    add(&format!("disk.{name}.iothread"), of("iothread"));
    add(&format!("disk.{name}.discard"), of("discard"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_domain_and_a_version_are_read() {
        let text = "<domain type='kvm'><name>secret</name><memory unit='KiB'>4194304</memory><vcpu>4</vcpu><os><type machine='pc-q35-8.1'>hvm</type></os><devices><disk type='file' device='disk'><driver name='qemu' type='qcow2' cache='none' io='native'/><target dev='vda' bus='virtio'/></disk><disk device='cdrom'><target dev='sda'/></disk><interface><mac address='aa:bb'/><model type='virtio'/></interface></devices></domain>";
        assert!(recognises(text));
        let facts = read(text, "").unwrap();
        let value = |path: &str| {
            facts.iter().find(|(one, _)| one == path).and_then(|(_, fact)| fact.value().map(str::to_owned))
        };
        assert_eq!((value("vm.vcpus").as_deref(), value("vm.memory").as_deref()), (Some("4"), Some("4194304 KiB")));
        assert_eq!(
            (value("vm.disk.vda.cache").as_deref(), value("vm.disk.vda.aio").as_deref()),
            (Some("none"), Some("native"))
        );
        assert!(!format!("{facts:?}").contains("secret") && !format!("{facts:?}").contains("aa:bb"));
        let version = "Compiled against library: libvirt 9.0.0\nUsing library: libvirt 9.0.0\nUsing API: QEMU 9.0.0\nRunning hypervisor: QEMU 7.2.5\n";
        assert!(read(version, "").unwrap().contains(&("hypervisor.version".to_owned(), fact("7.2.5"))));
        assert!(read("<domain type='kvm'><vcpu>4</vcpu>", "").is_err());
    }
}
