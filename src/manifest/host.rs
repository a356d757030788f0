//! Machines, how they are reached, and their devices.

use super::node::Node;
use super::shape;
use super::shape::{Map, OneOrMany, Problems, Shape, Size, Spanned, record, words};
use crate::place;

record! {
    /// A machine of the laboratory.
    pub struct Host {
        /// What it is for: controller, sut, load-generator or target.
        role: OneOrMany<Role>,
        /// How it is reached.
        access: Spanned<Access>,
        /// What must hold where it runs, such as `cpu.cores: ">= 2"`.
        require: Map<Spanned<String>>,
        /// Facts that nobody can read from the machine, as the authors state them.
        declared: Map<String>,
        /// Facts of a machine that is not at hand, from what its programs printed: `inventory --from` writes them.
        facts: Map<HostFact>,
        /// The test files by name; a workload's `device` names one.
        devices: Map<Device>,
    }
}

record! {
    /// A fact that was read from a saved output.
    pub struct HostFact {
        /// The value.
        measured: String,
        /// The digest of the output it was read from.
        object: Spanned<String>,
        /// The name of the saved output.
        file: Option<String>,
    }
}

record! {
    /// A file under the scratch folder that is measured as a device.
    pub struct Device {
        /// How large it is.
        size: Spanned<Size>,
    }
}

words! {
    /// What a machine is for.
    pub enum Role {
        /// Runs benchpaper.
        Controller = "controller",
        /// The system under test.
        Sut = "sut",
        /// Makes the load.
        LoadGenerator = "load-generator",
        /// Holds the storage.
        Target = "target",
    }
}

/// How a machine is reached: a word of [`place::ACCESSES`], or [`NO_ACCESS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access(&'static str);

/// The word of a machine that cannot be reached: people run the jobs on it, and their results are imported.
pub const NO_ACCESS: &str = "none";

impl Access {
    /// As written.
    pub const fn word(self) -> &'static str {
        self.0
    }

    pub(super) fn words() -> Vec<(&'static str, Self)> {
        let words = place::ACCESSES.iter().map(|access| access.word).chain([NO_ACCESS]);
        words.map(|word| (word, Self(word))).collect()
    }
}

impl Shape for Access {
    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        shape::decode_word(node, &Self::words(), problems)
    }

    fn schema() -> serde_json::Value {
        let words: Vec<&str> = Self::words().into_iter().map(|(word, _)| word).collect();
        serde_json::json!({"enum": words})
    }
}
