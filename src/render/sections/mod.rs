//! The parts of a paper that are generated: method, results, noise, attempts, provenance. What was measured, and on what,
//! is in `setup`.

mod method;
mod record;

use super::figure::{self, Moment};
use super::part::{self, Part};
use super::tokens::{Display, Tokens, evidence};
use super::{Scope, compared};
use crate::document::{Block, Column, Inline, Table};
use crate::measurement::Metric;
use crate::results::{CaseResults, Footnotes, MetricSamples};
use crate::store::event::Environment;
use crate::words::Word;

pub(crate) use method::method;
pub(crate) use record::{attempts, noise, provenance};

/// A document in the making.
#[derive(Default)]
pub(crate) struct Parts {
    pub(crate) tokens: Tokens,
    pub(crate) drawings: Vec<(String, String)>,
}

pub(super) fn cell(text: impl Into<String>) -> Vec<Inline> {
    vec![Inline::text(text)]
}

/// What every reader must know first: emulation, missing jobs, waivers, hidden differences.
pub(crate) fn warnings(scope: &Scope<'_>, parts: &mut Parts) -> Vec<Block> {
    let results = scope.results;
    let mut blocks = vec![];
    for (environment, word) in
        [(Environment::Emulated, Word::Emulated), (Environment::VirtualExact, Word::VirtualExact)]
    {
        // also where a journal says otherwise than the manifest
        let is_declared = scope.experiment.environment() == environment;
        if is_declared || results.runs.iter().any(|run| run.environment == environment) {
            blocks.push(Block::Note(scope.sentence(word)));
        }
    }
    blocks.extend(part::origins(scope));
    if results.missing > 0 {
        let missing = parts.tokens.count("jobs/missing", results.missing);
        let all = parts.tokens.count("jobs/planned", scope.plan.jobs.len() as u64);
        blocks.push(Block::Note(scope.sentence(Word::Missing { missing, jobs: all })));
    }
    if !results.hidden_differences.is_empty() {
        let facts = Inline::text(results.hidden_differences.join("; "));
        blocks.push(Block::Note(scope.sentence(Word::Hidden { facts })));
    }
    for run in &results.runs {
        for (fact, reason) in &run.waivers {
            blocks.push(Block::Note(scope.sentence(Word::Waiver {
                run: Inline::Code(run.run.clone()),
                fact: Inline::Code(fact.clone()),
                reason: Inline::text(reason.as_str()),
            })));
        }
    }
    blocks
}

/// The metrics that the paper reports: those of the manifest, or what the tools count as results.
pub(crate) fn reported(scope: &Scope<'_>) -> Vec<Metric> {
    let present = scope.results.metrics();
    if !scope.experiment.metrics.is_empty() {
        // how guests shared the machine belongs to every total over several
        let together = ["fairness", "start_skew"].map(Metric::new);
        let mut named: Vec<Metric> = scope.experiment.metrics.names().map(Metric::new).collect();
        named.extend(
            together.into_iter().filter(|metric| !scope.experiment.metrics.names().any(|one| one == metric.as_str())),
        );
        return named.into_iter().filter(|metric| present.contains(metric)).collect();
    }
    let of_case = |case: &crate::plan::Case| Some(case.work()?.metrics());
    let wanted: Vec<Metric> = scope.plan.cases.iter().filter_map(of_case).flatten().collect();
    present.into_iter().filter(|metric| wanted.contains(metric)).collect()
}

/// For each reported metric its heading, and for each part of the matrix chart, table and comparison.
pub(crate) fn results(scope: &Scope<'_>, parts: &mut Parts) -> Vec<Block> {
    let mut blocks = vec![];
    let reported = reported(scope);
    for metric in &reported {
        blocks.push(Block::Heading { level: 2, text: cell(metric.title(scope.words)) });
        for one in part::parts(scope).into_iter().filter(|one| part::has_metric(scope, *one, metric)) {
            if let Some(title) = one.title {
                blocks.push(Block::Heading { level: 3, text: cell(title) });
            }
            blocks.extend(figure::first(scope, parts, &Moment::Metric { metric, part: one }));
            blocks.extend(table_of(scope, parts, metric, one));
            blocks.extend(compared::drawn_and_listed(scope, parts, metric, one));
        }
    }
    blocks.extend(figure::all(scope, parts, &Moment::Together(&reported)));
    blocks
}

/// The parts of the matrix that have a metric, one after the other.
pub(super) fn in_parts(
    scope: &Scope<'_>,
    parts: &mut Parts,
    metric: &Metric,
    make: fn(&Scope<'_>, &mut Parts, &Metric, Part<'_>) -> Vec<Block>,
) -> Vec<Block> {
    let wanted = part::parts(scope).into_iter().filter(|one| part::has_metric(scope, *one, metric));
    wanted.flat_map(|one| make(scope, parts, metric, one)).collect()
}

/// The tables of one metric.
pub(crate) fn result_table(scope: &Scope<'_>, parts: &mut Parts, metric: &Metric) -> Vec<Block> {
    in_parts(scope, parts, metric, table_of)
}

/// The table of one metric in one part.
fn table_of(scope: &Scope<'_>, parts: &mut Parts, metric: &Metric, one: Part<'_>) -> Vec<Block> {
    let display = Display::of_cases(part::cases(scope, one), metric);
    let is_repeated = |case: &CaseResults| case.case.replicates(&scope.plan.settings) > 1;
    let has_intervals = part::cases(scope, one).any(is_repeated);
    let factors = part::varying_factors(scope, one);
    let mut columns: Vec<Column> = factors.iter().map(Column::text).collect();
    columns.push(Column::number(scope.text(Word::ReplicateCount)));
    columns.push(Column::number(with_unit(scope.text(Word::Median), display.unit)));
    if has_intervals {
        columns.push(Column::number(with_unit(scope.text(Word::Interval), display.unit)));
        columns.push(Column::number(with_unit(scope.text(Word::Level), "%")));
        columns.push(Column::number(with_unit(scope.text(Word::CoefficientOfVariation), "%")));
    }
    let (mut rows, mut footnotes) = (vec![], Footnotes::default());
    for case in part::cases(scope, one) {
        let mut row: Vec<Vec<Inline>> =
            factors.iter().map(|factor| cell(case.case.factors.get(factor).cloned().unwrap_or_default())).collect();
        match case.metric(metric) {
            Some(samples) => {
                let mut cells = result_cells(scope, parts, case, samples, display);
                mark(&mut cells, footnotes.mark(&scope.results.hidden_in(&[samples])));
                row.extend(cells);
            }
            None => row.push(cell("0")),
        }
        row.resize_with(columns.len(), || scope.sentence(Word::NoValue));
        if !has_intervals {
            row.truncate(columns.len());
        }
        rows.push(row);
    }
    let title = metric.title(scope.words).into();
    let caption = match part::is_given(scope, one, metric) {
        true => Word::GivenCaption { metric: title },
        false => Word::ResultsCaption { metric: title },
    };
    let caption = part::captioned(scope.text(caption), one);
    let table = Block::Table(Table { id: part::named(metric.as_str(), one), caption, columns, rows });
    std::iter::once(table).chain(explained(scope, &footnotes)).collect()
}

/// Puts the sign of a footnote after the first of some cells.
pub(super) fn mark(cells: &mut [Vec<Inline>], sign: String) {
    if let Some(cell) = cells.first_mut().filter(|_| !sign.is_empty()) {
        cell.push(Inline::text(sign));
    }
}

/// Footnotes of a table, as they stand below it.
pub(super) fn explained(scope: &Scope<'_>, footnotes: &Footnotes) -> Vec<Block> {
    let note = |(sign, facts): (String, &str)| {
        scope.paragraph(Word::HiddenInRow { sign: Inline::text(sign), facts: Inline::text(facts) })
    };
    footnotes.notes().map(note).collect()
}

pub(super) fn with_unit(head: String, unit: &str) -> String {
    if unit.is_empty() { head } else { format!("{head} [{unit}]") }
}

fn result_cells(
    scope: &Scope<'_>,
    parts: &mut Parts,
    case: &CaseResults,
    samples: &MetricSamples,
    display: Display,
) -> Vec<Vec<Inline>> {
    let Some(summary) = samples.summary() else { return vec![cell("0")] };
    let name = |what: &str| format!("{}/{}/{what}", samples.metric, case.case.label());
    let evidence = evidence(scope.results, samples);
    let mut cells = vec![vec![parts.tokens.count(&name("n"), summary.count as u64)]];
    cells.push(vec![parts.tokens.number(name("median"), summary.median, display, evidence.clone())]);
    if let Some(interval) = summary.interval {
        let low = parts.tokens.number(name("low"), interval.low, display, evidence.clone());
        let high = parts.tokens.number(name("high"), interval.high, display, evidence.clone());
        cells.push(vec![low, Inline::text(" – "), high]);
        let level = interval.level * 100.0;
        cells.push(vec![parts.tokens.number(name("level"), level, Display::percent(1), vec![])]);
    }
    if let Some(variation) = summary.variation {
        cells.push(vec![parts.tokens.number(name("cv"), variation * 100.0, Display::percent(2), evidence)]);
    }
    cells
}
