//! What a paper owes its readers: the facts without which its numbers can not be judged.

use super::shape::{Map, record, words};

record! {
    /// What the paper owes its readers.
    pub struct Disclosure {
        /// Which list of facts: storage, or none.
        profile: DisclosureProfile,
        /// Facts that are not given, each with a reason.
        waived: Map<String>,
    }
}

words! {
    /// What kind of disclosure a paper owes.
    pub enum DisclosureProfile {
        /// Processor, memory, kernel, file system, disks and their settings, tools.
        Storage = "storage",
        /// Nothing in particular.
        None = "none",
    }
}

impl DisclosureProfile {
    /// The facts that a reader of such a paper needs; `*` stands for any name.
    pub const fn facts(self) -> &'static [&'static str] {
        match self {
            Self::Storage => &[
                "cpu.model",
                "cpu.microcode",
                "cpu.governor",
                "cpu.smt",
                "memory.size",
                "os.kernel",
                "filesystem.type",
                "filesystem.options",
                "block.*.model",
                "block.*.firmware",
                "block.*.scheduler",
                "block.*.write_cache",
                "tool.*.version",
                "tool.*.sha256",
                "virtualization.role",
                "storage.target",
                "storage.fill",
            ],
            Self::None => &[],
        }
    }
}
