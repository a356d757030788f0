//! Digits that ran together when a table was taken out of a page: every way to part them in which IOPS × block size is the
//! bandwidth beside it.

use super::shape::Fact;
use super::table::Column;
use crate::exact::Exact;
use crate::interval::Interval;
use crate::printed::{DecimalMark, Printed, Shortening};

/// The most digits of a row, and the longest number in it.
const LENGTH_MAX: usize = 200;
const NUMBER_MAX: usize = 9;
/// More ways than this are not told apart.
const WAYS_MAX: usize = 2;

/// What is known of a row, or of a series of it.
pub(super) struct Known<'a> {
    pub(super) series: Option<&'a str>,
    pub(super) name: &'a str,
    pub(super) fact: &'a Fact,
}

/// The state of a search.
struct Search<'a> {
    digits: &'a [u8],
    columns: &'a [&'a Column],
    mark: DecimalMark,
    block_sizes: Vec<Option<Exact>>,
    found: Vec<Vec<String>>,
    steps: usize,
}

/// All ways, at most [`WAYS_MAX`], to part the digits into one number a column.
pub(super) fn splits(
    digits: &str,
    (columns, mark): (&[&Column], DecimalMark),
    facts: &[Known<'_>],
) -> Vec<Vec<String>> {
    if digits.len() > LENGTH_MAX || !digits.is_ascii() {
        return vec![];
    }
    let block_size = |column: &&Column| {
        let is_it = |one: &&Known<'_>| {
            one.name == "block_size" && (one.series.is_none() || one.series == column.series.as_deref())
        };
        let fact = facts.iter().find(is_it)?.fact;
        Some(Printed::parse(&fact.text(), DecimalMark::Point, None).ok()?.value().clone())
    };
    let block_sizes = columns.iter().map(block_size).collect();
    let mut search = Search { digits: digits.as_bytes(), columns, mark, block_sizes, found: vec![], steps: 0 };
    search.go(0, &mut vec![]);
    search.found
}

/// The most places that are tried, so that time stays bounded.
const STEPS_MAX: usize = 300_000;

impl Search<'_> {
    fn go(&mut self, at: usize, cells: &mut Vec<(String, Interval)>) {
        self.steps += 1;
        if self.found.len() >= WAYS_MAX || self.steps > STEPS_MAX {
            return;
        }
        let (column, left) = (cells.len(), self.columns.len() - cells.len());
        if left == 0 {
            if at == self.digits.len() {
                self.found.push(cells.iter().map(|(text, _)| text.clone()).collect());
            }
            return;
        }
        let rest = self.digits.len() - at;
        for length in 1..=NUMBER_MAX.min(rest.saturating_sub(left - 1)) {
            let text = &self.digits[at..at + length];
            let Some(interval) = self.number(text, column) else { continue };
            if self.fits(column, &interval, cells) {
                cells.push((String::from_utf8_lossy(text).into_owned(), interval));
                self.go(at + length, cells);
                cells.pop();
            }
        }
    }

    /// A number as papers print it: no zero before other digits, no mark at either end.
    fn number(&self, text: &[u8], column: usize) -> Option<Interval> {
        let is_mark = |byte: &u8| matches!(byte, b'.' | b',');
        let has_zero = text.len() > 1 && text[0] == b'0' && !is_mark(&text[1]);
        if has_zero || text.first().is_none_or(is_mark) || text.last().is_none_or(is_mark) {
            return None;
        }
        let text = std::str::from_utf8(text).ok()?;
        let printed = Printed::parse(text, self.mark, self.columns[column].unit).ok()?;
        Some(printed.interval(Shortening::Rounded))
    }

    /// Whether bandwidth and IOPS of a series fit, where this cell completes the pair.
    fn fits(&self, column: usize, interval: &Interval, cells: &[(String, Interval)]) -> bool {
        let this = self.columns[column];
        let role = this.role.as_deref();
        let Some(block_size) = self.block_sizes[column].as_ref().filter(|_| matches!(role, Some("iops" | "bandwidth")))
        else {
            return true;
        };
        let other = if role == Some("iops") { "bandwidth" } else { "iops" };
        let is_partner = |one: &&Column| one.role.as_deref() == Some(other) && one.series == this.series;
        let Some(partner) = self.columns.iter().position(is_partner).filter(|at| *at < cells.len()) else {
            return true;
        };
        let (iops, bandwidth) =
            if other == "bandwidth" { (interval, &cells[partner].1) } else { (&cells[partner].1, interval) };
        (iops * &Interval::exactly(block_size.clone())).overlaps(bandwidth)
    }
}
