//! A diff for a terminal of 100 columns, and its figures.

use std::collections::{BTreeMap, BTreeSet};

use super::show;
use crate::compare::{Rule, Verdict};
use crate::diff::{self, Diff, Kind, Row, Series, Side};
use crate::document::{Block, Figure};
use crate::measurement::Metric;
use crate::render::drawing::{self, ratios};
use crate::words::{self, Argument, Word};

/// The width of a terminal.
const WIDTH: usize = 100;
/// The longest text of a side that is shown whole; JSON holds all of it.
const SIDE_LETTERS_MAX: usize = 120;

/// For a terminal of 100 columns.
pub(crate) fn text(diff: &Diff, is_all: bool) {
    show::print(&format!("{}  →  {}", diff.a, diff.b));
    show::print("");
    show::wrap(&diff.attribution(), WIDTH).iter().for_each(|line| show::print(line));
    for caveat in &diff.caveats {
        show::wrap(&format!("note: {caveat}"), WIDTH).iter().for_each(|line| show::print(line));
    }
    let folded = diff.factors.iter().filter(|factor| factor.kind == Kind::Prose).count();
    let listed = diff.factors.iter().filter(|factor| is_all || factor.kind != Kind::Prose);
    let rows: Vec<Vec<String>> = listed
        .map(|factor| {
            let side = |text: &Option<String>| short(text.as_deref().unwrap_or("–"), SIDE_LETTERS_MAX);
            vec![factor.kind.word().to_owned(), factor.path.clone(), side(&factor.a), side(&factor.b)]
        })
        .collect();
    if !rows.is_empty() {
        show::print("\nwhat was pinned");
        show::print(&show::table_within(WIDTH, &["", "path", "A", "B"], &rows, (&[], &[1, 2, 3])));
        for kind in kinds(diff, is_all) {
            show::print(&format!("  {}: {}", kind.word(), kind.meaning()));
        }
    }
    if folded > 0 && !is_all {
        let plural = if folded == 1 { "" } else { "s" };
        show::print(&format!("({folded} difference{plural} that people read and jobs do not: `--all` shows them)"));
    }
    results(diff, is_all);
    if !diff.claims.is_empty() {
        show::print("\nclaims whose verdict differs");
        for claim in &diff.claims {
            let words = format!("{}: {} → {}  {}", claim.id, claim.a, claim.b, claim.text);
            show::wrap(&words, WIDTH - 2).iter().for_each(|line| show::print(&format!("  {line}")));
        }
    }
}

/// The kinds of differences that are listed.
fn kinds(diff: &Diff, is_all: bool) -> BTreeSet<Kind> {
    let listed = diff.factors.iter().filter(|factor| is_all || factor.kind != Kind::Prose);
    listed.map(|factor| factor.kind).collect()
}

fn results(diff: &Diff, is_all: bool) {
    if diff.results.is_empty() {
        show::print("\nno side has results");
        return;
    }
    let is_same = |row: &&Row| row.why == diff::SAME_OBJECTS;
    let is_listed = |row: &&Row| is_all || (row.verdict != Verdict::Equivalent && !is_same(row));
    let listed: Vec<&Row> = diff.results.iter().filter(is_listed).collect();
    if !listed.is_empty() {
        show::print("\nwhat came out");
    }
    let mut metrics: Vec<&Metric> = vec![];
    for row in &listed {
        if !metrics.contains(&&row.metric) {
            metrics.push(&row.metric);
        }
    }
    for metric in metrics {
        let rows: Vec<&Row> = listed.iter().copied().filter(|row| row.metric == *metric).collect();
        of_metric(metric, &rows);
    }
    show::print("");
    for line in diff.summary() {
        show::wrap(&line, WIDTH).iter().for_each(|line| show::print(line));
    }
    let folded = diff.results.iter().filter(|row| row.verdict == Verdict::Equivalent && !is_same(row)).count();
    if folded > 0 && !is_all {
        show::print(&format!("{folded} that are equivalent are not listed: `--all` lists them."));
    }
}

/// The rows of one metric, and what must be said of some of them.
fn of_metric(metric: &Metric, rows: &[&Row]) {
    let cells: Vec<Vec<String>> = rows
        .iter()
        .map(|row| {
            let verdict = format!("{} {}", row.verdict.sign(), row.verdict.word());
            [vec![verdict, row.levels.clone()], row.figures().to_vec()].concat()
        })
        .collect();
    let factors: BTreeSet<&str> = rows.iter().flat_map(|row| row.factors.keys()).map(String::as_str).collect();
    let case = if factors.is_empty() { "case".to_owned() } else { factors.into_iter().collect::<Vec<_>>().join(", ") };
    show::print(&format!("\n{metric}"));
    let heads = ["", case.as_str(), "n", "A", "B", "change", "interval (level)", "p (BH)"];
    show::print(&show::table_within(WIDTH, &heads, &cells, (&[2, 3, 4, 5, 6, 7], &[1])));
    let is_explained = |row: &&&Row| row.why != diff::SAME_OBJECTS && (!row.why.is_empty() || !row.hidden.is_empty());
    for row in rows.iter().filter(is_explained) {
        for line in show::wrap(&format!("{}: {}", row.levels, row.said()), WIDTH - 2) {
            show::print(&format!("  {line}"));
        }
    }
}

/// Many sides: the medians of each series in the order of the sides, and what is suspected.
pub(crate) fn series_text(sides: &[&Side], series: &[Series]) {
    for (number, side) in sides.iter().enumerate() {
        show::print(&format!("{}  {}", number + 1, side.name));
    }
    for one in series {
        show::print("");
        show::wrap(&format!("{} {}: {}", one.case, one.metric, one.said()), WIDTH)
            .iter()
            .for_each(|line| show::print(line));
        let shown = one.medians.iter().map(|median| diff::shown_in_a_unit(*median, &one.unit)).collect::<Vec<_>>();
        show::wrap(&format!("medians: {}", shown.join(" | ")), WIDTH - 2)
            .iter()
            .for_each(|line| show::print(&format!("  {line}")));
    }
    show::print("\nTwo sides at a time say what was pinned otherwise, and what may be concluded.");
}

fn said(word: Word<Argument<'_>>) -> String {
    words::english().text(word)
}

fn short(text: &str, most: usize) -> String {
    if text.chars().count() <= most { text.to_owned() } else { text.chars().take(most - 1).chain(['…']).collect() }
}

/// A figure for each metric that is compared: a map of changes where the cases span two factors, or else a forest of ratios.
/// With the drawings, each with the name of its file.
pub(crate) fn figures(diff: &Diff, b: &Side) -> (Vec<Block>, Vec<(String, String)>) {
    let (mut blocks, mut drawings) = (vec![], vec![]);
    let metrics: BTreeSet<&Metric> = diff.results.iter().map(|row| &row.metric).collect();
    for metric in metrics {
        let rows: Vec<&Row> = diff.results.iter().filter(|row| row.metric == *metric && row.ratio.is_some()).collect();
        let title = said(Word::DeltaTitle {
            metric: metric.title(words::english()).into(),
            b: diff.b.as_str().into(),
            a: diff.a.as_str().into(),
        });
        let Some((drawing, caption)) =
            map(&rows, &title).or_else(|| forest(&rows, Rule::of(&b.experiment, metric), &title))
        else {
            continue;
        };
        let file = format!("{metric}.svg");
        let id = metric.to_string();
        blocks.push(Block::Figure(Figure { id, caption, description: drawing.description, file: file.clone() }));
        drawings.push((file, drawing.svg));
    }
    (blocks, drawings)
}

/// Changes over the two factors in which the cases differ; `None` where these are not two, or a cell is several cases.
fn map(rows: &[&Row], title: &str) -> Option<(drawing::Drawing, String)> {
    let mut levels: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (factor, level) in rows.iter().flat_map(|row| &row.factors) {
        levels.entry(factor).or_default().insert(level);
    }
    let varying: Vec<&str> = levels.iter().filter(|(_, levels)| levels.len() > 1).map(|(factor, _)| *factor).collect();
    let [y, x] = varying.as_slice() else { return None };
    let cells: Vec<ratios::Cell<'_>> = rows
        .iter()
        .filter_map(|row| {
            let (column, ratio) = (row.factors.get(*x)?, row.ratio?.estimate);
            Some(ratios::Cell { column, row: row.factors.get(*y)?, ratio, is_open: row.verdict.is_open() })
        })
        .collect();
    let places: BTreeSet<(&str, &str)> = cells.iter().map(|cell| (cell.column, cell.row)).collect();
    if places.len() < cells.len() || cells.len() < rows.len() {
        return None;
    }
    let caption = said(Word::DeltaMap { title: title.into() });
    let drawing = ratios::map(&cells, (x, y), &caption)?;
    Some((drawing, said(Word::MapCaption { title: caption.into() })))
}

/// The ratios with their intervals; where there are many, of those that differ most.
fn forest(rows: &[&Row], rule: Rule, title: &str) -> Option<(drawing::Drawing, String)> {
    let size = |row: &&&Row| row.ratio.map_or(0.0, |ratio| libm::log(ratio.estimate).abs());
    let mut sizes: Vec<f64> = rows.iter().map(|row| size(&row)).collect();
    sizes.sort_by(|one, other| other.total_cmp(one));
    let least = sizes.get(ratios::ROWS_MAX - 1).copied().unwrap_or(0.0);
    let shown: Vec<ratios::Row> = rows
        .iter()
        .filter(|row| size(row) >= least)
        .take(ratios::ROWS_MAX)
        .filter_map(|row| {
            let ratio = row.ratio?;
            let is_open = row.verdict.is_open();
            let interval = ratio.low.zip(ratio.high);
            Some(ratios::Row { label: row.levels.clone(), ratio: ratio.estimate, interval, is_open })
        })
        .collect();
    let title = title.into();
    let caption = said(match shown.len() < rows.len() {
        true => Word::DeltaForestCut { title, shown: shown.len().into(), count: rows.len().into() },
        false => Word::DeltaForest { title },
    });
    let drawing = ratios::forest(&shown, rule.margin, &caption, words::english())?;
    Some((drawing, said(Word::ForestCaption { title: caption.into() })))
}
