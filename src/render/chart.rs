//! Charts as SVG: grouped bars with intervals, or lines where the compared cases run along a numeric factor.
//!
//! Drawn by ourselves, because the same bytes are promised: coordinates have two decimals, logarithms come from `libm`,
//! and nothing depends on a counter or a font metric of the machine. Groups differ in shade and pattern, so they can be
//! told apart in grey; text stays text; title and description are there for those who can not see it.

use std::fmt::Write as _;

use super::Scope;
use super::part::{self, Part};
use super::tokens::Display;
use crate::measurement::Metric;
use crate::results::CaseResults;

/// A drawing and what it shows in words.
pub(super) struct Drawing {
    pub(super) svg: String,
    pub(super) description: String,
}

/// One bar or point, in printed units.
struct Mark {
    group: usize,
    category: usize,
    value: f64,
    interval: Option<(f64, f64)>,
}

struct Data {
    groups: Vec<String>,
    categories: Vec<String>,
    /// Positions of the categories where they are numbers.
    numbers: Option<Vec<f64>>,
    marks: Vec<Mark>,
    /// The place of each group among all levels: a level has one shade in every chart.
    shades: Vec<usize>,
    group_factor: Option<String>,
    category_head: String,
}

impl Data {
    /// One group alone is named, too, where it is one of several levels.
    fn has_legend(&self) -> bool {
        self.group_factor.is_some() && self.groups.iter().any(|group| !group.is_empty())
    }
}

const WIDTH: f64 = 640.0;
const LEFT: f64 = 76.0;
const RIGHT: f64 = 14.0;
const PLOT_HEIGHT: f64 = 240.0;
const LEGEND_HEIGHT: f64 = 26.0;
/// The most bars that are drawn; tables hold the rest.
const MARKS_MAX: usize = 96;
/// Dark to light, distinct in grey; each with its hatching.
const SHADES: &[&str] = &["#1f4e79", "#e08a1e", "#6aa37a", "#b5b5d8", "#7f2f4f", "#d9c26a"];

/// A direction of hatching: how far a line moves right and down over one step.
type Direction = (f64, f64);
/// The hatching of each group, so that they differ in grey.
const HATCHINGS: &[&[Direction]] =
    &[&[], &[(1.0, -1.0)], &[(1.0, 1.0)], &[(0.0, 1.0)], &[(1.0, 0.0)], &[(1.0, -1.0), (1.0, 1.0)]];
/// How far apart hatching lines are.
const HATCH_STEP: f64 = 6.0;

/// The chart of a metric; none where there is nothing to draw, or too much.
pub(super) fn draw(scope: &Scope<'_>, (metric, display): (&Metric, Display), one: Part<'_>) -> Option<Drawing> {
    let data = data(scope, (metric, display), one);
    if data.marks.is_empty() || data.marks.len() > MARKS_MAX {
        return None;
    }
    let unit = if display.unit.is_empty() { String::new() } else { format!(" [{}]", display.unit) };
    let axis = format!("{}{unit}", metric.title());
    let svg = Canvas::new(&data, &axis).finish(&data, &axis);
    Some(Drawing { svg, description: description(&data, &axis) })
}

/// Groups are the levels of the compared factor, categories all combinations of the others.
fn data(scope: &Scope<'_>, (metric, display): (&Metric, Display), one: Part<'_>) -> Data {
    let factors = part::varying_factors(scope, one);
    let group_factor = scope.power.treatment.clone().filter(|factor| factors.contains(factor));
    let others: Vec<&String> = factors.iter().filter(|factor| Some(*factor) != group_factor.as_ref()).collect();
    let group_of = |case: &CaseResults| {
        group_factor.as_ref().and_then(|factor| case.case.factors.get(factor).cloned()).unwrap_or_default()
    };
    let category_of = |case: &CaseResults| {
        let levels: Vec<&str> =
            others.iter().filter_map(|factor| case.case.factors.get(*factor)).map(String::as_str).collect();
        levels.join(", ")
    };
    let (mut groups, mut categories, mut marks) = (vec![], vec![], vec![]);
    let divisor = display.divisor as f64;
    for case in part::cases(scope, one) {
        let Some(summary) = case.metric(metric).and_then(|samples| samples.summary()) else { continue };
        marks.push(Mark {
            group: place_of(&mut groups, group_of(case)),
            category: place_of(&mut categories, category_of(case)),
            value: summary.median / divisor,
            interval: summary.interval.map(|interval| (interval.low / divisor, interval.high / divisor)),
        });
    }
    let numbers: Option<Vec<f64>> =
        categories.iter().map(|text| text.parse().ok().filter(|number| *number > 0.0)).collect();
    let numbers = numbers.filter(|numbers| others.len() == 1 && numbers.len() >= 4);
    let category_head = others.iter().map(|factor| factor.replace('_', " ")).collect::<Vec<_>>().join(", ");
    let levels = scope.experiment.matrix.parts().nth(one.number).map(|part| part.factors);
    let levels = levels.zip(group_factor.as_deref()).and_then(|(factors, factor)| factors.get(factor));
    let levels: Vec<String> =
        levels.map(|levels| levels.0.iter().map(|level| level.text.clone()).collect()).unwrap_or_default();
    let shade = |(number, group): (usize, &String)| levels.iter().position(|level| level == group).unwrap_or(number);
    let shades = groups.iter().enumerate().map(shade).collect();
    Data { groups, categories, numbers, marks, shades, group_factor, category_head }
}

fn place_of(list: &mut Vec<String>, text: String) -> usize {
    match list.iter().position(|one| *one == text) {
        Some(place) => place,
        None => {
            list.push(text);
            list.len() - 1
        }
    }
}

fn description(data: &Data, axis: &str) -> String {
    let of_mark = |mark: &Mark| {
        let group =
            if data.groups[mark.group].is_empty() { String::new() } else { format!("{} ", data.groups[mark.group]) };
        format!("{group}{}: {:.4}", data.categories[mark.category], mark.value).trim().to_owned()
    };
    let marks: Vec<String> = data.marks.iter().take(24).map(of_mark).collect();
    let rest = if data.marks.len() > 24 { "; and more, as in the table" } else { "" };
    format!("{axis}: {}{rest}.", marks.join("; "))
}

/// The scale of the value axis: from zero, in round steps.
struct Scale {
    top: f64,
    step: f64,
    decimals: usize,
}

fn scale(data: &Data) -> Scale {
    let most = data
        .marks
        .iter()
        .map(|mark| mark.interval.map_or(mark.value, |(_, high)| high.max(mark.value)))
        .fold(0.0, f64::max);
    let most = if most > 0.0 { most } else { 1.0 };
    let magnitude = libm::pow(10.0, libm::floor(libm::log10(most / 5.0)));
    let step = [1.0, 2.0, 2.5, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * magnitude)
        .find(|step| most / step <= 6.0)
        .unwrap_or(most);
    let top = libm::ceil(most / step) * step;
    let decimals = if step >= 1.0 && (step - libm::floor(step)).abs() < 1e-9 {
        0
    } else {
        (1.0 - libm::floor(libm::log10(step))).max(0.0) as usize
    };
    Scale { top, step, decimals }
}

struct Canvas {
    svg: String,
    scale: Scale,
    bottom: f64,
    height: f64,
    top: f64,
    is_rotated: bool,
}

impl Canvas {
    fn new(data: &Data, axis: &str) -> Self {
        let plot_width = WIDTH - LEFT - RIGHT;
        let longest = data.categories.iter().map(|text| text.chars().count()).max().unwrap_or(0) as f64;
        let is_rotated = data.numbers.is_none() && longest * 5.6 > plot_width / data.categories.len().max(1) as f64;
        let label_height = if is_rotated { (longest * 3.6).clamp(30.0, 130.0) } else { 18.0 };
        let top = if data.has_legend() { LEGEND_HEIGHT + 8.0 } else { 12.0 };
        let bottom = top + PLOT_HEIGHT;
        let height = bottom + label_height + if data.category_head.is_empty() { 4.0 } else { 20.0 };
        let mut svg = String::new();
        let _ = write!(
            svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {WIDTH:.0} {height:.0}\" role=\"img\" font-family=\"Libertinus Serif, serif\" font-size=\"12\">\n<title>{}</title>\n<desc>{}</desc>\n",
            escape(axis),
            escape(&description(data, axis)),
        );
        Self { svg, scale: scale(data), bottom, height, top, is_rotated }
    }

    fn y(&self, value: f64) -> f64 {
        self.bottom - (value / self.scale.top).clamp(0.0, 1.0) * PLOT_HEIGHT
    }

    fn finish(mut self, data: &Data, axis: &str) -> String {
        let _ = writeln!(self.svg, "<rect width=\"{WIDTH:.0}\" height=\"{:.0}\" fill=\"#ffffff\"/>", self.height);
        self.grid(axis);
        let centers = centers(data);
        match data.numbers {
            Some(_) => self.lines(data, &centers),
            None => self.bars(data, &centers),
        }
        self.categories(data, &centers);
        if data.has_legend() {
            self.legend(data);
        }
        self.svg.push_str("</svg>\n");
        self.svg
    }

    /// A filled box with the hatching of its group: drawn line by line, for tiled patterns show their seams.
    fn hatched(&mut self, group: usize, (left, top, width, height): (f64, f64, f64, f64)) {
        let shade = SHADES[group % SHADES.len()];
        let _ = writeln!(
            self.svg,
            "<rect x=\"{left:.2}\" y=\"{top:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" fill=\"{shade}\" stroke=\"#222222\" stroke-width=\"0.6\"/>",
        );
        let mut path = String::new();
        for direction in HATCHINGS[group % HATCHINGS.len()] {
            hatch(&mut path, *direction, (left, top, width, height));
        }
        if !path.is_empty() {
            let _ = writeln!(
                self.svg,
                "<path d=\"{}\" stroke=\"#ffffff\" stroke-width=\"0.9\" fill=\"none\"/>",
                path.trim_end()
            );
        }
    }

    fn grid(&mut self, axis: &str) {
        let right = WIDTH - RIGHT;
        let steps = libm::round(self.scale.top / self.scale.step) as usize;
        for number in 0..=steps {
            let value = number as f64 * self.scale.step;
            let y = self.y(value);
            let shade = if number == 0 { "#333333" } else { "#dddddd" };
            let _ = writeln!(
                self.svg,
                "<line x1=\"{LEFT:.2}\" y1=\"{y:.2}\" x2=\"{right:.2}\" y2=\"{y:.2}\" stroke=\"{shade}\" stroke-width=\"1\"/>"
            );
            let label = format!("{value:.*}", self.scale.decimals);
            let _ = writeln!(
                self.svg,
                "<text x=\"{:.2}\" y=\"{:.2}\" text-anchor=\"end\" fill=\"#333333\">{}</text>",
                LEFT - 6.0,
                y + 4.0,
                grouped(&label)
            );
        }
        let middle = self.top + PLOT_HEIGHT / 2.0;
        let _ = writeln!(
            self.svg,
            "<text x=\"14\" y=\"{middle:.2}\" text-anchor=\"middle\" transform=\"rotate(-90 14 {middle:.2})\" fill=\"#333333\">{}</text>",
            escape(axis)
        );
    }

    fn bars(&mut self, data: &Data, centers: &[f64]) {
        let slot = (WIDTH - LEFT - RIGHT) / data.categories.len().max(1) as f64;
        let width = (slot * 0.72 / data.groups.len().max(1) as f64).min(46.0);
        for mark in &data.marks {
            let offset = mark.group as f64 - (data.groups.len() as f64 - 1.0) / 2.0;
            let x = centers[mark.category] + offset * width;
            let y = self.y(mark.value);
            let (left, bar, height) = (x - width / 2.0 + 0.75, width - 1.5, self.bottom - y);
            self.hatched(data.shades[mark.group], (left, y, bar, height));
            self.whisker(mark, x);
        }
    }

    fn whisker(&mut self, mark: &Mark, x: f64) {
        let Some((low, high)) = mark.interval else { return };
        let (low, high) = (self.y(low), self.y(high));
        let (left, right) = (x - 3.5, x + 3.5);
        // a light line below the dark one keeps it visible on a dark bar
        for (shade, width) in [("#ffffff", 3.0), ("#000000", 1.2)] {
            let _ = writeln!(
                self.svg,
                "<path d=\"M{x:.2},{low:.2} L{x:.2},{high:.2} M{left:.2},{low:.2} L{right:.2},{low:.2} M{left:.2},{high:.2} L{right:.2},{high:.2}\" stroke=\"{shade}\" stroke-width=\"{width:.1}\" fill=\"none\"/>",
            );
        }
    }

    fn lines(&mut self, data: &Data, centers: &[f64]) {
        for group in 0..data.groups.len() {
            let shade = SHADES[data.shades[group] % SHADES.len()];
            let marks: Vec<&Mark> = data.marks.iter().filter(|mark| mark.group == group).collect();
            let points: Vec<String> =
                marks.iter().map(|mark| format!("{:.2},{:.2}", centers[mark.category], self.y(mark.value))).collect();
            let dashes = ["none", "6 3", "2 2", "8 3 2 3", "1 3", "10 4"][data.shades[group] % 6];
            let _ = writeln!(
                self.svg,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{shade}\" stroke-width=\"1.8\" stroke-dasharray=\"{dashes}\"/>",
                points.join(" ")
            );
            for mark in marks {
                let x = centers[mark.category];
                self.whisker(mark, x);
                let y = self.y(mark.value);
                let _ = writeln!(
                    self.svg,
                    "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"3.2\" fill=\"{shade}\" stroke=\"#ffffff\" stroke-width=\"0.8\"/>"
                );
            }
        }
    }

    fn categories(&mut self, data: &Data, centers: &[f64]) {
        for (category, x) in data.categories.iter().zip(centers) {
            let y = self.bottom + 15.0;
            let place = if self.is_rotated {
                format!("text-anchor=\"end\" transform=\"rotate(-35 {x:.2} {y:.2})\"")
            } else {
                "text-anchor=\"middle\"".to_owned()
            };
            let short: String = if category.chars().count() > 34 {
                category.chars().take(33).chain(['…']).collect()
            } else {
                category.clone()
            };
            let _ = writeln!(
                self.svg,
                "<text x=\"{x:.2}\" y=\"{y:.2}\" {place} fill=\"#333333\">{}</text>",
                escape(&short)
            );
        }
        if !data.category_head.is_empty() {
            let (x, y) = (LEFT + (WIDTH - LEFT - RIGHT) / 2.0, self.height - 5.0);
            let _ = writeln!(
                self.svg,
                "<text x=\"{x:.2}\" y=\"{y:.2}\" text-anchor=\"middle\" fill=\"#333333\">{}</text>",
                escape(&data.category_head)
            );
        }
    }

    fn legend(&mut self, data: &Data) {
        let mut x = LEFT;
        if let Some(factor) = &data.group_factor {
            let _ = writeln!(
                self.svg,
                "<text x=\"{x:.2}\" y=\"17\" font-style=\"italic\" fill=\"#333333\">{}</text>",
                escape(&factor.replace('_', " "))
            );
            x += factor.chars().count() as f64 * 6.4 + 14.0;
        }
        for (number, group) in data.groups.iter().enumerate() {
            self.hatched(data.shades[number], (x, 7.0, 14.0, 12.0));
            let _ =
                writeln!(self.svg, "<text x=\"{:.2}\" y=\"17\" fill=\"#333333\">{}</text>", x + 18.0, escape(group));
            x += 18.0 + group.chars().count() as f64 * 6.4 + 18.0;
        }
    }
}

/// Adds the lines of one direction that lie in a box.
fn hatch(path: &mut String, direction: Direction, (left, top, width, height): (f64, f64, f64, f64)) {
    let (right, bottom) = (left + width, top + height);
    let mut line = |from: (f64, f64), to: (f64, f64)| {
        let _ = write!(path, "M{:.2},{:.2} L{:.2},{:.2} ", from.0, from.1, to.0, to.1);
    };
    let steps = |length: f64| (1..).map(|step| f64::from(step) * HATCH_STEP).take_while(move |at| *at < length);
    match direction {
        (0.0, _) => steps(width).for_each(|at| line((left + at, top), (left + at, bottom))),
        (_, 0.0) => steps(height).for_each(|at| line((left, bottom - at), (right, bottom - at))),
        (_, down) => {
            for at in steps(width + height) {
                let (x0, y0) = if at <= width { (left + at, 0.0) } else { (right, at - width) };
                let (x1, y1) = if at <= height { (left, at) } else { (left + at - height, height) };
                let place = |y: f64| if down < 0.0 { top + y } else { bottom - y };
                line((x0, place(y0)), (x1, place(y1)));
            }
        }
    }
}

/// Where the categories stand: evenly, or by the logarithm of their number.
fn centers(data: &Data) -> Vec<f64> {
    let width = WIDTH - LEFT - RIGHT;
    let Some(numbers) = &data.numbers else {
        let slot = width / data.categories.len().max(1) as f64;
        return (0..data.categories.len()).map(|number| LEFT + slot * (number as f64 + 0.5)).collect();
    };
    let logs: Vec<f64> = numbers.iter().map(|number| libm::log2(*number)).collect();
    let least = logs.iter().copied().fold(f64::MAX, f64::min);
    let most = logs.iter().copied().fold(f64::MIN, f64::max);
    let span = if most > least { most - least } else { 1.0 };
    logs.iter().map(|log| LEFT + 20.0 + (log - least) / span * (width - 40.0)).collect()
}

/// Thousands apart by a thin space.
fn grouped(label: &str) -> String {
    let (whole, fraction) = label.split_once('.').map_or((label, None), |(whole, fraction)| (whole, Some(fraction)));
    let mut text = String::new();
    for (number, digit) in whole.chars().enumerate() {
        if number > 0 && (whole.len() - number).is_multiple_of(3) && whole.len() > 4 {
            text.push('\u{2009}');
        }
        text.push(digit);
    }
    fraction.map_or(text.clone(), |fraction| format!("{text}.{fraction}"))
}

pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
