//! Charts of comparisons: a forest of ratios with their intervals on a log axis, and a map of changes over two factors,
//! centred on no change. What a shade says a number says, too.

use super::Drawing;
use super::{Anchor, Area, FAINT, INK, LETTER, Svg, WIDTH, shortened};
use crate::words::{Language, Word};

/// One row of a forest.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    /// What is compared.
    pub(crate) label: String,
    /// Second by first.
    pub(crate) ratio: f64,
    /// Its interval.
    pub(crate) interval: Option<(f64, f64)>,
    /// Whether the verdict is neither a difference nor an equivalence.
    pub(crate) is_open: bool,
}

/// A cell of a map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cell<'a> {
    pub(crate) column: &'a str,
    pub(crate) row: &'a str,
    /// Second by first.
    pub(crate) ratio: f64,
    /// Whether the verdict is neither a difference nor an equivalence.
    pub(crate) is_open: bool,
}

/// Where the plot of a forest begins and ends; numbers stand to its right.
const LEFT: f64 = 190.0;
const RIGHT: f64 = 436.0;
const ROW: f64 = 20.0;
const HEAD: f64 = 30.0;
/// How high a cell of a map is, and how wide at most.
const CELL: f64 = 26.0;
const CELL_WIDTH_MAX: f64 = 90.0;
/// The most rows that are drawn; the table holds the rest.
pub(crate) const ROWS_MAX: usize = 40;
/// The most levels of a factor of a map.
const LEVELS_MAX: usize = 16;
/// Ratios that an axis names.
const TICKS: &[f64] = &[
    0.01, 0.02, 0.05, 0.1, 0.2, 0.33, 0.5, 0.67, 0.8, 0.9, 0.95, 0.98, 1.0, 1.02, 1.05, 1.1, 1.25, 1.5, 2.0, 3.0, 5.0,
    10.0, 20.0, 50.0, 100.0,
];
/// How far apart names on an axis are.
const TICK_APART: f64 = 34.0;
/// The longest label of a row, in letters.
const LABEL_LETTERS_MAX: usize = 30;
/// What an interval and its estimate are drawn with.
const ESTIMATE: &str = "#1f4e79";

fn percent(ratio: f64) -> String {
    format!("{:+.1}", (ratio - 1.0) * 100.0)
}

/// Ratios of one metric, each with its interval; `margin` is shaded where there is one. `None` without rows, or with too many.
pub(crate) fn forest(rows: &[Row], margin: Option<f64>, title: &str, words: &Language) -> Option<Drawing> {
    if rows.is_empty() || rows.len() > ROWS_MAX {
        return None;
    }
    let ends = |row: &Row| {
        let (low, high) = row.interval.unwrap_or((row.ratio, row.ratio));
        [row.ratio, low, high]
    };
    let all = rows.iter().flat_map(ends).chain([1.0]).filter(|ratio| *ratio > 0.0 && ratio.is_finite());
    let (least, most) = all.fold((1.0_f64, 1.0_f64), |(least, most), ratio| (least.min(ratio), most.max(ratio)));
    let (least, most) = (least.max(0.005), most.min(200.0));
    let pad = (libm::log(most / least) * 0.06).max(0.01);
    let (low, high) = (libm::log(least) - pad, libm::log(most) + pad);
    let x = |ratio: f64| LEFT + ((libm::log(ratio.max(1e-9)) - low) / (high - low)).clamp(0.0, 1.0) * (RIGHT - LEFT);
    let bottom = HEAD + rows.len() as f64 * ROW;
    let told: Vec<String> = rows.iter().map(|row| format!("{}: {} %", row.label, percent(row.ratio))).collect();
    let description = format!("{title}. {}.", told.join("; "));
    let mut svg = Svg::new(bottom + 44.0, title, &description);
    if let Some(margin) = margin {
        let (from, to) = (x(1.0 / (1.0 + margin)), x(1.0 + margin));
        let area = Area { left: from, top: HEAD, width: to - from, height: bottom - HEAD };
        svg.filled(area, "#e8e8e8");
    }
    axis(&mut svg, (low, high), bottom, x);
    for (number, row) in rows.iter().enumerate() {
        let y = HEAD + (number as f64 + 0.5) * ROW;
        draw_row(&mut svg, row, y, x);
        svg.text((RIGHT + 8.0, y + 4.0), Anchor::Start, &change(row, words));
    }
    svg.text((f64::midpoint(LEFT, RIGHT), bottom + 34.0), Anchor::Middle, title);
    Some(Drawing { svg: svg.finish(), description })
}

/// Ratios along the axis, none so near another that their names would meet.
fn axis(svg: &mut Svg, (low, high): (f64, f64), bottom: f64, x: impl Fn(f64) -> f64) {
    let inside = TICKS.iter().copied().filter(|tick| (low..=high).contains(&libm::log(*tick)));
    let mut named = vec![1.0];
    for tick in inside {
        if named.iter().all(|other| (x(tick) - x(*other)).abs() >= TICK_APART) {
            named.push(tick);
        }
    }
    for tick in &named {
        let at = x(*tick);
        svg.line((at, HEAD), (at, bottom), if *tick == 1.0 { INK } else { FAINT });
        svg.text((at, bottom + 16.0), Anchor::Middle, &tick.to_string());
    }
}

fn draw_row(svg: &mut Svg, row: &Row, y: f64, x: impl Fn(f64) -> f64) {
    svg.text((LEFT - 8.0, y + 4.0), Anchor::End, &shortened(&row.label, LABEL_LETTERS_MAX));
    if let Some((low, high)) = row.interval {
        let (from, to, top, bottom) = (x(low), x(high), y - 4.0, y + 4.0);
        let path = format!("M{from:.2} {y:.2}H{to:.2}M{from:.2} {top:.2}V{bottom:.2}M{to:.2} {top:.2}V{bottom:.2}");
        svg.path(&path, ESTIMATE, 1.4);
    }
    match row.is_open {
        true => svg.ring((x(row.ratio), y), ESTIMATE),
        false => svg.mark(0, (x(row.ratio), y)),
    }
}

/// The change in percent with its interval.
fn change(row: &Row, words: &Language) -> String {
    let change = percent(row.ratio);
    match row.interval {
        Some((low, high)) => words.text(Word::RatioWithInterval {
            change: change.into(),
            low: percent(low).into(),
            high: percent(high).into(),
        }),
        None => format!("{change} %"),
    }
}

/// The levels of a factor in the order in which they come.
fn levels<'a>(found: &[Cell<'a>], is_row: bool) -> Vec<&'a str> {
    let mut levels: Vec<&str> = vec![];
    for cell in found {
        let level = if is_row { cell.row } else { cell.column };
        if !levels.contains(&level) {
            levels.push(level);
        }
    }
    levels
}

/// A shade between blue (less), white (the same) and orange (more), darker the farther from no change.
fn shade(share: f64) -> String {
    let (red, green, blue) = if share < 0.0 { (31.0, 78.0, 121.0) } else { (196.0, 96.0, 10.0) };
    let mix = |end: f64| libm::round(255.0 + (end - 255.0) * share.abs().min(1.0)) as u8;
    format!("#{:02x}{:02x}{:02x}", mix(red), mix(green), mix(blue))
}

/// Black or white, whichever stands out more (WCAG 2.2, contrast ratio).
fn ink_on(shade: &str) -> &'static str {
    let part = |at: usize| {
        let value = u8::from_str_radix(&shade[at..at + 2], 16).map_or(0.0, f64::from) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { libm::pow((value + 0.055) / 1.055, 2.4) }
    };
    let luminance = 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5);
    if 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05 { "#ffffff" } else { "#000000" }
}

/// Changes over two factors; what is open stands in brackets. `None` where there is nothing, or too much.
pub(crate) fn map(found: &[Cell<'_>], (column_head, row_head): (&str, &str), title: &str) -> Option<Drawing> {
    let (columns, rows) = (levels(found, false), levels(found, true));
    if found.is_empty() || columns.len() > LEVELS_MAX || rows.len() > LEVELS_MAX {
        return None;
    }
    let most = found.iter().map(|cell| libm::log(cell.ratio).abs()).fold(0.0, f64::max).max(0.01);
    let letters = rows.iter().chain([&row_head]).map(|row| row.chars().count().min(LABEL_LETTERS_MAX)).max();
    let left = 16.0 + LETTER * letters.unwrap_or(0) as f64;
    let width = ((WIDTH - left - 10.0) / columns.len() as f64).min(CELL_WIDTH_MAX);
    let bottom = HEAD + rows.len() as f64 * CELL;
    let told = found.iter().map(|cell| {
        let open = if cell.is_open { ", inconclusive" } else { "" };
        format!("{column_head} {}, {row_head} {}: {} %{open}", cell.column, cell.row, percent(cell.ratio))
    });
    let description = format!("{title}. {}.", told.collect::<Vec<_>>().join("; "));
    let mut svg = Svg::new(bottom + 44.0, title, &description);
    let small = if width < 44.0 { " font-size=\"10\"" } else { "" };
    for cell in found {
        let place = |list: &[&str], level: &str| list.iter().position(|one| *one == level).unwrap_or(0) as f64;
        let (x, y) = (left + place(&columns, cell.column) * width, HEAD + place(&rows, cell.row) * CELL);
        let shade = shade(libm::log(cell.ratio) / most * 0.9);
        let area = Area { left: x + 0.5, top: y + 0.5, width: width - 1.0, height: CELL - 1.0 };
        svg.filled(area, &shade);
        let words = if cell.is_open { format!("({})", percent(cell.ratio)) } else { percent(cell.ratio) };
        let style = format!(" fill=\"{}\"{small}", ink_on(&shade));
        svg.styled((x + width / 2.0, y + 17.0), Anchor::Middle, (&words, &style));
    }
    for (number, row) in rows.iter().enumerate() {
        let y = HEAD + number as f64 * CELL + 17.0;
        svg.text((left - 8.0, y), Anchor::End, &shortened(row, LABEL_LETTERS_MAX));
    }
    for (number, column) in columns.iter().enumerate() {
        let x = left + (number as f64 + 0.5) * width;
        let name = shortened(column, ((width / LETTER) as usize).max(2));
        svg.styled((x, bottom + 16.0), Anchor::Middle, (&name, small));
    }
    let italic = " font-style=\"italic\"";
    svg.styled((left - 8.0, 20.0), Anchor::End, (&row_head.replace('_', " "), italic));
    let middle = left + columns.len() as f64 * width / 2.0;
    svg.styled((middle, bottom + 34.0), Anchor::Middle, (&column_head.replace('_', " "), italic));
    Some(Drawing { svg: svg.finish(), description })
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
        assert_eq!([ink_on("#ffffff"), ink_on(&shade(-1.0)), ink_on(&shade(0.4))], ["#000000", "#ffffff", "#000000"]);
    }

    #[test]
    fn a_map_has_a_cell_and_a_number_for_each_pair() {
        let cell = |column, row, ratio| Cell { column, row, ratio, is_open: ratio == 1.0 };
        let cells =
            [cell("1", "4 KiB", 1.0), cell("16", "4 KiB", 4.4), cell("1", "64 KiB", 0.5), cell("16", "64 KiB", 1.9)];
        let drawing = map(&cells, ("iodepth", "block_size"), "IOPS").unwrap();
        assert_eq!(drawing.svg.matches("<rect x=").count(), 4, "a cell each");
        assert!(drawing.svg.contains(">(+0.0)<"), "what is open stands in brackets");
        assert!(drawing.svg.contains(">+340.0<") && drawing.svg.contains(">-50.0<"), "{}", drawing.svg);
        assert!(drawing.description.contains("iodepth 16, block_size 64 KiB: +90.0 %"));
        assert!(map(&[], ("a", "b"), "x").is_none());
    }
}
