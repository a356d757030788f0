//! What the factors of a part are to a chart, and its points from the results.

use super::super::Scope;
use super::super::drawing::axis::Axis;
use super::super::drawing::plot::{Panel, Point, Series};
use super::super::part::{self, Part};
use super::super::tokens::Display;
use crate::measurement::Metric;
use crate::results::{CaseResults, MetricSamples};
use crate::unit::Unit;

/// The fewest levels of a factor that are joined by a line.
const LINE_LEVELS_MIN: usize = 3;
/// The most levels that are lines of one panel, where nothing is compared.
const LINES_MAX: usize = 6;

/// The number that a level is: a plain one, or a quantity in its base unit. None where it is no number above zero.
pub(super) fn number_of(level: &str) -> Option<f64> {
    let (digits, symbol) = level.split_once(' ').unwrap_or((level, ""));
    let number: f64 = digits.parse().ok().filter(|number| *number > 0.0)?;
    if symbol.is_empty() {
        return Some(number);
    }
    let (parts, whole) = Unit::parse(symbol)?.ratio();
    Some(number * parts as f64 / whole as f64)
}

/// What the factors of a part are to a chart.
pub(super) struct Fields {
    /// The factor along which lines run.
    pub(super) along: Option<String>,
    /// The factor whose levels are groups, in the order of the manifest.
    group: Option<(String, Vec<String>)>,
    /// The factors whose combinations are panels.
    pub(super) panels: Vec<String>,
}

impl Fields {
    pub(super) fn of(scope: &Scope<'_>, one: Part<'_>) -> Self {
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
    pub(super) fn narrowed(mut self, levels: &[(String, String)]) -> Self {
        self.panels.retain(|factor| levels.iter().all(|(name, _)| name != factor));
        self
    }

    pub(super) fn group_of(&self, case: &CaseResults) -> usize {
        let level = self.group.as_ref().and_then(|(factor, levels)| {
            let level = case.case.factors.get(factor)?;
            levels.iter().position(|one| one == level)
        });
        level.unwrap_or(0)
    }

    /// The names of the groups that have cases, each with its shade, and for each level its place among them.
    pub(super) fn groups(&self) -> Vec<(String, usize)> {
        match &self.group {
            Some((_, levels)) => levels.iter().cloned().zip(0..).collect(),
            None => vec![(String::new(), 0)],
        }
    }

    pub(super) fn legend(&self) -> String {
        self.group.as_ref().map_or_else(String::new, |(factor, _)| factor.replace('_', " "))
    }

    pub(super) fn panel_of(&self, case: &CaseResults) -> String {
        let level = |factor: &String| Some(format!("{} {}", factor.replace('_', " "), case.case.factors.get(factor)?));
        self.panels.iter().filter_map(level).collect::<Vec<_>>().join(", ")
    }
}

/// Puts a point on the line of its panel and group.
pub(super) fn place(panels: &mut Vec<Panel>, (title, group): (String, usize), point: Point) {
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

pub(super) fn titled(scope: &Scope<'_>, metric: &Metric, display: Display) -> String {
    if display.unit.is_empty() {
        metric.title(scope.words)
    } else {
        format!("{} [{}]", metric.title(scope.words), display.unit)
    }
}

/// The median of samples and its interval, in printed units.
pub(super) fn summarized(samples: &MetricSamples, display: Display) -> Option<(f64, Option<(f64, f64)>)> {
    let (summary, divisor) = (samples.summary()?, display.divisor as f64);
    let interval = summary.interval.map(|interval| (interval.low / divisor, interval.high / divisor));
    Some((summary.median / divisor, interval))
}

/// An axis over all values of some panels, intervals included.
pub(super) fn value_axis(title: String, panels: &[Panel]) -> Axis {
    let points = panels.iter().flat_map(|panel| &panel.series).flat_map(|series| &series.points);
    let values = points.flat_map(|point| {
        let ends = point.interval.map_or([point.y; 2], |(low, high)| [low, high]);
        [point.y, ends[0], ends[1]]
    });
    Axis::of_values(title, &values.collect::<Vec<_>>())
}

/// The levels of a factor in a part, with the numbers that they are, ascending.
pub(super) fn numbered_levels(scope: &Scope<'_>, one: Part<'_>, factor: &str) -> Vec<(f64, String)> {
    let levels = part::cases(scope, one).filter_map(|case| case.case.factors.get(factor));
    let mut levels: Vec<(f64, String)> = levels.filter_map(|level| Some((number_of(level)?, level.clone()))).collect();
    levels.sort_by(|one, other| one.0.total_cmp(&other.0));
    levels.dedup();
    levels
}

pub(super) fn sort_points(panels: &mut [Panel]) {
    for series in panels.iter_mut().flat_map(|panel| &mut panel.series) {
        series.points.sort_by(|one, other| one.x.total_cmp(&other.x));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_numbers_in_their_base_unit() {
        assert_eq!([number_of("16"), number_of("4 KiB"), number_of("2 s")], [Some(16.0), Some(4096.0), Some(2e9)]);
        assert_eq!([number_of("0"), number_of("raw"), number_of("3 apples")], [None; 3]);
    }
}
