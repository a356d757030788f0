//! From a guest of the manifest, its factors replaced, to the values that are booted.

use std::collections::{BTreeMap, BTreeSet};

use super::check::{check_exact, check_kernel, check_numbers, missing_file};
use super::hypervisor::{self, Hypervisor as Product};
use super::{DiskSpec, NetworkSpec, Spec, VolumeSpec};
use crate::digest::Digest;
use crate::manifest::guest::{
    Accelerator, Aio, CacheMode, Card, Controller, Disk, DiskFormat, Guest, Hypervisor, Machine, Network, RaidLevel,
    Reboot, Volume,
};
use crate::manifest::node::Node;
use crate::manifest::shape::{Problems, Shape, Spanned, Time};
use crate::manifest::{Experiment, unknown_reference};
use crate::name::{Name, nearest};
use crate::store::event::Environment;

/// The ports of the AHCI adapter.
const AHCI_PORTS: usize = 6;
/// How long a guest may take to be ready where the manifest does not say, and how much more for each other guest.
const BOOT_LIMIT_NS: u64 = 120_000_000_000;
const BOOT_LIMIT_EACH_NS: u64 = 10_000_000_000;

/// How long guests may take to be ready, in nanoseconds: no part of what identifies a case.
pub fn boot_limit_ns(experiment: &Experiment, count: u64) -> u64 {
    let node = experiment.guest().and_then(|(_, guest)| guest.get("boot_limit"));
    let limit = node.and_then(|node| {
        let mut ignored = Problems::new(&crate::source::Source::new("", ""));
        Time::decode(node, &mut ignored)
    });
    limit.map_or(BOOT_LIMIT_NS + count.saturating_mul(BOOT_LIMIT_EACH_NS), |limit| limit.base())
}

/// The product that a hypervisor of the manifest is.
fn product_of(hypervisor: &Hypervisor, problems: &mut Problems) -> Option<&'static dyn Product> {
    let word = hypervisor.product.value.as_str();
    let found = hypervisor::find(word);
    if found.is_none() {
        let known: Vec<&str> = hypervisor::HYPERVISORS.iter().map(|one| one.word()).collect();
        let help = match nearest(word, known.iter().copied()) {
            Some(meant) => format!("Did you mean `{meant}`?"),
            None => format!("Known: {}.", known.join(", ")),
        };
        problems.error("guest::product", hypervisor.product.span, format!("no hypervisor is called `{word}`"), help);
    }
    found
}

/// Reads the guests of a case; the node's factors have their levels.
pub fn resolve(
    experiment: &Experiment,
    (name, node): (&Spanned<Name>, &Node),
    files: &BTreeMap<String, Digest>,
    problems: &mut Problems,
) -> Option<Spec> {
    let guest = Guest::decode(node, problems)?;
    let Some(hypervisor) = experiment.hypervisors.get(guest.hypervisor.value.as_str()) else {
        unknown_reference("hypervisor", &guest.hypervisor, experiment.hypervisors.names(), problems);
        return None;
    };
    let product = product_of(hypervisor, problems)?;
    let before = problems.count();
    check_numbers(&guest, problems);
    check_kernel(&guest, files, problems);
    let is_exact = experiment.environment() == Environment::VirtualExact;
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
        product: product.word().to_owned(),
        machine: hypervisor.machine.unwrap_or(product.default_machine()),
        accelerator: hypervisor.accelerator.value,
        instruction_time_shift: is_exact
            .then(|| hypervisor.instruction_time_shift.as_ref().map_or(3, |shift| shift.value)),
        count,
        vcpus: guest.vcpus.as_ref().map_or(1, |vcpus| vcpus.value),
        memory_bytes: guest.memory.value.base(),
        command_line: guest.kernel.command_line.as_ref().map_or_else(String::new, |line| line.value.clone()),
        disks,
        volumes,
        network,
        reboot,
    };
    (problems.count() == before).then_some(spec)
}

fn disk_spec(
    name: &Spanned<Name>,
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
        controller: disk.controller.value,
        format: disk.format.unwrap_or(DiskFormat::Raw),
        cache,
        aio,
        converted_from: disk.converted_from,
        image,
    })
}

fn volume_spec(
    name: &Spanned<Name>,
    volume: &Volume,
    disks: &[DiskSpec],
    problems: &mut Problems,
) -> Option<VolumeSpec> {
    /// What md and LVM keep for themselves on each disk, generously.
    const KEPT_BYTES: u64 = 6 << 20;
    let before = problems.count();
    for disk in &volume.over {
        if !disks.iter().any(|one| one.name == disk.value.as_str() && one.controller != Controller::Memory) {
            unknown_reference("disk", disk, disks.iter().map(|disk| disk.name.as_str()), problems);
        }
    }
    if disks.iter().any(|disk| disk.name == name.value.as_str()) {
        let help = "Workloads name both: give them different names.";
        problems.error("guest::volume", name.span, format!("`{}` is a disk and a volume", name.value), help);
    }
    let (raid, count) = (volume.raid, volume.over.len() as u64);
    let mirrored = if raid == RaidLevel::Raid0 { 1 } else { 2 };
    if count < 2 || (raid == RaidLevel::Raid10 && count < 4) {
        let help = "RAID 0 and 1 need two disks, RAID 10 four.";
        problems.error("guest::volume", name.span, format!("{raid} over {count} disks"), help);
    }
    let over: Vec<String> = volume.over.iter().map(|disk| disk.value.to_string()).collect();
    if over.iter().collect::<BTreeSet<_>>().len() < over.len() {
        problems.error("guest::volume", name.span, "a disk stands here a second time", "Name each disk once.");
    }
    let least = disks.iter().filter(|disk| over.contains(&disk.name)).map(|disk| disk.bytes).min().unwrap_or(0);
    let usable = least.saturating_sub(KEPT_BYTES);
    let bytes = if raid == RaidLevel::Raid1 { usable } else { usable * count / mirrored } & !0xf_ffff;
    let lvm = volume.lvm.unwrap_or(false);
    (problems.count() == before).then(|| VolumeSpec { name: name.value.to_string(), raid, over, lvm, bytes })
}

fn network_spec(network: &Network, hypervisor: &Hypervisor, problems: &mut Problems) -> Option<NetworkSpec> {
    let (card, before) = (network.card.value, problems.count());
    let virtual_functions = network.virtual_functions.as_ref().map_or(0, |functions| functions.value);
    if virtual_functions > 0 && card != Card::Igb {
        let message = format!("`{}` has no SR-IOV", card.word());
        problems.error("guest::network", network.card.span, message, "Write `card: igb`.");
    }
    if let Some(functions) = network.virtual_functions.as_ref().filter(|functions| functions.value > 7) {
        problems.error("guest::network", functions.span, "igb has at most 7 virtual functions", "Write 1 to 7.");
    }
    if card == Card::Igb && hypervisor.accelerator.value == Accelerator::Tcg && hypervisor.machine == Some(Machine::Pc)
    {
        let help = "SR-IOV is a capability of PCI Express: write `machine: q35`.";
        problems.error("guest::network", network.card.span, "`igb` on a board without PCI Express", help);
    }
    (problems.count() == before).then_some(NetworkSpec { card, virtual_functions })
}
