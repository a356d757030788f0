//! Tables: printed cells with their columns' roles, from a list, a CSV, TSV or Markdown file.

mod parted;
mod records;

use super::shape::{ColumnSpec, Decimal, TableSpec};
use super::{Fact, Reader, role};
use crate::manifest::node::{Node, Value};
use crate::manifest::shape::{Problems, Spanned};
use crate::name::{Name, nearest};
use crate::printed::{DecimalMark, Dim, Printed, PrintedError, unit_of};
use crate::source::Span;
use crate::unit::Unit;
pub(super) use records::{Records, records};
use std::sync::Arc;

use parted::{bare_suffix, split};

/// How many rows of another length are named.
const RAGGED_MAX: usize = 5;

/// The most cells of a table.
const CELLS_MAX: usize = 400_000;

/// The most series of a table.
const SERIES_MAX: usize = 64;

/// A table.
#[derive(Debug, Clone)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// Where it stands in the paper.
    pub place: String,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows, each as long as `columns`.
    pub rows: Vec<Row>,
    /// Facts of some rows.
    pub facts: Vec<Facts>,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// As expressions have it.
    pub name: String,
    /// As printed.
    pub head: String,
    /// What its numbers are; none for names.
    pub role: Option<String>,
    /// Which numbers of a row belong together.
    pub series: Option<String>,
    /// The unit as printed.
    pub unit: Option<Unit>,
    /// Whether its numbers are counts or settings.
    pub is_exact: bool,
}

/// A row.
#[derive(Debug, Clone)]
pub struct Row {
    /// Its cells.
    pub cells: Vec<Cell>,
    /// Where it stands in its file, from 1.
    pub line: usize,
}

/// A cell.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// A name.
    Name(Arc<str>),
    /// A number.
    Number(Box<Printed>),
    /// Nothing, or a word for nothing.
    Absent,
}

/// Facts of the rows that have some cells.
#[derive(Debug, Clone)]
pub struct Facts {
    /// Column and cell.
    pub when: Vec<(usize, String)>,
    /// Only of this series.
    pub series: Option<String>,
    /// The facts by name.
    pub set: Vec<(String, Fact)>,
}

/// A place in a table.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct Place {
    /// The table; `context` for facts of the whole paper.
    pub table: String,
    /// From 1; none where it is of the whole table.
    pub row: Option<usize>,
    /// The names in the row.
    pub label: String,
}

impl Table {
    /// The names of a row in one line.
    pub fn label(&self, row: usize) -> String {
        let cells = self.rows.get(row).map(|row| row.cells.as_slice()).unwrap_or_default();
        let names = cells.iter().filter_map(|cell| if let Cell::Name(name) = cell { Some(&**name) } else { None });
        names.collect::<Vec<_>>().join(", ")
    }

    /// The series that its columns have; one without a name where they have none.
    pub fn series(&self) -> Vec<Option<&str>> {
        let mut found: Vec<Option<&str>> = vec![];
        for series in self.columns.iter().filter_map(|column| column.series.as_deref()) {
            if !found.contains(&Some(series)) {
                found.push(Some(series));
            }
        }
        if found.is_empty() { vec![None] } else { found }
    }

    /// Whether a row has the cells of some facts.
    pub fn has(&self, row: usize, facts: &Facts) -> bool {
        facts.when.iter().all(|(column, wanted)| match self.rows[row].cells.get(*column) {
            Some(Cell::Name(name)) => **name == **wanted,
            Some(Cell::Number(printed)) => printed.token() == wanted,
            _ => false,
        })
    }
}

/// Reads one table; `None` where a problem was reported.
pub(super) fn load(
    (name, spec): (&Spanned<Name>, &TableSpec),
    decimal: Option<Decimal>,
    read: Reader<'_>,
    problems: &mut Problems,
) -> Option<Table> {
    let before = problems.count();
    let columns: Vec<Option<Column>> = spec.columns.iter().map(|(name, spec)| column(name, spec, problems)).collect();
    let columns: Vec<Column> = columns.into_iter().collect::<Option<_>>()?;
    let mark = spec.decimal.or(decimal).map(Decimal::mark).unwrap_or_default();
    let lines = match (&spec.file, spec.rows.is_empty()) {
        (Some(file), true) => of_file(file, &columns, read, problems)?,
        (None, _) => inline(&spec.rows, columns.len(), problems),
        (Some(file), false) => {
            problems.error(
                "claims::table",
                file.span,
                "a table with a file and rows of its own",
                "Keep one of the two.",
            );
            return None;
        }
    };
    let mut rows = vec![];
    for line in &lines {
        rows.extend(row(line, (&columns, mark), problems));
    }
    for one in &spec.collapsed {
        rows.extend(split(one, (&columns, mark), spec, problems));
    }
    let facts = facts(spec, &columns, problems);
    let series: std::collections::BTreeSet<&String> =
        columns.iter().filter_map(|column| column.series.as_ref()).collect();
    if series.len() > SERIES_MAX || rows.len().saturating_mul(columns.len()) > CELLS_MAX {
        let message = format!("more than {CELLS_MAX} cells or {SERIES_MAX} series");
        problems.error("claims::table", name.span, message, "Part it into several tables.");
    }
    if rows.is_empty() && problems.count() == before {
        problems.error("claims::table", name.span, "a table without rows", "Add `rows: […]` or `file: …`.");
    }
    (problems.count() == before).then(|| Table {
        name: name.value.to_string(),
        place: spec.place.clone().unwrap_or_default(),
        columns,
        rows,
        facts,
    })
}

fn column(name: &Spanned<Name>, spec: &ColumnSpec, problems: &mut Problems) -> Option<Column> {
    let unit = match &spec.unit {
        None => None,
        Some(symbol) => match unit_of(&symbol.value) {
            Some(unit) => Some(unit),
            None => {
                let message = format!("`{}` is no unit", symbol.value);
                problems.error("claims::unit", symbol.span, message, "Write it as MB/s, MiB/s, µs, 1/s, % or 1.");
                return None;
            }
        },
    };
    if let Some(role) = &spec.role {
        let Some(dim) = role::dim_of(&role.value) else {
            let known = role::ROLES.iter().map(|(name, ..)| *name);
            let help = nearest(&role.value, known).map_or_else(
                || "`benchpaper audit --roles` lists them.".to_owned(),
                |meant| format!("Did you mean `{meant}`? `benchpaper audit --roles` lists all."),
            );
            problems.error("claims::role", role.span, format!("`{}` is no role", role.value), help);
            return None;
        };
        let found = unit.map(|unit| Dim::of(unit.dimension()));
        // what a pure number is of is not asked: a score, a price, a value in any unit
        if dim != Dim::NONE && found.is_none_or(|found| found != dim) {
            let message = match found {
                None => format!("`{}` is {dim}, and the column has no unit", role.value),
                Some(found) => format!("`{}` is {dim}, its unit is of {found}", role.value),
            };
            problems.error(
                "claims::unit",
                role.span,
                message,
                "Say in which unit the column is printed: `unit: MB/s`.",
            );
            return None;
        }
    }
    Some(Column {
        name: name.value.to_string(),
        head: spec.head.clone().unwrap_or_else(|| name.value.to_string()),
        role: spec.role.as_ref().map(|role| role.value.clone()),
        series: spec.series.clone(),
        unit,
        is_exact: spec.exact.unwrap_or(false),
    })
}

/// A row as text, with its place.
struct Line {
    cells: Vec<String>,
    number: usize,
    span: Span,
}

fn inline(rows: &[Spanned<Node>], columns: usize, problems: &mut Problems) -> Vec<Line> {
    let mut lines = vec![];
    for (number, row) in rows.iter().enumerate() {
        let Value::List(items) = &row.value.value else {
            problems.expected(&row.value, "a list of cells", "Write it as `[name, 1.5, 20]`.");
            continue;
        };
        if items.len() != columns {
            let message = format!("{} cells, there are {columns} columns", items.len());
            problems.error("claims::row", row.span, message, "Write `–` where a cell is empty.");
            continue;
        }
        lines.push(Line { cells: items.iter().map(Node::shown).collect(), number: number + 1, span: row.span });
    }
    lines
}

fn of_file(file: &Spanned<String>, columns: &[Column], read: Reader<'_>, problems: &mut Problems) -> Option<Vec<Line>> {
    let mut fail = |message: String, help: &str| problems.error("claims::file", file.span, message, help);
    let bytes = match read(&file.value) {
        Ok(bytes) => crate::encoding::decode(&bytes).into_owned(),
        Err(reason) => {
            fail(reason, "Name a file beside this one.");
            return None;
        }
    };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let records = match records(&text) {
        Ok(records) => records,
        Err(reason) => {
            fail(reason, "Save it as CSV, with one row of heads.");
            return None;
        }
    };
    let mut records = records.into_iter();
    let Some((_, heads)) = records.next() else {
        fail("it is empty".to_owned(), "Save it as CSV, with one row of heads.");
        return None;
    };
    let mut places = vec![];
    for column in columns {
        let found = heads.iter().position(|head| *head == column.head);
        if found.is_none() {
            fail(
                format!("no column has the head `{}`; there are: {}", column.head, heads.join(", ")),
                "Write `head: …`.",
            );
        }
        places.extend(found);
    }
    if places.len() < columns.len() {
        return None;
    }
    let mut is_ragged = false;
    let records: Records = records.collect();
    for (number, record) in records.iter().filter(|(_, record)| record.len() != heads.len()).take(RAGGED_MAX) {
        is_ragged = true;
        let message = format!("line {number} has {} cells, the heads are {}", record.len(), heads.len());
        fail(
            message,
            "Put a cell with the separator in it, such as 11,200, in quotes; write `–` where a cell is empty.",
        );
    }
    if is_ragged {
        return None;
    }
    let records = records.into_iter();
    let line = |(number, record): (usize, Vec<String>)| {
        let cells = places.iter().map(|at| record.get(*at).cloned().unwrap_or_default()).collect();
        Line { cells, number, span: file.span }
    };
    Some(records.map(line).collect())
}

type Form<'a> = (&'a [Column], DecimalMark);

fn row(line: &Line, (columns, mark): Form<'_>, problems: &mut Problems) -> Option<Row> {
    let mut cells = vec![];
    for (column, text) in columns.iter().zip(&line.cells) {
        if column.role.is_none() && column.unit.is_none() {
            cells.push(Cell::Name(text.as_str().into()));
            continue;
        }
        match Printed::parse(text, mark, column.unit) {
            Ok(printed) if bare_suffix(&printed) => {
                let message = format!(
                    "line {}, `{}`: `{text}` is 1024 bytes a k to some tools and 1000 to others",
                    line.number, column.head
                );
                problems.error("claims::cell", line.span, message, "Write the unit that is meant: `4 KiB`, `4 kB`.");
                return None;
            }
            Ok(printed) => {
                let is_whole = !printed.digits().contains('.');
                let is_counted = is_whole && column.role.as_deref().is_some_and(role::is_counted);
                let printed = if column.is_exact || is_counted { printed.exactly() } else { printed };
                cells.push(Cell::Number(Box::new(printed)));
            }
            Err(PrintedError::Absent) => cells.push(Cell::Absent),
            Err(error) => {
                let message = format!("line {}, `{}`: {error}", line.number, column.head);
                let help = match error {
                    PrintedError::Mark { .. } => "Say which mark stands before decimals: `decimal: comma`.",
                    _ => "Write the number as printed, or `–` where there is none.",
                };
                problems.error("claims::cell", line.span, message, help);
                return None;
            }
        }
    }
    Some(Row { cells, line: line.number })
}

fn facts(spec: &TableSpec, columns: &[Column], problems: &mut Problems) -> Vec<Facts> {
    let mut found = vec![];
    for facts in &spec.facts {
        let mut when = vec![];
        for (name, cell) in facts.when.iter() {
            match columns.iter().position(|column| column.name == name.value.as_str()) {
                Some(at) => when.push((at, cell.shown())),
                None => {
                    let message = format!("no column is called `{}`", name.value);
                    problems.error("claims::column", name.span, message, "Name one of the columns of this table.");
                }
            }
        }
        let set = facts.set.iter().map(|(name, fact)| (name.value.to_string(), fact.clone())).collect();
        found.push(Facts { when, series: facts.series.clone(), set });
    }
    found
}
