//! Tables of results as CSV, TSV or with semicolons: what licensed benchmarks such as SPECvirt publish, and numbers that
//! a person copied from a page or a screen.
//!
//! A column with a unit in its head (`Latency (ms)`, `MB/s`, `CPU %`) or the name of a known metric holds values; all others
//! name the row. In a manifest `row` names the row and `read` the columns with their units.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::draft::quoted;
use super::manual::is_same;
use super::{Context, Draft, LaunchPlan, Outputs, Timing, Tool, Workload, text, workload};
use crate::manifest::node::Node;
use crate::manifest::shape::{Fields, Map, Problems};
use crate::measurement::{Labels, Metric, Printed, Reading, Status};
use crate::name::{Name, slug};
use crate::unit::{Dimension, Unit};

/// Tables of results.
pub(super) struct Table;

/// The most cells of a table.
const CELLS_MAX: usize = 1_000_000;

/// What people write where there is no value.
const ABSENT: &[&str] = &["", "-", "–", "—", "n/a", "N/A", "NA", "na"];

/// The settings that are hashed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
struct Settings {
    row: BTreeMap<String, String>,
    read: BTreeMap<String, Column>,
}

/// Which column holds a metric, and in which unit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Column {
    column: String,
    unit: String,
}

impl Tool for Table {
    fn name(&self) -> &'static str {
        "table"
    }

    fn resolve(&self, settings: &Node, _: &Context<'_>, problems: &mut Problems) -> Option<serde_json::Value> {
        let mut fields = Fields::open(settings, "a table of results", problems)?;
        let row = fields.take::<Map<Node>>("row", problems);
        let read = fields.take::<Map<Node>>("read", problems);
        fields.finish(problems);
        let (row, read) = (row?, read?);
        if row.is_empty() || read.is_empty() {
            let help = "Write `row: {Column: value}` and `read: {iops: {column: IOPS, unit: 1/s}}`.";
            problems.error("table::settings", settings.span, "a table without a row or a column to read", help);
            return None;
        }
        let cell = |(name, node): (&crate::manifest::shape::Spanned<Name>, &Node)| {
            Some((name.value.to_string(), node.scalar()?))
        };
        let row: Option<BTreeMap<String, String>> = row.iter().map(cell).collect();
        let columns: Vec<Option<(String, Column)>> = read
            .iter()
            .map(|(name, node)| Some((name.value.to_string(), column(name.value.as_str(), node, problems)?)))
            .collect();
        let settings = Settings { row: row?, read: columns.into_iter().collect::<Option<_>>()? };
        serde_json::to_value(settings).ok()
    }

    fn selectors(&self) -> &'static [&'static str] {
        &["row", "read"]
    }

    fn workload(&self, stored: &serde_json::Value) -> Option<Option<Arc<dyn Workload>>> {
        Some(workload::parsed::<Settings>(stored))
    }

    fn extension(&self) -> &'static str {
        "csv"
    }

    fn recognises(&self, bytes: &[u8]) -> bool {
        let head = text::head(bytes);
        let Ok(rows) = rows(head) else { return false };
        let [heads, first, ..] = rows.as_slice() else { return false };
        heads.len() > 1 && first.len() == heads.len() && heads.iter().any(|head| metric_of(head).is_some())
    }

    fn parse(&self, outputs: Outputs<'_>) -> Reading {
        read_all(&text::decode(outputs.stdout)).close()
    }

    fn draft(&self, bytes: &[u8]) -> Option<Draft> {
        let rows = self.recognises(bytes).then(|| rows(bytes).ok())??;
        let (heads, rows) = rows.split_first()?;
        let mut draft = Draft { is_manual: true, ..Draft::default() };
        let (mut row, mut read) = (vec![], vec![]);
        for (at, head) in
            heads.iter().enumerate().filter(|(_, head)| Name::new(head).is_ok() || metric_of(head).is_some())
        {
            if let Some((metric, unit)) = metric_of(head) {
                read.push(format!("{metric}: {{column: {}, unit: {}}}", quoted(head), quoted(unit.symbol())));
                draft.metrics.push(metric);
                continue;
            }
            let factor = slug(head);
            let mut levels: Vec<String> = vec![];
            for level in rows.iter().filter_map(|row| row.get(at)).map(|cell| quoted(cell)) {
                if !levels.contains(&level) {
                    levels.push(level);
                }
            }
            row.push(format!("{head}: {{factor: {factor}}}"));
            draft.factors.push((factor, levels));
        }
        let settings = [
            ("tool", "table".to_owned()),
            ("row", format!("{{{}}}", row.join(", "))),
            ("read", format!("{{{}}}", read.join(", "))),
        ];
        draft.workloads.push(("table".to_owned(), settings.map(|(key, value)| (key.to_owned(), value)).to_vec()));
        Some(draft)
    }

    fn metrics(&self) -> Vec<Metric> {
        vec![]
    }
}

impl Workload for Settings {
    fn launch(&self, _: Timing) -> Result<LaunchPlan, String> {
        Err("a table is imported, not run; write `execution: manual` beside it".to_owned())
    }

    fn steps(&self, _: Timing) -> Vec<String> {
        let columns: Vec<String> = self.read.values().map(|one| format!("`{}` in {}", one.column, one.unit)).collect();
        let names: Vec<&str> = self.row.keys().map(String::as_str).collect();
        vec![
            format!("Write a CSV file with the columns {} and {}.", names.join(", "), columns.join(", ")),
            "Copy each number digit by digit, and keep the picture or page that it was copied from.".to_owned(),
        ]
    }

    fn read(&self, outputs: Outputs<'_>) -> Reading {
        read_row(&text::decode(outputs.stdout), self).close()
    }

    fn was_made_with(&self, outputs: Outputs<'_>) -> Option<bool> {
        Some(Workload::read(self, outputs).status != Status::Failed)
    }

    fn metrics(&self) -> Vec<Metric> {
        self.read.keys().map(|name| Metric::new(name)).collect()
    }

    fn describe(&self) -> Vec<(String, String)> {
        let Self { row, read } = self.clone();
        let columns = read.into_iter().map(|(metric, one)| (metric, format!("column `{}`, {}", one.column, one.unit)));
        row.into_iter().chain(columns).collect()
    }
}

fn column(metric: &str, node: &Node, problems: &mut Problems) -> Option<Column> {
    let mut fields = Fields::open(node, "a column to read", problems)?;
    let column = fields.take::<String>("column", problems);
    let unit = fields.take::<Node>("unit", problems);
    fields.finish(problems);
    let (column, unit_node) = (column?, unit?);
    let Some(unit) = unit_node.scalar().as_deref().and_then(Unit::parse) else {
        let help = "Say what the table prints: `ms`, `MB/s`, `1/s`, `%`, or `1` for a pure number.";
        problems.error(
            "manifest::unit-missing",
            unit_node.span,
            format!("found {}, expected a unit", unit_node.kind()),
            help,
        );
        return None;
    };
    let known = Metric::new(metric).unit();
    let is_share = |one: Unit| matches!(one.dimension(), Dimension::Share | Dimension::Count);
    if known.is_some_and(|known| known.dimension() != unit.dimension() && !(is_share(known) && is_share(unit))) {
        let message = format!("`{metric}` is a {}, `{unit}` is not", known.map_or("", |known| known.symbol()));
        problems.error("table::unit", unit_node.span, message, "Use a unit of the metric, or another name.");
        return None;
    }
    Some(Column { column, unit: unit.symbol().to_owned() })
}

/// The rows of a table, its heads first; the separator is the one that the heads have most of.
fn rows(bytes: &[u8]) -> Result<Vec<Vec<String>>, String> {
    let line = bytes.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty() && !line.starts_with(b"#"));
    let line = line.unwrap_or_default();
    let count = |separator: u8| line.iter().filter(|byte| **byte == separator).count();
    let separator = [b',', b'\t', b';'].into_iter().max_by_key(|separator| count(*separator)).unwrap_or(b',');
    let mut reader = csv::ReaderBuilder::new();
    let reader = reader.has_headers(false).trim(csv::Trim::All).flexible(true).delimiter(separator).comment(Some(b'#'));
    let (mut rows, mut cells) = (vec![], 0);
    for record in reader.from_reader(bytes).records() {
        let record = record.map_err(|error| error.to_string())?;
        cells += record.len();
        if cells > CELLS_MAX {
            return Err(format!("more than {CELLS_MAX} cells"));
        }
        rows.push(record.iter().map(str::to_owned).collect());
    }
    Ok(rows)
}

/// The metric that a head names, and its unit.
fn metric_of(head: &str) -> Option<(String, Unit)> {
    let (name, unit) = unit_of(head);
    let slug: String = name
        .trim()
        .to_ascii_lowercase()
        .chars()
        .map(|one| if one.is_ascii_alphanumeric() || one == '.' { one } else { '_' })
        .collect();
    let slug = slug.trim_matches('_');
    let known = match slug {
        "latency" | "average_latency" | "mean_latency" | "avg_latency" | "response_time" => "latency_mean",
        "throughput" | "rate" | "" if unit.is_some_and(|unit| unit.dimension() == Dimension::Bandwidth) => "bandwidth",
        "cpu" | "cpu_utilization" | "cpu_utilisation" | "cpu_load" => "cpu_usage",
        other => other,
    };
    let metric = Metric::new(known);
    match (unit, metric.unit()) {
        (Some(unit), Some(base)) if unit.dimension() == base.dimension() => Some((known.to_owned(), unit)),
        (Some(unit), None) if !known.is_empty() => Some((known.to_owned(), unit)),
        // a latency without its unit says nothing
        (None, Some(base)) if matches!(base.dimension(), Dimension::Frequency | Dimension::Count) => {
            Some((known.to_owned(), base))
        }
        _ => None,
    }
}

/// A head without its unit, and the unit: `Latency (ms)`, `Latency [ms]`, `Latency, ms`, `MB/s`, `CPU %`.
fn unit_of(head: &str) -> (&str, Option<Unit>) {
    let head = head.trim();
    if let Some(unit) = Unit::parse(head).filter(|unit| unit.dimension() == Dimension::Bandwidth) {
        return ("", Some(unit));
    }
    let parts = head
        .strip_suffix(')')
        .and_then(|rest| rest.rsplit_once('('))
        .or_else(|| head.strip_suffix(']').and_then(|rest| rest.rsplit_once('[')))
        .or_else(|| head.rsplit_once(", "))
        .or_else(|| head.rsplit_once(' '))
        .or_else(|| head.strip_suffix('%').map(|rest| (rest, "%")));
    match parts.map(|(name, symbol)| (name, Unit::parse(symbol.trim()))) {
        Some((name, Some(unit))) => (name, Some(unit)),
        _ => (head, None),
    }
}

/// All values of all rows.
fn read_all(bytes: &[u8]) -> Reading {
    let mut reading = Reading::new("table");
    let Some((heads, rows)) = table(bytes, &mut reading) else { return reading };
    let columns: Vec<Option<(String, Unit)>> = heads.iter().map(|head| metric_of(head)).collect();
    let is_label = |at: usize| columns.get(at).is_some_and(Option::is_none);
    for (number, row) in rows.iter().enumerate() {
        let names = heads.iter().zip(row).enumerate().filter(|(at, _)| is_label(*at));
        let labels: Labels = names.map(|(_, (head, cell))| (head.clone(), cell.clone())).collect();
        let labels = Arc::new(labels);
        for (at, cell) in row.iter().enumerate() {
            if let Some(Some((metric, unit))) = columns.get(at) {
                measure(Printed { metric, text: cell, unit: *unit }, (number + 1, &heads[at]), &labels, &mut reading);
            }
        }
    }
    if reading.measurements.is_empty() {
        reading.fail("table::no-results", "no column has values that can be read");
    }
    reading
}

/// The values of the one row that the settings name.
fn read_row(bytes: &[u8], settings: &Settings) -> Reading {
    let mut reading = Reading::new("table");
    let Some((heads, rows)) = table(bytes, &mut reading) else { return reading };
    let place_of = |column: &str| heads.iter().position(|head| head == column);
    let names = settings.row.keys().chain(settings.read.values().map(|one| &one.column));
    for missing in names.filter(|name| place_of(name).is_none()) {
        reading.fail("table::column", format!("no column is called `{missing}`; there are: {}", heads.join(", ")));
    }
    let is_wanted = |row: &&(usize, Vec<String>)| {
        let cell = |column: &str| place_of(column).and_then(|at| row.1.get(at));
        settings.row.iter().all(|(column, wanted)| cell(column).is_some_and(|found| is_same(found, wanted)))
    };
    let rows: Vec<(usize, Vec<String>)> = rows.into_iter().enumerate().collect();
    let found: Vec<&(usize, Vec<String>)> = rows.iter().filter(is_wanted).collect();
    let wanted = settings.row.iter().map(|(column, value)| format!("{column}={value}")).collect::<Vec<_>>().join(" ");
    let [(number, row)] = found.as_slice() else {
        reading.fail("table::row", format!("{} rows are {wanted}, expected one", found.len()));
        return reading;
    };
    let labels = Arc::new(Labels::reported());
    for (metric, column) in &settings.read {
        let Some(at) = place_of(&column.column) else { continue };
        let (Some(cell), Some(unit)) = (row.get(at), Unit::parse(&column.unit)) else { continue };
        measure(Printed { metric, text: cell, unit }, (number + 1, &column.column), &labels, &mut reading);
    }
    if reading.measurements.is_empty() {
        reading.fail("table::no-results", format!("the row that is {wanted} has no values"));
    }
    reading
}

type Content = (Vec<String>, Vec<Vec<String>>);

fn table(bytes: &[u8], reading: &mut Reading) -> Option<Content> {
    let mut rows = match rows(bytes) {
        Ok(rows) => rows.into_iter(),
        Err(error) => {
            reading.fail("table::csv", error);
            return None;
        }
    };
    let heads = rows.next()?;
    if let Some(twice) = heads.iter().enumerate().find(|(at, head)| heads[..*at].contains(head)).map(|(_, head)| head) {
        reading.fail("table::twice", format!("two columns are called `{twice}`"));
        return None;
    }
    let rows: Vec<Vec<String>> = rows.collect();
    if let Some(at) = rows.iter().position(|row| row.len() != heads.len()) {
        let message = format!("row {} has {} cells, the heads are {}", at + 1, rows[at].len(), heads.len());
        reading.fail("table::csv", message);
        return None;
    }
    if rows.is_empty() {
        reading.fail("table::no-results", "it has heads and no rows");
        return None;
    }
    Some((heads, rows))
}

fn measure(cell: Printed<'_>, (row, column): (usize, &str), labels: &Arc<Labels>, reading: &mut Reading) {
    let place = format!("{row}/{column}");
    if ABSENT.contains(&cell.text) {
        reading.warn("table::absent", format!("{place}: there is no value"));
    } else if reading.measure_printed(labels, cell, place.replace(' ', "_")).is_none() {
        reading.fail(
            "table::value",
            format!("{place}: `{}` is no decimal number; write it with a point and no separators", cell.text),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TILES: &str = "# published\nTiles,Sharing,Score,QoS %,CPU (%)\n8,on,500.5,100,55.5\n8,off,n/a,99.5,66.5\n";

    #[test]
    fn heads_say_what_columns_hold() {
        let metric = |head: &str| metric_of(head).map(|(name, unit)| (name, unit.symbol()));
        assert_eq!(metric("Latency (ms)"), Some(("latency_mean".to_owned(), "ms")));
        assert_eq!(metric("MB/s"), Some(("bandwidth".to_owned(), "MB/s")));
        assert_eq!(metric("IOPS"), Some(("iops".to_owned(), "1/s")));
        assert_eq!(metric("QoS %"), Some(("qos".to_owned(), "%")));
        assert_eq!(metric("Latency"), None, "a latency without its unit says nothing");
        assert_eq!(metric("Tiles"), None);
    }

    #[test]
    fn every_row_is_read_and_no_value_is_not_zero() {
        let reading = read_all(TILES.as_bytes());
        assert_eq!(reading.status, Status::Ok, "{:?}", reading.diagnostics);
        let shown: Vec<(&str, f64, &str)> = reading
            .measurements
            .iter()
            .map(|one| (one.metric.as_str(), one.value, one.labels["Sharing"].as_str()))
            .collect();
        assert_eq!(
            shown,
            [
                ("score", 500.5, "on"),
                ("qos", 100.0, "on"),
                ("cpu_usage", 55.5, "on"),
                ("qos", 99.5, "off"),
                ("cpu_usage", 66.5, "off")
            ]
        );
        assert_eq!(reading.diagnostics[0].code, "table::absent");
        assert!(Table.recognises(TILES.as_bytes()));
        assert!(!Table.recognises(b"one, two\nthree, four\n"));
    }

    #[test]
    fn one_row_is_chosen_and_what_is_not_there_is_said() {
        let column = |name: &str, unit: &str| Column { column: name.to_owned(), unit: unit.to_owned() };
        let mut settings = Settings {
            row: BTreeMap::from([("Tiles".to_owned(), "8".to_owned()), ("Sharing".to_owned(), "On".to_owned())]),
            read: BTreeMap::from([("score".to_owned(), column("Score", "1"))]),
        };
        let reading = read_row(TILES.as_bytes(), &settings);
        assert_eq!((reading.measurements[0].value, reading.measurements[0].pointer.as_str()), (500.5, "1/Score"));
        settings.row.insert("Sharing".to_owned(), "maybe".to_owned());
        assert!(read_row(TILES.as_bytes(), &settings).reason().contains("0 rows"));
        settings.read.insert("iops".to_owned(), column("IOPS", "1/s"));
        assert!(read_row(TILES.as_bytes(), &settings).reason().contains("`IOPS`"));
    }

    #[test]
    fn cut_rows_and_words_are_refused() {
        assert_eq!(read_all(&TILES.as_bytes()[..TILES.len() - 6]).status, Status::Failed);
        assert_eq!(read_all(TILES.replace("500.5", "1'275").as_bytes()).status, Status::Failed);
        assert_eq!(read_all(b"IOPS;Latency (ms)\n10;0,5\n").status, Status::Failed);
        assert_eq!(read_all(b"IOPS,x\n").status, Status::Failed);
    }
}
