//! The arguments of QEMU for a guest.
//!
//! Every file is named relative to the folder QEMU starts in, and every value is a number, a word of ours or a name
//! checked letter by letter, so no text of a manifest can become another option.

use super::{DiskSpec, NetworkSpec, Spec, controller};

/// The emulator.
pub const PROGRAM: &str = "qemu-system-x86_64";
/// Makes, converts and inspects disk images.
pub const IMAGE_PROGRAM: &str = "qemu-img";
/// The name of the kernel in the folder of a run.
pub const KERNEL_FILE: &str = "kernel";
/// The name of the initramfs in the folder of a slot.
pub const INITRAMFS_FILE: &str = "initramfs";
/// Where the guest's console is written.
pub const CONSOLE_FILE: &str = "console";
/// The first version that has igb.
pub const IGB_FROM: &str = "8.0";
/// What a guest needs besides its memory: the emulator and its translated code.
pub const OVERHEAD_BYTES: u64 = 64 << 20;

/// Which guest of how many, and how it is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// From 1.
    pub number: u64,
    /// The port on 127.0.0.1 that leads to the port of the guest's server; none where nobody outside asks it.
    pub port: Option<(u16, u16)>,
    /// The port of 127.0.0.1 through which guests hear each other, where they do.
    pub link: Option<Link>,
}

/// A cable between two guests: the first listens, the second connects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// On 127.0.0.1.
    pub port: u16,
    /// Whether this end listens.
    pub is_listening: bool,
}

/// Program and arguments.
pub fn argv(spec: &Spec, place: &Place) -> Vec<String> {
    let mut argv = vec![PROGRAM.to_owned()];
    let mut add = |words: &[&str]| argv.extend(words.iter().map(|word| (*word).to_owned()));
    let mib = (spec.memory_bytes >> 20).to_string();
    let accelerator = if spec.accelerator == "tcg" { "tcg,tb-size=32" } else { "kvm" };
    add(&["-name", &format!("guest-{}", place.number), "-nodefaults", "-no-user-config", "-display", "none"]);
    add(&["-M", &spec.machine, "-accel", accelerator, "-smp", &spec.vcpus.to_string(), "-m", &mib, "-no-reboot"]);
    match spec.instruction_time_shift {
        Some(shift) => {
            add(&["-cpu", "max,-rdrand,-rdseed", "-seed", "42", "-rtc", "base=2026-01-01T00:00:00,clock=vm"]);
            add(&["-icount", &format!("shift={shift},sleep=off")]);
        }
        None => add(&["-cpu", if spec.accelerator == "kvm" { "host" } else { "max" }]),
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
    let mut adapters: Vec<&str> = vec![];
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
pub fn command_line(spec: &Spec, place: &Place) -> String {
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

/// The name of a disk's file.
pub fn disk_file(disk: &DiskSpec) -> String {
    format!("disk-{}.{}", disk.name, disk.format)
}

fn disk_arguments<'a>(
    disk: &'a DiskSpec,
    (index, place): (usize, usize),
    adapters: &mut Vec<&'a str>,
) -> Vec<(&'static str, String)> {
    let Some(facts) = controller(&disk.controller).filter(|facts| !facts.driver.is_empty()) else { return vec![] };
    let (file, name) = (disk_file(disk), &disk.name);
    let mut arguments = vec![(
        "-drive",
        format!("file={file},if=none,id=drive{index},format={},cache={},aio={}", disk.format, disk.cache, disk.aio),
    )];
    let is_first = !adapters.contains(&disk.controller.as_str());
    let adapter = match disk.controller.as_str() {
        "virtio-scsi" => Some("virtio-scsi-pci"),
        "pvscsi" => Some("pvscsi"),
        "lsi-logical-sas" => Some("mptsas1068"),
        "megasas" => Some("megasas"),
        "ahci" => Some("ich9-ahci"),
        _ => None,
    };
    let bus = disk.controller.replace('-', "_");
    if let Some(adapter) = adapter.filter(|_| is_first) {
        adapters.push(&disk.controller);
        arguments.push(("-device", format!("{adapter},id={bus}")));
    }
    let device = match (disk.controller.as_str(), facts.is_scsi) {
        ("ahci", _) => format!("ide-hd,drive=drive{index},serial={name},bus={bus}.{place}"),
        // without a WWN the adapter's driver finds no disk
        ("lsi-logical-sas", _) => {
            format!(
                "scsi-hd,drive=drive{index},serial={name},bus={bus}.0,scsi-id={place},wwn={}",
                0x5000_0000_0000_0001 + index as u64
            )
        }
        (_, true) => format!("scsi-hd,drive=drive{index},serial={name},bus={bus}.0,scsi-id={place}"),
        ("nvme", _) => format!("nvme,drive=drive{index},serial={name}"),
        _ => format!("virtio-blk-pci,drive=drive{index},serial={name}"),
    };
    arguments.push(("-device", device));
    arguments
}

/// Where a server is asked from outside or guests hear each other, there is a card.
fn network_arguments(spec: &Spec, place: &Place) -> Vec<(&'static str, String)> {
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
        if spec.network.as_ref().is_some_and(|network| network.card == "igb") {
            arguments.push(("-device", "pcie-root-port,id=root0".to_owned()));
            arguments.push(("-device", format!("{model},netdev=link,mac={mac},bus=root0,romfile=")));
        } else {
            arguments.push(("-device", format!("{model},netdev=link,mac={mac},romfile=")));
        }
    }
    arguments
}

fn card_model(network: &NetworkSpec) -> &'static str {
    match network.card.as_str() {
        "igb" => "igb",
        "e1000e" => "e1000e",
        _ => "virtio-net-pci",
    }
}
