//! What a guest of the manifest must not ask for.

use std::collections::BTreeMap;

use crate::digest::Digest;
use crate::manifest::Experiment;
use crate::manifest::guest::{Controller, Guest, Reboot};
use crate::manifest::shape::{Problems, Spanned};

/// The most guests at once.
const GUESTS_MAX: u64 = 64;
/// The most disks of one guest.
const DISKS_MAX: usize = 16;
/// The least memory that a Linux kernel with its programs gets by with.
const MEMORY_BYTES_MIN: u64 = 64 << 20;

pub(super) fn check_numbers(guest: &Guest, problems: &mut Problems) {
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

pub(super) fn check_kernel(guest: &Guest, files: &BTreeMap<String, Digest>, problems: &mut Problems) {
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

pub(super) fn missing_file(file: &Spanned<String>, files: &BTreeMap<String, Digest>, problems: &mut Problems) {
    if !files.contains_key(&file.value) {
        let message = format!("there is no file `{}` beside the manifest", file.value);
        problems.error("guest::file", file.span, message, "Name it relative to the manifest, without `..`.");
    }
}

/// Without host I/O: nothing outside the guest may decide when something happens in it.
pub(super) fn check_exact(guest: &Guest, experiment: &Experiment, problems: &mut Problems) {
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
