//! The record behind a paper: raw objects, journals, runs that were left out, later marks.

use super::Opened;
use super::report::Report;
use crate::attempt::Output;
use crate::digest::Digest;
use crate::measurement::Measurement;
use crate::name::RunId;
use crate::plan::Case;
use crate::render::Input;
use crate::results::{GivenFile, MetricSamples, Results, Sample};
use crate::store::check::references;
use crate::store::event::Event;
use crate::store::history::{self, History};
use crate::store::{Journal, Reader, StoreError};
use std::collections::{BTreeMap, BTreeSet};

/// The record that a paper's experiment has in a store.
pub struct Record<'a> {
    /// The journals of its runs.
    pub history: &'a History,
    /// Their objects.
    pub reader: &'a Reader<'a>,
}

/// A sample that was read from an object.
pub(super) struct Cited<'a> {
    case: &'a Case,
    metric: &'a MetricSamples,
    sample: &'a Sample,
}

/// The objects that results cite, each with what was read from it.
pub(super) fn objects(results: &Results) -> BTreeMap<Digest, Vec<Cited<'_>>> {
    let mut found: BTreeMap<Digest, Vec<_>> = BTreeMap::new();
    for metrics in &results.cases {
        for metric in &metrics.metrics {
            for sample in &metric.samples {
                found.entry(sample.object).or_default().push(Cited { case: &metrics.case, metric, sample });
            }
        }
    }
    found
}

/// Every cited object is at hand, has its digest, and gives the values that were taken from it.
pub(super) fn check_objects(results: &Results, reader: &Reader<'_>, report: &mut Report) {
    for (digest, samples) in objects(results) {
        match reader.get(&digest) {
            Ok(_) => {}
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
        }
        report.objects.checked += 1;
        let wrong = samples.iter().find(|cited| !gives(results, cited, reader));
        if let Some(Cited { metric, sample, .. }) = wrong {
            report.objects.failed += 1;
            report.failures.push(format!(
                "object {digest} does not give {} = {} at {}",
                metric.metric, sample.value, sample.pointer
            ));
        }
    }
}

fn gives(results: &Results, cited: &Cited<'_>, reader: &Reader<'_>) -> bool {
    let Cited { case, metric, sample } = *cited;
    let is_its_file = |file: &&GivenFile| file.object == sample.object && file.run == sample.run;
    let name = results.given.iter().find(is_its_file).map_or("", |file| file.name.as_str());
    let output = Output::of_digests(&sample.object, &sample.files, name, reader);
    let Some(reading) = output.ok().and_then(|output| output.read(case)) else { return false };
    let is_the_one = |one: &Measurement| {
        one.metric == metric.metric && one.pointer == sample.pointer && one.value.to_bits() == sample.value.to_bits()
    };
    reading.measurements.iter().any(|one| one.labels.is_result() && is_the_one(one))
}

/// Every object that a journal names is at hand and undamaged: also those that no number cites.
pub(super) fn check_referenced(
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
pub(super) fn check_record(opened: &Opened<'_>, record: &Record<'_>, report: &mut Report) {
    let input = &opened.input;
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
    match crate::results::collect(&opened.resolved.plan, &history, record.reader, 1) {
        Ok(results) if results == input.results => {}
        Ok(_) => report.failures.push("collecting the results again gives others".to_owned()),
        Err(StoreError::Missing(_)) => {}
        Err(error) => report.failures.push(error.to_string()),
    }
}

/// A run that a named one was begun after must be named too: a failed run can not be left out.
pub(super) fn check_ancestors(named: &[(RunId, Journal)], report: &mut Report) {
    for (id, journal) in named {
        let previous = journal.genesis().and_then(|genesis| genesis.previous.as_ref());
        if let Some(previous) = previous.filter(|previous| !named.iter().any(|(id, _)| *id == previous.run)) {
            report.failures.push(format!("the paper leaves out run {}, after which run {id} was begun", previous.run));
        }
    }
}

/// Attempts that the paper uses and that were marked invalid after it was made.
pub(super) fn note_later_marks(input: &Input, record: &Record<'_>, report: &mut Report) {
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
