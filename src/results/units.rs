//! What was really repeated: jobs of one session, or in one boot of the guests, share whatever that was like, and are no
//! replicates of it.

use std::collections::BTreeMap;

use crate::attempt::Role;
use crate::digest::Digest;
use crate::manifest::guest::Reboot;
use crate::plan::{Job, Plan};
use crate::store::event::Event;
use crate::store::history::History;

/// The unit of each job that shares one with another job of its case, by the job's key.
///
/// `attempt` says which attempt counts.
pub(super) fn of(plan: &Plan, history: &History, attempt: impl Fn(&Digest) -> Option<u64>) -> BTreeMap<Digest, String> {
    let boots = if may_share_boots(plan) { boots(history) } else { BTreeMap::new() };
    let unit = |job: &Job| match job.session {
        Some(session) => Some(format!("session {session}")),
        None => boots.get(&(job.key, attempt(&job.key)?)).map(|boot| format!("boot {}", boot.short())),
    };
    let mut counts: BTreeMap<(usize, String), u64> = BTreeMap::new();
    for job in &plan.jobs {
        if let Some(unit) = unit(job) {
            *counts.entry((job.case, unit)).or_default() += 1;
        }
    }
    let is_shared = |job: &Job, unit: &String| counts.get(&(job.case, unit.clone())).is_some_and(|count| *count > 1);
    let shared = plan.jobs.iter().filter_map(|job| Some((job.key, unit(job).filter(|unit| is_shared(job, unit))?)));
    shared.collect()
}

/// Whether guests may be kept for the job that follows.
fn may_share_boots(plan: &Plan) -> bool {
    plan.cases.iter().filter_map(|case| case.guest.as_ref()).any(|spec| spec.reboot != Reboot::EachJob)
}

/// The boot that each attempt ran in. Earlier versions wrote it down once, for the job that began
/// it; those that followed in the run ran in it, too.
fn boots(history: &History) -> BTreeMap<(Digest, u64), Digest> {
    let mut found = BTreeMap::new();
    for (_, journal) in &history.runs {
        let mut last = None;
        for event in journal.events() {
            let Event::Finished(finished) = event else { continue };
            last = finished.objects.get(&Role::Boot.to_string()).map(|object| object.digest).or(last);
            found.extend(last.map(|boot| ((finished.job, finished.attempt), boot)));
        }
    }
    found
}
