//! Lines and points over two axes, in one panel or in several that share their axes.

use super::axis::Axis;
use super::{Anchor, Drawing, FAINT, GROUPS_MAX, INK, Svg, WIDTH, shortened, width_of};
use crate::words::{Language, Word};

/// One line.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::render) struct Series {
    /// Which group of the legend it belongs to.
    pub(in crate::render) group: usize,
    /// In the order in which they are joined.
    pub(in crate::render) points: Vec<Point>,
}

/// One point, in printed units.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::render) struct Point {
    pub(in crate::render) x: f64,
    pub(in crate::render) y: f64,
    /// The interval of y.
    pub(in crate::render) interval: Option<(f64, f64)>,
    /// What stands beside it; empty for nothing.
    pub(in crate::render) label: String,
}

/// One field of lines.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::render) struct Panel {
    pub(in crate::render) title: String,
    pub(in crate::render) series: Vec<Series>,
}

/// All that is drawn.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::render) struct Plot {
    pub(in crate::render) title: String,
    /// What the groups are levels of; empty for nothing.
    pub(in crate::render) legend: String,
    /// The names of the groups, with the shade of each.
    pub(in crate::render) groups: Vec<(String, usize)>,
    pub(in crate::render) x: Axis,
    pub(in crate::render) y: Axis,
    pub(in crate::render) panels: Vec<Panel>,
    /// What is said on it, and in its place.
    pub(in crate::render) words: &'static Language,
}

/// How much the name of the axis that goes up takes, and the gap beside its values.
const UPRIGHT: f64 = 24.0;
const VALUE_GAP: f64 = 6.0;
const RIGHT: f64 = 14.0;
const GAP: f64 = 18.0;
/// How far lines stand beside each other where they have intervals.
const ASIDE: f64 = 2.5;
const TITLE_HEIGHT: f64 = 20.0;
const TICKS_HEIGHT: f64 = 20.0;
/// The most panels.
const PANELS_MAX: usize = 12;

/// Where the panels lie.
struct Layout {
    left: f64,
    columns: usize,
    width: f64,
    height: f64,
    top: f64,
}

impl Layout {
    fn of(plot: &Plot, top: f64) -> Self {
        let columns = match plot.panels.len() {
            1 => 1,
            2..=4 => 2,
            _ => 3,
        };
        let left = left_of(plot);
        let width = (WIDTH - left - RIGHT - GAP * (columns as f64 - 1.0)) / columns as f64;
        Self { left, columns, width, height: if columns == 1 { 250.0 } else { 140.0 }, top }
    }

    fn title_height(&self) -> f64 {
        if self.columns == 1 { 0.0 } else { TITLE_HEIGHT }
    }

    /// Left and top of a panel.
    fn place(&self, number: usize) -> (f64, f64) {
        let (column, row) = (number % self.columns, number / self.columns);
        let step = self.height + self.title_height() + TICKS_HEIGHT;
        (self.left + column as f64 * (self.width + GAP), self.top + self.title_height() + row as f64 * step)
    }
}

/// Where the panels begin: beside the longest value.
fn left_of(plot: &Plot) -> f64 {
    let longest = plot.y.ticks.iter().map(|(_, name)| width_of(name)).fold(0.0, f64::max);
    UPRIGHT + longest + VALUE_GAP
}

/// Draws it; `None` where there is nothing to draw, or more than can be told apart.
pub(in crate::render) fn draw(plot: &Plot) -> Option<Drawing> {
    let has_points = plot.panels.iter().flat_map(|panel| &panel.series).any(|series| !series.points.is_empty());
    if !has_points || plot.panels.len() > PANELS_MAX || plot.groups.len() > GROUPS_MAX {
        return None;
    }
    let has_legend = plot.groups.iter().any(|(name, _)| !name.is_empty());
    let rows = if has_legend { legend_rows(plot) } else { vec![] };
    let layout = Layout::of(plot, 12.0 + rows.len() as f64 * 20.0);
    let (_, last_top) = layout.place(plot.panels.len() - 1);
    let height = last_top + layout.height + TICKS_HEIGHT + 20.0;
    let description = describe(plot);
    let mut svg = Svg::new(height, &plot.title, &description);
    for (row, entries) in rows.iter().enumerate() {
        legend(&mut svg, plot, (entries, 17.0 + row as f64 * 20.0));
    }
    for (number, panel) in plot.panels.iter().enumerate() {
        draw_panel(&mut svg, plot, (panel, number), &layout);
    }
    let middle = f64::midpoint(layout.place(0).1, last_top + layout.height);
    svg.upright((14.0, middle), &plot.y.named(plot.words));
    let middle = f64::midpoint(layout.left, WIDTH - RIGHT);
    svg.text((middle, height - 5.0), Anchor::Middle, &plot.x.named(plot.words));
    Some(Drawing { svg: svg.finish(), description })
}

fn describe(plot: &Plot) -> String {
    const POINTS_MAX: usize = 48;
    let mut told = vec![];
    for panel in &plot.panels {
        for series in &panel.series {
            let name = plot.groups.get(series.group).map_or("", |(name, _)| name.as_str());
            let of =
                [panel.title.as_str(), name].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(", ");
            told.extend(series.points.iter().map(|point| {
                let at = if point.label.is_empty() { tick_name(&plot.x, point.x) } else { point.label.clone() };
                let value = format!("{:.4}", point.y).into();
                let point = Word::PlotPoint { series: of.as_str().into(), at: at.into(), value };
                plot.words.text(point).trim().to_owned()
            }));
        }
    }
    let is_cut = told.len() > POINTS_MAX;
    told.truncate(POINTS_MAX);
    let (y, x, points) = (plot.y.named(plot.words).into(), plot.x.named(plot.words).into(), told.join("; ").into());
    plot.words.text(match is_cut {
        true => Word::PlotDescriptionCut { y, x, points },
        false => Word::PlotDescription { y, x, points },
    })
}

fn tick_name(axis: &Axis, value: f64) -> String {
    let known = axis.ticks.iter().find(|(tick, _)| *tick == value);
    known.map_or_else(|| format!("{value:.4}"), |(_, name)| name.clone())
}

/// The entries of the legend, row by row, each with the place of its left end.
fn legend_rows(plot: &Plot) -> Vec<Vec<(usize, f64)>> {
    let start = left_of(plot) + if plot.legend.is_empty() { 0.0 } else { width_of(&plot.legend) + 14.0 };
    let (mut rows, mut row, mut x) = (vec![], vec![], start);
    for (number, (name, _)) in plot.groups.iter().enumerate() {
        let width = 34.0 + width_of(name) + 14.0;
        if x + width > WIDTH && !row.is_empty() {
            rows.push(std::mem::take(&mut row));
            x = start;
        }
        row.push((number, x));
        x += width;
    }
    rows.push(row);
    rows
}

fn legend(svg: &mut Svg, plot: &Plot, (entries, y): (&[(usize, f64)], f64)) {
    if entries.first().is_some_and(|(number, _)| *number == 0) {
        svg.styled((left_of(plot), y), Anchor::Start, (&plot.legend, " font-style=\"italic\""));
    }
    for (number, x) in entries {
        let (name, shade) = &plot.groups[*number];
        svg.polyline(*shade, &[(*x, y - 4.0), (x + 28.0, y - 4.0)]);
        svg.mark(*shade, (x + 14.0, y - 4.0));
        svg.text((x + 34.0, y), Anchor::Start, name);
    }
}

fn draw_panel(svg: &mut Svg, plot: &Plot, (panel, number): (&Panel, usize), layout: &Layout) {
    let (left, top) = layout.place(number);
    let (right, bottom) = (left + layout.width, top + layout.height);
    let place = |x: f64, y: f64| (left + plot.x.share(x) * layout.width, bottom - plot.y.share(y) * layout.height);
    if layout.columns > 1 {
        let most = (layout.width / 6.0) as usize;
        svg.text((left, top - 6.0), Anchor::Start, &shortened(&panel.title, most));
    }
    for (value, name) in &plot.y.ticks {
        let y = place(0.0, *value).1;
        svg.line((left, y), (right, y), FAINT);
        if number % layout.columns == 0 {
            svg.text((left - 6.0, y + 4.0), Anchor::End, name);
        }
    }
    svg.line((left, bottom), (right, bottom), INK);
    svg.line((left, top), (left, bottom), INK);
    for (value, name) in plot.x.apart(layout.width) {
        let x = place(*value, 1.0).0;
        svg.line((x, bottom), (x, bottom + 3.0), INK);
        // a name at the end stays within its panel
        match x + width_of(name) / 2.0 > right + GAP / 2.0 - 2.0 {
            true => svg.text((right + GAP / 2.0 - 2.0, bottom + 15.0), Anchor::End, name),
            false => svg.text((x, bottom + 15.0), Anchor::Middle, name),
        }
    }
    for series in &panel.series {
        let shade = plot.groups.get(series.group).map_or(0, |(_, shade)| *shade);
        // intervals of several lines at one place would hide each other
        let has_intervals = series.points.iter().any(|point| point.interval.is_some());
        let aside = if has_intervals { series.group as f64 - (plot.groups.len() as f64 - 1.0) / 2.0 } else { 0.0 };
        let moved = |(x, y): (f64, f64)| (x + aside * ASIDE, y);
        let points: Vec<(f64, f64)> = series.points.iter().map(|point| moved(place(point.x, point.y))).collect();
        svg.polyline(shade, &points);
        for (point, (x, y)) in series.points.iter().zip(&points) {
            if let Some((low, high)) = point.interval {
                svg.whisker(*x, (place(point.x, low).1, place(point.x, high).1), Some(shade));
            }
            svg.mark(shade, (*x, *y));
        }
    }
    // points of one label lie near each other: those of the first line are named
    if let Some(series) = panel.series.first() {
        let is_small = layout.columns > 1;
        let last = series.points.len().saturating_sub(1);
        let named = series.points.iter().enumerate().filter(|(at, _)| !is_small || *at == 0 || *at == last);
        let named = named.map(|(_, point)| (point.label.as_str(), place(point.x, point.y)));
        labels(svg, &named.filter(|(label, _)| !label.is_empty()).collect::<Vec<_>>(), (left, right));
    }
}

/// Names above points to their left, none so near the last that they would meet.
fn labels(svg: &mut Svg, named: &[(&str, (f64, f64))], (left, right): (f64, f64)) {
    let mut last: Option<(f64, f64)> = None;
    for (label, (x, y)) in named {
        let is_free = last.is_none_or(|(known_x, known_y)| (x - known_x).abs() > 22.0 || (y - known_y).abs() > 12.0);
        if !is_free {
            continue;
        }
        last = Some((*x, *y));
        let small = " font-size=\"10\"";
        match x - left > width_of(label) || x + width_of(label) > right {
            true => svg.styled((x - 4.0, y - 6.0), Anchor::End, (label, small)),
            false => svg.styled((x + 2.0, y - 6.0), Anchor::Start, (label, small)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::axis::Spacing;
    use super::*;
    use crate::words;

    fn plot(panels: usize, groups: usize) -> Plot {
        let levels = [1.0, 2.0, 4.0].map(|depth| (depth, depth.to_string())).to_vec();
        let point = |x: f64, y: f64| Point { x, y, interval: Some((y * 0.9, y * 1.1)), label: String::new() };
        let series = |group: usize| Series {
            group,
            points: [1.0, 2.0, 4.0].iter().map(|depth| point(*depth, depth * 10.0 * (group + 1) as f64)).collect(),
        };
        Plot {
            title: "IOPS".to_owned(),
            legend: "arm".to_owned(),
            groups: (0..groups).map(|number| (format!("<{number}>"), number)).collect(),
            x: Axis::of_levels("depth".to_owned(), Spacing::Logarithmic, levels),
            y: Axis::of_values("IOPS".to_owned(), &[10.0, 20.0, 40.0]),
            panels: (0..panels)
                .map(|number| Panel { title: format!("block {number}"), series: (0..groups).map(series).collect() })
                .collect(),
            words: words::english(),
        }
    }

    #[test]
    fn every_series_has_its_line_marks_and_words() {
        let drawing = draw(&plot(3, 2)).unwrap();
        assert_eq!(drawing.svg.matches("<polyline").count(), 3 * 2 + 2, "lines, and two in the legend");
        assert!(
            drawing.svg.contains("&lt;1&gt;") && drawing.svg.contains(">block 2<") && drawing.svg.contains("<desc>")
        );
        assert!(drawing.description.contains("block 0, <1> at 4: 80"), "{}", drawing.description);
        assert!(draw(&plot(3, 7)).is_none(), "seven shades can not be told apart");
        assert!(draw(&plot(13, 1)).is_none());
    }
}
