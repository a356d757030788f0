//! Which chart shows what: bars or lines over a factor of numbers, latency against IOPS, percentile curves.

use super::Scope;
use super::axis::{Axis, Spacing};
use super::bars::{self, Bar, Bars};
use super::drawing::Drawing;
use super::part::{self, Part};
use super::plot::{self, Panel, Plot, Point, Series};
use super::tokens::Display;
use crate::measurement::Metric;
use crate::results::{CaseResults, MetricSamples};
use crate::unit::Unit;

/// The fewest levels of a factor that are joined by a line.
const LINE_LEVELS_MIN: usize = 3;
/// The most levels that are lines of one panel, where nothing is compared.
const LINES_MAX: usize = 6;

/// The chart of a metric: lines where it runs along a factor of numbers, or else grouped bars; none where there is nothing to
/// draw, or too much.
pub(super) fn draw(scope: &Scope<'_>, (metric, display): (&Metric, Display), one: Part<'_>) -> Option<Drawing> {
    let fields = Fields::of(scope, one);
    let lines = fields.along.as_ref().and_then(|along| lines(scope, (metric, display), one, (&fields, along)));
    lines.or_else(|| grouped(scope, (metric, display), one))
}

/// The number that a level is: a plain one, or a quantity in its base unit. None where it is no number above zero.
fn number_of(level: &str) -> Option<f64> {
    let (digits, symbol) = level.split_once(' ').unwrap_or((level, ""));
    let number: f64 = digits.parse().ok().filter(|number| *number > 0.0)?;
    if symbol.is_empty() {
        return Some(number);
    }
    let (parts, whole) = Unit::parse(symbol)?.ratio();
    Some(number * parts as f64 / whole as f64)
}

/// What the factors of a part are to a chart.
struct Fields {
    /// The factor along which lines run.
    along: Option<String>,
    /// The factor whose levels are groups, in the order of the manifest.
    group: Option<(String, Vec<String>)>,
    /// The factors whose combinations are panels.
    panels: Vec<String>,
}

impl Fields {
    fn of(scope: &Scope<'_>, one: Part<'_>) -> Self {
        let factors = part::varying_factors(scope, one);
        let of_part = scope.experiment.matrix.parts().nth(one.number).map(|part| part.factors);
        let levels = |factor: &str| -> Vec<String> {
            let levels = of_part.and_then(|factors| factors.get(factor));
            levels.map(|levels| levels.0.iter().map(|level| level.text.clone()).collect()).unwrap_or_default()
        };
        let treatment = scope.power.treatment.clone().filter(|factor| factors.contains(factor));
        let is_numeric = |factor: &&String| {
            let levels = levels(factor);
            levels.len() >= LINE_LEVELS_MIN && levels.iter().all(|level| number_of(level).is_some())
        };
        let others = || factors.iter().filter(|factor| Some(*factor) != treatment.as_ref());
        let along = others().filter(is_numeric).max_by_key(|factor| levels(factor).len()).cloned();
        let mut rest: Vec<String> = others().filter(|factor| Some(*factor) != along.as_ref()).cloned().collect();
        let group = treatment.clone().or_else(|| {
            let place = rest.iter().position(|factor| levels(factor).len() <= LINES_MAX)?;
            along.is_some().then(|| rest.remove(place))
        });
        let group = group.map(|factor| (factor.clone(), levels(&factor)));
        Self { along, group, panels: rest }
    }

    /// Without factors that have one level left.
    fn narrowed(mut self, levels: &[(String, String)]) -> Self {
        self.panels.retain(|factor| levels.iter().all(|(name, _)| name != factor));
        self
    }

    fn group_of(&self, case: &CaseResults) -> usize {
        let level = self.group.as_ref().and_then(|(factor, levels)| {
            let level = case.case.factors.get(factor)?;
            levels.iter().position(|one| one == level)
        });
        level.unwrap_or(0)
    }

    /// The names of the groups that have cases, each with its shade, and for each level its place among them.
    fn groups(&self) -> Vec<(String, usize)> {
        match &self.group {
            Some((_, levels)) => levels.iter().cloned().zip(0..).collect(),
            None => vec![(String::new(), 0)],
        }
    }

    fn legend(&self) -> String {
        self.group.as_ref().map_or_else(String::new, |(factor, _)| factor.replace('_', " "))
    }

    fn panel_of(&self, case: &CaseResults) -> String {
        let level = |factor: &String| Some(format!("{} {}", factor.replace('_', " "), case.case.factors.get(factor)?));
        self.panels.iter().filter_map(level).collect::<Vec<_>>().join(", ")
    }
}

/// Puts a point on the line of its panel and group.
fn place(panels: &mut Vec<Panel>, (title, group): (String, usize), point: Point) {
    let number = panels.iter().position(|panel| panel.title == title).unwrap_or_else(|| {
        panels.push(Panel { title, series: vec![] });
        panels.len() - 1
    });
    let series = &mut panels[number].series;
    match series.iter_mut().find(|series| series.group == group) {
        Some(series) => series.points.push(point),
        None => series.push(Series { group, points: vec![point] }),
    }
}

fn titled(metric: &Metric, display: Display) -> String {
    if display.unit.is_empty() { metric.title() } else { format!("{} [{}]", metric.title(), display.unit) }
}

/// The median of samples and its interval, in printed units.
fn summarized(samples: &MetricSamples, display: Display) -> Option<(f64, Option<(f64, f64)>)> {
    let (summary, divisor) = (samples.summary()?, display.divisor as f64);
    let interval = summary.interval.map(|interval| (interval.low / divisor, interval.high / divisor));
    Some((summary.median / divisor, interval))
}

/// An axis over all values of some panels, intervals included.
fn value_axis(title: String, panels: &[Panel]) -> Axis {
    let points = panels.iter().flat_map(|panel| &panel.series).flat_map(|series| &series.points);
    let values = points.flat_map(|point| {
        let ends = point.interval.map_or([point.y; 2], |(low, high)| [low, high]);
        [point.y, ends[0], ends[1]]
    });
    Axis::of_values(title, &values.collect::<Vec<_>>())
}

/// The levels of a factor in a part, with the numbers that they are, ascending.
fn numbered_levels(scope: &Scope<'_>, one: Part<'_>, factor: &str) -> Vec<(f64, String)> {
    let levels = part::cases(scope, one).filter_map(|case| case.case.factors.get(factor));
    let mut levels: Vec<(f64, String)> = levels.filter_map(|level| Some((number_of(level)?, level.clone()))).collect();
    levels.sort_by(|one, other| one.0.total_cmp(&other.0));
    levels.dedup();
    levels
}

fn lines(
    scope: &Scope<'_>,
    (metric, display): (&Metric, Display),
    one: Part<'_>,
    (fields, along): (&Fields, &String),
) -> Option<Drawing> {
    let mut panels = vec![];
    for case in part::cases(scope, one) {
        let Some((y, interval)) = case.metric(metric).and_then(|samples| summarized(samples, display)) else {
            continue;
        };
        let Some(x) = case.case.factors.get(along).and_then(|level| number_of(level)) else { continue };
        let point = Point { x, y, interval, label: String::new() };
        place(&mut panels, (fields.panel_of(case), fields.group_of(case)), point);
    }
    sort_points(&mut panels);
    let title = titled(metric, display);
    let is_share = metric.as_str() == "fairness";
    let y = if is_share { Axis::of_share(title.clone()) } else { value_axis(title.clone(), &panels) };
    let levels = numbered_levels(scope, one, along);
    let x = Axis::of_levels(along.replace('_', " "), Spacing::Logarithmic, levels);
    plot::draw(&Plot { title, legend: fields.legend(), groups: fields.groups(), x, y, panels })
}

fn sort_points(panels: &mut [Panel]) {
    for series in panels.iter_mut().flat_map(|panel| &mut panel.series) {
        series.points.sort_by(|one, other| one.x.total_cmp(&other.x));
    }
}

/// The factor along which lines of a part run.
pub(super) fn along(scope: &Scope<'_>, one: Part<'_>) -> Option<String> {
    Fields::of(scope, one).along
}

/// One metric against another, such as latency against IOPS: a line joins the levels of a factor of numbers, such as the queue
/// depth, in their order. None where there is no such factor.
pub(super) fn tradeoff(
    scope: &Scope<'_>,
    ((x_metric, x_display), (y_metric, y_display)): ((&Metric, Display), (&Metric, Display)),
    (one, levels): (Part<'_>, &[(String, String)]),
) -> Option<Drawing> {
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
    let x = Axis::of_values(titled(x_metric, x_display), &points.map(|point| point.x).collect::<Vec<_>>());
    let y = value_axis(titled(y_metric, y_display), &panels);
    let title = format!("{} against {}, along {}", y_metric.title(), x_metric.title(), along.replace('_', " "));
    plot::draw(&Plot { title, legend: fields.legend(), groups: fields.groups(), x, y, panels })
}

/// The percentile that a metric is, such as 99.9 of `latency_p99.9`, with the name of what it is a percentile of.
fn percentile_of(metric: &Metric) -> Option<(&str, f64)> {
    let (of, percent) = metric.as_str().rsplit_once("_p")?;
    Some((of, percent.parse().ok().filter(|percent| (0.0..100.0).contains(percent))?))
}

/// The metrics that are percentiles of a quantity, ascending.
pub(super) fn percentiles(metrics: &[Metric], of: &str) -> Vec<(f64, Metric)> {
    let known = metrics.iter().filter_map(|metric| Some((percentile_of(metric)?, metric.clone())));
    let mut found: Vec<(f64, Metric)> =
        known.filter(|((name, _), _)| *name == of).map(|((_, percent), metric)| (percent, metric)).collect();
    found.sort_by(|one, other| one.0.total_cmp(&other.0));
    found
}

/// The curve of some percentiles of each case; levels of the treatment are lines, all else is panels.
pub(super) fn percentile_curves(
    scope: &Scope<'_>,
    metrics: &[(f64, Metric)],
    (one, levels): (Part<'_>, &[(String, String)]),
) -> Option<Drawing> {
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
    let of = Metric::new(percentile_of(middle).map_or("", |(of, _)| of)).title();
    let x = Axis::of_levels("percentile".to_owned(), Spacing::Nines, levels);
    let title = if display.unit.is_empty() { of } else { format!("{of} [{}]", display.unit) };
    let y = value_axis(title.clone(), &panels);
    plot::draw(&Plot { title, legend: fields.legend(), groups: fields.groups(), x, y, panels })
}

/// Groups are the levels of the compared factor, categories all combinations of the others.
fn grouped(scope: &Scope<'_>, (metric, display): (&Metric, Display), one: Part<'_>) -> Option<Drawing> {
    let factors = part::varying_factors(scope, one);
    let fields = Fields::of(scope, one);
    let treatment = scope.power.treatment.as_ref().filter(|factor| factors.contains(factor));
    let others: Vec<&String> = factors.iter().filter(|factor| Some(*factor) != treatment).collect();
    let group_of = |case: &CaseResults| if treatment.is_some() { fields.group_of(case) } else { 0 };
    let (mut shades, mut categories, mut bars) = (vec![], vec![], vec![]);
    for case in part::cases(scope, one) {
        let found = case.metric(metric).and_then(|samples| summarized(samples, display));
        let Some((value, interval)) = found else { continue };
        let levels = others.iter().filter_map(|factor| case.case.factors.get(*factor)).cloned();
        let category = levels.collect::<Vec<String>>().join(", ");
        let group = position(&mut shades, group_of(case));
        bars.push(Bar { group, category: position(&mut categories, category), value, interval });
    }
    let names = if treatment.is_some() { fields.groups() } else { vec![(String::new(), 0)] };
    // one group alone is named, too, where it is one of several levels
    let groups = shades.into_iter().filter_map(|shade| names.get(shade).cloned()).collect();
    bars::draw(&Bars {
        axis: titled(metric, display),
        legend: treatment.map_or_else(String::new, |factor| factor.replace('_', " ")),
        groups,
        categories,
        category_head: others.iter().map(|factor| factor.replace('_', " ")).collect::<Vec<_>>().join(", "),
        bars,
    })
}

/// The place of an item in a list, to whose end it is added where it is new.
fn position<T: PartialEq>(list: &mut Vec<T>, item: T) -> usize {
    list.iter().position(|one| *one == item).unwrap_or_else(|| {
        list.push(item);
        list.len() - 1
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_numbers_in_their_base_unit() {
        assert_eq!([number_of("16"), number_of("4 KiB"), number_of("2 s")], [Some(16.0), Some(4096.0), Some(2e9)]);
        assert_eq!([number_of("0"), number_of("raw"), number_of("3 apples")], [None; 3]);
    }

    #[test]
    fn percentiles_are_metrics_of_one_quantity() {
        let metrics = ["latency_p99.9", "latency_mean", "sync_latency_p99", "latency_p50"].map(Metric::new);
        let found: Vec<f64> = percentiles(&metrics, "latency").into_iter().map(|(percent, _)| percent).collect();
        assert_eq!(found, [50.0, 99.9]);
    }
}
