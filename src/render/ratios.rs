//! Charts of comparisons as SVG: a forest of ratios with their intervals on a log axis, and a map of changes over two
//! factors, centred on no change.
//!
//! As in [`super::chart`] the same bytes are promised, text stays text, and what a shade says a number says, too.

use std::fmt::Write as _;

use super::chart::{Drawing, escape};
use crate::compare::Comparison;

const WIDTH: f64 = 640.0;
/// Where the plot of a forest begins and ends; numbers stand to its right.
const LEFT: f64 = 190.0;
const RIGHT: f64 = 500.0;
const ROW: f64 = 20.0;
const HEAD: f64 = 30.0;
/// The most rows that are drawn; the table holds the rest.
const ROWS_MAX: usize = 40;
/// The most levels of a factor of a map.
const LEVELS_MAX: usize = 16;
/// Ratios that an axis names.
const TICKS: &[f64] = &[
    0.01, 0.02, 0.05, 0.1, 0.2, 0.33, 0.5, 0.67, 0.8, 0.9, 0.95, 0.98, 1.0, 1.02, 1.05, 1.1, 1.25, 1.5, 2.0, 3.0, 5.0,
    10.0, 20.0, 50.0, 100.0,
];
/// How far apart names on an axis are.
const TICK_APART: f64 = 34.0;

fn head(width: f64, height: f64, title: &str, description: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" font-family=\"Libertinus Serif, serif\" font-size=\"12\">\n<title>{}</title>\n<desc>{}</desc>\n<rect width=\"{width:.0}\" height=\"{height:.0}\" fill=\"#ffffff\"/>\n",
        escape(title),
        escape(description)
    )
}

fn percent(ratio: f64) -> String {
    format!("{:+.1}", (ratio - 1.0) * 100.0)
}

fn label(one: &Comparison) -> String {
    let context: Vec<&str> = one.context.split(' ').filter(|part| !part.is_empty()).collect();
    let levels: Vec<&str> = context.iter().map(|part| part.split_once('=').map_or(*part, |(_, level)| level)).collect();
    let text = if levels.is_empty() { one.level.clone() } else { format!("{}: {}", one.level, levels.join(" ")) };
    if text.chars().count() > 30 { text.chars().take(29).chain(['…']).collect() } else { text }
}

/// The ratios of one metric against the first level, each with its interval; `margin` is shaded where there is one. `None`
/// without comparisons, or with too many.
pub(super) fn forest(found: &[Comparison], margin: Option<f64>, title: &str) -> Option<Drawing> {
    if found.is_empty() || found.len() > ROWS_MAX {
        return None;
    }
    let ends = |one: &Comparison| {
        let bounds = one.found.interval;
        [
            one.found.ratio,
            bounds.map_or(one.found.ratio, |bounds| bounds.low),
            bounds.map_or(one.found.ratio, |bounds| bounds.high),
        ]
    };
    let all: Vec<f64> =
        found.iter().flat_map(ends).chain([1.0]).filter(|ratio| *ratio > 0.0 && ratio.is_finite()).collect();
    let least = all.iter().copied().fold(f64::INFINITY, f64::min).max(0.005);
    let most = all.iter().copied().fold(0.0, f64::max).min(200.0);
    let pad = (libm::log(most / least) * 0.06).max(0.01);
    let (low, high) = (libm::log(least) - pad, libm::log(most) + pad);
    let x = |ratio: f64| LEFT + ((libm::log(ratio.max(1e-9)) - low) / (high - low)).clamp(0.0, 1.0) * (RIGHT - LEFT);
    let bottom = HEAD + found.len() as f64 * ROW;
    let shown: Vec<String> =
        found.iter().map(|one| format!("{}: {} %", label(one), percent(one.found.ratio))).collect();
    let mut svg = head(WIDTH, bottom + 44.0, title, &format!("{title}. {}.", shown.join("; ")));
    if let Some(margin) = margin {
        let (from, to) = (x(1.0 / (1.0 + margin)), x(1.0 + margin));
        let _ = writeln!(
            svg,
            "<rect x=\"{from:.2}\" y=\"{HEAD:.2}\" width=\"{:.2}\" height=\"{:.2}\" fill=\"#e8e8e8\"/>",
            to - from,
            bottom - HEAD
        );
    }
    axis(&mut svg, (low, high), bottom, x);
    for (number, one) in found.iter().enumerate() {
        row(&mut svg, one, HEAD + (number as f64 + 0.5) * ROW, x);
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.2}\" y=\"{:.2}\" text-anchor=\"middle\" fill=\"#333333\">{}</text>",
        f64::midpoint(LEFT, RIGHT),
        bottom + 34.0,
        escape(title)
    );
    svg.push_str("</svg>\n");
    Some(Drawing { svg, description: format!("{title}. {}.", shown.join("; ")) })
}

/// Ratios along the axis, none so near another that their names would meet.
fn axis(svg: &mut String, (low, high): (f64, f64), bottom: f64, x: impl Fn(f64) -> f64) {
    let inside: Vec<f64> = TICKS.iter().copied().filter(|tick| (low..=high).contains(&libm::log(*tick))).collect();
    let mut named = vec![1.0];
    for tick in inside {
        if named.iter().all(|other| (x(tick) - x(*other)).abs() >= TICK_APART) {
            named.push(tick);
        }
    }
    for tick in &named {
        let (at, shade) = (x(*tick), if *tick == 1.0 { "#333333" } else { "#dddddd" });
        let _ = writeln!(svg, "<path d=\"M{at:.2} {HEAD:.2}V{bottom:.2}\" stroke=\"{shade}\" stroke-width=\"0.8\"/>");
        let _ = writeln!(
            svg,
            "<text x=\"{at:.2}\" y=\"{:.2}\" text-anchor=\"middle\" fill=\"#333333\">{tick}</text>",
            bottom + 16.0
        );
    }
}

fn row(svg: &mut String, one: &Comparison, y: f64, x: impl Fn(f64) -> f64) {
    let _ = writeln!(
        svg,
        "<text x=\"{:.2}\" y=\"{:.2}\" text-anchor=\"end\" fill=\"#333333\">{}</text>",
        LEFT - 8.0,
        y + 4.0,
        escape(&label(one))
    );
    let at = x(one.found.ratio);
    if let Some(bounds) = one.found.interval {
        let (from, to) = (x(bounds.low), x(bounds.high));
        let _ = writeln!(
            svg,
            "<path d=\"M{from:.2} {y:.2}H{to:.2}M{from:.2} {:.2}V{:.2}M{to:.2} {:.2}V{:.2}\" stroke=\"#1f4e79\" stroke-width=\"1.4\" fill=\"none\"/>",
            y - 4.0,
            y + 4.0,
            y - 4.0,
            y + 4.0
        );
    }
    let _ = writeln!(svg, "<circle cx=\"{at:.2}\" cy=\"{y:.2}\" r=\"3.6\" fill=\"#1f4e79\"/>");
    let interval = one
        .found
        .interval
        .map_or_else(String::new, |bounds| format!(" ({} to {})", percent(bounds.low), percent(bounds.high)));
    let _ = writeln!(
        svg,
        "<text x=\"{:.2}\" y=\"{:.2}\" fill=\"#333333\">{}{interval} %</text>",
        RIGHT + 8.0,
        y + 4.0,
        percent(one.found.ratio)
    );
}

/// The levels of a factor in the order in which they come.
fn levels<'a>(found: &[(&'a str, &'a str, f64)], is_row: bool) -> Vec<&'a str> {
    let mut levels: Vec<&str> = vec![];
    for (column, row, _) in found {
        let level = if is_row { *row } else { *column };
        if !levels.contains(&level) {
            levels.push(level);
        }
    }
    levels
}

/// A shade between blue (less), white (the same) and orange (more), darker the farther from no change.
fn shade(share: f64) -> String {
    let (red, green, blue) = if share < 0.0 { (31.0, 78.0, 121.0) } else { (196.0, 96.0, 10.0) };
    let mix = |end: f64| (255.0 + (end - 255.0) * share.abs().min(1.0)).round() as u8;
    format!("#{:02x}{:02x}{:02x}", mix(red), mix(green), mix(blue))
}

/// Changes over two factors: column, row and ratio of each cell. `None` where there is nothing, or too much.
pub(super) fn map(found: &[(&str, &str, f64)], (column_head, row_head): (&str, &str), title: &str) -> Option<Drawing> {
    let (columns, rows) = (levels(found, false), levels(found, true));
    if found.is_empty() || columns.len() > LEVELS_MAX || rows.len() > LEVELS_MAX {
        return None;
    }
    let most = found.iter().map(|(.., ratio)| libm::log(*ratio).abs()).fold(0.0, f64::max).max(0.01);
    let width = ((WIDTH - 120.0) / columns.len() as f64).min(90.0);
    let bottom = HEAD + rows.len() as f64 * 26.0;
    let shown: Vec<String> = found
        .iter()
        .map(|(column, row, ratio)| format!("{column_head} {column}, {row_head} {row}: {} %", percent(*ratio)))
        .collect();
    let description = format!("{title}. {}.", shown.join("; "));
    let mut svg = head(WIDTH, bottom + 44.0, title, &description);
    for (column, row, ratio) in found {
        let place = |list: &[&str], level: &str| list.iter().position(|one| *one == level).unwrap_or(0) as f64;
        let (left, top) = (110.0 + place(&columns, column) * width, HEAD + place(&rows, row) * 26.0);
        let share = libm::log(*ratio) / most;
        let ink = if share.abs() > 0.55 { "#ffffff" } else { "#222222" };
        let _ = writeln!(
            svg,
            "<rect x=\"{left:.2}\" y=\"{top:.2}\" width=\"{width:.2}\" height=\"26.00\" fill=\"{}\" stroke=\"#ffffff\"/>\n<text x=\"{:.2}\" y=\"{:.2}\" text-anchor=\"middle\" fill=\"{ink}\">{}</text>",
            shade(share * 0.9),
            left + width / 2.0,
            top + 17.0,
            percent(*ratio)
        );
    }
    for (number, row) in rows.iter().enumerate() {
        let y = HEAD + number as f64 * 26.0 + 17.0;
        let _ = writeln!(
            svg,
            "<text x=\"102.00\" y=\"{y:.2}\" text-anchor=\"end\" fill=\"#333333\">{}</text>",
            escape(row)
        );
    }
    for (number, column) in columns.iter().enumerate() {
        let x = 110.0 + (number as f64 + 0.5) * width;
        let y = bottom + 16.0;
        let _ = writeln!(
            svg,
            "<text x=\"{x:.2}\" y=\"{y:.2}\" text-anchor=\"middle\" fill=\"#333333\">{}</text>",
            escape(column)
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"102.00\" y=\"20.00\" text-anchor=\"end\" font-style=\"italic\" fill=\"#333333\">{}</text>\n<text x=\"{:.2}\" y=\"{:.2}\" text-anchor=\"middle\" font-style=\"italic\" fill=\"#333333\">{}</text>",
        escape(&row_head.replace('_', " ")),
        110.0 + columns.len() as f64 * width / 2.0,
        bottom + 34.0,
        escape(&column_head.replace('_', " "))
    );
    svg.push_str("</svg>\n");
    Some(Drawing { svg, description })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_change_is_white_and_more_and_less_are_told_apart_in_grey() {
        assert_eq!(shade(0.0), "#ffffff");
        let grey = |shade: &str| {
            let part = |at: usize| f64::from(u8::from_str_radix(&shade[at..at + 2], 16).unwrap());
            0.299 * part(1) + 0.587 * part(3) + 0.114 * part(5)
        };
        assert!(grey(&shade(-1.0)) + 20.0 < grey(&shade(1.0)));
        assert!(grey(&shade(0.5)) > grey(&shade(1.0)));
    }

    #[test]
    fn a_map_has_a_cell_and_a_number_for_each_pair() {
        let cells = [("1", "4 KiB", 1.0), ("16", "4 KiB", 4.4), ("1", "64 KiB", 0.5), ("16", "64 KiB", 1.9)];
        let drawing = map(&cells, ("iodepth", "block_size"), "IOPS").unwrap();
        assert_eq!(drawing.svg.matches("<rect x=").count(), 4);
        assert!(drawing.svg.contains(">+340.0<") && drawing.svg.contains(">-50.0<"), "{}", drawing.svg);
        assert!(drawing.description.contains("iodepth 16, block_size 64 KiB: +90.0 %"));
        assert!(map(&[], ("a", "b"), "x").is_none());
    }
}
