//! G4: percentiles of fio lie on its histogram.

use super::{Card, Check};
use crate::audit::{Finding, Kind, Outcome, Row, Subject, judge};
use crate::exact::Exact;
use crate::printed::Printed;

/// The percentiles.
const ROLES: &[&str] =
    &["latency_p50", "latency_p90", "latency_p95", "latency_p99", "latency_p99.9", "latency_p99.99", "latency_p99.999"];
/// Buckets an octave; below twice as many nanoseconds each value has its own.
const BUCKETS: u64 = 64;

/// percentiles of fio lie on its histogram.
pub(super) struct FioGrid;

const CARD: Card = Card {
    id: "G4",
    kind: Kind::Hard,
    title: "percentiles of fio lie on its histogram",
    needs: &["latency_p99", "histogram"],
    explain: "fio keeps latencies in a histogram of 64 buckets an octave and prints the middle of a bucket: base + (k + ½)·2^e nanoseconds. A percentile that one run of fio printed is one of these numbers, up to its last digit; `histogram: fio` says that it was copied from one run, not averaged.",
};

impl Check for FioGrid {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let findings = judge::rows(subject, |row| {
            // before 3.0 the histogram was of microseconds
            let is_old = row.word("tool").is_some_and(|tool| tool.contains("fio 2") || tool.contains("fio-2"));
            if row.word("histogram").as_deref() != Some("fio") || is_old {
                return None;
            }
            let used: Vec<(&str, Printed)> =
                ROLES.iter().filter_map(|role| Some((*role, printed(row, role)?))).collect();
            let (role, off) = match used.iter().find(|(_, printed)| !is_on_grid(printed)) {
                Some((role, off)) => (*role, Some(off)),
                None => (used.first()?.0, None),
            };
            let (verdict, words) = match off {
                Some(off) => (Outcome::Fail, format!("{role}: {} lies between two buckets", off.token())),
                None => (Outcome::Pass, format!("{} percentiles lie on the histogram", used.len())),
            };
            let mut finding = judge::blank(&CARD, verdict, row.place(), words);
            finding.chance_pass = Some(used.iter().map(|(_, printed)| chance(printed)).product());
            Some(finding)
        });
        judge::or_skip(&CARD, findings)
    }
}

fn printed(row: &Row<'_>, role: &str) -> Option<Printed> {
    row.get(role)?;
    row.used.borrow().iter().rev().find(|(used, _)| used == role).map(|(_, printed)| printed.clone())
}

/// The nanoseconds that a number and one unit of its last digit span.
fn span(printed: &Printed) -> Option<(u64, u64)> {
    let billion = Exact::from_integer(1_000_000_000);
    let low = &(printed.value() - printed.last_digit()) * &billion;
    let high = &(printed.value() + printed.last_digit()) * &billion;
    Some((low.ceil().to_u64().unwrap_or(0), high.floor().to_u64()?))
}

/// The width of the bucket of a value and its middle, in nanoseconds.
fn bucket(value: u64) -> (u64, u64) {
    if value < 2 * BUCKETS {
        return (1, value);
    }
    let shift = value.ilog2() - BUCKETS.ilog2();
    let base = value >> shift << shift;
    (1 << shift, base + (1 << shift) / 2)
}

fn is_on_grid(printed: &Printed) -> bool {
    let Some((low, high)) = span(printed) else { return true };
    // the middle of the bucket of the lower end, or that of the next
    let (width, middle) = bucket(low);
    let next = bucket(low.saturating_add(width)).1;
    [middle, next].iter().any(|middle| (low..=high).contains(middle))
}

/// The share of numbers of so many digits that lie on the grid.
fn chance(printed: &Printed) -> f64 {
    let Some((low, high)) = span(printed) else { return 1.0 };
    ((high - low + 1) as f64 / bucket(low).0 as f64).min(1.0)
}
