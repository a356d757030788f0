//! Rows that differ in the operations in flight alone, in their order.

use std::collections::BTreeMap;

use super::{Row, Subject, View};
use crate::claims::{Cell, Column, Place, Table};
use crate::exact::Exact;
use crate::interval::Interval;

/// Rows of one case at several depths.
pub(super) struct Ladder {
    pub(super) steps: Vec<Step>,
}

/// One depth.
pub(super) struct Step {
    /// Operations in flight.
    pub(super) depth: Exact,
    /// IOPS.
    pub(super) iops: Interval,
    /// Mean latency, where it is printed.
    pub(super) latency: Option<Interval>,
    pub(super) place: Place,
}

/// The roles that say how deep a row is.
const DEPTHS: &[&str] = &["outstanding", "queue_depth", "jobs", "clients"];

/// All of at least two steps. A row belongs to those whose names and settings are the same but for the depth.
pub(super) fn ladders(subject: &Subject<'_>) -> Vec<Ladder> {
    let mut found: BTreeMap<(usize, Option<&str>, String), Vec<Step>> = BTreeMap::new();
    for (number, table) in subject.tables.iter().enumerate() {
        let depth_of = |row: usize, series| {
            let row = Row::new(subject, Some((number, row)), series, &View::PLAIN);
            row.outstanding().or_else(|| row.positive("queue_depth")).map(|depth| depth.low().clone())
        };
        let series = table.series();
        let depths: Vec<Option<Exact>> = (0..table.rows.len()).map(|row| depth_of(row, series[0])).collect();
        let settings: Vec<usize> = (0..table.columns.len())
            .filter(|at| is_setting(&table.columns[*at]) && !says_depth(table, *at, &depths))
            .collect();
        for (at, cells) in table.rows.iter().enumerate() {
            let key = settings.iter().map(|column| text(&cells.cells[*column])).collect::<Vec<_>>().join("\u{1f}");
            for series in table.series() {
                let row = Row::new(subject, Some((number, at)), series, &View::PLAIN);
                let step = || {
                    let depth = row.outstanding().or_else(|| row.positive("queue_depth"))?;
                    let (depth, iops) = (depth.low().clone(), row.positive("iops")?);
                    Some(Step { depth, iops, latency: row.positive("latency_mean"), place: row.place() })
                };
                if let Some(step) = step() {
                    found.entry((number, series, key.clone())).or_default().push(step);
                }
            }
        }
    }
    let mut ladders = vec![];
    for mut steps in found.into_values() {
        steps.sort_by(|one, other| one.depth.cmp(&other.depth));
        // two rows of one depth differ in something that the table does not say
        let is_plain = steps.windows(2).all(|pair| pair[0].depth != pair[1].depth);
        if steps.len() > 1 && is_plain {
            ladders.push(Ladder { steps });
        }
    }
    ladders
}

/// Whether a column parts rows: names, counts and settings do, measured numbers do not.
fn is_setting(column: &Column) -> bool {
    match column.role.as_deref() {
        None | Some("block_size") => true,
        Some(role) => column.is_exact && !DEPTHS.contains(&role),
    }
}

fn text(cell: &Cell) -> String {
    match cell {
        Cell::Name(name) => name.to_string(),
        Cell::Number(printed) => printed.token().to_owned(),
        Cell::Absent => String::new(),
    }
}

/// Whether a column of whole numbers as names only says the depth in other words: each name has one depth, and each depth
/// one name.
fn says_depth(table: &Table, column: usize, depths: &[Option<Exact>]) -> bool {
    let mut names: BTreeMap<String, &Exact> = BTreeMap::new();
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    for (row, depth) in table.rows.iter().zip(depths) {
        let (Cell::Name(name), Some(depth)) = (&row.cells[column], depth) else { return false };
        let is_same = *names.entry(name.to_string()).or_insert(depth) == depth
            && *known.entry(depth.to_fraction()).or_insert_with(|| name.to_string()) == **name;
        if !is_same || name.parse::<u64>().is_err() {
            return false;
        }
    }
    names.len() > 1
}
