//! What the expressions of a claim can refer to: its own tokens, facts of the paper, rows and columns of its tables, and,
//! where the paper is one's own, results.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::derive::{self, Derived};
use super::evaluation::Lens;
use super::{Subject, View};
use crate::claims::{Basis, Cell, Claim, Fact, Table};
use crate::expression::{FUNCTIONS, Scope, Value};
use crate::printed::{DecimalMark, Printed};

/// What an evaluation made use of.
#[derive(Debug, Clone, Default)]
pub(super) struct Used {
    /// Anything printed in a table, or a stated fact.
    pub(super) has_evidence: bool,
    /// Facts that somebody else says, or that follow.
    pub(super) has_facts: bool,
    /// Facts that are assumed.
    pub(super) assumed: Vec<String>,
    /// Tokens of the claim itself.
    pub(super) tokens: Vec<String>,
    /// Numbers that were derived from results.
    pub(super) derived: Vec<Derived>,
    /// Both sides of a comparison that does not hold.
    pub(super) failed: Option<(crate::expression::Number, crate::expression::Number)>,
}

impl Used {
    /// With what another instance made use of.
    pub(super) fn merge(&mut self, other: Self) {
        self.has_evidence |= other.has_evidence;
        self.has_facts |= other.has_facts;
        for (own, others) in [(&mut self.assumed, other.assumed), (&mut self.tokens, other.tokens)] {
            for one in others {
                if !own.contains(&one) {
                    own.push(one);
                }
            }
        }
        other.derived.into_iter().for_each(|one| self.derive(one));
        self.failed = self.failed.take().or(other.failed);
    }

    /// Whether nothing of the paper was used.
    pub(super) fn is_empty(&self) -> bool {
        !self.has_evidence
            && !self.has_facts
            && self.assumed.is_empty()
            && self.tokens.is_empty()
            && self.derived.is_empty()
    }

    fn derive(&mut self, derived: Derived) {
        let is_same = |one: &Derived| one.name == derived.name && one.interval.is_some() == derived.interval.is_some();
        if !self.derived.iter().any(is_same) {
            self.derived.push(derived);
        }
    }
}

/// The rows of a table that have a text in a column.
pub(super) struct Group<'a> {
    pub(super) table: &'a Table,
    pub(super) column: usize,
    pub(super) level: String,
}

/// The scope of one claim, for one instance of it.
pub(super) struct ClaimScope<'a> {
    pub(super) subject: &'a Subject<'a>,
    pub(super) claim: &'a Claim,
    /// Facts that an assumption adds.
    pub(super) added: Vec<(String, Fact)>,
    /// The rows that an instance is about: the table and the cell of a column.
    pub(super) group: Option<Group<'a>>,
    /// How numbers are read.
    pub(super) lens: &'a Lens,
    pub(super) used: RefCell<Used>,
}

impl<'a> ClaimScope<'a> {
    pub(super) fn new(subject: &'a Subject<'a>, claim: &'a Claim, lens: &'a Lens) -> Self {
        Self { subject, claim, added: vec![], group: None, lens, used: RefCell::default() }
    }

    fn token(&self, name: &str) -> Option<Value> {
        let token = self.claim.tokens.get(name)?;
        let printed = self.subject.loaded.claims.token(&token.value).ok()?;
        let mut used = self.used.borrow_mut();
        if !used.tokens.iter().any(|one| one == name) {
            used.tokens.push(name.to_owned());
        }
        let printed = match &self.lens.factor {
            Some((wanted, factor)) if wanted == name => printed.times(factor),
            _ => printed,
        };
        let printed = match self.lens.factor_of(name) {
            Some(factor) => printed.times(&factor),
            None => printed,
        };
        // a bare whole number may be a count: nothing was cut off from it
        let is_bare = printed.digits() == printed.token() && !printed.digits().contains('.');
        let shortening = if is_bare { crate::printed::Shortening::Rounded } else { self.lens.shortening };
        Some(Value::printed(&printed, shortening))
    }

    fn of_fact(&self, name: &str, fact: &Fact) -> Value {
        let mut used = self.used.borrow_mut();
        match fact.basis {
            Basis::Stated => used.has_evidence = true,
            // what only follows from other things, or is somebody else's, contradicts nobody
            Basis::Sourced | Basis::Inferred => used.has_facts = true,
            Basis::Assumed => used.assumed.push(format!("{name} is {}", fact.text())),
        }
        let is_set = crate::claims::role::is_set(name);
        let shaken = self.lens.factor_of(name);
        let items: Vec<Value> =
            fact.items().iter().map(|text| shake(number_or_text(text, is_set), shaken.as_ref())).collect();
        match (&fact.value.value, items.as_slice()) {
            (crate::manifest::node::Value::List(_), _) => Value::List(items),
            (_, [one]) => one.clone(),
            _ => Value::Unknown(format!("{name} has no value")),
        }
    }

    fn of_cell(&self, table: &Table, (row, column): (usize, usize)) -> Value {
        let cell = &table.rows[row].cells[column];
        match cell {
            Cell::Name(name) => Value::Text(name.to_string()),
            Cell::Absent => Value::Unknown("the cell is empty".to_owned()),
            Cell::Number(printed) => {
                self.used.borrow_mut().has_evidence = true;
                let interval = View { shortening: self.lens.shortening, ..View::PLAIN }.interval(printed);
                let value = Value::Number(crate::expression::Number { interval, dim: printed.dim() });
                let name = || format!("{} {row} {column}", table.name);
                shake(value, self.lens.shaken.and_then(|_| self.lens.factor_of(&name())).as_ref())
            }
        }
    }

    /// The rows of a table, in the group where there is one, that have some cells.
    fn rows(&self, table: &'a Table, named: &[(String, Value)]) -> Result<Vec<usize>, String> {
        let mut wanted: Vec<(usize, String)> = vec![];
        for (name, value) in named {
            let Some(column) = table.columns.iter().position(|column| column.name == *name) else {
                let known: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
                return Err(format!("the table `{}` has no column `{name}`; it has {}", table.name, known.join(", ")));
            };
            wanted.push((column, plain_text(value)?));
        }
        if let Some(group) = self.group.as_ref().filter(|group| group.table.name == table.name) {
            wanted.push((group.column, group.level.clone()));
        }
        let has = |row: &usize| wanted.iter().all(|(column, text)| is_cell(&table.rows[*row].cells[*column], text));
        Ok((0..table.rows.len()).filter(has).collect())
    }

    fn record(&self, table: &Table, row: usize) -> Value {
        let mut fields = BTreeMap::new();
        let facts = table.facts.iter().filter(|facts| facts.series.is_none() && table.has(row, facts));
        for (name, fact) in facts.flat_map(|facts| &facts.set) {
            fields.insert(name.clone(), self.of_fact(name, fact));
        }
        for (at, column) in table.columns.iter().enumerate() {
            fields.insert(column.name.clone(), self.of_cell(table, (row, at)));
        }
        Value::Record(fields)
    }

    /// What a function over results gives; `None` where no function is called so.
    fn derive(&self, name: &str, arguments: &[Value], named: &[(String, Value)]) -> Option<Result<Value, String>> {
        derive::FUNCTIONS.iter().find(|(known, _)| *known == name)?;
        let Some(evidence) = &self.subject.evidence else {
            let reason = "it looks into results, and the paper is not that of an experiment beside this file: \
                          `ours: true` in `paper` says that it is";
            return Some(Err(reason.to_owned()));
        };
        let found = derive::call(evidence, name, (arguments, named), 1.0 - self.lens.alpha)?;
        Some(found.map(|(derived, is_list)| {
            let mut used = self.used.borrow_mut();
            let mut values = vec![];
            for one in derived {
                used.has_evidence = true;
                let why = || format!("{}: too few replicates, or no interval of this level", one.name);
                let value = one.number().map_or_else(|| Value::Unknown(why()), Value::Number);
                let shaken = self
                    .lens
                    .factor_of(&one.name)
                    .and_then(|factor| if one.is_change() { signed(&factor) } else { Some(factor) });
                values.push(shake(value, shaken.as_ref()));
                used.derive(one);
            }
            match values.pop() {
                Some(only) if !is_list => only,
                last => Value::List(values.into_iter().chain(last).collect()),
            }
        }))
    }

    fn table(&self, arguments: &[Value]) -> Result<&'a Table, String> {
        let tables = &self.subject.loaded.tables;
        match arguments {
            [Value::Text(name)] => tables.iter().find(|table| table.name == *name).ok_or_else(|| {
                let known: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
                format!("no table is called `{name}`; there are {}", known.join(", "))
            }),
            [] => match (&self.group, tables.as_slice()) {
                (Some(group), _) => Ok(group.table),
                (None, [one]) => Ok(one),
                _ => Err("which table? Write its name first: row('name', …)".to_owned()),
            },
            _ => Err("the name of a table, and then cells by the names of their columns".to_owned()),
        }
    }
}

impl Scope for ClaimScope<'_> {
    fn variable(&self, name: &str) -> Option<Value> {
        if let Some(value) = self.token(name) {
            return Some(value);
        }
        if let Some((_, fact)) = self.added.iter().find(|(one, _)| one == name) {
            return Some(self.of_fact(name, fact));
        }
        if let Some(known) = self.subject.fact(name) {
            return Some(self.of_fact(name, &known.fact));
        }
        let claims = &self.subject.loaded.claims;
        let is_added = self.claim.assuming.iter().any(|one| one.set.get(name).is_some());
        if is_added || claims.undisclosed.iter().any(|one| one == name) {
            return Some(Value::Unknown(format!("{name} is not disclosed")));
        }
        None
    }

    fn call(&self, name: &str, arguments: &[Value], named: &[(String, Value)]) -> Option<Result<Value, String>> {
        if let Some(found) = self.derive(name, arguments, named) {
            return Some(found);
        }
        let found = || match name {
            "row" => {
                let table = self.table(arguments)?;
                match self.rows(table, named)?.as_slice() {
                    [row] => Ok(self.record(table, *row)),
                    rows => Err(format!("{} rows of `{}` are so, one is wanted", rows.len(), table.name)),
                }
            }
            "rows" => {
                let table = self.table(arguments)?;
                Ok(Value::List(self.rows(table, named)?.into_iter().map(|row| self.record(table, row)).collect()))
            }
            _ => {
                let (table, column) = match arguments {
                    [table @ .., Value::Text(column)] => (self.table(table)?, column),
                    _ => return Err("the name of a column, after that of its table".to_owned()),
                };
                let Some(at) = table.columns.iter().position(|one| one.name == *column) else {
                    return Err(format!("the table `{}` has no column `{column}`", table.name));
                };
                let rows = self.rows(table, named)?;
                Ok(Value::List(rows.into_iter().map(|row| self.of_cell(table, (row, at))).collect()))
            }
        };
        matches!(name, "row" | "rows" | "column").then(found)
    }

    fn failed(&self, left: &crate::expression::Number, right: &crate::expression::Number) {
        let mut used = self.used.borrow_mut();
        used.failed.get_or_insert_with(|| (left.clone(), right.clone()));
    }

    fn names(&self) -> Vec<String> {
        let tokens = self.claim.tokens.names().map(str::to_owned);
        let facts = self.subject.context.iter().map(|(name, _)| name.clone());
        let functions = FUNCTIONS.iter().map(|(name, _)| (*name).to_owned());
        let derived = derive::FUNCTIONS.iter().map(|(name, _)| (*name).to_owned());
        let functions = functions.chain(derived.filter(|_| self.subject.evidence.is_some()));
        tokens.chain(facts).chain(functions).chain(["row", "rows", "column"].map(str::to_owned)).collect()
    }
}

/// A factor for a relative change, which may also turn: below one it is negative.
fn signed(factor: &crate::exact::Exact) -> Option<crate::exact::Exact> {
    let one = crate::exact::Exact::from_integer(1);
    if *factor < one {
        Some(&crate::exact::Exact::from_integer(-1) * &one.divide(factor)?)
    } else {
        Some(factor.clone())
    }
}

/// A number off by a factor, where there is one.
fn shake(value: Value, factor: Option<&crate::exact::Exact>) -> Value {
    match (value, factor) {
        (Value::Number(number), Some(factor)) => {
            let interval = &number.interval * &crate::interval::Interval::exactly(factor.clone());
            Value::Number(crate::expression::Number { interval, dim: number.dim })
        }
        (value, _) => value,
    }
}

/// Counts and configured values are exact, other numbers are as their digits say; what is no number is words.
fn number_or_text(text: &str, is_set: bool) -> Value {
    match Printed::parse(text, DecimalMark::Point, None) {
        Ok(printed) => {
            let interval = if is_set { printed.as_set() } else { View::PLAIN.interval(&printed) };
            Value::Number(crate::expression::Number { interval, dim: printed.dim() })
        }
        Err(_) => Value::Text(text.to_owned()),
    }
}

fn plain_text(value: &Value) -> Result<String, String> {
    match value {
        Value::Text(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.interval.low().to_fraction()),
        _ => Err("a cell is a text or a number".to_owned()),
    }
}

fn is_cell(cell: &Cell, text: &str) -> bool {
    match cell {
        Cell::Name(name) => **name == *text,
        Cell::Number(printed) => printed.token() == text || printed.value().to_fraction() == text,
        Cell::Absent => false,
    }
}
