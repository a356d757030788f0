//! Comparisons of a metric along the treatment, and their tables.

use super::Scope;
use super::figure::{self, Moment};
use super::part::{self, Part};
use super::sections::{Parts, cell, explained, in_parts, mark, with_unit};
use super::tokens::{Display, evidence};
use crate::compare::{Comparison, Rule, Verdict, comparisons};
use crate::document::{Block, Column, Inline, Table};
use crate::measurement::Metric;
use crate::results::Footnotes;
use crate::words::{Argument, Word};

/// The fewest comparisons whose ratios are drawn.
const COMPARISONS_DRAWN_MIN: usize = 3;

/// The comparisons of one metric along the treatment.
pub(crate) fn comparison(scope: &Scope<'_>, parts: &mut Parts, metric: &Metric) -> Vec<Block> {
    in_parts(scope, parts, metric, comparison_of)
}

fn comparison_of(scope: &Scope<'_>, parts: &mut Parts, metric: &Metric, one: Part<'_>) -> Vec<Block> {
    Compared::of(scope, metric, one).map_or(vec![], |compared| table(scope, parts, &compared))
}

/// The figure and the table of the comparisons of one metric in one part.
pub(super) fn drawn_and_listed(scope: &Scope<'_>, parts: &mut Parts, metric: &Metric, one: Part<'_>) -> Vec<Block> {
    let Some(compared) = Compared::of(scope, metric, one) else { return vec![] };
    let mut blocks = vec![];
    if compared.found.len() >= COMPARISONS_DRAWN_MIN && scope.plan.settings.replicates >= 2 {
        blocks = figure::first(scope, parts, &Moment::Compared(&compared));
    }
    blocks.extend(table(scope, parts, &compared));
    blocks
}

/// The comparisons of a metric in a part.
pub(super) struct Compared<'a> {
    pub(super) metric: &'a Metric,
    pub(super) part: Part<'a>,
    pub(super) factor: &'a str,
    /// The level that others are compared with.
    pub(super) baseline: String,
    pub(super) found: Vec<Comparison>,
}

impl<'a> Compared<'a> {
    /// None where nothing is compared.
    pub(super) fn of(scope: &'a Scope<'_>, metric: &'a Metric, part: Part<'a>) -> Option<Self> {
        let factor = scope.power.treatment.as_deref()?;
        let mut found = comparisons(scope.results, metric, factor, Rule::of(scope.experiment, metric));
        found.retain(|found| scope.results.cases[found.cases.1].case.part.as_deref() == part.title);
        let baseline = found.first()?.baseline.clone();
        Some(Self { metric, part, factor, baseline, found })
    }

    /// A name for a figure or table of it.
    pub(super) fn named(&self, what: &str) -> String {
        part::named(&format!("{}-{what}", self.metric), self.part)
    }

    pub(super) fn captioned(&self, caption: String) -> String {
        part::captioned(caption, self.part)
    }
}

fn table(scope: &Scope<'_>, parts: &mut Parts, compared: &Compared<'_>) -> Vec<Block> {
    let (factor, one) = (compared.factor, compared.part);
    if scope.plan.settings.replicates < 2 {
        return vec![];
    }
    let factors = compared_columns(scope, factor, one);
    let mut columns: Vec<Column> = factors.iter().map(Column::text).collect();
    columns.extend([
        Column::number(with_unit(scope.text(Word::Change), "%")),
        Column::number(with_unit(scope.text(Word::IntervalWithLevel), "%")),
        Column::number(scope.text(Word::PAdjusted)),
        Column::number(scope.text(Word::PRank)),
        Column::text(scope.text(Word::Verdict)),
    ]);
    let mut footnotes = Footnotes::default();
    let rows = compared.found.iter().map(|found| {
        let mut row = comparison_row(scope, parts, (found, one));
        mark(&mut row[factors.len()..], footnotes.mark(&hidden_in(scope, found)));
        row
    });
    let rows = rows.collect();
    let (metric, baseline) = (compared.metric.title(scope.words), format!("{factor} = {}", compared.baseline));
    let caption = scope.text(Word::ComparisonCaption { metric: metric.into(), baseline: baseline.into() });
    let caption = compared.captioned(caption);
    let table = Block::Table(Table { id: compared.named("compared"), caption, columns, rows });
    std::iter::once(table).chain(explained(scope, &footnotes)).collect()
}

/// The undeclared facts in which what is compared differs.
fn hidden_in(scope: &Scope<'_>, one: &Comparison) -> Vec<String> {
    let sides = [one.cases.0, one.cases.1].map(|case| scope.results.cases[case].metric(&one.metric));
    scope.results.hidden_in(&sides.into_iter().flatten().collect::<Vec<_>>())
}

/// The columns that say what is compared: the other factors, then the compared one.
pub(super) fn compared_columns(scope: &Scope<'_>, factor: &str, one: Part<'_>) -> Vec<String> {
    let others = part::varying_factors(scope, one).into_iter().filter(|one| one != factor);
    others.chain([factor.to_owned()]).collect()
}

/// A change in percent out of a ratio.
pub(crate) fn percent_change(ratio: f64) -> f64 {
    (ratio - 1.0) * 100.0
}

fn comparison_row(scope: &Scope<'_>, parts: &mut Parts, (one, of_part): (&Comparison, Part<'_>)) -> Vec<Vec<Inline>> {
    let name = |what: &str| format!("{}/{} {}/{what}", one.metric, one.level, one.context);
    let sides = [one.cases.0, one.cases.1].map(|case| scope.results.cases[case].metric(&one.metric));
    let evidence: Vec<_> = sides.into_iter().flatten().flat_map(|samples| evidence(scope.results, samples)).collect();
    let mut percent = |what: &str, ratio: f64| {
        let sign = if ratio > 1.0 { "+" } else { "" };
        let token = parts.tokens.number(name(what), percent_change(ratio), Display::percent(1), evidence.clone());
        vec![Inline::text(sign), token]
    };
    let change = percent("change", one.found.ratio);
    let interval = match one.found.interval {
        Some(bounds) => {
            let (low, high) = (percent("change-low", bounds.low), percent("change-high", bounds.high));
            let level = bounds.level * 100.0;
            let level = parts.tokens.number(name("change-level"), level, Display::percent(1), evidence.clone());
            scope.spread(Word::ChangeInterval { low, high, level: vec![level] })
        }
        None => scope.sentence(Word::NoValue),
    };
    let mut p = |what: &str, value: Option<f64>| match value {
        Some(value) if value < 0.0001 => cell("< 0.0001"),
        Some(value) => vec![parts.tokens.number(name(what), value, Display::plain(4), evidence.clone())],
        None => scope.sentence(Word::NoValue),
    };
    let (p_adjusted, p_rank) = (p("p-adjusted", one.found.p_adjusted), p("p-rank", one.found.p_rank));
    let levels = &scope.results.cases[one.cases.1].case.factors;
    let factor = scope.power.treatment.as_deref().unwrap_or_default();
    let columns = compared_columns(scope, factor, of_part);
    let mut row: Vec<Vec<Inline>> =
        columns.iter().map(|column| cell(levels.get(column).cloned().unwrap_or_default())).collect();
    row.extend([change, interval, p_adjusted, p_rank, cell(scope.text(verdict_word(one.verdict)))]);
    row
}

/// A verdict in the language of the paper.
fn verdict_word(verdict: Verdict) -> Word<Argument<'static>> {
    match verdict {
        Verdict::Equivalent => Word::Equivalent,
        Verdict::Improved => Word::Improved,
        Verdict::Regressed => Word::Regressed,
        Verdict::Changed => Word::Changed,
        Verdict::Invalid => Word::Invalid,
        Verdict::Inconclusive | Verdict::Added | Verdict::Removed => Word::Inconclusive,
    }
}
