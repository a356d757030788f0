//! What a journal says: one event a line.
//!
//! The stored form is versioned by [`JOURNAL_FORMAT`] in `genesis`. Times are for people; order comes from the chain.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::name::{Name, RunId};

/// The version of the stored form.
pub const JOURNAL_FORMAT: &str = "benchpaper/journal@1";

/// One thing that happened in a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// The first line: what this run is of.
    Genesis(Box<Genesis>),
    /// All that is to be done, as an object.
    Planned {
        /// The plan.
        plan: Digest,
        /// How many jobs of it this run will execute.
        jobs: u64,
    },
    /// The facts of the machine, as an object.
    Facts {
        /// When they were read.
        moment: Moment,
        /// The inventory.
        facts: Digest,
        /// The saved outputs that it was read from, by name, where the machine is not at hand.
        #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
        objects: BTreeMap<String, ObjectReference>,
    },
    /// What changed on the machine between start and end.
    Drift {
        /// One line a fact.
        changes: Vec<String>,
    },
    /// A device was prepared before the first job.
    Prepared {
        /// What was done: `fill test, pass 1 of 1`.
        what: String,
        /// How it ended.
        outcome: Outcome,
        /// Why, where it is not ok.
        #[serde(skip_serializing_if = "String::is_empty", default)]
        reason: String,
        /// What it printed, by role.
        objects: BTreeMap<String, ObjectReference>,
        /// How long it took, nanoseconds.
        duration_ns: u64,
    },
    /// A job begins; durable before a measuring process is spawned.
    Started {
        /// The job's key.
        job: Digest,
        /// From 1, counted over all runs.
        attempt: u64,
        /// Wall clock, nanoseconds since the epoch, as text.
        at_ns: String,
    },
    /// A job's attempt has ended.
    Finished(Box<Finished>),
    /// A file that was handed in and belongs to no case, or to several: nothing that was seen is dropped.
    Unmatched {
        /// Its name.
        name: String,
        /// Its bytes.
        object: ObjectReference,
        /// Why it was not used.
        reason: String,
    },
    /// A person says that a finished attempt is not to be used.
    Marked {
        /// The job's key.
        job: Digest,
        /// Which attempt.
        attempt: u64,
        /// Why.
        reason: String,
        /// Who says so.
        by: String,
    },
    /// The wall clock stepped back, or the machine was booted again.
    Disturbed {
        /// What happened.
        what: String,
    },
    /// An interrupted run is continued.
    Recovered {
        /// The digest of the bytes set aside.
        discarded: Digest,
        /// How many attempts had started and not ended.
        attempts: u64,
    },
    /// The run stopped before all was done.
    Interrupted {
        /// Why.
        reason: String,
    },
    /// Everything before this line is durable.
    Commit {
        /// How many lines it covers.
        count: u64,
        /// How many bytes of the pack belong to the record.
        pack_bytes: u64,
    },
    /// Nothing follows but the commit.
    Sealed {
        /// Jobs that this run finished well.
        ok: u64,
        /// Jobs that it did not.
        not_ok: u64,
    },
}

/// When facts were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Moment {
    /// Before the first job.
    Start,
    /// After the last job.
    End,
}

/// What a run is of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Genesis {
    /// [`JOURNAL_FORMAT`].
    pub format: String,
    /// This run.
    pub run: RunId,
    /// The experiment.
    pub experiment: Name,
    /// The profile, `default` where none was named.
    pub profile: String,
    /// The manifest's bytes, as an object.
    pub manifest: Digest,
    /// The lock's bytes, as an object.
    pub lock: Digest,
    /// The last known head of the previous run of the experiment.
    pub previous: Option<Previous>,
    /// Name and version of this program.
    pub program: String,
    /// RFC 3339.
    pub created: String,
    /// The boot of the machine.
    pub boot: String,
    /// The kind of machine the results belong to.
    pub environment: Environment,
    /// Differences between lock and machine that a person accepted: fact and reason.
    pub waivers: BTreeMap<String, String>,
    /// The commit of the inputs, where they were committed.
    pub commit: Option<String>,
    /// How its numbers came to be, where this program did not run the jobs.
    #[serde(skip_serializing_if = "Origin::is_measured", default)]
    pub origin: Origin,
    /// Where what was imported or copied came from, in words: a page, a document.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub sources: Vec<String>,
}

impl Origin {
    /// Whether this program ran the job.
    pub fn is_measured(&self) -> bool {
        *self == Self::Measured
    }

    /// The word printed.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Imported => "imported",
            Self::Transcribed => "transcribed",
            Self::Replayed => "replayed",
        }
    }
}

/// The head of an earlier run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Previous {
    /// Which run.
    pub run: RunId,
    /// Its chain.
    pub chain: String,
    /// Its length in bytes.
    pub length: u64,
}

/// The kind of machine that was measured. Results of two kinds are never compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Environment {
    /// A machine, or a guest with hardware virtualisation.
    Hardware,
    /// Software emulation.
    Emulated,
    /// Emulation that counts instructions; replicates are byte-identical.
    VirtualExact,
    /// Not known.
    Unknown,
}

impl Environment {
    /// The word printed.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Hardware => "hardware",
            Self::Emulated => "emulated",
            Self::VirtualExact => "virtual-exact",
            Self::Unknown => "unknown",
        }
    }
}

/// How a number came to be.
#[derive(Default, Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// By a job that this program ran.
    #[default]
    Measured,
    /// From a file that somebody else made.
    Imported,
    /// Copied by a person.
    Transcribed,
    /// From a recorded run.
    Replayed,
}

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It may be used.
    Ok,
    /// The program failed, or what it printed can not be read.
    Failed,
    /// It took longer than it may.
    Timeout,
    /// It measured nothing that says something.
    Invalid,
    /// An input changed while it ran.
    Tainted,
    /// The run was stopped.
    Interrupted,
}

impl Outcome {
    /// The word printed.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed => "failed",
            Self::Timeout => "timeout",
            Self::Invalid => "invalid",
            Self::Tainted => "tainted",
            Self::Interrupted => "interrupted",
        }
    }
}

/// The end of an attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finished {
    /// The job's key.
    pub job: Digest,
    /// The case it belongs to.
    pub case: Digest,
    /// From 1.
    pub replicate: u64,
    /// From 1, counted over all runs.
    pub attempt: u64,
    /// How it ended.
    pub outcome: Outcome,
    /// Why, where it is not ok; remarks otherwise.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub reason: String,
    /// What it wrote, by role: `stdout`, `stderr`, `file/…`.
    pub objects: BTreeMap<String, ObjectReference>,
    /// How long it took, nanoseconds.
    pub duration_ns: u64,
    /// How the numbers came to be.
    pub origin: Origin,
    /// The name of the file that was imported; missing in journals of 0.1.0, which have it in `reason` only.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub name: Option<String>,
}

impl Finished {
    /// The name of the file that was imported, where it was.
    pub fn given_name(&self) -> Option<&str> {
        if self.origin.is_measured() {
            return None;
        }
        Some(self.name.as_deref().unwrap_or_else(|| self.reason.trim_start_matches("from ")))
    }
}

/// An object and its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObjectReference {
    /// Its digest.
    pub digest: Digest,
    /// Its length in bytes.
    pub bytes: u64,
}
