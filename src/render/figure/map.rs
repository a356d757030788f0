//! The changes of one metric over two factors, one map for each level that is compared.

use std::collections::BTreeSet;

use super::super::Scope;
use super::super::compared::{Compared, compared_columns};
use super::super::drawing::ratios;
use super::super::part;
use super::super::sections::Parts;
use super::{Call, Figure, Moment, Titled, block};
use crate::compare::Comparison;
use crate::document::Block;
use crate::words::Word;

/// A map of changes.
pub(super) struct Map;

/// The fewest levels of each factor of a map that is drawn unasked.
const LEVELS_MIN: usize = 3;

/// The factors of the two axes.
#[derive(Clone, Copy)]
struct Axes<'a> {
    x: &'a str,
    y: &'a str,
}

impl Figure for Map {
    fn name(&self) -> &'static str {
        "map"
    }

    fn place(&self, scope: &Scope<'_>, parts: &mut Parts, call: &Call) -> Result<Vec<Block>, String> {
        call.takes(1, &["x", "y"])?;
        let metric = call.metric(scope, 0)?;
        let axes = Axes { x: call.named("x")?, y: call.named("y")? };
        let Some(factor) = scope.power.treatment.clone() else {
            return Err("nothing is compared: the manifest has no treatment".to_owned());
        };
        for name in [axes.x, axes.y] {
            if scope.experiment.matrix.levels(name).is_none() || name == factor {
                return Err(format!("`{name}` is no factor besides the treatment"));
            }
        }
        let mut blocks = vec![];
        for one in part::parts(scope).into_iter().filter(|one| part::has_metric(scope, *one, &metric)) {
            if let Some(compared) = Compared::of(scope, &metric, one) {
                blocks.extend(draw(scope, parts, &compared, axes)?);
            }
        }
        Ok(blocks)
    }

    /// Where two factors besides the treatment have several levels each.
    fn unasked(&self, scope: &Scope<'_>, parts: &mut Parts, moment: &Moment<'_>) -> Vec<Block> {
        let Moment::Compared(compared) = moment else { return vec![] };
        let others = compared_columns(scope, compared.factor, compared.part);
        match others.as_slice() {
            [y, x, _] if is_grid(scope, &compared.found, [x, y]) => {
                draw(scope, parts, compared, Axes { x, y }).unwrap_or_default()
            }
            _ => vec![],
        }
    }
}

/// Whether comparisons fill most of a grid of two factors with several levels each.
fn is_grid(scope: &Scope<'_>, found: &[Comparison], factors: [&str; 2]) -> bool {
    let level = |one: &Comparison, factor: &str| scope.results.cases[one.cases.1].case.factors.get(factor).cloned();
    let counts = factors.map(|factor| found.iter().map(|one| level(one, factor)).collect::<BTreeSet<_>>().len());
    let places: BTreeSet<_> = found.iter().map(|one| factors.map(|factor| level(one, factor))).collect();
    counts.iter().all(|count| *count >= LEVELS_MIN) && places.len() * 4 >= counts[0] * counts[1] * 3
}

/// The maps of a part, one for each level that is compared.
fn draw(
    scope: &Scope<'_>,
    parts: &mut Parts,
    compared: &Compared<'_>,
    Axes { x, y }: Axes<'_>,
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
        let title = scope.text(Word::MapTitle {
            metric: compared.metric.title(scope.words).into(),
            level: format!("{factor} = {level}").into(),
            baseline: baseline.as_str().into(),
        });
        let name = if number == 0 { "map".to_owned() } else { format!("map-{}", number + 1) };
        let drawing = ratios::map(cells, (x, y), &title);
        let caption = scope.text(Word::MapCaption { title: compared.captioned(title).into() });
        blocks.extend(block(parts, drawing, Titled { id: compared.named(&name), caption }));
    }
    Ok(blocks)
}
