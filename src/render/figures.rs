//! Figures as blocks: the chart of a metric, one metric against another, percentile curves.

use super::drawing::Drawing;
use super::part::{self, Part};
use super::sections::{Parts, WORDS, cell, filled, in_parts};
use super::tokens::Display;
use super::{Scope, chart};
use crate::document::{Block, Figure};
use crate::measurement::Metric;

/// A drawing with its caption; nothing where there is none.
pub(super) fn figure(parts: &mut Parts, drawing: Option<Drawing>, (id, caption): (&str, &str)) -> Vec<Block> {
    let Some(drawing) = drawing else { return vec![] };
    let file = format!("{id}.svg");
    let figure =
        Figure { id: id.to_owned(), caption: caption.to_owned(), description: drawing.description, file: file.clone() };
    if !parts.drawings.iter().any(|(name, _)| *name == file) {
        parts.drawings.push((file, drawing.svg));
    }
    vec![Block::Figure(figure)]
}

/// The charts of one metric.
pub(crate) fn chart(scope: &Scope<'_>, parts: &mut Parts, metric: &Metric) -> Vec<Block> {
    in_parts(scope, parts, metric, chart_of)
}

/// The chart of one metric in one part.
pub(super) fn chart_of(scope: &Scope<'_>, parts: &mut Parts, metric: &Metric, one: Part<'_>) -> Vec<Block> {
    let display = Display::of_cases(part::cases(scope, one), metric);
    let drawing = chart::draw(scope, (metric, display), one);
    let words = if part::is_given(scope, one, metric) { WORDS.given_caption } else { WORDS.chart_caption };
    let caption = part::captioned(filled(words, &metric.title()), one);
    figure(parts, drawing, (&part::named(metric.as_str(), one), &caption))
}

/// One metric against another, along a factor of numbers, part by part.
pub(crate) fn tradeoff(
    scope: &Scope<'_>,
    parts: &mut Parts,
    ((x, y), levels): ((&Metric, &Metric), &[Level]),
) -> Vec<Block> {
    let mut blocks = vec![];
    for one in part::parts(scope) {
        let display = |metric: &Metric| Display::of_cases(part::cases(scope, one), metric);
        let drawing = chart::tradeoff(scope, ((x, display(x)), (y, display(y))), (one, levels));
        let along = chart::along(scope, one).unwrap_or_default().replace('_', " ");
        let caption = filled(&filled(&filled(WORDS.tradeoff_caption, &y.title()), &x.title()), &along);
        let caption = narrowed(caption, levels);
        let id = part::named(&figure_id(&format!("{y}-against-{x}"), levels), one);
        blocks.extend(figure(parts, drawing, (&id, &part::captioned(caption, one))));
    }
    blocks
}

/// The curves of some percentiles of a quantity, part by part.
pub(crate) fn percentiles(
    scope: &Scope<'_>,
    parts: &mut Parts,
    (of, metrics): (&str, &[Metric]),
    levels: &[Level],
) -> Vec<Block> {
    let found = chart::percentiles(metrics, of);
    let mut blocks = vec![];
    for one in part::parts(scope) {
        let drawing = chart::percentile_curves(scope, &found, (one, levels));
        let caption = narrowed(filled(WORDS.percentiles_caption, &of.replace('_', " ")), levels);
        let id = part::named(&figure_id(&format!("{of}-percentiles"), levels), one);
        blocks.extend(figure(parts, drawing, (&id, &part::captioned(caption, one))));
    }
    blocks
}

/// A factor and the level that a figure is narrowed to.
type Level = (String, String);

fn narrowed(caption: String, levels: &[Level]) -> String {
    let named: Vec<String> =
        levels.iter().map(|(factor, level)| format!("{} {level}", factor.replace('_', " "))).collect();
    if named.is_empty() { caption } else { format!("{caption}; {}", named.join(", ")) }
}

/// The name of a figure with the levels that it is narrowed to.
fn figure_id(name: &str, levels: &[Level]) -> String {
    levels.iter().fold(name.to_owned(), |name, (_, level)| format!("{name}-{}", crate::name::slug(level)))
}

/// The fewest percentiles that are a curve.
const PERCENTILES_MIN: usize = 3;

/// What several of the reported metrics show together.
pub(super) fn together(scope: &Scope<'_>, parts: &mut Parts, reported: &[Metric]) -> Vec<Block> {
    let mut blocks = vec![];
    let (rate, latency) = (Metric::new("iops"), Metric::new("latency_mean"));
    if [&rate, &latency].iter().all(|metric| reported.contains(metric)) {
        let drawn = tradeoff(scope, parts, ((&rate, &latency), &[]));
        let head = filled(&filled(WORDS.tradeoff, &latency.title()), &rate.title());
        blocks.extend(headed(head, drawn));
    }
    if chart::percentiles(reported, "latency").len() >= PERCENTILES_MIN {
        let drawn = percentiles(scope, parts, ("latency", reported), &[]);
        blocks.extend(headed(WORDS.percentiles.to_owned(), drawn));
    }
    blocks
}

/// Blocks under a heading; no heading without blocks.
fn headed(head: String, blocks: Vec<Block>) -> Vec<Block> {
    if blocks.is_empty() {
        return vec![];
    }
    std::iter::once(Block::Heading { level: 2, text: cell(head) }).chain(blocks).collect()
}
