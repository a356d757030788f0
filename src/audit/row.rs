//! A row as checks see it: numbers by role, from its columns, its facts, or the facts of the paper, under one reading of the
//! printed digits.

use std::cell::{Cell as Flag, RefCell};

use super::{Known, Subject};
use crate::claims::{Cell, Place, Table};
use crate::exact::Exact;
use crate::interval::Interval;
use crate::printed::{Printed, Qualifier, Shortening};

/// The most items of a fact that are multiplied exactly.
const ITEMS_MAX: usize = 200;

/// How printed digits are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// How numbers were shortened.
    pub shortening: Shortening,
    /// Whether any number within one unit of the last digit is meant.
    pub is_loose: bool,
    /// A unit that means another: its symbol, and the factor.
    pub slip: Option<(&'static str, Exact)>,
    /// A number that stands in place of the printed one of a role.
    pub replaced: Option<(String, Printed)>,
}

impl View {
    /// As a reader takes them.
    pub const PLAIN: Self = Self { shortening: Shortening::Rounded, is_loose: false, slip: None, replaced: None };

    pub(crate) fn interval(&self, printed: &Printed) -> Interval {
        let interval = match self.is_loose && printed.qualifier() == Qualifier::Plain && !printed.is_exact() {
            true => Interval::around(printed.value(), printed.last_digit()),
            false => printed.interval(self.shortening),
        };
        match &self.slip {
            Some((symbol, factor)) if printed.unit().symbol() == *symbol => {
                &interval * &Interval::exactly(factor.clone())
            }
            _ => interval,
        }
    }
}

/// A row, or the facts of the whole paper.
pub struct Row<'a> {
    pub(crate) subject: &'a Subject<'a>,
    /// The table by its place, and the row in it; none for the facts of the whole paper.
    pub(crate) at: Option<(usize, usize)>,
    pub(crate) series: Option<&'a str>,
    pub(crate) view: &'a View,
    /// Whether anything of its own was used.
    pub(crate) is_used: Flag<bool>,
    /// The printed numbers that were used, by role.
    pub(crate) used: RefCell<Vec<(String, Printed)>>,
}

impl<'a> Row<'a> {
    pub(crate) fn new(
        subject: &'a Subject<'a>,
        at: Option<(usize, usize)>,
        series: Option<&'a str>,
        view: &'a View,
    ) -> Self {
        Self { subject, at, series, view, is_used: Flag::new(at.is_none()), used: RefCell::default() }
    }

    pub(crate) fn table(&self) -> Option<&'a Table> {
        self.at.map(|(table, _)| self.subject.tables[table])
    }

    /// The number of a role in bytes and seconds.
    pub fn get(&self, role: &str) -> Option<Interval> {
        if let Some((_, printed)) = self.view.replaced.as_ref().filter(|(replaced, _)| replaced == role) {
            self.is_used.set(true);
            return Some(self.view.interval(printed));
        }
        if let Some(cell) = self.cell(role) {
            self.is_used.set(true);
            let Cell::Number(printed) = cell else { return None };
            self.used.borrow_mut().push((role.to_owned(), (**printed).clone()));
            return Some(self.view.interval(printed));
        }
        let known = self.known(role)?;
        let printed = known.printed.as_ref()?;
        if crate::claims::role::dim_of(role).is_some_and(|dim| dim != printed.dim()) {
            return None;
        }
        Some(if crate::claims::role::is_set(role) { printed.as_set() } else { self.view.interval(printed) })
    }

    /// A number that is not below zero, and not zero.
    pub fn positive(&self, role: &str) -> Option<Interval> {
        self.get(role).filter(|interval| !interval.low().is_negative() && !interval.low().is_zero())
    }

    /// The numbers of a fact that is a list.
    pub fn items(&self, name: &str) -> Option<Vec<Interval>> {
        let items = self.known(name)?.fact.items();
        let number = |text: &String| {
            let printed = Printed::parse(text, crate::printed::DecimalMark::Point, None).ok()?;
            Some(if name == "levels" { printed.as_set() } else { printed.interval(Shortening::Rounded) })
        };
        if items.len() > ITEMS_MAX {
            return None;
        }
        items.iter().map(number).collect()
    }

    /// The words of a fact or a name in the row.
    pub fn word(&self, name: &str) -> Option<String> {
        if let Some(known) = self.known(name) {
            return Some(known.fact.text());
        }
        let (table, (_, row)) = (self.table()?, self.at?);
        let column = table.columns.iter().position(|column| column.name == name)?;
        match table.rows[row].cells.get(column)? {
            Cell::Name(name) => Some(name.to_string()),
            Cell::Number(printed) => Some(printed.token().to_owned()),
            Cell::Absent => None,
        }
    }

    /// Whether a fact says yes.
    pub fn is(&self, name: &str) -> bool {
        self.word(name).is_some_and(|word| matches!(word.as_str(), "true" | "yes" | "on" | "1"))
    }

    /// Operations in flight, all together: printed, or queue depth × jobs × clients where all of them are known.
    pub fn outstanding(&self) -> Option<Interval> {
        self.positive("outstanding").or_else(|| {
            let (depth, jobs) = (self.positive("queue_depth")?, self.positive("jobs")?);
            Some(&(&depth * &jobs) * &self.positive("clients")?)
        })
    }

    /// Where it stands.
    pub fn place(&self) -> Place {
        match (self.table(), self.at) {
            (Some(table), Some((_, row))) => {
                let label = table.label(row);
                let label = match self.series {
                    Some(series) if !series.is_empty() => format!("{label}, {series}"),
                    _ => label,
                };
                Place { table: table.name.clone(), row: Some(row + 1), label }
            }
            _ => Subject::place(""),
        }
    }

    fn cell(&self, role: &str) -> Option<&'a Cell> {
        let (table, (_, row)) = (self.table()?, self.at?);
        let is_role = |at: &usize| table.columns[*at].role.as_deref() == Some(role);
        let of_series = |at: &usize| table.columns[*at].series.as_deref() == self.series;
        let mut columns = (0..table.columns.len()).filter(is_role);
        // what all series share is a setting: a measured number without a series is of all of them together
        let is_shared = table.series().len() < 2 || crate::claims::role::is_set(role);
        let shared = |at: &usize| is_shared && table.columns[*at].series.is_none();
        let own = columns.clone().find(of_series).or_else(|| columns.find(shared))?;
        table.rows[row].cells.get(own)
    }

    fn known(&self, name: &str) -> Option<&'a Known> {
        if let (Some((table, row)), Some(of)) = (self.at, self.table()) {
            for (facts, set) in of.facts.iter().zip(&self.subject.facts[table]) {
                let is_series = facts.series.is_none() || facts.series.as_deref() == self.series;
                if let Some((_, known)) =
                    set.iter().find(|(one, _)| one == name).filter(|_| is_series && of.has(row, facts))
                {
                    self.is_used.set(true);
                    return Some(known);
                }
            }
        }
        self.subject.fact(name)
    }
}
