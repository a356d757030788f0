//! Verification: a paper is made again from what it carries, and every number is read again from what it cites.
//!
//! Nothing derived is trusted: not the cell map, not the index. A paper that is consistent with itself is not therefore
//! authentic; `anchored` says what it rests on. Nothing checked is never success.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::cellmap::CellMap;
use crate::digest::Digest;
use crate::exact::Exact;
use crate::name::RunId;
use crate::pdf;
use crate::render::format::pdf::Identity;
use crate::render::{self, Input, Paper};
use crate::results::{MetricSamples, Results, Sample};
use crate::store::check::references;
use crate::store::event::Event;
use crate::store::history::{self, History};
use crate::store::{Journal, Reader, StoreError};
use crate::tool::{self, Outputs};

/// What was checked, and how it came out. The JSON shape is stable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Printed numbers.
    pub numbers: Count,
    /// Raw objects.
    pub objects: ObjectCount,
    /// What rendering again gave.
    pub rendered_again: Again,
    /// What the paper rests on besides itself.
    pub anchored: Anchor,
    /// Attempts that the paper uses and a person marked invalid later.
    pub superseded: u64,
    /// Everything that is wrong, each with its place.
    pub failures: Vec<String>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// How many were checked, and failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Count {
    /// Checked.
    pub checked: u64,
    /// Of these, not right.
    pub failed: u64,
}

/// How many objects were checked, were not at hand, and failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct ObjectCount {
    /// Checked.
    pub checked: u64,
    /// Not at hand.
    pub missing: u64,
    /// Of those checked, not right.
    pub failed: u64,
}

/// What rendering again gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Again {
    /// The same bytes.
    Same,
    /// Another engine's bytes, the same words on every page.
    TextConsistent,
    /// Something else.
    Different,
    /// It was not possible.
    Skipped,
}

/// What a paper rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Anchor {
    /// Nothing but itself.
    None,
    /// The commit it names is the one that is checked out.
    Commit,
}

impl Report {
    fn new() -> Self {
        Self {
            numbers: Count::default(),
            objects: ObjectCount::default(),
            rendered_again: Again::Skipped,
            anchored: Anchor::None,
            superseded: 0,
            failures: vec![],
            notes: vec![],
        }
    }

    /// The exit code: 4 where anything is wrong, 3 where evidence is missing, the bytes could not be made again or
    /// nothing was checked, 0 otherwise. Strictly, an attempt that was marked invalid later is no evidence either.
    pub fn exit_code(&self, is_strict: bool) -> u8 {
        if !self.failures.is_empty() {
            return 4;
        }
        let is_incomplete = self.numbers.checked == 0 || self.rendered_again != Again::Same || self.objects.missing > 0;
        if is_incomplete || (is_strict && self.superseded > 0) { 3 } else { 0 }
    }
}

/// A paper that can not be verified at all.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct VerifyError(String);

/// The files inside a PDF of ours.
pub fn attachments(bytes: &[u8]) -> Result<(BTreeMap<String, Vec<u8>>, pdf::Report), VerifyError> {
    let report = pdf::read(bytes).map_err(|error| VerifyError(error.to_string()))?;
    Ok((report.attachments.iter().cloned().collect(), report))
}

/// What a paper was made of, out of its attachments.
pub fn input_of(files: &BTreeMap<String, Vec<u8>>) -> Result<Input, VerifyError> {
    let bytes = |name: &str| files.get(name).ok_or_else(|| VerifyError(format!("the attachment `{name}` is missing")));
    let text = |name: &str| {
        String::from_utf8(bytes(name)?.clone())
            .map_err(|_| VerifyError(format!("the attachment `{name}` is not UTF-8")))
    };
    let broken =
        |name: &str, error: serde_json::Error| VerifyError(format!("the attachment `{name}` can not be read: {error}"));
    Ok(Input {
        manifest: text("experiment.yaml")?,
        lock: text("experiment.lock.yaml")?,
        prose: text("prose.md")?,
        results: serde_json::from_slice(bytes("results.json")?).map_err(|error| broken("results.json", error))?,
        context: serde_json::from_slice(bytes("context.json")?).map_err(|error| broken("context.json", error))?,
        is_rehearsal: false,
    })
}

/// The identity that a paper's PDF has.
pub fn identity_of(paper: &Paper, input: &Input) -> Identity {
    let title = &paper.document.title;
    let name = render::resolve(input).map(|(experiment, ..)| experiment.name.value.to_string()).unwrap_or_default();
    let ident = Digest::tagged("benchpaper/ident@1", &[name.as_bytes(), b"\0", title.version.as_bytes()]);
    Identity { ident: ident.hex(), time_s: input.context.time_s }
}

/// The record that a paper's experiment has in a store.
pub struct Record<'a> {
    /// The journals of its runs.
    pub history: &'a History,
    /// Their objects.
    pub reader: &'a Reader<'a>,
}

/// Verifies a PDF; where the record is at hand, also against journals and raw objects.
pub fn verify(bytes: &[u8], record: Option<&Record<'_>>) -> Result<Report, VerifyError> {
    let mut report = Report::new();
    let (files, read) = attachments(bytes)?;
    report.failures.extend(read.findings.iter().map(|finding| format!("PDF: {finding}")));
    let input = input_of(&files)?;
    let paper = match render::render(&input) {
        Ok(paper) => paper,
        Err(diagnostics) => {
            let reasons: Vec<String> = diagnostics.into_iter().map(|one| one.message).collect();
            return Err(VerifyError(format!("it can not be rendered again: {}", reasons.join("; "))));
        }
    };
    check_plan(&input, &mut report);
    compare_attachments(&paper, &files, &mut report);
    compare_bytes(bytes, &read, &paper, &input, &mut report)?;
    check_numbers(&files, &paper, &read, &mut report);
    match record {
        Some(record) => {
            check_objects(&input.results, record.reader, &mut report);
            check_record(&input, record, &mut report);
        }
        None => {
            report.objects.missing = objects(&input.results).len() as u64;
            report.notes.push("the store of the experiment is not at hand: raw objects were not checked".to_owned());
        }
    }
    if input.context.is_draft {
        report.notes.push("this is a draft".to_owned());
    }
    Ok(report)
}

/// The cases of the results are those of the manifest: a value can not be read by another tool's rules.
fn check_plan(input: &Input, report: &mut Report) {
    let Ok((_, _, plan, _)) = render::resolve(input) else { return };
    let is_same = plan.settings == input.results.settings
        && plan.cases.len() == input.results.cases.len()
        && plan.cases.iter().zip(&input.results.cases).all(|(case, results)| *case == results.case);
    if !is_same {
        report.failures.push("the cases of the results are not those of the manifest".to_owned());
    }
}

/// Every attachment must be what rendering again attaches.
fn compare_attachments(paper: &Paper, files: &BTreeMap<String, Vec<u8>>, report: &mut Report) {
    let expected: BTreeSet<&str> = paper.attachments.iter().map(|one| one.name).collect();
    for one in &paper.attachments {
        if files.get(one.name) != Some(&one.bytes) {
            report.failures.push(format!("the attachment `{}` is not what the others make of it", one.name));
        }
    }
    for name in files.keys().filter(|name| !expected.contains(name.as_str())) {
        report.failures.push(format!("the attachment `{name}` does not belong to a paper"));
    }
}

#[cfg(feature = "pdf")]
fn compare_bytes(
    bytes: &[u8],
    read: &pdf::Report,
    paper: &Paper,
    input: &Input,
    report: &mut Report,
) -> Result<(), VerifyError> {
    let made = render::format::pdf::write(paper, &identity_of(paper, input));
    let made = made
        .map_err(|problems| VerifyError(problems.into_iter().map(|one| one.message).collect::<Vec<_>>().join("; ")))?;
    if made == bytes {
        report.rendered_again = Again::Same;
        return Ok(());
    }
    report.rendered_again = Again::Different;
    let again = pdf::read(&made).map_err(|error| VerifyError(error.to_string()))?;
    let differing: Vec<String> = pages_that_differ(&read.pages, &again.pages);
    let engine = format!("benchpaper {}", env!("CARGO_PKG_VERSION"));
    let is_other_program = input.context.program != engine;
    if differing.is_empty() && is_other_program {
        report.rendered_again = Again::TextConsistent;
        report.notes.push(format!("it was made by {}, so only its text could be compared", input.context.program));
        return Ok(());
    }
    if differing.is_empty() {
        report.failures.push("its bytes differ from those made again, though its text does not".to_owned());
    }
    report.failures.extend(differing);
    Ok(())
}

#[cfg(not(feature = "pdf"))]
fn compare_bytes(_: &[u8], _: &pdf::Report, _: &Paper, _: &Input, report: &mut Report) -> Result<(), VerifyError> {
    report.notes.push("this build can not write PDF, so nothing was rendered again".to_owned());
    Ok(())
}

/// The pages whose words differ, each with the first line that does.
fn pages_that_differ(found: &[Vec<String>], expected: &[Vec<String>]) -> Vec<String> {
    let mut differing = vec![];
    if found.len() != expected.len() {
        differing.push(format!("it has {} pages, made again it has {}", found.len(), expected.len()));
    }
    for (number, (found, expected)) in found.iter().zip(expected).enumerate() {
        if found != expected {
            let line = found.iter().zip(expected).find(|(found, expected)| found != expected);
            let (found, expected) = line.map_or(("", ""), |(found, expected)| (found.as_str(), expected.as_str()));
            differing.push(format!("page {}: printed is `{found}`, made again it is `{expected}`", number + 1));
        }
    }
    differing
}

/// Every entry of the attached cell map: its digits round its exact value, it is what rendering again gives, and its
/// digits stand on a page.
fn check_numbers(files: &BTreeMap<String, Vec<u8>>, paper: &Paper, read: &pdf::Report, report: &mut Report) {
    let attached: Option<CellMap> = files.get("cellmap.json").and_then(|bytes| serde_json::from_slice(bytes).ok());
    let Some(attached) = attached else {
        report.failures.push("the attachment `cellmap.json` can not be read".to_owned());
        return;
    };
    if attached.entries.len() != paper.cellmap.entries.len() {
        let (found, expected) = (attached.entries.len(), paper.cellmap.entries.len());
        report.failures.push(format!("its cell map has {found} numbers, made again there are {expected}"));
    }
    let text: String = read.pages.iter().flatten().map(String::as_str).collect::<Vec<_>>().join("\n");
    for (entry, again) in attached.entries.iter().zip(&paper.cellmap.entries) {
        report.numbers.checked += 1;
        let printed = entry.token.replace('-', "−");
        let problem = if entry != again {
            Some(format!("made again it is `{}`", again.token))
        } else if !rounds_to_token(entry) {
            Some("its digits do not round its exact value".to_owned())
        } else if !text.contains(&printed) {
            Some("its digits stand on no page".to_owned())
        } else {
            None
        };
        if let Some(problem) = problem {
            report.numbers.failed += 1;
            report.failures.push(format!("number {} `{}` ({}): {problem}", entry.place.order, entry.token, entry.name));
        }
    }
}

fn rounds_to_token(entry: &crate::cellmap::Entry) -> bool {
    let fraction = |text: &str| {
        let (numerator, denominator) = text.split_once('/').unwrap_or((text, "1"));
        Exact::parse(numerator).ok()?.divide(&Exact::parse(denominator).ok()?)
    };
    let exact = fraction(&entry.exact).zip(fraction(&entry.rounding.divisor));
    let shown = exact.and_then(|(exact, divisor)| exact.divide(&divisor));
    shown.is_some_and(|shown| shown.round(entry.rounding.decimals) == entry.token)
}

/// The objects that results cite, each with the case and samples that were read from it.
fn objects(results: &Results) -> BTreeMap<Digest, Vec<(usize, &MetricSamples, &Sample)>> {
    let mut found: BTreeMap<Digest, Vec<_>> = BTreeMap::new();
    for (case, metrics) in results.cases.iter().enumerate() {
        for metric in &metrics.metrics {
            for sample in &metric.samples {
                found.entry(sample.object).or_default().push((case, metric, sample));
            }
        }
    }
    found
}

/// Every cited object is at hand, has its digest, and gives the values that were taken from it.
fn check_objects(results: &Results, reader: &Reader<'_>, report: &mut Report) {
    for (digest, samples) in objects(results) {
        let bytes = match reader.get(&digest) {
            Ok(bytes) => bytes,
            Err(StoreError::Missing(_)) => {
                report.objects.missing += 1;
                report.notes.push(format!("object {digest} is not at hand"));
                continue;
            }
            Err(error) => {
                report.objects.failed += 1;
                report.failures.push(error.to_string());
                continue;
            }
        };
        report.objects.checked += 1;
        let wrong =
            samples.iter().find(|(case, metric, sample)| !gives(results, (*case, metric, sample), (&bytes, reader)));
        if let Some((_, metric, sample)) = wrong {
            report.objects.failed += 1;
            report.failures.push(format!(
                "object {digest} does not give {} = {} at {}",
                metric.metric, sample.value, sample.pointer
            ));
        }
    }
}

fn gives(
    results: &Results,
    (case, metric, sample): (usize, &MetricSamples, &Sample),
    (bytes, reader): (&[u8], &Reader<'_>),
) -> bool {
    let case = &results.cases[case].case;
    let Some(tool) = tool::find(&case.tool) else { return false };
    let mut files = BTreeMap::new();
    for (name, digest) in &sample.files {
        let Ok(bytes) = reader.get(digest) else { return false };
        files.insert(name.trim_start_matches("file/").to_owned(), bytes.into_owned());
    }
    let reading = tool.read(Some(&case.settings), Outputs { stdout: bytes, stderr: &[], files: &files, name: "" });
    let is_the_one = |one: &crate::measurement::Measurement| {
        one.metric == metric.metric && one.pointer == sample.pointer && one.value.to_bits() == sample.value.to_bits()
    };
    reading.measurements.iter().any(|one| one.labels.contains_key("aggregate") && is_the_one(one))
}

/// Every object that a journal names is at hand and undamaged: also those that no number cites.
fn check_referenced(
    run: &str,
    journal: &Journal,
    (reader, cited): (&Reader<'_>, &BTreeSet<Digest>),
    report: &mut Report,
) {
    let digests: BTreeSet<Digest> = journal.events().flat_map(references).collect();
    for digest in digests.difference(cited) {
        match reader.get(digest) {
            Ok(_) => report.objects.checked += 1,
            Err(StoreError::Missing(_)) => {
                report.objects.missing += 1;
                report.notes.push(format!("object {digest} of run {run} is not at hand"));
            }
            Err(error) => {
                report.objects.failed += 1;
                report.failures.push(error.to_string());
            }
        }
    }
    report.failures.sort();
    report.failures.dedup();
}

/// The journals are those that the paper names, none before them is left out, and collecting from them again gives the
/// results that the paper carries.
fn check_record(input: &Input, record: &Record<'_>, report: &mut Report) {
    let cited: BTreeSet<Digest> = objects(&input.results).into_keys().collect();
    let mut named = vec![];
    let mut missing = 0;
    for run in &input.results.runs {
        let Some((id, journal)) = record.history.runs.iter().find(|(id, _)| id.as_str() == run.run) else {
            report.notes.push(format!("the journal of run {} is not at hand", run.run));
            missing += 1;
            continue;
        };
        let Some(journal) = history::cut(journal, &run.chain, run.length) else {
            report.failures.push(format!("the journal of run {} is not the one that the paper names: a fork", run.run));
            return;
        };
        check_referenced(&run.run, &journal, (record.reader, &cited), report);
        named.push((id.clone(), journal));
    }
    report.objects.missing += missing;
    if missing > 0 {
        report.notes.push("a journal is not at hand, so results were not collected again".to_owned());
        return;
    }
    check_ancestors(&named, report);
    note_later_marks(input, record, report);
    let history = History { runs: named };
    let plan = match render::resolve(input) {
        Ok((_, _, plan, _)) => plan,
        Err(_) => return report.failures.push("its plan can not be made again".to_owned()),
    };
    match crate::results::collect(&plan, &history, record.reader, 1) {
        Ok(results) if results == input.results => {}
        Ok(_) => report.failures.push("collecting the results again gives others".to_owned()),
        Err(StoreError::Missing(_)) => {}
        Err(error) => report.failures.push(error.to_string()),
    }
}

/// A run that a named one was begun after must be named too: a failed run can not be left out.
fn check_ancestors(named: &[(RunId, Journal)], report: &mut Report) {
    for (id, journal) in named {
        let previous = journal.genesis().and_then(|genesis| genesis.previous.as_ref());
        if let Some(previous) = previous.filter(|previous| !named.iter().any(|(id, _)| *id == previous.run)) {
            report.failures.push(format!("the paper leaves out run {}, after which run {id} was begun", previous.run));
        }
    }
}

/// Attempts that the paper uses and that were marked invalid after it was made.
fn note_later_marks(input: &Input, record: &Record<'_>, report: &mut Report) {
    let samples = input.results.cases.iter().flat_map(|case| &case.metrics).flat_map(|metric| &metric.samples);
    let used: BTreeSet<Digest> = samples.map(|sample| sample.job).collect();
    let is_later = |id: &RunId| !input.results.runs.iter().any(|run| run.run == id.as_str());
    let later = record.history.runs.iter().filter(|(id, _)| is_later(id));
    for event in later.flat_map(|(_, journal)| journal.events()) {
        if let Event::Marked { job, attempt, reason, by } = event
            && used.contains(job)
        {
            report.superseded += 1;
            report
                .notes
                .push(format!("attempt {attempt} of job {} was marked invalid later by {by}: {reason}", job.short()));
        }
    }
}
