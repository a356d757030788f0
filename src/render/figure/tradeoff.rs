//! One metric against another, such as latency against IOPS: a line joins the levels of a factor of numbers, such as the
//! queue depth, in their order.

use super::super::Scope;
use super::super::drawing::Drawing;
use super::super::drawing::axis::Axis;
use super::super::drawing::plot::{self, Panel, Plot, Point};
use super::super::part::{self, Part};
use super::super::sections::Parts;
use super::super::tokens::Display;
use super::fields::{Fields, number_of, place, summarized, titled, value_axis};
use super::{Call, Figure, Level, Moment, Titled, block, figure_id, headed, narrowed};
use crate::document::Block;
use crate::measurement::Metric;
use crate::results::CaseResults;
use crate::words::Word;

/// One metric against another.
pub(super) struct Tradeoff;

/// The metrics of the two axes.
struct Axes<'a> {
    x: &'a Metric,
    y: &'a Metric,
}

impl Figure for Tradeoff {
    fn name(&self) -> &'static str {
        "tradeoff"
    }

    fn place(&self, scope: &Scope<'_>, parts: &mut Parts, call: &Call) -> Result<Vec<Block>, String> {
        call.takes_levels(0)?;
        let (x, y) = (call.known_metric(scope, call.named("x")?)?, call.known_metric(scope, call.named("y")?)?);
        let levels = call.levels(scope, &["x", "y"])?;
        let blocks = figures(scope, parts, &Axes { x: &x, y: &y }, &levels);
        if blocks.is_empty() && !scope.input.is_rehearsal {
            return Err("there is nothing to draw: no factor besides the treatment has three or more numbers as its levels, or there are more than 12 panels; name a level to narrow it".to_owned());
        }
        Ok(blocks)
    }

    fn unasked(&self, scope: &Scope<'_>, parts: &mut Parts, moment: &Moment<'_>) -> Vec<Block> {
        let Moment::Together(reported) = moment else { return vec![] };
        let (rate, latency) = (Metric::new("iops"), Metric::new("latency_mean"));
        if ![&rate, &latency].iter().all(|metric| reported.contains(metric)) {
            return vec![];
        }
        let drawn = figures(scope, parts, &Axes { x: &rate, y: &latency }, &[]);
        headed(
            scope.text(Word::Tradeoff { y: latency.title(scope.words).into(), x: rate.title(scope.words).into() }),
            drawn,
        )
    }
}

/// Part by part.
fn figures(scope: &Scope<'_>, parts: &mut Parts, axes: &Axes<'_>, levels: &[Level]) -> Vec<Block> {
    let Axes { x, y } = axes;
    let mut blocks = vec![];
    for one in part::parts(scope) {
        let drawing = draw(scope, axes, one, levels);
        let along = Fields::of(scope, one).along.unwrap_or_default().replace('_', " ");
        let caption = Word::TradeoffCaption {
            y: y.title(scope.words).into(),
            x: x.title(scope.words).into(),
            along: along.into(),
        };
        let caption = scope.text(caption);
        let caption = part::captioned(narrowed(caption, levels), one);
        let id = part::named(&figure_id(&format!("{y}-against-{x}"), levels), one);
        blocks.extend(block(parts, drawing, Titled { id, caption }));
    }
    blocks
}

/// None where there is no factor of numbers.
fn draw(scope: &Scope<'_>, axes: &Axes<'_>, one: Part<'_>, levels: &[Level]) -> Option<Drawing> {
    let display = |metric: &Metric| Display::of_cases(part::cases(scope, one), metric);
    let (x_metric, x_display, y_metric, y_display) = (axes.x, display(axes.x), axes.y, display(axes.y));
    let fields = Fields::of(scope, one).narrowed(levels);
    let along = fields.along.as_ref()?;
    let mut panels: Vec<Panel> = vec![];
    let cases = part::cases(scope, one).filter(|case| part::levels_match(case, levels));
    let mut cases: Vec<&CaseResults> = cases.collect();
    cases.sort_by(|one, other| {
        let number =
            |case: &CaseResults| case.case.factors.get(along).and_then(|level| number_of(level)).unwrap_or(0.0);
        number(one).total_cmp(&number(other))
    });
    for case in cases {
        let median = |metric: &Metric, display: Display| summarized(case.metric(metric)?, display);
        let (Some((x, _)), Some((y, interval))) = (median(x_metric, x_display), median(y_metric, y_display)) else {
            continue;
        };
        let label = case.case.factors.get(along).cloned().unwrap_or_default();
        place(&mut panels, (fields.panel_of(case), fields.group_of(case)), Point { x, y, interval, label });
    }
    // panels stand in the order of the matrix, which sorting by one factor may have changed
    let order: Vec<String> = part::cases(scope, one).map(|case| fields.panel_of(case)).collect();
    panels.sort_by_key(|panel| order.iter().position(|title| *title == panel.title));
    let points = panels.iter().flat_map(|panel| &panel.series).flat_map(|series| &series.points);
    let x = Axis::of_values(titled(scope, x_metric, x_display), &points.map(|point| point.x).collect::<Vec<_>>());
    let y = value_axis(titled(scope, y_metric, y_display), &panels);
    let title = scope.text(Word::TradeoffAlong {
        y: y_metric.title(scope.words).into(),
        x: x_metric.title(scope.words).into(),
        along: along.replace('_', " ").into(),
    });
    plot::draw(&Plot { title, legend: fields.legend(), groups: fields.groups(), x, y, panels, words: scope.words })
}
