//! Disk controllers and network cards: the modules that a guest needs for them, and the drivers that must be bound.

use crate::manifest::guest::{Card, Controller};

impl Controller {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::VirtioBlk,
        Self::VirtioScsi,
        Self::Nvme,
        Self::Pvscsi,
        Self::LsiLogicalSas,
        Self::Megasas,
        Self::Ahci,
        Self::Memory,
    ];

    /// The modules that a guest needs for it and its disks.
    pub const fn modules(self) -> &'static [&'static str] {
        match self {
            Self::VirtioBlk => &["virtio_pci", "virtio_blk"],
            Self::VirtioScsi => &["virtio_pci", "sd_mod", "virtio_scsi"],
            Self::Nvme => &["nvme"],
            Self::Pvscsi => &["sd_mod", "vmw_pvscsi"],
            Self::LsiLogicalSas => &["sd_mod", "mptsas"],
            Self::Megasas => &["sd_mod", "megaraid_sas"],
            Self::Ahci => &["sd_mod", "ahci"],
            Self::Memory => &[],
        }
    }

    /// The driver that must be bound to it; none where a disk lies in the guest's own memory.
    pub const fn driver(self) -> Option<&'static str> {
        Some(match self {
            Self::VirtioBlk => "virtio_blk",
            Self::VirtioScsi => "virtio_scsi",
            Self::Nvme => "nvme",
            Self::Pvscsi => "vmw_pvscsi",
            Self::LsiLogicalSas => "mptsas",
            Self::Megasas => "megaraid_sas",
            Self::Ahci => "ahci",
            Self::Memory => return None,
        })
    }
}

impl Card {
    /// The modules that a guest needs for it and its virtual functions.
    pub const fn modules(self) -> &'static [&'static str] {
        match self {
            Self::VirtioNet => &["virtio_pci", "virtio_net"],
            Self::Igb => &["igb", "igbvf"],
            Self::E1000e => &["e1000e"],
        }
    }

    /// The driver that must be bound to it, or to its virtual functions.
    pub const fn driver(self, virtual_functions: u64) -> &'static str {
        match self {
            Self::VirtioNet => "virtio_net",
            Self::Igb if virtual_functions == 0 => "igb",
            Self::Igb => "igbvf",
            Self::E1000e => "e1000e",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::shape::Shape as _;

    #[test]
    fn every_controller_of_the_manifest_is_listed() {
        let words: Vec<&str> = Controller::ALL.into_iter().map(Controller::word).collect();
        assert_eq!(Controller::schema()["enum"], serde_json::json!(words));
    }
}
