//! Import: files that somebody else made become attempts at the jobs that a person runs.
//!
//! [`assign`] is pure: it says for each file which jobs it belongs to, by a rule of the manifest, by the name that the run
//! sheet gave it, or by what it says itself. What fits no case, or several, is listed and recorded, never guessed and never
//! dropped. [`record`] writes one run for each kind of environment.

mod record;
mod rule;

use crate::attempt::Role;
use crate::digest::Digest;
use crate::manifest::Experiment;
use crate::plan::{Case, Plan};
use crate::store::Reader;
use crate::store::event::{Event, Outcome};
use crate::store::history::History;
use crate::tool::{self, Answers, Outputs, Question};
use std::collections::{BTreeMap, BTreeSet};

pub use record::{Recorded, Request, facts, judged, record};
use rule::{Rule, by_rule, by_stem};

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
                    let Some(object) = finished.objects.get(&Role::Stdout.to_string()) else { continue };
                    given.insert(object.digest);
                    let tool = cases.get(&finished.case).and_then(|case| tool::find(&case.tool));
                    if let (Some(tool), false) = (tool, conditions.contains_key(&finished.case))
                        && let Ok(bytes) = reader.get(&object.digest)
                    {
                        let name = finished.given_name().unwrap_or_default().to_owned();
                        let said = tool.conditions(Outputs::named(&bytes, &name));
                        conditions.insert(finished.case, (name, said));
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

/// The candidates whose tool and settings the file does not contradict.
fn fitting(plan: &Plan, candidates: &[usize], (file, is_named): (&File, bool)) -> Result<Vec<usize>, String> {
    let decoded = tool::decode(&file.bytes);
    let recognised = tool::recognise(&decoded).map(|tool| tool.name());
    let outputs = Outputs::named(&file.bytes, &file.name);
    let mut answers: BTreeMap<usize, Option<bool>> = BTreeMap::new();
    let mut says = |case: usize| {
        *answers.entry(case).or_insert_with(|| {
            let case = &plan.cases[case];
            case.work().and_then(|work| work.was_made_with(outputs))
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

#[cfg(test)]
mod tests {
    use super::rule::compact;

    #[test]
    fn one_level_has_many_spellings() {
        for text in ["4 KiB", "4-KiB", "4kib", "4_KiB"] {
            assert_eq!(compact(text), "4kib", "{text}");
        }
    }
}
