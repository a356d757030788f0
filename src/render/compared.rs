//! The figures of comparisons: forests of ratios, and maps of changes over two factors.

use super::part::{self, Part};
use super::sections::{Parts, WORDS, in_parts};
use super::{Scope, chart, ratios};
use crate::compare::{Rule, comparisons};
use crate::document::{Block, Figure};
use crate::measurement::Metric;

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
