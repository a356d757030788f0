//! Percentile curves: levels of the treatment are lines, all else is panels.

use super::super::Scope;
use super::super::drawing::Drawing;
use super::super::drawing::axis::{Axis, Spacing};
use super::super::drawing::plot::{self, Plot, Point};
use super::super::part::{self, Part};
use super::super::sections::Parts;
use super::super::tokens::Display;
use super::fields::{Fields, place, summarized, value_axis};
use super::{Call, Figure, Level, Moment, Titled, block, figure_id, headed, narrowed};
use crate::document::Block;
use crate::measurement::Metric;
use crate::words::Word;

/// Percentile curves.
pub(super) struct Percentiles;

/// The fewest percentiles that are a curve.
const PERCENTILES_MIN: usize = 3;

impl Figure for Percentiles {
    fn name(&self) -> &'static str {
        "percentiles"
    }

    fn place(&self, scope: &Scope<'_>, parts: &mut Parts, call: &Call) -> Result<Vec<Block>, String> {
        call.takes_levels(1)?;
        let (of, levels) = (call.word(0)?, call.levels(scope, &[])?);
        let blocks = figures(scope, parts, &Curve::of(of, &scope.results.metrics()), &levels);
        if blocks.is_empty() && !scope.input.is_rehearsal {
            return Err(format!(
                "there is nothing to draw: no case has percentiles of `{of}`, or there are more than 12 panels; name a level to narrow it"
            ));
        }
        Ok(blocks)
    }

    fn unasked(&self, scope: &Scope<'_>, parts: &mut Parts, moment: &Moment<'_>) -> Vec<Block> {
        let Moment::Together(reported) = moment else { return vec![] };
        let curve = Curve::of("latency", reported);
        if curve.metrics.len() < PERCENTILES_MIN {
            return vec![];
        }
        let drawn = figures(scope, parts, &curve, &[]);
        headed(scope.text(Word::Percentiles), drawn)
    }
}

/// The percentiles of a quantity, ascending.
struct Curve<'a> {
    of: &'a str,
    metrics: Vec<(f64, Metric)>,
}

impl<'a> Curve<'a> {
    fn of(of: &'a str, metrics: &[Metric]) -> Self {
        Self { of, metrics: percentiles(metrics, of) }
    }
}

/// Part by part.
fn figures(scope: &Scope<'_>, parts: &mut Parts, curve: &Curve<'_>, levels: &[Level]) -> Vec<Block> {
    let mut blocks = vec![];
    for one in part::parts(scope) {
        let drawing = draw(scope, &curve.metrics, one, levels);
        let caption = Word::PercentilesCaption { quantity: curve.of.replace('_', " ").into() };
        let caption = narrowed(scope.text(caption), levels);
        let id = part::named(&figure_id(&format!("{}-percentiles", curve.of), levels), one);
        blocks.extend(block(parts, drawing, Titled { id, caption: part::captioned(caption, one) }));
    }
    blocks
}

/// The percentile that a metric is, such as 99.9 of `latency_p99.9`, with the name of what it is a percentile of.
fn percentile_of(metric: &Metric) -> Option<(&str, f64)> {
    let (of, percent) = metric.as_str().rsplit_once("_p")?;
    Some((of, percent.parse().ok().filter(|percent| (0.0..100.0).contains(percent))?))
}

/// The metrics that are percentiles of a quantity, ascending.
fn percentiles(metrics: &[Metric], of: &str) -> Vec<(f64, Metric)> {
    let known = metrics.iter().filter_map(|metric| Some((percentile_of(metric)?, metric.clone())));
    let mut found: Vec<(f64, Metric)> =
        known.filter(|((name, _), _)| *name == of).map(|((_, percent), metric)| (percent, metric)).collect();
    found.sort_by(|one, other| one.0.total_cmp(&other.0));
    found
}

fn draw(scope: &Scope<'_>, metrics: &[(f64, Metric)], one: Part<'_>, levels: &[Level]) -> Option<Drawing> {
    let mut fields = Fields::of(scope, one);
    fields.panels.extend(fields.along.take());
    let fields = fields.narrowed(levels);
    let (_, middle) = metrics.get(metrics.len() / 2)?;
    let display = Display::of_cases(part::cases(scope, one), middle);
    let mut panels = vec![];
    for case in part::cases(scope, one).filter(|case| part::levels_match(case, levels)) {
        for (percent, metric) in metrics {
            let Some((y, interval)) = case.metric(metric).and_then(|samples| summarized(samples, display)) else {
                continue;
            };
            let point = Point { x: *percent, y, interval, label: String::new() };
            place(&mut panels, (fields.panel_of(case), fields.group_of(case)), point);
        }
    }
    let levels = metrics.iter().map(|(percent, _)| (*percent, percent.to_string())).collect();
    let of = Metric::new(percentile_of(middle).map_or("", |(of, _)| of)).title(scope.words);
    let x = Axis::of_levels(scope.text(Word::Percentile), Spacing::Nines, levels);
    let title = if display.unit.is_empty() { of } else { format!("{of} [{}]", display.unit) };
    let y = value_axis(title.clone(), &panels);
    plot::draw(&Plot { title, legend: fields.legend(), groups: fields.groups(), x, y, panels, words: scope.words })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_metrics_of_one_quantity() {
        let metrics = ["latency_p99.9", "latency_mean", "sync_latency_p99", "latency_p50"].map(Metric::new);
        let found: Vec<f64> = percentiles(&metrics, "latency").into_iter().map(|(percent, _)| percent).collect();
        assert_eq!(found, [50.0, 99.9]);
    }
}
