//! Guests: what is booted for a case, as values.
//!
//! [`resolve`] reads a guest of the manifest, its factors replaced, into a [`Spec`], which is hashed with the case.
//! From a spec follow the hypervisor's arguments ([`qemu`]), the kernel modules, the program that the guest runs first
//! ([`script`]) and what its facts must say ([`facts`]). Nothing here touches the machine.

pub mod facts;
pub mod image;
pub mod qemu;
pub mod script;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::manifest::guest::{
    Accelerator, Aio, CacheMode, Card, Controller, Disk, DiskFormat, Guest, Hypervisor, Reboot, Volume,
};
use crate::manifest::node::Node;
use crate::manifest::shape::{Problems, Shape, Spanned, Time};
use crate::manifest::{EnvironmentWord, Experiment, unknown_reference};

/// The version of our own part of a guest: its first program and the hypervisor's arguments. Results of another one are
/// other results. It changes whenever the test below fails.
pub const VERSION: u64 = 1;

/// The most guests at once.
const GUESTS_MAX: u64 = 64;
/// The most disks of one guest.
const DISKS_MAX: usize = 16;
/// The ports of the AHCI adapter.
const AHCI_PORTS: usize = 6;
/// The least memory that a Linux kernel with its programs gets by with.
const MEMORY_BYTES_MIN: u64 = 64 << 20;
/// How long a guest may take to be ready where the manifest does not say, and how much more for each other guest.
const BOOT_LIMIT_NS: u64 = 120_000_000_000;
const BOOT_LIMIT_EACH_NS: u64 = 10_000_000_000;

/// What is booted for a case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spec {
    /// The name of the guests in the manifest, which names their image in the lock.
    pub name: String,
    /// The board.
    pub machine: String,
    /// What executes instructions: `tcg` or `kvm`.
    pub accelerator: String,
    /// Where instructions are counted instead of time: an instruction takes 2 to the power of this, in nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub instruction_time_shift: Option<u64>,
    /// How many guests run at once.
    pub count: u64,
    /// Virtual processors of each.
    pub vcpus: u64,
    /// Memory of each.
    pub memory_bytes: u64,
    /// What is added to the kernel's command line.
    pub command_line: String,
    /// In the order of the manifest.
    pub disks: Vec<DiskSpec>,
    /// In the order of the manifest.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub volumes: Vec<VolumeSpec>,
    /// The network card, where one is asked for.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub network: Option<NetworkSpec>,
    /// When guests are booted anew: `each-job`, `each-case` or `never`.
    pub reboot: String,
}

/// A disk of a guest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiskSpec {
    /// Its name, which is also its serial number.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// The controller's word in the manifest.
    pub controller: String,
    /// `raw`, `qcow2` or `vmdk`.
    pub format: String,
    /// `none`, `writeback`, `writethrough` or `directsync`.
    pub cache: String,
    /// `threads`, `native` or `io_uring`.
    pub aio: String,
    /// The format it is converted from.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub converted_from: Option<String>,
    /// The image it begins as: the name of a file beside the manifest, and its digest.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub image: Option<(String, Digest)>,
}

/// A device over several disks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VolumeSpec {
    /// Its name.
    pub name: String,
    /// The level of Linux md: `raid10`.
    pub raid: String,
    /// The disks.
    pub over: Vec<String>,
    /// Whether LVM lies between.
    pub lvm: bool,
    /// What can surely be used of it.
    pub bytes: u64,
}

/// A network card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NetworkSpec {
    /// The model's word in the manifest.
    pub card: String,
    /// How many virtual functions are made.
    pub virtual_functions: u64,
}

impl Spec {
    /// The devices that a workload may name, with their sizes in bytes.
    pub fn devices(&self) -> BTreeMap<String, u64> {
        let disks = self.disks.iter().map(|disk| (disk.name.clone(), disk.bytes));
        disks.chain(self.volumes.iter().map(|volume| (volume.name.clone(), volume.bytes))).collect()
    }

    /// The disks that lie in the guest's own memory.
    pub fn memory_disks(&self) -> Vec<String> {
        let in_memory = self.disks.iter().filter(|disk| disk.controller == Controller::Memory.word());
        in_memory.map(|disk| disk.name.clone()).collect()
    }

    /// The kernel modules it needs besides those that its image always has, by name.
    pub fn modules(&self) -> Vec<&'static str> {
        let mut modules: Vec<&'static str> = vec![];
        modules.extend(self.disks.iter().filter_map(|disk| Some(controller(&disk.controller)?.modules)).flatten());
        for volume in &self.volumes {
            modules.extend(match volume.raid.as_str() {
                "raid0" => ["raid0"],
                "raid1" => ["raid1"],
                _ => ["raid10"],
            });
            modules.extend(volume.lvm.then_some("dm_mod"));
        }
        if let Some(network) = &self.network {
            modules.extend(card_modules(&network.card));
        }
        let mut seen = std::collections::BTreeSet::new();
        modules.retain(|module| seen.insert(*module));
        modules
    }

    /// What all guests may come to take of the host's disk, in bytes: a conversion holds a disk three times.
    pub fn host_bytes(&self) -> u64 {
        let one = |disk: &DiskSpec| {
            let is_converted = disk.converted_from.is_some() || disk.image.is_some();
            disk.bytes.saturating_mul(if is_converted { 3 } else { 1 })
        };
        let real = self.disks.iter().filter(|disk| disk.controller != Controller::Memory.word());
        real.map(one).sum::<u64>().saturating_mul(self.count)
    }

    /// Whether replicates must be byte-identical.
    pub fn is_exact(&self) -> bool {
        self.instruction_time_shift.is_some()
    }

    /// For the tables of a paper: setting and value.
    pub fn describe(&self) -> Vec<(String, String)> {
        let mut rows = vec![
            ("guests".to_owned(), self.count.to_string()),
            ("virtual processors".to_owned(), self.vcpus.to_string()),
            ("memory".to_owned(), format!("{} MiB", self.memory_bytes >> 20)),
            ("board".to_owned(), self.machine.clone()),
            ("accelerator".to_owned(), self.accelerator.clone()),
            ("guests are booted".to_owned(), self.reboot.replace('-', " ")),
        ];
        if let Some(shift) = self.instruction_time_shift {
            rows.push(("an instruction takes".to_owned(), format!("{} ns", 1_u64 << shift)));
        }
        if !self.command_line.is_empty() {
            rows.push(("kernel command line".to_owned(), self.command_line.clone()));
        }
        rows.extend(self.disks.iter().flat_map(DiskSpec::describe));
        for volume in &self.volumes {
            let lvm = if volume.lvm { ", LVM" } else { "" };
            rows.push((
                format!("volume {}", volume.name),
                format!("{} over {}{lvm}", volume.raid, volume.over.join(", ")),
            ));
        }
        if let Some(network) = &self.network {
            let functions = match network.virtual_functions {
                0 => String::new(),
                count => format!(", {count} virtual functions"),
            };
            rows.push(("network card".to_owned(), format!("{}{functions}", network.card)));
        }
        rows
    }
}

impl DiskSpec {
    /// One row a property, so that a table shows what differs between cases by itself.
    fn describe(&self) -> Vec<(String, String)> {
        let row = |property: &str, value: String| (format!("disk {}, {property}", self.name), value);
        let mut rows =
            vec![row("size", format!("{} MiB", self.bytes >> 20)), row("controller", self.controller.clone())];
        if self.controller == Controller::Memory.word() {
            return rows;
        }
        rows.push(row("format", self.format.clone()));
        rows.push(row("cache", self.cache.clone()));
        rows.push(row("aio", self.aio.clone()));
        match (&self.image, &self.converted_from) {
            (Some((file, _)), _) => rows.push(row("begins as", file.clone())),
            (None, Some(format)) => rows.push(row("converted from", format.clone())),
            (None, None) => {}
        }
        rows
    }
}

/// What is known of a controller.
pub struct ControllerFacts {
    /// Its word in the manifest.
    pub word: &'static str,
    /// The modules that a guest needs for it and its disks.
    pub modules: &'static [&'static str],
    /// The driver that must be bound to it.
    pub driver: &'static str,
    /// Whether its disks are SCSI disks of one adapter.
    pub is_scsi: bool,
}

/// All controllers.
pub const CONTROLLERS: &[ControllerFacts] = &[
    ControllerFacts {
        word: "virtio-blk",
        modules: &["virtio_pci", "virtio_blk"],
        driver: "virtio_blk",
        is_scsi: false,
    },
    ControllerFacts {
        word: "virtio-scsi",
        modules: &["virtio_pci", "sd_mod", "virtio_scsi"],
        driver: "virtio_scsi",
        is_scsi: true,
    },
    ControllerFacts { word: "nvme", modules: &["nvme"], driver: "nvme", is_scsi: false },
    ControllerFacts { word: "pvscsi", modules: &["sd_mod", "vmw_pvscsi"], driver: "vmw_pvscsi", is_scsi: true },
    ControllerFacts { word: "lsi-logical-sas", modules: &["sd_mod", "mptsas"], driver: "mptsas", is_scsi: true },
    ControllerFacts { word: "megasas", modules: &["sd_mod", "megaraid_sas"], driver: "megaraid_sas", is_scsi: true },
    ControllerFacts { word: "ahci", modules: &["sd_mod", "ahci"], driver: "ahci", is_scsi: true },
    ControllerFacts { word: "memory", modules: &[], driver: "", is_scsi: false },
];

/// What is known of a controller with this word.
pub fn controller(word: &str) -> Option<&'static ControllerFacts> {
    CONTROLLERS.iter().find(|controller| controller.word == word)
}

fn card_modules(card: &str) -> &'static [&'static str] {
    match card {
        "igb" => &["igb", "igbvf"],
        "e1000e" => &["e1000e"],
        _ => &["virtio_pci", "virtio_net"],
    }
}

/// The driver that must be bound to a card, or to its virtual functions.
pub fn card_driver(network: &NetworkSpec) -> &'static str {
    match (network.card.as_str(), network.virtual_functions) {
        ("igb", 0) => "igb",
        ("igb", _) => "igbvf",
        ("e1000e", _) => "e1000e",
        _ => "virtio_net",
    }
}

/// How long guests may take to be ready, in nanoseconds: no part of what identifies a case.
pub fn boot_limit_ns(experiment: &Experiment, count: u64) -> u64 {
    let node = experiment.guest().and_then(|(_, guest)| guest.get("boot_limit"));
    let limit = node.and_then(|node| {
        let mut ignored = Problems::new(&crate::source::Source::new("", ""));
        Time::decode(node, &mut ignored)
    });
    limit.map_or(BOOT_LIMIT_NS + count.saturating_mul(BOOT_LIMIT_EACH_NS), |limit| limit.base())
}

/// Reads the guests of a case; the node's factors have their levels.
pub fn resolve(
    experiment: &Experiment,
    (name, node): (&Spanned<crate::name::Name>, &Node),
    files: &BTreeMap<String, Digest>,
    problems: &mut Problems,
) -> Option<Spec> {
    let guest = Guest::decode(node, problems)?;
    let Some(hypervisor) = experiment.hypervisors.get(guest.hypervisor.value.as_str()) else {
        unknown_reference("hypervisor", &guest.hypervisor, experiment.hypervisors.names(), problems);
        return None;
    };
    let before = problems.count();
    check_numbers(&guest, problems);
    check_kernel(&guest, files, problems);
    let is_exact = experiment.environment() == EnvironmentWord::VirtualExact;
    if is_exact {
        check_exact(&guest, experiment, problems);
    }
    let disks: Vec<DiskSpec> =
        guest.disks.iter().filter_map(|(name, disk)| disk_spec(name, disk, files, problems)).collect();
    let of_ahci = guest.disks.iter().filter(|(_, disk)| disk.controller.value == Controller::Ahci);
    if let Some((name, _)) = of_ahci.into_iter().nth(AHCI_PORTS) {
        problems.error(
            "guest::disks",
            name.span,
            format!("more than {AHCI_PORTS} disks on AHCI"),
            "It has no more ports.",
        );
    }
    let volumes = guest.volumes.iter().filter_map(|(name, volume)| volume_spec(name, volume, &disks, problems));
    let volumes: Vec<VolumeSpec> = volumes.collect();
    for (number, volume) in volumes.iter().enumerate() {
        let shared = volume.over.iter().find(|disk| volumes[..number].iter().any(|other| other.over.contains(disk)));
        if let (Some(disk), Some((name, _))) = (shared, guest.volumes.iter().nth(number)) {
            let message = format!("the disk `{disk}` belongs to another volume too");
            problems.error("guest::volume", name.span, message, "Give each volume its own disks.");
        }
    }
    let network = guest.network.as_ref().and_then(|network| network_spec(network, hypervisor, problems));
    let count = guest.count.as_ref().map_or(1, |count| count.value);
    let reboot = experiment.design.reboot_guests.unwrap_or(Reboot::EachJob);
    let spec = Spec {
        name: name.value.to_string(),
        machine: hypervisor.machine.map_or("q35", |machine| machine.word()).to_owned(),
        accelerator: hypervisor.accelerator.value.word().to_owned(),
        instruction_time_shift: is_exact
            .then(|| hypervisor.instruction_time_shift.as_ref().map_or(3, |shift| shift.value)),
        count,
        vcpus: guest.vcpus.as_ref().map_or(1, |vcpus| vcpus.value),
        memory_bytes: guest.memory.value.base(),
        command_line: guest.kernel.command_line.as_ref().map_or_else(String::new, |line| line.value.clone()),
        disks,
        volumes,
        network,
        reboot: reboot.word().to_owned(),
    };
    (problems.count() == before).then_some(spec)
}

fn check_numbers(guest: &Guest, problems: &mut Problems) {
    let mut within = |number: &Option<Spanned<u64>>, what: &str, most: u64| {
        if let Some(number) = number
            && !(1..=most).contains(&number.value)
        {
            let message = format!("{} {what}, expected 1 to {most}", number.value);
            problems.error("guest::range", number.span, message, "Write a number in this range.");
        }
    };
    within(&guest.count, "guests", GUESTS_MAX);
    within(&guest.vcpus, "virtual processors", 255);
    let memory = guest.memory.value.base();
    if memory < MEMORY_BYTES_MIN || !memory.is_multiple_of(1 << 20) {
        let help = "Write whole MiB, 64 MiB or more.";
        problems.error("guest::memory", guest.memory.span, "too little memory, or no whole MiB", help);
    }
    let in_memory = guest.disks.iter().filter(|(_, disk)| disk.controller.value == Controller::Memory);
    if in_memory.map(|(_, disk)| disk.size.value.base()).sum::<u64>() > memory / 2 {
        let help = "Kernel and programs need the other half: give the guest more memory, or smaller disks.";
        problems.error("guest::memory", guest.memory.span, "disks in memory take more than half of it", help);
    }
    if let Some((name, _)) = guest.disks.iter().nth(DISKS_MAX) {
        problems.error("guest::disks", name.span, format!("more than {DISKS_MAX} disks"), "Use fewer disks.");
    }
}

fn check_kernel(guest: &Guest, files: &BTreeMap<String, Digest>, problems: &mut Problems) {
    let kernel = &guest.kernel;
    match (&kernel.debian, &kernel.file, &kernel.userland) {
        (Some(package), None, None) => {
            if !package.value.as_str().starts_with("linux-image-") {
                let message = format!("`{}` is no package of a kernel", package.value);
                problems.error("guest::kernel", package.span, message, "Write `debian: linux-image-amd64`.");
            }
        }
        (None, Some(_), Some(_)) => {}
        _ => {
            let help = "Write `{debian: linux-image-amd64, version: \"6.1\"}`, or both `file` and `userland`.";
            let span = kernel.debian.as_ref().map_or(guest.hypervisor.span, |package| package.span);
            problems.error("guest::kernel", span, "a kernel is one package, or two files", help);
        }
    }
    for file in [&kernel.file, &kernel.userland].into_iter().flatten() {
        missing_file(file, files, problems);
    }
    if let Some(version) = &kernel.version
        && !version.value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".+~:-".contains(&byte))
    {
        let message = format!("`{}` is no beginning of a version", version.value);
        problems.error("guest::kernel", version.span, message, "Write it as `\"6.1\"`.");
    }
    if let Some(line) = &kernel.command_line
        && !line.value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b" _.,:=/+%@-".contains(&byte))
    {
        let help = "Use letters, digits, spaces and `_.,:=/+%@-`.";
        problems.error("guest::command-line", line.span, "a character that no kernel option has", help);
    }
}

fn missing_file(file: &Spanned<String>, files: &BTreeMap<String, Digest>, problems: &mut Problems) {
    if !files.contains_key(&file.value) {
        let message = format!("there is no file `{}` beside the manifest", file.value);
        problems.error("guest::file", file.span, message, "Name it relative to the manifest, without `..`.");
    }
}

/// Without host I/O: nothing outside the guest may decide when something happens in it.
fn check_exact(guest: &Guest, experiment: &Experiment, problems: &mut Problems) {
    for (name, disk) in guest.disks.iter().filter(|(_, disk)| disk.controller.value != Controller::Memory) {
        let message = format!("the disk `{}` does I/O on the host", name.value);
        let help = "With `environment: virtual-exact` a disk has `controller: memory`.";
        problems.error("guest::exact", disk.controller.span, message, help);
    }
    if let Some(count) = guest.count.as_ref().filter(|count| count.value != 1) {
        let help = "With `environment: virtual-exact` there is one guest with one virtual processor.";
        problems.error("guest::exact", count.span, "several guests run at once", help);
    }
    if let Some(vcpus) = guest.vcpus.as_ref().filter(|vcpus| vcpus.value != 1) {
        let help = "With `environment: virtual-exact` there is one guest with one virtual processor.";
        problems.error("guest::exact", vcpus.span, "several virtual processors run at once", help);
    }
    if let Some(network) = &guest.network {
        let help = "With `environment: virtual-exact` leave `network` away.";
        problems.error("guest::exact", network.card.span, "a network reaches outside the guest", help);
    }
    if let Some(steady) = &experiment.design.steady_state {
        let help = "With `environment: virtual-exact` leave `steady_state` away: every round is the same.";
        problems.error("guest::exact", steady.metric.span, "a guest that ran a round is another guest", help);
    }
    if !matches!(experiment.design.reboot_guests, None | Some(Reboot::EachJob)) {
        let help = "With `environment: virtual-exact` leave `reboot_guests` away.";
        problems.error("guest::exact", guest.hypervisor.span, "a guest that ran a job is another guest", help);
    }
}

fn disk_spec(
    name: &Spanned<crate::name::Name>,
    disk: &Disk,
    files: &BTreeMap<String, Digest>,
    problems: &mut Problems,
) -> Option<DiskSpec> {
    let (bytes, before) = (disk.size.value.base(), problems.count());
    if bytes == 0 || !bytes.is_multiple_of(4096) {
        problems.error("guest::disk", disk.size.span, "the size is no multiple of 4 KiB", "Write `64 MiB`.");
    }
    let text = name.value.as_str();
    if text.len() > 20 || !text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_') {
        let help = "The name is the disk's serial number: at most 20 letters, digits, `-` and `_`.";
        problems.error("guest::disk", name.span, format!("the name `{text}`"), help);
    }
    let is_file = disk.format.is_some() || disk.cache.is_some() || disk.aio.is_some();
    if disk.controller.value == Controller::Memory && (is_file || disk.converted_from.is_some() || disk.image.is_some())
    {
        let help = "Leave `format`, `cache`, `aio`, `converted_from` and `image` away.";
        problems.error(
            "guest::disk",
            disk.controller.span,
            "a disk in the guest's memory has no file on the host",
            help,
        );
    }
    let cache = disk.cache.unwrap_or(CacheMode::None);
    let aio = disk.aio.unwrap_or(Aio::Threads);
    if aio == Aio::Native && !matches!(cache, CacheMode::None | CacheMode::Directsync) {
        let help = "`aio: native` needs `cache: none` or `directsync`.";
        problems.error("guest::disk", disk.size.span, format!("`aio: native` with `cache: {}`", cache.word()), help);
    }
    let image = disk.image.as_ref().map(|file| {
        missing_file(file, files, problems);
        (file.value.clone(), files.get(&file.value).copied().unwrap_or_else(|| Digest::of(b"")))
    });
    (problems.count() == before).then(|| DiskSpec {
        name: text.to_owned(),
        bytes,
        controller: disk.controller.value.word().to_owned(),
        format: disk.format.unwrap_or(DiskFormat::Raw).word().to_owned(),
        cache: cache.word().to_owned(),
        aio: aio.word().to_owned(),
        converted_from: disk.converted_from.map(|format| format.word().to_owned()),
        image,
    })
}

fn volume_spec(
    name: &Spanned<crate::name::Name>,
    volume: &Volume,
    disks: &[DiskSpec],
    problems: &mut Problems,
) -> Option<VolumeSpec> {
    /// What md and LVM keep for themselves on each disk, generously.
    const KEPT_BYTES: u64 = 6 << 20;
    let before = problems.count();
    for disk in &volume.over {
        if !disks.iter().any(|one| one.name == disk.value.as_str() && one.controller != Controller::Memory.word()) {
            unknown_reference("disk", disk, disks.iter().map(|disk| disk.name.as_str()), problems);
        }
    }
    if disks.iter().any(|disk| disk.name == name.value.as_str()) {
        let help = "Workloads name both: give them different names.";
        problems.error("guest::volume", name.span, format!("`{}` is a disk and a volume", name.value), help);
    }
    let (raid, count) = (volume.raid.word(), volume.over.len() as u64);
    let mirrored = if raid == "raid0" { 1 } else { 2 };
    if count < 2 || (raid == "raid10" && count < 4) {
        let help = "RAID 0 and 1 need two disks, RAID 10 four.";
        problems.error("guest::volume", name.span, format!("{raid} over {count} disks"), help);
    }
    let over: Vec<String> = volume.over.iter().map(|disk| disk.value.to_string()).collect();
    if over.iter().collect::<std::collections::BTreeSet<_>>().len() < over.len() {
        problems.error("guest::volume", name.span, "a disk stands here a second time", "Name each disk once.");
    }
    let least = disks.iter().filter(|disk| over.contains(&disk.name)).map(|disk| disk.bytes).min().unwrap_or(0);
    let usable = least.saturating_sub(KEPT_BYTES);
    let bytes = if raid == "raid1" { usable } else { usable * count / mirrored } & !0xf_ffff;
    let lvm = volume.lvm.unwrap_or(false);
    (problems.count() == before).then(|| VolumeSpec {
        name: name.value.to_string(),
        raid: raid.to_owned(),
        over,
        lvm,
        bytes,
    })
}

fn network_spec(
    network: &crate::manifest::guest::Network,
    hypervisor: &Hypervisor,
    problems: &mut Problems,
) -> Option<NetworkSpec> {
    let (card, before) = (network.card.value, problems.count());
    let virtual_functions = network.virtual_functions.as_ref().map_or(0, |functions| functions.value);
    if virtual_functions > 0 && card != Card::Igb {
        let message = format!("`{}` has no SR-IOV", card.word());
        problems.error("guest::network", network.card.span, message, "Write `card: igb`.");
    }
    if let Some(functions) = network.virtual_functions.as_ref().filter(|functions| functions.value > 7) {
        problems.error("guest::network", functions.span, "igb has at most 7 virtual functions", "Write 1 to 7.");
    }
    if card == Card::Igb
        && hypervisor.accelerator.value == Accelerator::Tcg
        && hypervisor.machine.is_some_and(|machine| machine.word() == "pc")
    {
        let help = "SR-IOV is a capability of PCI Express: write `machine: q35`.";
        problems.error("guest::network", network.card.span, "`igb` on a board without PCI Express", help);
    }
    (problems.count() == before).then(|| NetworkSpec { card: card.word().to_owned(), virtual_functions })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_first_program_or_other_arguments_have_another_version() {
        let disk = |name: &str, controller: &str| DiskSpec {
            name: name.to_owned(),
            bytes: 1 << 20,
            controller: controller.to_owned(),
            format: "raw".to_owned(),
            cache: "none".to_owned(),
            aio: "threads".to_owned(),
            converted_from: None,
            image: None,
        };
        let over = vec!["a".to_owned(), "b".to_owned()];
        let volume = VolumeSpec { name: "v".to_owned(), raid: "raid1".to_owned(), over, lvm: true, bytes: 1 << 19 };
        let spec = Spec {
            name: "linux".to_owned(),
            machine: "q35".to_owned(),
            accelerator: "tcg".to_owned(),
            instruction_time_shift: None,
            count: 2,
            vcpus: 1,
            memory_bytes: 128 << 20,
            command_line: String::new(),
            disks: CONTROLLERS
                .iter()
                .map(|controller| disk(&format!("d-{}", controller.word), controller.word))
                .collect(),
            volumes: vec![volume],
            network: Some(NetworkSpec { card: "igb".to_owned(), virtual_functions: 2 }),
            reboot: "each-job".to_owned(),
        };
        let exact = Spec { instruction_time_shift: Some(3), ..spec.clone() };
        let place =
            qemu::Place { number: 1, port: Some((1, 2)), link: Some(qemu::Link { port: 3, is_listening: true }) };
        let server = ["server".to_owned()];
        let setup = format!("{}{}", script::serve_outside(&server, 1), script::link(&spec, &server, 1));
        let launch = script::launch(&server, &[("f".to_owned(), b"#!x".to_vec())]);
        let parts = (
            script::files(&spec, &setup, Some(&script::or_end(&server))),
            [qemu::argv(&spec, &place), qemu::argv(&exact, &place)],
            (launch, script::CLOCK),
        );
        let found = Digest::of(format!("{VERSION} {parts:?}").as_bytes()).short();
        insta::assert_snapshot!(found, @"a572b929e2ed");
    }

    #[test]
    fn every_controller_of_the_manifest_is_in_the_table() {
        let schema = Controller::schema();
        let words: Vec<&str> = schema["enum"].as_array().unwrap().iter().filter_map(|word| word.as_str()).collect();
        let table: Vec<&str> = CONTROLLERS.iter().map(|controller| controller.word).collect();
        assert_eq!(words, table);
    }
}
