//! How the journal of a run begins: its genesis, the plan and the facts at its start.

use std::collections::BTreeMap;

use crate::inventory::Inventory;
use crate::os::{Os, timestamp};
use crate::plan::Plan;
use crate::store::event::{Environment, Event, Genesis, JOURNAL_FORMAT, Moment, ObjectReference, Origin, Previous};
use crate::store::{Layout, NewRun, StoreError, Writer};

/// What a run begins with.
pub struct Start<'a> {
    /// What is to be measured, or was.
    pub plan: &'a Plan,
    /// The bytes of the manifest.
    pub manifest: &'a [u8],
    /// The bytes of the lock.
    pub lock: &'a [u8],
    /// The head of the run before.
    pub previous: Option<Previous>,
    /// The boot of the machine that is measured; `unknown` where it does not say.
    pub boot: String,
    /// What the results are of.
    pub environment: Environment,
    /// Differences between lock and machine that a person accepted: fact and reason.
    pub waivers: BTreeMap<String, String>,
    /// The commit of the inputs.
    pub commit: Option<String>,
    /// How the numbers came to be.
    pub origin: Origin,
    /// Where they came from, in words.
    pub sources: Vec<String>,
}

impl Start<'_> {
    /// Begins the journal of a new run.
    pub fn begin<'w>(&self, os: &'w dyn Os, layout: &Layout) -> Result<Writer<'w>, StoreError> {
        let genesis = |run, manifest, lock| Genesis {
            format: JOURNAL_FORMAT.to_owned(),
            run,
            experiment: self.plan.experiment.clone(),
            profile: self.plan.settings.profile.clone(),
            manifest,
            lock,
            previous: self.previous.clone(),
            program: concat!("benchpaper ", env!("CARGO_PKG_VERSION")).to_owned(),
            created: timestamp(os.now_ns()),
            boot: self.boot.clone(),
            environment: self.environment,
            waivers: self.waivers.clone(),
            commit: self.commit.clone(),
            origin: self.origin,
            sources: self.sources.clone(),
        };
        Writer::begin(os, layout, &NewRun { manifest: self.manifest, lock: self.lock, genesis: &genesis })
    }
}

impl Start<'_> {
    /// Records what is to be done: the plan, and how many jobs of it.
    pub fn record_plan(writer: &mut Writer<'_>, plan: &Plan, jobs: usize) -> Result<(), StoreError> {
        let plan = writer.put(&serde_json::to_vec(plan)?)?.digest;
        writer.record(&Event::Planned { plan, jobs: jobs as u64 })
    }

    /// Records the facts of the machine at a moment, with the saved outputs that they were read from.
    pub fn record_facts(
        writer: &mut Writer<'_>,
        moment: Moment,
        inventory: &Inventory,
        objects: BTreeMap<String, ObjectReference>,
    ) -> Result<(), StoreError> {
        let facts = writer.put(&serde_json::to_vec(inventory)?)?.digest;
        writer.record(&Event::Facts { moment, facts, objects })
    }
}
