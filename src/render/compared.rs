//! Comparisons: their tables, forests of ratios, and maps of changes over two factors.

use super::part::{self, Part};
use super::sections::{Parts, WORDS, cell, explained, filled, in_parts, mark, with_unit};
use super::tokens::{Display, evidence};
use super::{Scope, chart, ratios};
use crate::compare::{Comparison, Rule, Verdict, comparisons};
use crate::document::{Block, Column, Figure, Inline, Table};
use crate::measurement::Metric;
use crate::results::Footnotes;

/// The comparisons of one metric along the treatment.
pub(crate) fn comparison(scope: &Scope<'_>, parts: &mut Parts, metric: &Metric) -> Vec<Block> {
    in_parts(scope, parts, metric, comparison_of)
}

/// The comparisons of one metric along the treatment in one part.
pub(super) fn comparison_of(scope: &Scope<'_>, parts: &mut Parts, metric: &Metric, one: Part<'_>) -> Vec<Block> {
    let Some(factor) = scope.power.treatment.clone() else { return vec![] };
    let mut found = comparisons(scope.results, metric, &factor, Rule::of(scope.experiment, metric));
    found.retain(|found| scope.results.cases[found.cases.1].case.part.as_deref() == one.title);
    let Some(baseline) = found.first().map(|one| one.baseline.clone()) else { return vec![] };
    if scope.plan.settings.replicates < 2 {
        return vec![];
    }
    let factors = compared_columns(scope, &factor, one);
    let mut columns: Vec<Column> = factors.iter().map(Column::text).collect();
    columns.extend([
        Column::number(with_unit(WORDS.change, "%")),
        Column::number(with_unit(WORDS.interval_with_level, "%")),
        Column::number(WORDS.p_adjusted),
        Column::number(WORDS.p_rank),
        Column::text(WORDS.shown),
    ]);
    let mut footnotes = Footnotes::default();
    let rows = found.iter().map(|found| {
        let mut row = comparison_row(scope, parts, (found, one));
        mark(&mut row[factors.len()..], footnotes.mark(&hidden_in(scope, found)));
        row
    });
    let rows = rows.collect();
    let caption = filled(WORDS.comparison_caption, &metric.title());
    let caption = part::captioned(filled(&caption, &format!("{factor} = {baseline}")), one);
    let table = Block::Table(Table { id: part::named(&format!("{metric}-compared"), one), caption, columns, rows });
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
        Verdict::Inconclusive | Verdict::Invalid | Verdict::Added | Verdict::Removed => WORDS.inconclusive,
    }
}

/// The ratios of one metric against the first level of the treatment, as a forest.
pub(crate) fn forest(scope: &Scope<'_>, parts: &mut Parts, metric: &Metric) -> Vec<Block> {
    in_parts(scope, parts, metric, forest_of)
}

fn forest_of(scope: &Scope<'_>, parts: &mut Parts, metric: &Metric, one: Part<'_>) -> Vec<Block> {
    let Some(factor) = scope.power.treatment.clone() else { return vec![] };
    let rule = Rule::of(scope.experiment, metric);
    let mut found = comparisons(scope.results, metric, &factor, rule);
    found.retain(|found| scope.results.cases[found.cases.1].case.part.as_deref() == one.title);
    let Some(baseline) = found.first().map(|one| one.baseline.clone()) else { return vec![] };
    let title = format!("{}: {} {factor} = {baseline}", metric.title(), WORDS.ratio_to);
    let drawing = ratios::forest(&found, rule.margin, &title);
    figure(parts, drawing, (&part::named(&format!("{metric}-forest"), one), &title))
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
    let found = comparisons(scope.results, metric, &factor, Rule::of(scope.experiment, metric));
    let mut cells: Vec<(&str, &str, f64)> = vec![];
    for one in &found {
        let levels = &scope.results.cases[one.cases.1].case.factors;
        let (Some(column), Some(row)) = (levels.get(x), levels.get(y)) else { continue };
        if cells.iter().any(|(known, other, _)| known == column && other == row) {
            return Err(format!("several comparisons have {x} = {column} and {y} = {row}"));
        }
        cells.push((column, row, one.found.ratio));
    }
    let title = format!("{}: {}", metric.title(), WORDS.change_in_percent);
    let drawing = ratios::map(&cells, (x, y), &title);
    Ok(figure(parts, drawing, (&format!("{metric}-map"), &title)))
}

/// A drawing with its caption; nothing where there is none.
fn figure(parts: &mut Parts, drawing: Option<chart::Drawing>, (id, caption): (&str, &str)) -> Vec<Block> {
    let Some(drawing) = drawing else { return vec![] };
    let file = format!("{id}.svg");
    let figure =
        Figure { id: id.to_owned(), caption: caption.to_owned(), description: drawing.description, file: file.clone() };
    if !parts.drawings.iter().any(|(name, _)| *name == file) {
        parts.drawings.push((file, drawing.svg));
    }
    vec![Block::Figure(figure)]
}
