//! Figures: what templates place by a function, and what the results show unasked.
//!
//! A new figure is one file here and two lines below: its module, and its entry in [`FIGURES`]. Layout and SVG are those of
//! [`super::drawing`].

mod chart;
mod fields;
mod forest;
mod map;
mod percentiles;
mod tradeoff;

use super::Scope;
use super::compared::Compared;
use super::drawing::Drawing;
use super::part::Part;
use super::sections::{Parts, cell};
use crate::document::{Block, Figure as FigureBlock};
use crate::measurement::Metric;

pub(super) use super::function::Call;

/// A kind of figure.
pub(super) trait Figure: Sync {
    /// The function of templates that places it.
    fn name(&self) -> &'static str;
    /// What a call of a template places; `Err` says what is wrong with the call.
    fn place(&self, scope: &Scope<'_>, parts: &mut Parts, call: &Call) -> Result<Vec<Block>, String>;
    /// What the results show of it unasked; nothing where it does not fit.
    fn unasked(&self, scope: &Scope<'_>, parts: &mut Parts, moment: &Moment<'_>) -> Vec<Block>;
}

/// Where in the results a figure may stand unasked.
pub(super) enum Moment<'a> {
    /// Above the table of a metric in a part of the matrix.
    Metric { metric: &'a Metric, part: Part<'a> },
    /// Above the table of the comparisons of a metric in a part.
    Compared(&'a Compared<'a>),
    /// After all metrics that the paper reports.
    Together(&'a [Metric]),
}

/// All figures. Where one is enough, the first that fits is shown.
pub(super) const FIGURES: &[&dyn Figure] = &[
    &chart::Chart,
    &tradeoff::Tradeoff,
    &percentiles::Percentiles,
    &map::Map,
    &forest::Forest, //
];

/// The first figure that fits a place.
pub(super) fn first(scope: &Scope<'_>, parts: &mut Parts, moment: &Moment<'_>) -> Vec<Block> {
    let mut drawn = FIGURES.iter().map(|figure| figure.unasked(scope, parts, moment));
    drawn.find(|blocks| !blocks.is_empty()).unwrap_or_default()
}

/// All figures that fit a place.
pub(super) fn all(scope: &Scope<'_>, parts: &mut Parts, moment: &Moment<'_>) -> Vec<Block> {
    FIGURES.iter().flat_map(|figure| figure.unasked(scope, parts, moment)).collect()
}

/// The name of a figure, which is also that of its file, and its caption.
struct Titled {
    id: String,
    caption: String,
}

/// A drawing with its caption; nothing where there is none.
fn block(parts: &mut Parts, drawing: Option<Drawing>, titled: Titled) -> Vec<Block> {
    let Some(drawing) = drawing else { return vec![] };
    let file = format!("{}.svg", titled.id);
    if !parts.drawings.iter().any(|(name, _)| *name == file) {
        parts.drawings.push((file.clone(), drawing.svg));
    }
    let Titled { id, caption } = titled;
    vec![Block::Figure(FigureBlock { id, caption, description: drawing.description, file })]
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

/// Blocks under a heading; no heading without blocks.
fn headed(head: String, blocks: Vec<Block>) -> Vec<Block> {
    if blocks.is_empty() {
        return vec![];
    }
    std::iter::once(Block::Heading { level: 2, text: cell(head) }).chain(blocks).collect()
}
