//! Grouped bars with intervals.

use super::axis::round_steps;
use super::{Anchor, Area, Drawing, FAINT, INK, Svg, WIDTH, shortened, width_of};

/// One bar, in printed units.
pub(in crate::render) struct Bar {
    pub(in crate::render) group: usize,
    pub(in crate::render) category: usize,
    pub(in crate::render) value: f64,
    pub(in crate::render) interval: Option<(f64, f64)>,
}

/// All that is drawn.
pub(in crate::render) struct Bars {
    pub(in crate::render) axis: String,
    /// What the groups are levels of; empty for nothing.
    pub(in crate::render) legend: String,
    /// The names of the groups, with the shade of each: a level has one in every chart.
    pub(in crate::render) groups: Vec<(String, usize)>,
    pub(in crate::render) categories: Vec<String>,
    pub(in crate::render) category_head: String,
    pub(in crate::render) bars: Vec<Bar>,
}

const LEFT: f64 = 76.0;
const RIGHT: f64 = 14.0;
const PLOT_HEIGHT: f64 = 240.0;
const LEGEND_HEIGHT: f64 = 26.0;
/// The most bars that are drawn; tables hold the rest.
const BARS_MAX: usize = 96;
/// The longest name of a category, in letters.
const CATEGORY_LETTERS_MAX: usize = 34;
/// How far apart slanted names must be.
const SLANTED_APART: f64 = 21.0;

/// How the names of categories stand.
#[derive(Clone, Copy, PartialEq)]
enum Turn {
    Level,
    Slanted,
    Upright,
}

struct Layout {
    top: f64,
    bottom: f64,
    height: f64,
    slot: f64,
    turn: Turn,
}

impl Layout {
    fn of(bars: &Bars) -> Self {
        let slot = (WIDTH - LEFT - RIGHT) / bars.categories.len().max(1) as f64;
        let letters = bars.categories.iter().map(|text| text.chars().count().min(CATEGORY_LETTERS_MAX)).max();
        let longest = letters.unwrap_or(0) as f64;
        let turn = match slot {
            _ if longest * 5.6 <= slot => Turn::Level,
            wide if wide >= SLANTED_APART => Turn::Slanted,
            _ => Turn::Upright,
        };
        let label_height = match turn {
            Turn::Level => 18.0,
            Turn::Slanted => (longest * 3.6).clamp(30.0, 130.0),
            Turn::Upright => longest * 5.6 + 8.0,
        };
        let has_legend = bars.groups.iter().any(|(name, _)| !name.is_empty());
        let top = if has_legend { LEGEND_HEIGHT + 8.0 } else { 12.0 };
        let bottom = top + PLOT_HEIGHT;
        let height = bottom + label_height + if bars.category_head.is_empty() { 4.0 } else { 20.0 };
        Self { top, bottom, height, slot, turn }
    }

    /// The middle of a category.
    fn center(&self, category: usize) -> f64 {
        LEFT + self.slot * (category as f64 + 0.5)
    }
}

/// Draws them; `None` where there is nothing to draw, or too much.
pub(in crate::render) fn draw(bars: &Bars) -> Option<Drawing> {
    if bars.bars.is_empty() || bars.bars.len() > BARS_MAX {
        return None;
    }
    let description = describe(bars);
    let layout = Layout::of(bars);
    let mut svg = Svg::new(layout.height, &bars.axis, &description);
    let ends = bars.bars.iter().map(|bar| bar.interval.map_or(bar.value, |(_, high)| high.max(bar.value)));
    let (end, ticks) = round_steps(ends.fold(0.0, f64::max));
    let y = |value: f64| layout.bottom - (value / end).clamp(0.0, 1.0) * PLOT_HEIGHT;
    for (number, (value, name)) in ticks.iter().enumerate() {
        let shade = if number == 0 { INK } else { FAINT };
        svg.line((LEFT, y(*value)), (WIDTH - RIGHT, y(*value)), shade);
        svg.text((LEFT - 6.0, y(*value) + 4.0), Anchor::End, name);
    }
    svg.upright((14.0, layout.top + PLOT_HEIGHT / 2.0), &bars.axis);
    let width = (layout.slot * 0.72 / bars.groups.len().max(1) as f64).min(46.0);
    for bar in &bars.bars {
        let offset = bar.group as f64 - (bars.groups.len() as f64 - 1.0) / 2.0;
        let x = layout.center(bar.category) + offset * width;
        let top = y(bar.value);
        let area = Area { left: x - width / 2.0 + 0.75, top, width: width - 1.5, height: layout.bottom - top };
        svg.hatched(bars.groups[bar.group].1, area);
        if let Some((low, high)) = bar.interval {
            svg.whisker(x, (y(low), y(high)), None);
        }
    }
    categories(&mut svg, bars, &layout);
    legend(&mut svg, bars);
    Some(Drawing { svg: svg.finish(), description })
}

fn describe(bars: &Bars) -> String {
    const BARS_TOLD_MAX: usize = 24;
    let one = |bar: &Bar| {
        let group = &bars.groups[bar.group].0;
        let group = if group.is_empty() { String::new() } else { format!("{group} ") };
        format!("{group}{}: {:.4}", bars.categories[bar.category], bar.value).trim().to_owned()
    };
    let told: Vec<String> = bars.bars.iter().take(BARS_TOLD_MAX).map(one).collect();
    let rest = if bars.bars.len() > BARS_TOLD_MAX { "; and more, as in the table" } else { "" };
    format!("{}: {}{rest}.", bars.axis, told.join("; "))
}

fn categories(svg: &mut Svg, bars: &Bars, layout: &Layout) {
    for (number, category) in bars.categories.iter().enumerate() {
        let (x, y) = (layout.center(number), layout.bottom + 15.0);
        let name = shortened(category, CATEGORY_LETTERS_MAX);
        match layout.turn {
            Turn::Level => svg.text((x, y), Anchor::Middle, &name),
            Turn::Slanted => {
                svg.styled((x, y), Anchor::End, (&name, &format!(" transform=\"rotate(-35 {x:.2} {y:.2})\"")));
            }
            Turn::Upright => {
                let (x, y) = (x + 4.0, y - 8.0);
                svg.styled((x, y), Anchor::End, (&name, &format!(" transform=\"rotate(-90 {x:.2} {y:.2})\"")));
            }
        }
    }
    if !bars.category_head.is_empty() {
        let place = (LEFT + (WIDTH - LEFT - RIGHT) / 2.0, layout.height - 5.0);
        svg.text(place, Anchor::Middle, &bars.category_head);
    }
}

fn legend(svg: &mut Svg, bars: &Bars) {
    let mut x = LEFT;
    if !bars.legend.is_empty() {
        svg.styled((x, 17.0), Anchor::Start, (&bars.legend, " font-style=\"italic\""));
        x += width_of(&bars.legend) + 14.0;
    }
    for (name, shade) in bars.groups.iter().filter(|(name, _)| !name.is_empty()) {
        svg.hatched(*shade, Area { left: x, top: 7.0, width: 14.0, height: 12.0 });
        svg.text((x + 18.0, 17.0), Anchor::Start, name);
        x += 18.0 + width_of(name) + 18.0;
    }
}
