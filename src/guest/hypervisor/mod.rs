//! Hypervisors: what starts guests, as arguments. Nothing outside this folder knows one by its name.
//!
//! A new hypervisor is one file here and two lines below: its module, and its entry in [`HYPERVISORS`]. Its guests boot the
//! kernel and initramfs of ours, write their console to a file, and answer on the standard input and output of the
//! hypervisor's process.

mod qemu;

use super::{DiskSpec, NetworkSpec, Spec};
use crate::manifest::guest::{DiskFormat, Machine};

/// The name of the kernel in the folder of a run.
pub const KERNEL_FILE: &str = "kernel";
/// The name of the initramfs in the folder of a slot.
pub const INITRAMFS_FILE: &str = "initramfs";
/// Where the guest's console is written, in the guest's own folder, which is below that of the slot.
pub const CONSOLE_FILE: &str = "console";

/// A program of a hypervisor, and the package of Debian that it comes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Program {
    /// As it is found on `PATH`.
    pub name: &'static str,
    /// As apt knows it.
    pub package: &'static str,
}

/// Which guest of how many, and how it is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cabling {
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

/// A step that makes the image of a disk; files lie in the folder of the guest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImageStep<'a> {
    /// Makes an empty image.
    Create {
        /// Its file.
        file: &'a str,
        /// Its format.
        format: DiskFormat,
        /// What the guest sees.
        size_bytes: u64,
    },
    /// Makes an image out of another.
    Convert {
        /// The file that is there.
        from: &'a str,
        /// Its format.
        from_format: DiskFormat,
        /// The file that is made.
        to: &'a str,
        /// Its format.
        to_format: DiskFormat,
    },
    /// Changes the size that the guest sees.
    Resize {
        /// The file.
        file: &'a str,
        /// Its format.
        format: DiskFormat,
        /// The new size.
        size_bytes: u64,
    },
    /// Prints what [`Hypervisor::virtual_size_bytes`] reads.
    Inspect {
        /// The file.
        file: &'a str,
        /// Its format.
        format: DiskFormat,
    },
}

/// Why an installed hypervisor cannot run some guests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TooOld {
    /// The word of the manifest that asks for too much.
    pub word: &'static str,
    /// What is needed, and what is there.
    pub message: String,
    /// The way out.
    pub help: &'static str,
}

/// What starts guests.
pub trait Hypervisor: Sync {
    /// The word of `hypervisors.NAME.product`.
    fn word(&self) -> &'static str;
    /// What runs a guest; its version is pinned and printed.
    fn emulator(&self) -> Program;
    /// What makes images of disks.
    fn image_tool(&self) -> Program;
    /// The board where the manifest names none.
    fn default_machine(&self) -> Machine;
    /// What a guest takes of the host's memory besides its own, in bytes.
    fn overhead_bytes(&self) -> u64;
    /// Program and arguments that run one guest.
    fn argv(&self, spec: &Spec, cabling: &Cabling) -> Vec<String>;
    /// Program and arguments of a step that makes the image of a disk.
    fn image_argv(&self, step: &ImageStep<'_>) -> Vec<String>;
    /// The size that a guest sees, in bytes, out of what [`ImageStep::Inspect`] printed.
    fn virtual_size_bytes(&self, inspected: &[u8]) -> Option<u64>;
    /// Why the installed version cannot run some guests; none where it can.
    fn too_old(&self, spec: &Spec, version: &str) -> Option<TooOld>;

    /// The programs that are started on the host.
    fn programs(&self) -> [Program; 2] {
        [self.emulator(), self.image_tool()]
    }
}

/// All hypervisors; guests whose record names none run under the first.
pub const HYPERVISORS: &[&dyn Hypervisor] = &[
    &qemu::Qemu,
    #[cfg(test)]
    &tiny::Tiny,
];

/// The hypervisor with this word.
pub fn find(word: &str) -> Option<&'static dyn Hypervisor> {
    HYPERVISORS.iter().copied().find(|one| one.word() == word)
}

/// The word of the first hypervisor.
pub(super) fn first() -> String {
    HYPERVISORS[0].word().to_owned()
}

/// Whether a word is that of the first hypervisor, which records leave out.
pub(super) fn is_first(word: &str) -> bool {
    HYPERVISORS[0].word() == word
}

impl Spec {
    /// What runs these guests.
    pub fn hypervisor(&self) -> &'static dyn Hypervisor {
        find(&self.product).unwrap_or(HYPERVISORS[0])
    }
}

/// The name of a disk's file in the folder of its guest.
pub fn disk_file(disk: &DiskSpec) -> String {
    format!("disk-{}.{}", disk.name, disk.format)
}

/// A second hypervisor, to see that nothing else knows the first.
#[cfg(test)]
pub(crate) mod tiny;
