//! What readers of a result always ask, and what an output answers.
//!
//! An answer comes from the file itself. What it does not say is not guessed: the question stays open.

use std::collections::BTreeMap;

/// A question that every reader asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Question {
    /// The exact command or job file.
    Command,
    /// What was read and written: file, device, drive.
    Target,
    /// File system and storage below it.
    Storage,
    /// Caches of the host, the guest and the disk.
    Cache,
    /// Whether the page cache was passed by.
    Direct,
    /// Whether writes were made durable.
    Sync,
    /// The access pattern and its mix.
    Access,
    /// The size of one operation.
    BlockSize,
    /// Operations in flight: depth and jobs.
    Concurrency,
    /// How much data was touched, against memory.
    WorkingSet,
    /// Time before it counts.
    Ramp,
    /// Time asked for, and time measured.
    Duration,
    /// How often it was run, and what was printed of that.
    Passes,
    /// What the data was made of.
    Compressibility,
    /// The drive's model.
    Drive,
    /// Limits on the rate.
    Limit,
    /// The operating system and its kernel.
    System,
    /// The hypervisor.
    Hypervisor,
    /// The processors.
    Processor,
    /// The memory.
    Memory,
    /// When it was run.
    Date,
}

impl Question {
    /// All of them, in the order in which they are answered.
    pub const ALL: &[Self] = &[
        Self::Command,
        Self::Target,
        Self::Storage,
        Self::Drive,
        Self::Cache,
        Self::Direct,
        Self::Sync,
        Self::Access,
        Self::BlockSize,
        Self::Concurrency,
        Self::WorkingSet,
        Self::Compressibility,
        Self::Limit,
        Self::Ramp,
        Self::Duration,
        Self::Passes,
        Self::System,
        Self::Hypervisor,
        Self::Processor,
        Self::Memory,
        Self::Date,
    ];

    /// The question in a word or three.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Target => "target",
            Self::Storage => "storage below",
            Self::Cache => "cache mode",
            Self::Direct => "direct",
            Self::Sync => "sync",
            Self::Access => "access",
            Self::BlockSize => "block size",
            Self::Concurrency => "in flight",
            Self::WorkingSet => "working set",
            Self::Ramp => "ramp",
            Self::Duration => "duration",
            Self::Passes => "runs",
            Self::Compressibility => "data",
            Self::Drive => "drive",
            Self::Limit => "rate limit",
            Self::System => "system",
            Self::Hypervisor => "hypervisor",
            Self::Processor => "processor",
            Self::Memory => "memory",
            Self::Date => "date",
        }
    }
}

/// What an output answers.
pub type Answers = BTreeMap<Question, String>;
