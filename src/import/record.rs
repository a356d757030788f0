//! Files that were assigned become attempts: one run for each kind of environment.

use super::{Assignment, File};
use crate::attempt::{Output, Role, Start};
use crate::digest::Digest;
use crate::inventory::{Fact, Inventory};
use crate::manifest::Experiment;
use crate::measurement::{Reading, Status};
use crate::name::RunId;
use crate::os::Os;
use crate::plan::Plan;
use crate::store::event::{Environment, Event, Finished, Moment, ObjectReference, Origin, Outcome, Previous};
use crate::store::{Layout, StoreError, Writer};
use std::collections::BTreeMap;

/// What a run of imported files needs.
pub struct Request<'a> {
    /// The machine.
    pub os: &'a dyn Os,
    /// The store.
    pub layout: &'a Layout,
    /// The manifest.
    pub experiment: &'a Experiment,
    /// The bytes of manifest and lock.
    pub inputs: (&'a [u8], &'a [u8]),
    /// What was asked for.
    pub plan: &'a Plan,
    /// The files.
    pub files: &'a [File],
    /// How the numbers came to be.
    pub origin: Origin,
    /// Where they came from, in words.
    pub sources: &'a [String],
    /// Pictures and pages that they were copied from.
    pub pictures: &'a [File],
    /// Saved outputs that facts of the machine were read from.
    pub evidence: &'a [File],
    /// How many attempts each job has had.
    pub attempts: BTreeMap<Digest, u64>,
    /// The head of the run before.
    pub previous: Option<Previous>,
    /// The commit of the inputs.
    pub commit: Option<String>,
}

/// One attempt as it was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// The file.
    pub file: usize,
    /// The job.
    pub job: usize,
    /// How it counts.
    pub outcome: Outcome,
    /// Why, where it is not ok.
    pub reason: String,
}

/// Records what was assigned: a run for each kind of environment, in the order of the files.
pub fn record(mut request: Request<'_>, assignment: &Assignment) -> Result<(Vec<RunId>, Vec<Recorded>), StoreError> {
    let environment_of = |job: usize| {
        let case = &request.plan.cases[request.plan.jobs[job].case];
        case.manual.as_ref().map_or(Environment::Unknown, |manual| manual.environment)
    };
    let mut by_environment: BTreeMap<Environment, Vec<(usize, usize)>> = BTreeMap::new();
    for (file, jobs) in &assignment.matched {
        for job in jobs {
            by_environment.entry(environment_of(*job)).or_default().push((*file, *job));
        }
    }
    if by_environment.is_empty() && !assignment.unmatched.is_empty() {
        by_environment.insert(request.experiment.environment(), vec![]);
    }
    let (mut runs, mut recorded) = (vec![], vec![]);
    for (number, (environment, pairs)) in by_environment.into_iter().enumerate() {
        let unmatched = if number == 0 { assignment.unmatched.as_slice() } else { &[] };
        let (run, head) = record_run(&mut request, environment, (&pairs, unmatched), &mut recorded)?;
        request.previous = Some(Previous { run: run.clone(), chain: head.0.hex(), length: head.1 });
        runs.push(run);
    }
    Ok((runs, recorded))
}

pub(super) type Parts<'a> = (&'a [(usize, usize)], &'a [(usize, String)]);

pub(super) fn record_run(
    request: &mut Request<'_>,
    environment: Environment,
    (pairs, unmatched): Parts<'_>,
    recorded: &mut Vec<Recorded>,
) -> Result<(RunId, (Digest, u64)), StoreError> {
    let start = Start {
        plan: request.plan,
        manifest: request.inputs.0,
        lock: request.inputs.1,
        previous: request.previous.clone(),
        boot: "unknown".to_owned(),
        environment,
        waivers: BTreeMap::new(),
        commit: request.commit.clone(),
        origin: request.origin,
        sources: request.sources.to_vec(),
    };
    let mut writer = start.begin(request.os, request.layout)?;
    let run = writer.run().clone();
    Start::record_plan(&mut writer, request.plan, pairs.len())?;
    record_facts(request, &mut writer)?;
    for (file, reason) in unmatched {
        let file = &request.files[*file];
        let object = writer.put(&file.bytes)?;
        writer.record(&Event::Unmatched { name: file.name.clone(), object, reason: reason.clone() })?;
    }
    let (mut ok, mut not_ok) = (0, 0);
    for (file, job) in pairs {
        let outcome = record_job(request, (*file, *job), &mut writer)?;
        if outcome.outcome == Outcome::Ok {
            ok += 1
        } else {
            not_ok += 1
        }
        recorded.push(outcome);
        if writer.is_commit_due() {
            writer.commit()?;
        }
    }
    let head = writer.seal(ok, not_ok)?;
    let length = crate::store::read_journal(request.os, request.layout, &run)?.length;
    Ok((run, (head, length)))
}

/// The facts that the manifest has of a machine which is not at hand, with the outputs they were read from.
pub(super) fn record_facts(request: &Request<'_>, writer: &mut Writer<'_>) -> Result<(), StoreError> {
    let inventory = facts(request.experiment);
    if inventory.0.is_empty() {
        return Ok(());
    }
    let mut objects = BTreeMap::new();
    for file in request.evidence {
        objects.insert(file.name.clone(), writer.put(&file.bytes)?);
    }
    Start::record_facts(writer, Moment::Start, &inventory, objects)
}

/// The facts that the manifest has of the system under test.
pub fn facts(experiment: &Experiment) -> Inventory {
    let Some(sut) = experiment.sut() else { return Inventory::default() };
    let facts = sut.facts.iter().map(|(path, fact)| (path.value.to_string(), Fact::Measured(fact.measured.clone())));
    Inventory(facts.collect())
}

pub(super) fn record_job(
    request: &mut Request<'_>,
    (file, job): (usize, usize),
    writer: &mut Writer<'_>,
) -> Result<Recorded, StoreError> {
    let (given, planned) = (&request.files[file], &request.plan.jobs[job]);
    let case = &request.plan.cases[planned.case];
    let attempt = request.attempts.entry(planned.key).or_default();
    *attempt += 1;
    let attempt = *attempt;
    let at_ns = request.os.now_ns().to_string();
    writer.record(&Event::Started { job: planned.key, attempt, at_ns })?;
    let mut objects: BTreeMap<String, ObjectReference> = BTreeMap::new();
    objects.insert(Role::Stdout.to_string(), writer.put(&given.bytes)?);
    for picture in request.pictures {
        objects.insert(Role::Source(picture.name.clone()).to_string(), writer.put(&picture.bytes)?);
    }
    let (outcome, reason) = judged(request.plan, job, given);
    let shown =
        if reason.is_empty() { format!("from {}", given.name) } else { format!("from {}: {reason}", given.name) };
    writer.record(&Event::Finished(Box::new(Finished {
        job: planned.key,
        case: case.digest,
        replicate: planned.replicate,
        attempt,
        outcome,
        reason: shown,
        objects,
        duration_ns: 0,
        origin: request.origin,
        name: Some(given.name.clone()),
    })))?;
    Ok(Recorded { file, job, outcome, reason })
}

/// How a file would count for a job.
pub fn judged(plan: &Plan, job: usize, file: &File) -> (Outcome, String) {
    let case = &plan.cases[plan.jobs[job].case];
    judge(Output::of_file(&file.name, &file.bytes).read(case))
}

/// How a reading counts.
pub(super) fn judge(reading: Option<Reading>) -> (Outcome, String) {
    let Some(reading) = reading else { return (Outcome::Failed, "no tool reads it".to_owned()) };
    let reason = reading.reason();
    match reading.status {
        Status::Failed => (Outcome::Failed, reason),
        Status::Invalid => (Outcome::Invalid, reason),
        Status::Ok if !reading.measurements.iter().any(|one| one.labels.is_result()) => {
            (Outcome::Invalid, "it holds several rows, and `select` in the workload names none of them".to_owned())
        }
        Status::Ok => (Outcome::Ok, reason),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_nothing_selects_are_no_result() {
        let mut reading = Reading::new("x");
        let labels = std::sync::Arc::new(crate::measurement::Labels::new());
        reading.measure(&labels, ("iops", 1.0), String::new());
        assert_eq!(judge(Some(reading)).0, Outcome::Invalid);
        assert_eq!(judge(None).0, Outcome::Failed);
    }
}
