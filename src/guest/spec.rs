//! What is booted for a case, as values that are hashed with it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::hypervisor;
use crate::digest::Digest;
use crate::manifest::guest::{Accelerator, Aio, CacheMode, Card, Controller, DiskFormat, Machine, RaidLevel, Reboot};

/// What is booted for a case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spec {
    /// The name of the guests in the manifest, which names their image in the lock.
    pub name: String,
    /// The product that runs them, by its word in the manifest.
    #[serde(skip_serializing_if = "hypervisor::is_first", default = "hypervisor::first")]
    pub product: String,
    /// The board.
    pub machine: Machine,
    /// What executes instructions.
    pub accelerator: Accelerator,
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
    /// When guests are booted anew.
    pub reboot: Reboot,
}

/// A disk of a guest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiskSpec {
    /// Its name, which is also its serial number.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// The controller that the guest sees.
    pub controller: Controller,
    /// The format of its file.
    pub format: DiskFormat,
    /// The host's cache.
    pub cache: CacheMode,
    /// How the host submits its I/O.
    pub aio: Aio,
    /// The format it is converted from.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub converted_from: Option<DiskFormat>,
    /// The image it begins as: the name of a file beside the manifest, and its digest.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub image: Option<(String, Digest)>,
}

/// A device over several disks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VolumeSpec {
    /// Its name.
    pub name: String,
    /// The level of Linux md.
    pub raid: RaidLevel,
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
    /// The model.
    pub card: Card,
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
        let in_memory = self.disks.iter().filter(|disk| disk.controller == Controller::Memory);
        in_memory.map(|disk| disk.name.clone()).collect()
    }

    /// The kernel modules it needs besides those that its image always has, by name.
    pub fn modules(&self) -> Vec<&'static str> {
        let mut modules: Vec<&'static str> = vec![];
        modules.extend(self.disks.iter().flat_map(|disk| disk.controller.modules()));
        for volume in &self.volumes {
            modules.push(volume.raid.word());
            modules.extend(volume.lvm.then_some("dm_mod"));
        }
        if let Some(network) = &self.network {
            modules.extend(network.card.modules());
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
        let real = self.disks.iter().filter(|disk| disk.controller != Controller::Memory);
        real.map(one).sum::<u64>().saturating_mul(self.count)
    }

    /// Whether replicates must be byte-identical.
    pub fn is_exact(&self) -> bool {
        self.instruction_time_shift.is_some()
    }
}
