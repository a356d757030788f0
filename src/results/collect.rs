//! From journals and raw objects to results.

use std::collections::{BTreeMap, BTreeSet};

use super::{AttemptRecord, CaseResults, FORMAT, GivenFile, MetricSamples, Results, RunRecord, Sample};
use crate::digest::Digest;
use crate::inventory::Inventory;
use crate::measurement::{Measurement, Reading, Status};
use crate::plan::{Case, Plan};
use crate::store::event::{Event, Finished, Moment, Outcome};
use crate::store::history::History;
use crate::store::{Journal, Reader, StoreError};
use crate::tool::{self, Outputs};

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
    let jobs: Vec<(usize, u64, Option<&Chosen<'_>>)> =
        plan.jobs.iter().map(|job| (job.case, job.replicate, chosen.get(&job.key))).collect();
    let readings = read_all(plan, &jobs, reader, processors);
    let mut damaged = vec![];
    let mut cases: Vec<CaseResults> =
        plan.cases.iter().map(|case| CaseResults { case: case.clone(), metrics: vec![] }).collect();
    let mut given: BTreeMap<(usize, Digest), GivenFile> = BTreeMap::new();
    for ((case, replicate, chosen), reading) in jobs.iter().zip(readings) {
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
    let missing = jobs.iter().filter(|(_, _, chosen)| chosen.is_none()).count() as u64;
    let used: Vec<usize> = used_runs(&cases, history);
    let inventories = inventories(history, reader)?;
    let used_files = used_files(history);
    let mut runs: Vec<RunRecord> =
        history.runs.iter().map(|(run, journal)| run_record(run.as_str(), journal, &used_files)).collect();
    note_other_orders(plan, history, (&used, &chosen, reader), &mut runs)?;
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
fn read_all(
    plan: &Plan,
    jobs: &[(usize, u64, Option<&Chosen<'_>>)],
    reader: &Reader<'_>,
    processors: usize,
) -> Vec<Result<Read, StoreError>> {
    let one = |(case, _, chosen): &(usize, u64, Option<&Chosen<'_>>)| match chosen {
        Some(chosen) => read_one(&plan.cases[*case], chosen.finished, reader),
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
    let (Some(tool), Some(stdout)) = (tool::find(&case.tool), finished.objects.get("stdout")) else { return Ok(None) };
    let bytes = reader.get(&stdout.digest)?;
    let mut files = BTreeMap::new();
    for (role, object) in &finished.objects {
        if let Some(name) = role.strip_prefix("file/").filter(|name| tool.reads_file(name)) {
            files.insert(name.to_owned(), reader.get(&object.digest)?.into_owned());
        }
    }
    let outputs = Outputs { stdout: &bytes, stderr: &[], files: &files, name: "" };
    let is_ours = finished.origin.is_measured();
    if is_ours && tool.was_made_with(&case.settings, outputs) == Some(false) {
        let detail = format!("it says that it was made with other settings than those of {}", case.label());
        return Err(StoreError::integrity(format!("object {}", stdout.digest), detail));
    }
    let reading = tool.read(Some(&case.settings), outputs);
    Ok((reading.status == Status::Ok).then_some((stdout.digest, reading)))
}

/// A file as the record names it.
fn given_file(chosen: &Chosen<'_>, object: Digest, reading: &Reading) -> GivenFile {
    let name = chosen.finished.reason.trim_start_matches("from ").to_owned();
    let tool = format!("{} {}", reading.tool, reading.tool_version).trim().to_owned();
    GivenFile { name, object, tool, run: chosen.run, jobs: 0 }
}

/// Whether a measurement is a result: a total, or what a command's rule found.
fn is_result(measurement: &Measurement) -> bool {
    measurement.labels.contains_key("aggregate")
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
    let names = pointer.split(' ').filter(|place| place.starts_with("file/"));
    names.filter_map(|name| Some((name.to_owned(), finished.objects.get(name)?.digest))).collect()
}

/// Guests that were not what their case asks for, and exact replicates that are not the same bytes. The runner lets
/// neither pass; a record that holds them was not written by it.
fn guest_differences(
    plan: &Plan,
    jobs: &[(usize, u64, Option<&Chosen<'_>>)],
    reader: &Reader<'_>,
) -> Result<Vec<String>, StoreError> {
    let mut found = vec![];
    let mut first: BTreeMap<(usize, &str), Digest> = BTreeMap::new();
    for (case, replicate, chosen) in jobs {
        let (Some(spec), Some(chosen)) = (&plan.cases[*case].guest, chosen) else { continue };
        let label = plan.cases[*case].label();
        for number in 1..=spec.count {
            let facts = match chosen.finished.objects.get(&format!("guest-{number}/facts")) {
                Some(object) => reader.get(&object.digest)?.into_owned(),
                None => vec![],
            };
            let facts = crate::guest::facts::parse(&String::from_utf8_lossy(&facts));
            let wrong = crate::guest::facts::mismatches(spec, &BTreeMap::new(), &facts);
            found.extend(wrong.into_iter().map(|wrong| format!("{label} #{replicate}, guest {number}: {wrong}")));
        }
        for role in crate::run::EXACT_ROLES.iter().filter(|_| spec.is_exact()) {
            let Some(object) = chosen.finished.objects.get(*role) else { continue };
            if *first.entry((*case, role)).or_insert(object.digest) != object.digest {
                found.push(format!("{label} #{replicate}: its {role} is not that of the first replicate"));
            }
        }
    }
    Ok(found)
}

/// What guests said of themselves in the attempts that count.
fn guest_facts(
    jobs: &[(usize, u64, Option<&Chosen<'_>>)],
    reader: &Reader<'_>,
) -> Result<BTreeMap<String, BTreeMap<String, u64>>, StoreError> {
    let mut found: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
    for chosen in jobs.iter().filter_map(|(_, _, chosen)| *chosen) {
        let is_facts = |role: &str| role.starts_with("guest-") && role.ends_with("/facts");
        for (_, object) in chosen.finished.objects.iter().filter(|(role, _)| is_facts(role)) {
            let bytes = reader.get(&object.digest)?;
            for (path, value) in crate::guest::facts::parse(&String::from_utf8_lossy(&bytes)) {
                *found.entry(path).or_default().entry(value).or_default() += 1;
            }
        }
    }
    Ok(found)
}

/// What the record says of attempts.
#[derive(Default)]
struct Attempts {
    count: u64,
    not_ok: Vec<AttemptRecord>,
    other: u64,
    other_not_ok: u64,
}

/// Attempts at the plan's jobs, those of them that are not ok, and attempts at other jobs.
fn attempts(plan: &Plan, history: &History) -> Attempts {
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
fn used_files(history: &History) -> BTreeSet<Digest> {
    let events = history.runs.iter().flat_map(|(_, journal)| journal.events());
    let objects = events.filter_map(|event| match event {
        Event::Finished(finished) => Some(finished.objects.iter()),
        _ => None,
    });
    let is_given = |role: &str| role == "stdout" || role.starts_with("source/");
    objects.flatten().filter(|(role, _)| is_given(role)).map(|(_, object)| object.digest).collect()
}

fn run_record(run: &str, journal: &Journal, used: &BTreeSet<Digest>) -> RunRecord {
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
fn used_runs(cases: &[CaseResults], history: &History) -> Vec<usize> {
    let samples = cases.iter().flat_map(|case| &case.metrics).flat_map(|metric| &metric.samples);
    let used: BTreeSet<usize> = samples.map(|sample| sample.run).collect();
    let is_ours = |run: &usize| {
        let genesis = history.runs.get(*run).and_then(|(_, journal)| journal.genesis());
        genesis.is_none_or(|genesis| genesis.origin.is_measured())
    };
    let ours: Vec<usize> = used.iter().copied().filter(is_ours).collect();
    if ours.is_empty() { used.into_iter().collect() } else { ours }
}

/// The facts at the start of each run.
fn inventories(history: &History, reader: &Reader<'_>) -> Result<BTreeMap<usize, Inventory>, StoreError> {
    let mut found = BTreeMap::new();
    for (number, (_, journal)) in history.runs.iter().enumerate() {
        let at_start = journal.events().find_map(|event| match event {
            Event::Facts { moment: Moment::Start, facts, .. } => Some(*facts),
            _ => None,
        });
        if let Some(digest) = at_start {
            found.insert(number, serde_json::from_slice(&reader.get(&digest)?)?);
        }
    }
    Ok(found)
}

/// What is said of a run whose plan had its jobs in another order.
const OTHER_ORDER: &str = "its jobs were run in another order than that which the manifest gives now";

/// Remarks which of the runs that gave values ran their jobs in another order than that of the plan.
fn note_other_orders(
    plan: &Plan,
    history: &History,
    (used, chosen, reader): (&[usize], &BTreeMap<Digest, Chosen<'_>>, &Reader<'_>),
    runs: &mut [RunRecord],
) -> Result<(), StoreError> {
    for run in used {
        if ran_in_another_order(plan, history, (*run, chosen), reader)? {
            runs[*run].remarks.push(OTHER_ORDER.to_owned());
        }
    }
    Ok(())
}

/// Whether the jobs that count of a run were planned in another order than that of the plan: by another seed, with other levels
/// or replicates in between, or by another rule.
fn ran_in_another_order(
    plan: &Plan,
    history: &History,
    (run, chosen): (usize, &BTreeMap<Digest, Chosen<'_>>),
    reader: &Reader<'_>,
) -> Result<bool, StoreError> {
    let Some((_, journal)) = history.runs.get(run) else { return Ok(false) };
    let planned = journal.events().find_map(|event| match event {
        Event::Planned { plan, .. } => Some(*plan),
        _ => None,
    });
    let Some(planned) = planned else { return Ok(false) };
    // a record that was thinned out for a paper may lack what no number rests on
    if !reader.holds(&planned)? {
        return Ok(false);
    }
    let Ok(then) = serde_json::from_slice::<Plan>(&reader.get(&planned)?) else { return Ok(false) };
    let is_of_run =
        |key: &Digest| chosen.get(key).is_some_and(|one| one.run == run && one.finished.origin.is_measured());
    let then: Vec<Digest> = then.jobs.iter().map(|job| job.key).filter(|key| is_of_run(key)).collect();
    let known: BTreeSet<Digest> = then.iter().copied().collect();
    let now: Vec<Digest> = plan.jobs.iter().map(|job| job.key).filter(|key| known.contains(key)).collect();
    let kept: BTreeSet<Digest> = now.iter().copied().collect();
    Ok(then.into_iter().filter(|key| kept.contains(key)).ne(now))
}

/// The facts in which runs that gave values differ from the first of them; each run keeps its own.
fn hidden_differences(used: &[usize], inventories: &BTreeMap<usize, Inventory>, runs: &mut [RunRecord]) -> Vec<String> {
    let mut known = used.iter().filter_map(|run| Some((*run, inventories.get(run)?)));
    let Some((_, first)) = known.next() else { return vec![] };
    for (run, inventory) in known {
        runs[run].differs = inventory.changes_since(first);
    }
    let all: BTreeSet<&String> = runs.iter().flat_map(|run| &run.differs).collect();
    all.into_iter().cloned().collect()
}
