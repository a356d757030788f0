//! Comparisons: their tables, forests of ratios, and maps of changes over two factors.

use std::collections::BTreeSet;

use super::part::{self, Part};
use super::sections::{Parts, WORDS, cell, explained, filled, in_parts, mark, with_unit};
use super::tokens::{Display, evidence};
use super::{Scope, figures, ratios};
use crate::compare::{Comparison, Rule, Verdict, comparisons};
use crate::document::{Block, Column, Inline, Table};
use crate::measurement::Metric;
use crate::results::Footnotes;

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
    let mut blocks = drawn(scope, parts, &compared);
    blocks.extend(table(scope, parts, &compared));
    blocks
}

/// The comparisons of a metric in a part.
struct Compared<'a> {
    metric: &'a Metric,
    part: Part<'a>,
    factor: &'a str,
    /// The level that others are compared with.
    baseline: String,
    found: Vec<Comparison>,
}

impl<'a> Compared<'a> {
    /// None where nothing is compared.
    fn of(scope: &'a Scope<'_>, metric: &'a Metric, part: Part<'a>) -> Option<Self> {
        let factor = scope.power.treatment.as_deref()?;
        let mut found = comparisons(scope.results, metric, factor, Rule::of(scope.experiment, metric));
        found.retain(|found| scope.results.cases[found.cases.1].case.part.as_deref() == part.title);
        let baseline = found.first()?.baseline.clone();
        Some(Self { metric, part, factor, baseline, found })
    }

    /// A name for a figure or table of it.
    fn named(&self, what: &str) -> String {
        part::named(&format!("{}-{what}", self.metric), self.part)
    }

    fn captioned(&self, caption: String) -> String {
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
        Column::number(with_unit(WORDS.change, "%")),
        Column::number(with_unit(WORDS.interval_with_level, "%")),
        Column::number(WORDS.p_adjusted),
        Column::number(WORDS.p_rank),
        Column::text(WORDS.shown),
    ]);
    let mut footnotes = Footnotes::default();
    let rows = compared.found.iter().map(|found| {
        let mut row = comparison_row(scope, parts, (found, one));
        mark(&mut row[factors.len()..], footnotes.mark(&hidden_in(scope, found)));
        row
    });
    let rows = rows.collect();
    let caption = filled(WORDS.comparison_caption, &compared.metric.title());
    let caption = compared.captioned(filled(&caption, &format!("{factor} = {}", compared.baseline)));
    let table = Block::Table(Table { id: compared.named("compared"), caption, columns, rows });
    std::iter::once(table).chain(explained(&footnotes)).collect()
}

/// The undeclared facts in which what is compared differs.
fn hidden_in(scope: &Scope<'_>, one: &Comparison) -> Vec<String> {
    let sides = [one.cases.0, one.cases.1].map(|case| scope.results.cases[case].metric(&one.metric));
    scope.results.hidden_in(&sides.into_iter().flatten().collect::<Vec<_>>())
}

/// The columns that say what is compared: the other factors, then the compared one.
fn compared_columns(scope: &Scope<'_>, factor: &str, one: Part<'_>) -> Vec<String> {
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
            let mut cells = percent("change-low", bounds.low);
            cells.push(Inline::text(" to "));
            cells.extend(percent("change-high", bounds.high));
            cells.push(Inline::text(" ("));
            let level = bounds.level * 100.0;
            cells.push(parts.tokens.number(name("change-level"), level, Display::percent(1), evidence.clone()));
            cells.push(Inline::text(")"));
            cells
        }
        None => cell(WORDS.nothing),
    };
    let mut p = |what: &str, value: Option<f64>| match value {
        Some(value) if value < 0.0001 => cell("< 0.0001"),
        Some(value) => vec![parts.tokens.number(name(what), value, Display::plain(4), evidence.clone())],
        None => cell(WORDS.nothing),
    };
    let (p_adjusted, p_rank) = (p("p-adjusted", one.found.p_adjusted), p("p-rank", one.found.p_rank));
    let levels = &scope.results.cases[one.cases.1].case.factors;
    let factor = scope.power.treatment.as_deref().unwrap_or_default();
    let columns = compared_columns(scope, factor, of_part);
    let mut row: Vec<Vec<Inline>> =
        columns.iter().map(|column| cell(levels.get(column).cloned().unwrap_or_default())).collect();
    row.extend([change, interval, p_adjusted, p_rank, cell(verdict_word(one.verdict))]);
    row
}

/// A verdict in the language of the paper.
fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Equivalent => WORDS.equivalent,
        Verdict::Improved => WORDS.improved,
        Verdict::Regressed => WORDS.regressed,
        Verdict::Changed => WORDS.changed,
        Verdict::Invalid => WORDS.invalid,
        Verdict::Inconclusive | Verdict::Added | Verdict::Removed => WORDS.inconclusive,
    }
}

/// The ratios of one metric against the first level of the treatment, as a forest.
pub(crate) fn forest(scope: &Scope<'_>, parts: &mut Parts, metric: &Metric) -> Vec<Block> {
    in_parts(scope, parts, metric, forest_of)
}

fn forest_of(scope: &Scope<'_>, parts: &mut Parts, metric: &Metric, one: Part<'_>) -> Vec<Block> {
    Compared::of(scope, metric, one).map_or(vec![], |compared| forest_figure(scope, parts, &compared))
}

fn forest_figure(scope: &Scope<'_>, parts: &mut Parts, compared: &Compared<'_>) -> Vec<Block> {
    let row = |one: &Comparison| ratios::Row {
        label: label(one),
        ratio: one.found.ratio,
        interval: one.found.interval.map(|bounds| (bounds.low, bounds.high)),
        is_open: one.verdict.is_open(),
    };
    let rows: Vec<ratios::Row> = compared.found.iter().map(row).collect();
    let (metric, factor, baseline) = (compared.metric, compared.factor, &compared.baseline);
    let title = format!("{}: {} {factor} = {baseline}", metric.title(), WORDS.ratio_to);
    let margin = Rule::of(scope.experiment, metric).margin;
    let drawing = ratios::forest(&rows, margin, &title);
    let band = if margin.is_some() { WORDS.band } else { "" };
    let caption = format!("{}; {}{band}", compared.captioned(title), WORDS.rings);
    figures::figure(parts, drawing, (&compared.named("forest"), &caption))
}

/// What a comparison is of: the level, and the levels of the other factors.
fn label(one: &Comparison) -> String {
    let others = one.context.split(' ').filter(|part| !part.is_empty());
    let levels: Vec<&str> = others.map(|part| part.split_once('=').map_or(part, |(_, level)| level)).collect();
    if levels.is_empty() { one.level.clone() } else { format!("{}: {}", one.level, levels.join(" ")) }
}

/// The fewest comparisons whose ratios are drawn.
const COMPARISONS_DRAWN_MIN: usize = 3;
/// The fewest levels of each factor of a map that is drawn unasked.
const MAP_LEVELS_MIN: usize = 3;

/// The figure that shows the comparisons of a metric in a part: maps over two factors that have several levels each, or else
/// a forest; nothing where there are few.
fn drawn(scope: &Scope<'_>, parts: &mut Parts, compared: &Compared<'_>) -> Vec<Block> {
    if compared.found.len() < COMPARISONS_DRAWN_MIN || scope.plan.settings.replicates < 2 {
        return vec![];
    }
    let others = compared_columns(scope, compared.factor, compared.part);
    if let [y, x, _] = others.as_slice()
        && is_grid(scope, &compared.found, [x, y])
        && let Ok(blocks) = map_figures(scope, parts, compared, (x, y))
    {
        return blocks;
    }
    forest_figure(scope, parts, compared)
}

/// Whether comparisons fill most of a grid of two factors with several levels each.
fn is_grid(scope: &Scope<'_>, found: &[Comparison], factors: [&str; 2]) -> bool {
    let level = |one: &Comparison, factor: &str| scope.results.cases[one.cases.1].case.factors.get(factor).cloned();
    let counts = factors.map(|factor| found.iter().map(|one| level(one, factor)).collect::<BTreeSet<_>>().len());
    let places: BTreeSet<_> = found.iter().map(|one| factors.map(|factor| level(one, factor))).collect();
    counts.iter().all(|count| *count >= MAP_LEVELS_MIN) && places.len() * 4 >= counts[0] * counts[1] * 3
}

/// The changes of one metric over two factors; `Err` names a factor that is not there, or cells that are several cases.
pub(crate) fn map(
    scope: &Scope<'_>,
    parts: &mut Parts,
    metric: &Metric,
    (x, y): (&str, &str),
) -> Result<Vec<Block>, String> {
    let Some(factor) = scope.power.treatment.clone() else {
        return Err("nothing is compared: the manifest has no treatment".to_owned());
    };
    for name in [x, y] {
        if scope.experiment.matrix.levels(name).is_none() || name == factor {
            return Err(format!("`{name}` is no factor besides the treatment"));
        }
    }
    let mut blocks = vec![];
    for one in part::parts(scope).into_iter().filter(|one| part::has_metric(scope, *one, metric)) {
        if let Some(compared) = Compared::of(scope, metric, one) {
            blocks.extend(map_figures(scope, parts, &compared, (x, y))?);
        }
    }
    Ok(blocks)
}

/// The maps of a part, one for each level that is compared.
fn map_figures(
    scope: &Scope<'_>,
    parts: &mut Parts,
    compared: &Compared<'_>,
    (x, y): (&str, &str),
) -> Result<Vec<Block>, String> {
    let mut by_level: Vec<(&str, Vec<ratios::Cell<'_>>)> = vec![];
    for one in &compared.found {
        let levels = &scope.results.cases[one.cases.1].case.factors;
        let (Some(column), Some(row)) = (levels.get(x), levels.get(y)) else { continue };
        let place = by_level.iter().position(|(level, _)| *level == one.level).unwrap_or_else(|| {
            by_level.push((&one.level, vec![]));
            by_level.len() - 1
        });
        let cells = &mut by_level[place].1;
        if cells.iter().any(|cell| cell.column == column && cell.row == row) {
            return Err(format!("several comparisons have {x} = {column} and {y} = {row}"));
        }
        cells.push(ratios::Cell { column, row, ratio: one.found.ratio, is_open: one.verdict.is_open() });
    }
    let mut blocks = vec![];
    for (number, (level, cells)) in by_level.iter().enumerate() {
        let (factor, baseline) = (compared.factor, &compared.baseline);
        let title =
            format!("{}, {factor} = {level} against {baseline}: {}", compared.metric.title(), WORDS.change_in_percent);
        let name = if number == 0 { "map".to_owned() } else { format!("map-{}", number + 1) };
        let drawing = ratios::map(cells, (x, y), &title);
        let caption = format!("{}; {}", compared.captioned(title), WORDS.brackets);
        blocks.extend(figures::figure(parts, drawing, (&compared.named(&name), &caption)));
    }
    Ok(blocks)
}
