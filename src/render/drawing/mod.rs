//! The pieces of a chart as SVG.
//!
//! Drawn by ourselves, because the same bytes are promised: coordinates have two decimals, logarithms come from `libm`,
//! and nothing depends on a counter or a font metric of the machine. Groups differ in shade, hatching, dashes and marks, so
//! they can be told apart in grey; text stays text; title and description are there for those who can not see it.

pub(super) mod axis;
pub(super) mod bars;
pub(super) mod plot;
pub(crate) mod ratios;

use std::fmt::Write as _;

/// A drawing and what it shows in words.
pub(crate) struct Drawing {
    pub(crate) svg: String,
    pub(crate) description: String,
}

/// How wide every drawing is.
pub(super) const WIDTH: f64 = 640.0;
/// Text and axes.
pub(super) const INK: &str = "#333333";
/// Lines behind what is shown.
pub(super) const FAINT: &str = "#dddddd";
/// Dark to light, distinct in grey; each with its hatching, dashes and mark.
const SHADES: &[&str] = &["#1f4e79", "#e08a1e", "#6aa37a", "#b5b5d8", "#7f2f4f", "#d9c26a"];
const DASHES: &[&str] = &["none", "6 3", "2 2", "8 3 2 3", "1 3", "10 4"];
/// How wide a letter is on average.
pub(super) const LETTER: f64 = 6.4;

/// A direction of hatching: how far a line moves right and down over one step.
type Direction = (f64, f64);
/// The hatching of each group, so that they differ in grey.
const HATCHINGS: &[&[Direction]] =
    &[&[], &[(1.0, -1.0)], &[(1.0, 1.0)], &[(0.0, 1.0)], &[(1.0, 0.0)], &[(1.0, -1.0), (1.0, 1.0)]];
/// How far apart hatching lines are.
const HATCH_STEP: f64 = 6.0;

/// How many groups can be told apart.
pub(super) const GROUPS_MAX: usize = SHADES.len();

/// A box, in the units of the drawing.
#[derive(Debug, Clone, Copy)]
pub(super) struct Area {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// Where a text stands against its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    const fn word(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

/// A drawing in the making.
pub(super) struct Svg(String);

impl Svg {
    /// An empty white sheet with its words.
    pub(super) fn new(height: f64, title: &str, description: &str) -> Self {
        Self(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {WIDTH:.0} {height:.0}\" role=\"img\" font-family=\"Libertinus Serif, serif\" font-size=\"12\">\n<title>{}</title>\n<desc>{}</desc>\n<rect width=\"{WIDTH:.0}\" height=\"{height:.0}\" fill=\"#ffffff\"/>\n",
            escape(title),
            escape(description)
        ))
    }

    pub(super) fn finish(mut self) -> String {
        self.0.push_str("</svg>\n");
        self.0
    }

    /// A box of one shade.
    pub(super) fn filled(&mut self, area: Area, fill: &str) {
        let Area { left, top, width, height } = area;
        let _ = writeln!(
            self.0,
            "<rect x=\"{left:.2}\" y=\"{top:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" fill=\"{fill}\"/>"
        );
    }

    /// A line from point to point.
    pub(super) fn line(&mut self, (x1, y1): (f64, f64), (x2, y2): (f64, f64), stroke: &str) {
        let _ = writeln!(
            self.0,
            "<line x1=\"{x1:.2}\" y1=\"{y1:.2}\" x2=\"{x2:.2}\" y2=\"{y2:.2}\" stroke=\"{stroke}\" stroke-width=\"1\"/>"
        );
    }

    /// A path of its own drawing commands.
    pub(super) fn path(&mut self, commands: &str, stroke: &str, width: f64) {
        let _ =
            writeln!(self.0, "<path d=\"{commands}\" stroke=\"{stroke}\" stroke-width=\"{width:.1}\" fill=\"none\"/>");
    }

    pub(super) fn text(&mut self, (x, y): (f64, f64), anchor: Anchor, text: &str) {
        self.styled((x, y), anchor, (text, ""));
    }

    /// A text with further attributes, such as a transformation.
    pub(super) fn styled(&mut self, (x, y): (f64, f64), anchor: Anchor, (text, attributes): (&str, &str)) {
        let fill = if attributes.contains("fill=") { "" } else { " fill=\"#333333\"" };
        let _ = writeln!(
            self.0,
            "<text x=\"{x:.2}\" y=\"{y:.2}\" text-anchor=\"{}\"{fill}{attributes}>{}</text>",
            anchor.word(),
            escape(text)
        );
    }

    /// The name of an axis that goes up.
    pub(super) fn upright(&mut self, (x, y): (f64, f64), text: &str) {
        self.styled((x, y), Anchor::Middle, (text, &format!(" transform=\"rotate(-90 {x:.2} {y:.2})\"")));
    }

    /// A filled box with the hatching of its group: drawn line by line, for tiled patterns show their seams.
    pub(super) fn hatched(&mut self, group: usize, area: Area) {
        let Area { left, top, width, height } = area;
        let shade = SHADES[group % SHADES.len()];
        let _ = writeln!(
            self.0,
            "<rect x=\"{left:.2}\" y=\"{top:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" fill=\"{shade}\" stroke=\"#222222\" stroke-width=\"0.6\"/>",
        );
        let mut path = String::new();
        for direction in HATCHINGS[group % HATCHINGS.len()] {
            hatch(&mut path, *direction, area);
        }
        if !path.is_empty() {
            self.path(path.trim_end(), "#ffffff", 0.9);
        }
    }

    /// An interval along y, black or in the shade of a group; a light line below the dark one keeps it visible on what it lies on.
    pub(super) fn whisker(&mut self, x: f64, (low, high): (f64, f64), group: Option<usize>) {
        let (left, right) = (x - 3.5, x + 3.5);
        let path = format!(
            "M{x:.2},{low:.2} L{x:.2},{high:.2} M{left:.2},{low:.2} L{right:.2},{low:.2} M{left:.2},{high:.2} L{right:.2},{high:.2}"
        );
        self.path(&path, "#ffffff", 3.0);
        self.path(&path, group.map_or("#000000", |group| SHADES[group % SHADES.len()]), 1.2);
    }

    /// A line through the points of a group.
    pub(super) fn polyline(&mut self, group: usize, points: &[(f64, f64)]) {
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.2},{y:.2}")).collect();
        let _ = writeln!(
            self.0,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\" stroke-dasharray=\"{}\"/>",
            points.join(" "),
            SHADES[group % SHADES.len()],
            DASHES[group % DASHES.len()]
        );
    }

    /// A ring, where a disc would say too much.
    pub(super) fn ring(&mut self, (x, y): (f64, f64), stroke: &str) {
        let _ = writeln!(
            self.0,
            "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"3.2\" fill=\"#ffffff\" stroke=\"{stroke}\" stroke-width=\"1.4\"/>"
        );
    }

    /// The mark of a group: a disc, a square, a triangle, a diamond, a triangle upside down, a bar.
    pub(super) fn mark(&mut self, group: usize, (x, y): (f64, f64)) {
        let shade = SHADES[group % SHADES.len()];
        let path = match group % SHADES.len() {
            0 => {
                let _ = writeln!(
                    self.0,
                    "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"3.2\" fill=\"{shade}\" stroke=\"#ffffff\" stroke-width=\"0.8\"/>"
                );
                return;
            }
            1 => [(-3.0, -3.0), (3.0, -3.0), (3.0, 3.0), (-3.0, 3.0)].to_vec(),
            2 => [(0.0, -4.0), (4.0, 3.2), (-4.0, 3.2)].to_vec(),
            3 => [(0.0, -4.2), (4.2, 0.0), (0.0, 4.2), (-4.2, 0.0)].to_vec(),
            4 => [(0.0, 4.0), (4.0, -3.2), (-4.0, -3.2)].to_vec(),
            _ => [(-1.8, -4.2), (1.8, -4.2), (1.8, 4.2), (-1.8, 4.2)].to_vec(),
        };
        let points: Vec<String> = path.iter().map(|(dx, dy)| format!("{:.2},{:.2}", x + dx, y + dy)).collect();
        let _ = writeln!(
            self.0,
            "<polygon points=\"{}\" fill=\"{shade}\" stroke=\"#ffffff\" stroke-width=\"0.8\"/>",
            points.join(" ")
        );
    }
}

/// Adds the lines of one direction that lie in a box.
fn hatch(path: &mut String, direction: Direction, area: Area) {
    let Area { left, top, width, height } = area;
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

/// A text that is no longer than so many letters.
pub(super) fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most { text.to_owned() } else { text.chars().take(most - 1).chain(['…']).collect() }
}

/// The width that a text takes, about.
pub(super) fn width_of(text: &str) -> f64 {
    text.chars().count() as f64 * LETTER
}

/// Thousands apart by a thin space.
pub(super) fn grouped(label: &str) -> String {
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

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
