//! A workload as its tool understands it: the settings, parsed once and handed on.
//!
//! What is stored and hashed is a JSON value ([`Settings`]); what runs, reads and describes a job is a [`Workload`].

use std::fmt;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{LaunchPlan, Outputs, Timing, Topology, find, manual};
use crate::measurement::{Metric, Reading};

/// The settings of a workload, parsed by their tool.
///
/// What is not said here is what most programs say that a person runs.
pub trait Workload: Send + Sync {
    /// The programs that it starts.
    fn programs(&self) -> Vec<String> {
        vec![]
    }
    /// The files beside the manifest that it uses, by name.
    fn input_files(&self) -> Vec<String> {
        vec![]
    }
    /// Whether the job measures, so that nothing may disturb it.
    fn is_measuring(&self) -> bool {
        true
    }
    /// What is started; `Err` says why these settings cannot be launched.
    fn launch(&self, timing: Timing) -> Result<LaunchPlan, String>;
    /// How it is started in so many guests; `Err` says why it cannot be.
    fn launches(&self, timing: Timing, guests: u64) -> Result<Topology, String> {
        let alone = self.launch(timing)?;
        if guests == 1 { Ok(Topology::Alone(alone)) } else { Err(format!("it can not run in {guests} guests at once")) }
    }
    /// What a person does to run it, one step a line.
    fn steps(&self, timing: Timing) -> Vec<String> {
        self.launch(timing).map(|launch| manual::steps_of(&launch)).unwrap_or_default()
    }
    /// What it says of the load, by role: `block_size` in bytes, `outstanding` operations of one client.
    fn load(&self) -> Vec<(&'static str, u64)> {
        vec![]
    }
    /// Reads what came out: the rows that these settings choose are its results.
    fn read(&self, outputs: Outputs<'_>) -> Reading;
    /// Whether an output was made with these settings, as far as it says; `None` where it does not say.
    fn was_made_with(&self, _: Outputs<'_>) -> Option<bool> {
        None
    }
    /// The metrics that count as results, the most telling first.
    fn metrics(&self) -> Vec<Metric>;
    /// The settings for a table of the paper: name and value, defaults included.
    fn describe(&self) -> Vec<(String, String)>;
}

/// The settings of a workload as they are stored and hashed; parsed at most once.
#[derive(Clone, Default)]
pub struct Settings {
    stored: serde_json::Value,
    parsed: OnceLock<Option<Arc<dyn Workload>>>,
}

impl Settings {
    /// As they are stored.
    pub fn stored(&self) -> &serde_json::Value {
        &self.stored
    }

    /// As the tool of this name understands them; none where there is no such tool, or it cannot read them.
    pub fn workload(&self, tool: &str) -> Option<&dyn Workload> {
        let parse =
            || find(tool)?.workload(&self.stored).unwrap_or_else(|| manual::workload(find(tool)?, &self.stored));
        self.parsed.get_or_init(parse).as_deref()
    }
}

impl From<serde_json::Value> for Settings {
    fn from(stored: serde_json::Value) -> Self {
        Self { stored, parsed: OnceLock::new() }
    }
}

impl PartialEq for Settings {
    fn eq(&self, other: &Self) -> bool {
        self.stored == other.stored
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.stored.fmt(formatter)
    }
}

impl Serialize for Settings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.stored.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Settings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(serde_json::Value::deserialize(deserializer)?.into())
    }
}

/// What a tool makes of stored settings: its own type, or none where they are not of its form.
pub(super) fn parsed<'a, T>(stored: &'a serde_json::Value) -> Option<Arc<dyn Workload>>
where
    T: Workload + Deserialize<'a> + 'static,
{
    T::deserialize(stored).ok().map(|workload| Arc::new(workload) as Arc<dyn Workload>)
}
