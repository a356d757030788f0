//! From journals and raw objects to results.

mod differences;
mod record;

use super::{CaseResults, FORMAT, GivenFile, MetricSamples, Results, RunRecord, Sample};
use crate::attempt::{Output, Role};
use crate::digest::Digest;
use crate::measurement::{Measurement, Reading, Status};
use crate::plan::{Case, Job, Plan};
use crate::store::event::{Event, Finished, Outcome};
use crate::store::history::History;
use crate::store::{Reader, StoreError};
use std::collections::{BTreeMap, BTreeSet};

use differences::{guest_differences, guest_facts, hidden_differences, inventories};
use record::{attempts, run_record, used_files, used_runs};

/// A result that can not be read, for its object is gone or is not what was written.
#[derive(Debug)]
pub struct Damaged {
    /// The case, by its place in the plan.
    pub case: usize,
    /// From 1.
    pub replicate: u64,
    /// What is wrong.
    pub error: StoreError,
}

/// Reads the results of a plan out of the record; the first that is damaged is the error.
pub fn collect(plan: &Plan, history: &History, reader: &Reader<'_>, processors: usize) -> Result<Results, StoreError> {
    let (results, damaged) = collect_undamaged(plan, history, reader, processors)?;
    damaged.into_iter().next().map_or(Ok(results), |damaged| Err(damaged.error))
}

/// Reads the results that can be read, and says which can not.
pub fn collect_undamaged(
    plan: &Plan,
    history: &History,
    reader: &Reader<'_>,
    processors: usize,
) -> Result<(Results, Vec<Damaged>), StoreError> {
    let chosen = choose(history);
    let units = super::units::of(plan, history, |job| chosen.get(job).map(|chosen| chosen.finished.attempt));
    let of_job = |job: &Job| OfJob { case: job.case, replicate: job.replicate, chosen: chosen.get(&job.key) };
    let jobs: Vec<OfJob<'_>> = plan.jobs.iter().map(of_job).collect();
    let readings = read_all(plan, &jobs, reader, processors);
    let mut damaged = vec![];
    let mut cases: Vec<CaseResults> =
        plan.cases.iter().map(|case| CaseResults { case: case.clone(), metrics: vec![] }).collect();
    let mut given: BTreeMap<(usize, Digest), GivenFile> = BTreeMap::new();
    for (OfJob { case, replicate, chosen }, reading) in jobs.iter().zip(readings) {
        let reading = reading.unwrap_or_else(|error| {
            damaged.push(Damaged { case: *case, replicate: *replicate, error });
            None
        });
        if let (Some(chosen), Some((object, reading))) = (chosen, reading) {
            if !chosen.finished.origin.is_measured() {
                given.entry((chosen.run, object)).or_insert_with(|| given_file(chosen, object, &reading)).jobs += 1;
            }
            let unit = units.get(&chosen.finished.job).cloned();
            add(&mut cases[*case], (*replicate, unit), chosen, (object, reading));
        }
    }
    for samples in cases.iter_mut().flat_map(|case| &mut case.metrics) {
        samples.samples.sort_by_key(|sample| sample.replicate);
    }
    let attempts = attempts(plan, history);
    let missing = jobs.iter().filter(|job| job.chosen.is_none()).count() as u64;
    let used: Vec<usize> = used_runs(&cases, history);
    let inventories = inventories(history, reader)?;
    let used_files = used_files(history);
    let mut runs: Vec<RunRecord> =
        history.runs.iter().map(|(run, journal)| run_record(run.as_str(), journal, &used_files)).collect();
    differences::Orders { plan, history, chosen: &chosen, reader }.note(&used, &mut runs)?;
    let hidden = hidden_differences(&used, &inventories, &mut runs);
    let results = Results {
        format: FORMAT.to_owned(),
        settings: plan.settings.clone(),
        cases,
        runs,
        not_ok: attempts.not_ok,
        attempts: attempts.count,
        other_attempts: attempts.other,
        other_not_ok: attempts.other_not_ok,
        missing,
        facts: used.last().and_then(|run| inventories.get(run).cloned()).unwrap_or_default(),
        guest_facts: guest_facts(&jobs, reader)?,
        given: given.into_values().collect::<BTreeSet<GivenFile>>().into_iter().collect(),
        hidden_differences: [hidden, guest_differences(plan, &jobs, reader)?].concat(),
    };
    Ok((results, damaged))
}

/// A job of the plan, and the attempt that counts for it.
struct OfJob<'a> {
    /// The case, by its place in the plan.
    case: usize,
    /// From 1.
    replicate: u64,
    chosen: Option<&'a Chosen<'a>>,
}

/// The attempt that counts for a job.
struct Chosen<'a> {
    run: usize,
    finished: &'a Finished,
}

/// The first usable attempt of each job, in the order of the chain.
fn choose(history: &History) -> BTreeMap<Digest, Chosen<'_>> {
    let mut marked = BTreeSet::new();
    for event in history.runs.iter().flat_map(|(_, journal)| journal.events()) {
        if let Event::Marked { job, attempt, .. } = event {
            marked.insert((*job, *attempt));
        }
    }
    let mut chosen = BTreeMap::new();
    for (run, (_, journal)) in history.runs.iter().enumerate() {
        for event in journal.events() {
            if let Event::Finished(finished) = event
                && finished.outcome == Outcome::Ok
                && !marked.contains(&(finished.job, finished.attempt))
            {
                chosen.entry(finished.job).or_insert(Chosen { run, finished });
            }
        }
    }
    chosen
}

type Read = Option<(Digest, Reading)>;

/// Reads the chosen objects, on all processors; the order is that of the jobs.
fn read_all(plan: &Plan, jobs: &[OfJob<'_>], reader: &Reader<'_>, processors: usize) -> Vec<Result<Read, StoreError>> {
    let one = |job: &OfJob<'_>| match job.chosen {
        Some(chosen) => read_one(&plan.cases[job.case], chosen.finished, reader),
        None => Ok(None),
    };
    let size = jobs.len().div_ceil(processors.max(1)).max(1);
    if jobs.len() < 64 || processors < 2 {
        return jobs.iter().map(one).collect();
    }
    std::thread::scope(|scope| {
        let workers: Vec<_> =
            jobs.chunks(size).map(|chunk| scope.spawn(move || chunk.iter().map(one).collect::<Vec<_>>())).collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

fn read_one(case: &Case, finished: &Finished, reader: &Reader<'_>) -> Result<Read, StoreError> {
    let Some(stdout) = finished.objects.get(&Role::Stdout.to_string()) else { return Ok(None) };
    let Some(output) = Output::of_finished(case, finished, reader)? else { return Ok(None) };
    if finished.origin.is_measured() && output.contradicts(case) {
        let detail = format!("it says that it was made with other settings than those of {}", case.label());
        return Err(StoreError::integrity(format!("object {}", stdout.digest), detail));
    }
    let reading = output.read(case).filter(|reading| reading.status == Status::Ok);
    Ok(reading.map(|reading| (stdout.digest, reading)))
}

/// A file as the record names it.
fn given_file(chosen: &Chosen<'_>, object: Digest, reading: &Reading) -> GivenFile {
    let name = chosen.finished.given_name().unwrap_or_default().to_owned();
    let tool = format!("{} {}", reading.tool, reading.tool_version).trim().to_owned();
    GivenFile { name, object, tool, run: chosen.run, jobs: 0 }
}

/// Whether a measurement is a result: a total, or what a command's rule found.
fn is_result(measurement: &Measurement) -> bool {
    measurement.labels.is_result()
}

fn add(
    case: &mut CaseResults,
    (replicate, unit): (u64, Option<String>),
    chosen: &Chosen<'_>,
    (object, reading): (Digest, Reading),
) {
    for measurement in reading.measurements.into_iter().filter(is_result) {
        let sample = Sample {
            replicate,
            value: measurement.value,
            object,
            files: files_of(&measurement.pointer, chosen.finished),
            pointer: measurement.pointer,
            job: chosen.finished.job,
            run: chosen.run,
            unit: unit.clone(),
            origin: chosen.finished.origin,
            printed: measurement.printed.map(String::from).filter(|_| !chosen.finished.origin.is_measured()),
        };
        match case.metrics.iter_mut().find(|samples| samples.metric == measurement.metric) {
            Some(samples) => samples.samples.push(sample),
            None => case.metrics.push(MetricSamples {
                metric: measurement.metric,
                unit: measurement.unit.to_owned(),
                samples: vec![sample],
            }),
        }
    }
}

/// The files that a place names, with their digests.
fn files_of(pointer: &str, finished: &Finished) -> BTreeMap<String, Digest> {
    let names = pointer.split(' ').filter(|place| matches!(Role::parse(place), Role::File(_)));
    names.filter_map(|name| Some((name.to_owned(), finished.objects.get(name)?.digest))).collect()
}
