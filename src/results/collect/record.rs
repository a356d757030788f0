//! What the record says of runs and attempts.

use super::super::{AttemptRecord, CaseResults, RunRecord};
use crate::attempt::Role;
use crate::digest::Digest;
use crate::plan::Plan;
use crate::store::Journal;
use crate::store::event::{Event, Outcome};
use crate::store::history::History;
use std::collections::{BTreeMap, BTreeSet};

/// What the record says of attempts.
#[derive(Default)]
pub(super) struct Attempts {
    pub(super) count: u64,
    pub(super) not_ok: Vec<AttemptRecord>,
    pub(super) other: u64,
    pub(super) other_not_ok: u64,
}

/// Attempts at the plan's jobs, those of them that are not ok, and attempts at other jobs.
pub(super) fn attempts(plan: &Plan, history: &History) -> Attempts {
    let jobs: BTreeMap<Digest, (usize, u64)> =
        plan.jobs.iter().map(|job| (job.key, (job.case, job.replicate))).collect();
    let mut found = Attempts::default();
    let mut record = |job: &Digest, attempt: u64, outcome: Outcome, reason: String| {
        if let Some((case, replicate)) = jobs.get(job) {
            let case = plan.cases[*case].label();
            found.not_ok.push(AttemptRecord { case, replicate: *replicate, attempt, outcome, reason });
        } else {
            found.other_not_ok += 1;
        }
    };
    let mut started = vec![];
    for (_, journal) in &history.runs {
        let mut open: BTreeSet<(Digest, u64)> = Default::default();
        for event in journal.events() {
            match event {
                Event::Started { job, attempt, .. } => {
                    started.push(*job);
                    open.insert((*job, *attempt));
                }
                Event::Finished(finished) => {
                    open.remove(&(finished.job, finished.attempt));
                    if finished.outcome != Outcome::Ok {
                        record(&finished.job, finished.attempt, finished.outcome, finished.reason.clone());
                    }
                }
                Event::Marked { job, attempt, reason, by } => {
                    record(job, *attempt, Outcome::Invalid, format!("marked by {by}: {reason}"));
                }
                _ => {}
            }
        }
        for (job, attempt) in open {
            record(&job, attempt, Outcome::Interrupted, "it was started and never ended".to_owned());
        }
    }
    found.count = started.iter().filter(|job| jobs.contains_key(*job)).count() as u64;
    found.other = started.len() as u64 - found.count;
    found
}

/// The bytes that any attempt was given, as an output or as what it was copied from.
pub(super) fn used_files(history: &History) -> BTreeSet<Digest> {
    let events = history.runs.iter().flat_map(|(_, journal)| journal.events());
    let objects = events.filter_map(|event| match event {
        Event::Finished(finished) => Some(finished.objects.iter()),
        _ => None,
    });
    let is_given = |role: &str| matches!(Role::parse(role), Role::Stdout | Role::Source(_));
    objects.flatten().filter(|(role, _)| is_given(role)).map(|(_, object)| object.digest).collect()
}

pub(super) fn run_record(run: &str, journal: &Journal, used: &BTreeSet<Digest>) -> RunRecord {
    let genesis = journal.genesis();
    let mut record = RunRecord {
        run: run.to_owned(),
        profile: genesis.map_or_else(String::new, |genesis| genesis.profile.clone()),
        chain: journal.chain.hex(),
        length: journal.length,
        created: genesis.map_or_else(String::new, |genesis| genesis.created.clone()),
        program: genesis.map_or_else(String::new, |genesis| genesis.program.clone()),
        environment: genesis.map_or(crate::store::event::Environment::Unknown, |genesis| genesis.environment),
        is_sealed: journal.is_sealed,
        recoveries: 0,
        outcomes: BTreeMap::new(),
        waivers: genesis.map(|genesis| genesis.waivers.clone()).unwrap_or_default(),
        origin: genesis.map(|genesis| genesis.origin).unwrap_or_default(),
        sources: genesis.map(|genesis| genesis.sources.clone()).unwrap_or_default(),
        unmatched: vec![],
        differs: vec![],
        remarks: vec![],
        preparations: vec![],
    };
    for event in journal.events() {
        match event {
            Event::Finished(finished) => *record.outcomes.entry(finished.outcome.word().to_owned()).or_default() += 1,
            // what was of no use at first may have been given again
            Event::Unmatched { object, .. } if used.contains(&object.digest) => {}
            Event::Unmatched { name, reason, .. } => record.unmatched.push(format!("{name}: {reason}")),
            Event::Recovered { .. } => record.recoveries += 1,
            Event::Drift { changes } => record.remarks.extend(changes.iter().cloned()),
            Event::Disturbed { what } => record.remarks.push(what.clone()),
            Event::Prepared { what, outcome, .. } => record.preparations.push(format!("{what}: {}", outcome.word())),
            _ => {}
        }
    }
    record
}

/// The runs that gave values, in order: those that this program made, or, where it made none, those that were imported. A
/// machine that others measured on is not this one.
pub(super) fn used_runs(cases: &[CaseResults], history: &History) -> Vec<usize> {
    let samples = cases.iter().flat_map(|case| &case.metrics).flat_map(|metric| &metric.samples);
    let used: BTreeSet<usize> = samples.map(|sample| sample.run).collect();
    let is_ours = |run: &usize| {
        let genesis = history.runs.get(*run).and_then(|(_, journal)| journal.genesis());
        genesis.is_none_or(|genesis| genesis.origin.is_measured())
    };
    let ours: Vec<usize> = used.iter().copied().filter(is_ours).collect();
    if ours.is_empty() { used.into_iter().collect() } else { ours }
}
