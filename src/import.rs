//! Import: files that somebody else made become attempts at the jobs that a person runs.
//!
//! [`assign`] is pure: it says for each file which jobs it belongs to, by a rule of the manifest, by the name that the run
//! sheet gave it, or by what it says itself. What fits no case, or several, is listed and recorded, never guessed and never
//! dropped. [`record`] writes one run for each kind of environment.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;

use crate::digest::Digest;
use crate::inventory::{Fact, Inventory};
use crate::manifest::{Experiment, ImportRule};
use crate::measurement::{Reading, Status};
use crate::name::{RunId, slug};
use crate::os::Os;
use crate::plan::{Case, Plan};
use crate::store::event::{
    Environment, Event, Finished, Genesis, JOURNAL_FORMAT, Moment, ObjectReference, Origin, Outcome, Previous,
};
use crate::store::history::History;
use crate::store::{Layout, NewRun, Reader, StoreError, Writer};
use crate::tool::{self, Answers, Outputs, Question};

/// A file that was handed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its name, without a folder.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// What is to be done with each file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Assignment {
    /// The jobs of the plan that a file answers, by their places.
    pub matched: Vec<(usize, Vec<usize>)>,
    /// Files that belong to no case, or several, each with the reason.
    pub unmatched: Vec<(usize, String)>,
    /// Files that were imported before.
    pub known: Vec<usize>,
    /// Jobs that share a file's name and whose results do not stand in it.
    pub lacking: Vec<(usize, Vec<usize>)>,
}

/// What is known of earlier imports.
pub struct Earlier {
    /// Jobs with a usable result.
    done: BTreeSet<Digest>,
    /// The bytes that jobs were given.
    given: BTreeSet<Digest>,
    /// The bytes that were listed as belonging to no case.
    listed: BTreeSet<Digest>,
    /// What the first file of each case says it was made with, and its name.
    conditions: BTreeMap<Digest, (String, Answers)>,
}

impl Earlier {
    /// Of the runs of an experiment; damaged objects are not asked what they say.
    pub fn of(history: &History, done: &[Digest], (plan, reader): (&Plan, &Reader<'_>)) -> Self {
        let (mut given, mut listed, mut conditions) = (BTreeSet::new(), BTreeSet::new(), BTreeMap::new());
        let cases: BTreeMap<Digest, &Case> = plan.cases.iter().map(|case| (case.digest, case)).collect();
        for event in history.runs.iter().flat_map(|(_, journal)| journal.events()) {
            match event {
                Event::Finished(finished) if finished.outcome == Outcome::Ok && !finished.origin.is_measured() => {
                    let Some(object) = finished.objects.get("stdout") else { continue };
                    given.insert(object.digest);
                    let tool = cases.get(&finished.case).and_then(|case| tool::find(&case.tool));
                    if let (Some(tool), false) = (tool, conditions.contains_key(&finished.case))
                        && let Ok(bytes) = reader.get(&object.digest)
                    {
                        let name = finished.reason.trim_start_matches("from ").to_owned();
                        conditions.insert(finished.case, (name, tool.conditions(Outputs::of(&bytes, &[]))));
                    }
                }
                Event::Unmatched { object, .. } => {
                    listed.insert(object.digest);
                }
                _ => {}
            }
        }
        Self { done: done.iter().copied().collect(), given, listed, conditions }
    }

    /// Whether a file was already recorded as belonging to no case.
    pub fn has_listed(&self, file: &File) -> bool {
        self.listed.contains(&Digest::of(&file.bytes))
    }
}

/// Finds the jobs of each file.
pub fn assign(experiment: &Experiment, plan: &Plan, earlier: &Earlier, files: &[File]) -> Assignment {
    let rules: Vec<Rule<'_>> = experiment.imports.iter().filter_map(|rule| Rule::of(rule, plan)).collect();
    let manual = |job: &usize| plan.cases[plan.jobs[*job].case].manual.is_some();
    let jobs: Vec<usize> = (0..plan.jobs.len()).filter(manual).collect();
    let mut found = Assignment::default();
    let mut taken: BTreeSet<usize> = BTreeSet::new();
    let mut seen: BTreeMap<Digest, &str> = BTreeMap::new();
    let mut conditions = earlier.conditions.clone();
    for (number, file) in files.iter().enumerate() {
        let digest = Digest::of(&file.bytes);
        if let Some(same) = seen.get(&digest) {
            found.unmatched.push((number, format!("it holds the same bytes as {same}")));
            continue;
        }
        if earlier.given.contains(&digest) {
            found.known.push(number);
            continue;
        }
        let is_free = |job: &usize| !taken.contains(job) && !earlier.done.contains(&plan.jobs[*job].key);
        let matched = jobs_of(plan, &jobs, (file, &rules), &is_free);
        match matched.and_then(|matched| alike(plan, &matched, file, &mut conditions).map(|()| matched)) {
            Ok(matched) => {
                seen.insert(digest, &file.name);
                let lacking: Vec<usize> = beside(plan, &jobs, &matched).into_iter().filter(is_free).collect();
                if !lacking.is_empty() {
                    found.lacking.push((number, lacking));
                }
                taken.extend(&matched);
                found.matched.push((number, matched));
            }
            Err(reason) => found.unmatched.push((number, reason)),
        }
    }
    found
}

/// Replicates of a case are made alike, as far as their files say; what differs is no replicate.
fn alike(
    plan: &Plan,
    matched: &[usize],
    file: &File,
    known: &mut BTreeMap<Digest, (String, Answers)>,
) -> Result<(), String> {
    let Some(case) = matched.first().map(|job| &plan.cases[plan.jobs[*job].case]) else { return Ok(()) };
    let Some(tool) = tool::find(&case.tool) else { return Ok(()) };
    let found = tool.conditions(Outputs::named(&file.bytes, &file.name));
    for case in matched.iter().map(|job| &plan.cases[plan.jobs[*job].case]) {
        let Some((other, conditions)) = known.get(&case.digest) else { continue };
        let differs =
            |(question, said): &(&Question, &String)| conditions.get(question).is_some_and(|one| one != *said);
        if let Some((question, said)) = found.iter().find(differs) {
            let one = &conditions[question];
            return Err(format!("its {} is `{said}`, that of {other} for the same case is `{one}`", question.word()));
        }
    }
    for case in matched.iter().map(|job| plan.cases[plan.jobs[*job].case].digest) {
        known.entry(case).or_insert_with(|| (file.name.clone(), found.clone()));
    }
    Ok(())
}

/// A rule with its pattern.
struct Rule<'a> {
    rule: &'a ImportRule,
    pattern: Regex,
    factors: Vec<String>,
}

impl<'a> Rule<'a> {
    fn of(rule: &'a ImportRule, plan: &Plan) -> Option<Self> {
        let known: BTreeSet<&str> =
            plan.cases.iter().flat_map(|case| case.factors.keys().map(String::as_str)).collect();
        let mut pattern = String::from("(?is)^");
        let mut factors = vec![];
        let mut rest = rule.file.value.as_str();
        while let Some(at) = rest.find(['{', '*']) {
            pattern.push_str(&regex::escape(&rest[..at]));
            if rest[at..].starts_with('*') {
                pattern.push_str(".*");
                rest = &rest[at + 1..];
                continue;
            }
            let (name, after) = rest[at + 1..].split_once('}')?;
            if name != "replicate" && !known.contains(name) {
                return None;
            }
            pattern.push_str(if name == "replicate" { "0*([0-9]{1,6})" } else { "(.+?)" });
            factors.push(name.to_owned());
            rest = after;
        }
        pattern.push_str(&regex::escape(rest));
        pattern.push('$');
        Some(Self { rule, pattern: Regex::new(&pattern).ok()?, factors })
    }

    /// What the name of a file says: levels as parts of names, and the replicate.
    fn said(&self, name: &str) -> Option<(BTreeMap<String, String>, Option<u64>)> {
        let captures = self.pattern.captures(name)?;
        let mut levels: BTreeMap<String, String> = BTreeMap::new();
        let mut replicate = self.rule.replicate;
        for (at, factor) in self.factors.iter().enumerate() {
            let text = captures.get(at + 1)?.as_str();
            if factor == "replicate" {
                replicate = text.parse().ok();
            } else {
                levels.insert(factor.clone(), compact(text));
            }
        }
        for (factor, level) in self.rule.levels.iter() {
            levels.insert(factor.value.to_string(), compact(&level.scalar()?));
        }
        Some((levels, replicate))
    }
}

/// Letters and digits only, so that `4 KiB`, `4-KiB` and `4kib` are one level.
fn compact(text: &str) -> String {
    slug(text).chars().filter(|one| one.is_alphanumeric() || *one == '.').collect()
}

/// The jobs that one file answers.
fn jobs_of(
    plan: &Plan,
    jobs: &[usize],
    (file, rules): (&File, &[Rule<'_>]),
    is_free: &dyn Fn(&usize) -> bool,
) -> Result<Vec<usize>, String> {
    let case_of = |job: &usize| &plan.cases[plan.jobs[*job].case];
    let by_name = by_rule(plan, jobs, (file, rules)).or_else(|| by_stem(plan, jobs, &file.name));
    let is_named = by_name.is_some();
    let (candidates, replicate) = by_name.unwrap_or_else(|| (jobs.to_vec(), None));
    if candidates.is_empty() {
        return Err("its name says levels that no case which a person runs has".to_owned());
    }
    let fitting = fitting(plan, &candidates, (file, is_named))?;
    let names: BTreeSet<&str> = fitting.iter().map(|job| file_of(case_of(job))).collect();
    if names.len() > 1 {
        let shown: Vec<&str> = names.iter().copied().take(4).collect();
        let rest = if names.len() > 4 { format!(" and {} more", names.len() - 4) } else { String::new() };
        return Err(format!("it fits several cases: {}{rest}; name it as `plan --runsheet` says", shown.join(", ")));
    }
    let wanted: Vec<usize> = fitting
        .into_iter()
        .filter(|job| replicate.is_none_or(|replicate| plan.jobs[*job].replicate == replicate))
        .collect();
    let free = wanted.iter().copied().filter(|job| is_free(job));
    let next = free.map(|job| plan.jobs[job].replicate).min();
    let Some(next) = next else {
        let what = file_of(case_of(wanted.first().ok_or("the replicate in its name is none of the design's")?));
        return Err(format!("{what} has all its replicates from other files"));
    };
    Ok(wanted.into_iter().filter(|job| plan.jobs[*job].replicate == next && is_free(job)).collect())
}

/// The other jobs whose results were to stand in the same output.
fn beside(plan: &Plan, jobs: &[usize], matched: &[usize]) -> Vec<usize> {
    let of = |job: usize| (file_of(&plan.cases[plan.jobs[job].case]), plan.jobs[job].replicate);
    let Some(wanted) = matched.first().map(|job| of(*job)) else { return vec![] };
    jobs.iter().copied().filter(|job| of(*job) == wanted && !matched.contains(job)).collect()
}

fn file_of(case: &Case) -> &str {
    case.manual.as_ref().map_or("", |manual| manual.file.as_str())
}

type Named = (Vec<usize>, Option<u64>);

fn by_rule(plan: &Plan, jobs: &[usize], (file, rules): (&File, &[Rule<'_>])) -> Option<Named> {
    let (levels, replicate) = rules.iter().find_map(|rule| rule.said(&file.name))?;
    let has_levels = |job: &&usize| {
        let case = &plan.cases[plan.jobs[**job].case];
        levels.iter().all(|(factor, level)| case.factors.get(factor).is_some_and(|found| compact(found) == *level))
    };
    Some((jobs.iter().filter(has_levels).copied().collect(), replicate))
}

/// The name that the run sheet gives: levels, `_r` and the replicate, and any ending.
fn by_stem(plan: &Plan, jobs: &[usize], name: &str) -> Option<Named> {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_lowercase();
    // what browsers add to a name that is there already
    let copy = stem.strip_suffix(')').and_then(|rest| rest.rsplit_once(" ("));
    let stem =
        copy.filter(|(_, number)| number.parse::<u64>().is_ok()).map_or(stem.clone(), |(stem, _)| stem.to_owned());
    let numbered = stem.rsplit_once("_r").and_then(|(stem, number)| Some((stem, number.parse::<u64>().ok()?)));
    let (stem, replicate) = numbered.map_or((stem.as_str(), None), |(stem, number)| (stem, Some(number)));
    let is_it = |job: &&usize| file_of(&plan.cases[plan.jobs[**job].case]) == stem;
    let found: Vec<usize> = jobs.iter().filter(is_it).copied().collect();
    (!found.is_empty()).then_some((found, replicate))
}

/// The candidates whose tool and settings the file does not contradict.
fn fitting(plan: &Plan, candidates: &[usize], (file, is_named): (&File, bool)) -> Result<Vec<usize>, String> {
    let decoded = tool::decode(&file.bytes);
    let recognised = tool::recognise(&decoded).map(|tool| tool.name());
    let outputs = Outputs::named(&file.bytes, &file.name);
    let mut answers: BTreeMap<usize, Option<bool>> = BTreeMap::new();
    let mut says = |case: usize| {
        *answers.entry(case).or_insert_with(|| {
            let case = &plan.cases[case];
            tool::find(&case.tool).and_then(|tool| tool.was_made_with(&case.settings, outputs))
        })
    };
    let is_of_tool = |job: &&usize| {
        let wanted = plan.cases[plan.jobs[**job].case].tool.as_str();
        // what no tool recognises may still be what the manifest's own rules read
        recognised == Some(wanted) || (is_named && recognised.is_none())
    };
    let of_tool: Vec<usize> = candidates.iter().filter(is_of_tool).copied().collect();
    if of_tool.is_empty() {
        return Err(match recognised {
            Some(tool) => format!("it is an output of {tool}, which no case uses that it could belong to"),
            None => "no tool's output is recognised in it, and its name says no case".to_owned(),
        });
    }
    let fits = of_tool.iter().copied().filter(|job| {
        let answer = says(plan.jobs[*job].case);
        answer == Some(true) || (answer.is_none() && (is_named || of_tool.len() == 1))
    });
    let fitting: Vec<usize> = fits.collect();
    if !fitting.is_empty() {
        return Ok(fitting);
    }
    // several cases that it says nothing against are named by the caller
    let open: Vec<usize> = of_tool.iter().copied().filter(|job| says(plan.jobs[*job].case).is_none()).collect();
    if !open.is_empty() {
        return Ok(open);
    }
    let said = of_tool.first().and_then(|job| tool::find(&plan.cases[plan.jobs[*job].case].tool));
    let said = said.map(|tool| tool.conditions(outputs)).unwrap_or_default();
    let said: Vec<String> = said.iter().map(|(question, answer)| format!("{} {answer}", question.word())).collect();
    let said = if said.is_empty() { String::new() } else { format!(": {}", said.join(", ")) };
    Err(format!("it was made with settings that no case has{said}"))
}

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
        by_environment.insert(crate::plan::environment(request.experiment.environment()), vec![]);
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

type Parts<'a> = (&'a [(usize, usize)], &'a [(usize, String)]);

fn record_run(
    request: &mut Request<'_>,
    environment: Environment,
    (pairs, unmatched): Parts<'_>,
    recorded: &mut Vec<Recorded>,
) -> Result<(RunId, (Digest, u64)), StoreError> {
    let genesis = |run: RunId, manifest: Digest, lock: Digest| Genesis {
        format: JOURNAL_FORMAT.to_owned(),
        run,
        experiment: request.plan.experiment.clone(),
        profile: request.plan.settings.profile.clone(),
        manifest,
        lock,
        previous: request.previous.clone(),
        program: concat!("benchpaper ", env!("CARGO_PKG_VERSION")).to_owned(),
        created: crate::os::timestamp(request.os.now_ns()),
        boot: "unknown".to_owned(),
        environment,
        waivers: BTreeMap::new(),
        commit: request.commit.clone(),
        origin: request.origin,
        sources: request.sources.to_vec(),
    };
    let new = NewRun { manifest: request.inputs.0, lock: request.inputs.1, genesis: &genesis };
    let mut writer = Writer::begin(request.os, request.layout, &new)?;
    let run = writer.run().clone();
    let plan = writer.put(&serde_json::to_vec(request.plan)?)?.digest;
    writer.record(&Event::Planned { plan, jobs: pairs.len() as u64 })?;
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
fn record_facts(request: &Request<'_>, writer: &mut Writer<'_>) -> Result<(), StoreError> {
    let inventory = facts(request.experiment);
    if inventory.0.is_empty() {
        return Ok(());
    }
    let mut objects = BTreeMap::new();
    for file in request.evidence {
        objects.insert(file.name.clone(), writer.put(&file.bytes)?);
    }
    let facts = writer.put(&serde_json::to_vec(&inventory)?)?.digest;
    writer.record(&Event::Facts { moment: Moment::Start, facts, objects })
}

/// The facts that the manifest has of the system under test.
pub fn facts(experiment: &Experiment) -> Inventory {
    let Some(sut) = experiment.sut() else { return Inventory::default() };
    let facts = sut.facts.iter().map(|(path, fact)| (path.value.to_string(), Fact::Measured(fact.measured.clone())));
    Inventory(facts.collect())
}

fn record_job(
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
    objects.insert("stdout".to_owned(), writer.put(&given.bytes)?);
    for picture in request.pictures {
        objects.insert(format!("source/{}", picture.name), writer.put(&picture.bytes)?);
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
    })))?;
    Ok(Recorded { file, job, outcome, reason })
}

/// How a file would count for a job.
pub fn judged(plan: &Plan, job: usize, file: &File) -> (Outcome, String) {
    let case = &plan.cases[plan.jobs[job].case];
    judge(tool::find(&case.tool).map(|tool| tool.read(Some(&case.settings), Outputs::of(&file.bytes, &[]))))
}

/// How a reading counts.
fn judge(reading: Option<Reading>) -> (Outcome, String) {
    let Some(reading) = reading else { return (Outcome::Failed, "no tool reads it".to_owned()) };
    let reason = reading.reason();
    match reading.status {
        Status::Failed => (Outcome::Failed, reason),
        Status::Invalid => (Outcome::Invalid, reason),
        Status::Ok if !reading.measurements.iter().any(|one| one.labels.contains_key("aggregate")) => {
            (Outcome::Invalid, "it holds several rows, and `select` in the workload names none of them".to_owned())
        }
        Status::Ok => (Outcome::Ok, reason),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_level_has_many_spellings() {
        for text in ["4 KiB", "4-KiB", "4kib", "4_KiB"] {
            assert_eq!(compact(text), "4kib", "{text}");
        }
    }

    #[test]
    fn rows_that_nothing_selects_are_no_result() {
        let mut reading = Reading::new("x");
        let labels = std::sync::Arc::new(crate::measurement::Labels::new());
        reading.measure(&labels, ("iops", 1.0), String::new());
        assert_eq!(judge(Some(reading)).0, Outcome::Invalid);
        assert_eq!(judge(None).0, Outcome::Failed);
    }
}
