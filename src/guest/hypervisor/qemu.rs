//! QEMU, system emulation for x86-64.
//!
//! Every file is named relative to the folder QEMU starts in, and every value is a number, a word of ours or a name
//! checked letter by letter, so no text of a manifest can become another option.

use super::{
    CONSOLE_FILE, Cabling, DiskSpec, Hypervisor, INITRAMFS_FILE, ImageStep, KERNEL_FILE, NetworkSpec, Program, Spec,
    TooOld, disk_file,
};
use crate::manifest::guest::{Accelerator, Card, Controller, Machine};

/// QEMU.
pub(super) struct Qemu;

/// The first version that has igb.
const IGB_FROM: &str = "8.0";

impl Hypervisor for Qemu {
    fn word(&self) -> &'static str {
        "QEMU"
    }

    fn emulator(&self) -> Program {
        Program { name: "qemu-system-x86_64", package: "qemu-system-x86" }
    }

    fn image_tool(&self) -> Program {
        Program { name: "qemu-img", package: "qemu-utils" }
    }

    fn default_machine(&self) -> Machine {
        Machine::Q35
    }

    fn overhead_bytes(&self) -> u64 {
        // the emulator and its translated code
        64 << 20
    }

    fn argv(&self, spec: &Spec, cabling: &Cabling) -> Vec<String> {
        argv(spec, cabling)
    }

    fn image_argv(&self, step: &ImageStep<'_>) -> Vec<String> {
        let mut argv = vec![self.image_tool().name];
        let bytes;
        match step {
            ImageStep::Create { file, format, size_bytes } => {
                bytes = size_bytes.to_string();
                argv.extend(["create", "-q", "-f", format.word(), file, &bytes]);
            }
            ImageStep::Convert { from, from_format, to, to_format } => {
                argv.extend(["convert", "-f", from_format.word(), "-O", to_format.word(), from, to]);
            }
            ImageStep::Resize { file, format, size_bytes } => {
                bytes = size_bytes.to_string();
                argv.extend(["resize", "-q", "-f", format.word(), file, &bytes]);
            }
            ImageStep::Inspect { file, format } => {
                argv.extend(["info", "-f", format.word(), "--output=json", file]);
            }
        }
        argv.into_iter().map(str::to_owned).collect()
    }

    fn virtual_size_bytes(&self, inspected: &[u8]) -> Option<u64> {
        serde_json::from_slice::<serde_json::Value>(inspected).ok()?["virtual-size"].as_u64()
    }

    fn too_old(&self, spec: &Spec, version: &str) -> Option<TooOld> {
        let needs_igb = spec.network.as_ref().is_some_and(|network| network.card == Card::Igb);
        if !needs_igb || crate::inventory::meets(version, &format!(">= {IGB_FROM}")) == Some(true) {
            return None;
        }
        let message = format!("`igb` needs QEMU {IGB_FROM} or later, here is `{version}`");
        let help = "Install a newer QEMU, or write `card: virtio-net`.";
        Some(TooOld { word: Card::Igb.word(), message, help })
    }
}

/// Program and arguments.
fn argv(spec: &Spec, place: &Cabling) -> Vec<String> {
    let mut argv = vec![Qemu.emulator().name.to_owned()];
    let mut add = |words: &[&str]| argv.extend(words.iter().map(|word| (*word).to_owned()));
    let mib = (spec.memory_bytes >> 20).to_string();
    let accelerator = match spec.accelerator {
        Accelerator::Tcg => "tcg,tb-size=32",
        Accelerator::Kvm => "kvm",
    };
    add(&["-name", &format!("guest-{}", place.number), "-nodefaults", "-no-user-config", "-display", "none"]);
    add(&["-M", spec.machine.word(), "-accel", accelerator, "-smp", &spec.vcpus.to_string(), "-m", &mib, "-no-reboot"]);
    match spec.instruction_time_shift {
        Some(shift) => {
            add(&["-cpu", "max,-rdrand,-rdseed", "-seed", "42", "-rtc", "base=2026-01-01T00:00:00,clock=vm"]);
            add(&["-icount", &format!("shift={shift},sleep=off")]);
        }
        None => add(&["-cpu", if spec.accelerator == Accelerator::Kvm { "host" } else { "max" }]),
    }
    let (kernel, initramfs) = (format!("../../{KERNEL_FILE}"), format!("../{INITRAMFS_FILE}"));
    add(&["-kernel", &kernel, "-initrd", &initramfs, "-append", &command_line(spec, place)]);
    add(&["-chardev", &format!("file,id=console,path={CONSOLE_FILE}"), "-serial", "chardev:console"]);
    add(&["-chardev", "stdio,id=channel,signal=off"]);
    if spec.is_exact() {
        add(&["-serial", "chardev:channel"]);
    } else {
        add(&["-device", "virtio-serial-pci", "-device", "virtserialport,chardev=channel,name=channel"]);
    }
    let mut adapters: Vec<Controller> = vec![];
    for (index, disk) in spec.disks.iter().enumerate() {
        let before = spec.disks[..index].iter().filter(|other| other.controller == disk.controller).count();
        for words in disk_arguments(disk, (index, before), &mut adapters) {
            add(&[words.0, &words.1]);
        }
    }
    for words in network_arguments(spec, place) {
        add(&[words.0, &words.1]);
    }
    argv
}

/// The kernel's command line. `no_timer_check`: under load the check of the timer fails and the guest never comes up.
fn command_line(spec: &Spec, place: &Cabling) -> String {
    let number = format!("benchpaper.guest={}", place.number);
    let mut words = vec!["console=ttyS0", "panic=-1", "no_timer_check", "rdinit=/benchpaper/init"];
    if spec.is_exact() {
        words.extend(["nokaslr", "random.trust_cpu=off", "quiet"]);
    }
    if place.link.is_some() {
        words.push(&number);
    }
    words.push(&spec.command_line);
    words.retain(|word| !word.is_empty());
    words.join(" ")
}

fn disk_arguments(
    disk: &DiskSpec,
    (index, place): (usize, usize),
    adapters: &mut Vec<Controller>,
) -> Vec<(&'static str, String)> {
    if disk.controller == Controller::Memory {
        return vec![];
    }
    let (file, name) = (disk_file(disk), &disk.name);
    let mut arguments = vec![(
        "-drive",
        format!("file={file},if=none,id=drive{index},format={},cache={},aio={}", disk.format, disk.cache, disk.aio),
    )];
    let is_first = !adapters.contains(&disk.controller);
    let adapter = match disk.controller {
        Controller::VirtioScsi => Some("virtio-scsi-pci"),
        Controller::Pvscsi => Some("pvscsi"),
        Controller::LsiLogicalSas => Some("mptsas1068"),
        Controller::Megasas => Some("megasas"),
        Controller::Ahci => Some("ich9-ahci"),
        Controller::VirtioBlk | Controller::Nvme | Controller::Memory => None,
    };
    let bus = disk.controller.word().replace('-', "_");
    if let Some(adapter) = adapter.filter(|_| is_first) {
        adapters.push(disk.controller);
        arguments.push(("-device", format!("{adapter},id={bus}")));
    }
    let device = match disk.controller {
        Controller::Ahci => format!("ide-hd,drive=drive{index},serial={name},bus={bus}.{place}"),
        // without a WWN the adapter's driver finds no disk
        Controller::LsiLogicalSas => {
            format!(
                "scsi-hd,drive=drive{index},serial={name},bus={bus}.0,scsi-id={place},wwn={}",
                0x5000_0000_0000_0001 + index as u64
            )
        }
        Controller::VirtioScsi | Controller::Pvscsi | Controller::Megasas => {
            format!("scsi-hd,drive=drive{index},serial={name},bus={bus}.0,scsi-id={place}")
        }
        Controller::Nvme => format!("nvme,drive=drive{index},serial={name}"),
        Controller::VirtioBlk | Controller::Memory => format!("virtio-blk-pci,drive=drive{index},serial={name}"),
    };
    arguments.push(("-device", device));
    arguments
}

/// Where a server is asked from outside or guests hear each other, there is a card.
fn network_arguments(spec: &Spec, place: &Cabling) -> Vec<(&'static str, String)> {
    let mut arguments = vec![];
    if let Some((port, server)) = place.port {
        let forward = format!("user,id=outside,restrict=on,hostfwd=tcp:127.0.0.1:{port}-:{server}");
        arguments.push(("-netdev", forward));
        arguments.push(("-device", "virtio-net-pci,netdev=outside,romfile=".to_owned()));
    }
    if let Some(link) = place.link {
        let end = if link.is_listening { "listen" } else { "connect" };
        arguments.push(("-netdev", format!("socket,id=link,{end}=127.0.0.1:{}", link.port)));
        let model = spec.network.as_ref().map_or("virtio-net-pci", |network| card_model(network));
        let mac = format!("52:54:00:12:34:{:02x}", place.number);
        // SR-IOV needs a port of PCI Express above the card
        if spec.network.as_ref().is_some_and(|network| network.card == Card::Igb) {
            arguments.push(("-device", "pcie-root-port,id=root0".to_owned()));
            arguments.push(("-device", format!("{model},netdev=link,mac={mac},bus=root0,romfile=")));
        } else {
            arguments.push(("-device", format!("{model},netdev=link,mac={mac},romfile=")));
        }
    }
    arguments
}

fn card_model(network: &NetworkSpec) -> &'static str {
    match network.card {
        Card::Igb => "igb",
        Card::E1000e => "e1000e",
        Card::VirtioNet => "virtio-net-pci",
    }
}
