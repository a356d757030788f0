//! U10: latencies add up.

use super::{Card, Check, Comparison};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::exact::Exact;
use crate::interval::Interval;
use crate::printed::Dim;

/// submission + completion = total latency.
pub(super) struct LatencyParts;

const CARD: Card = Card {
    id: "U10",
    kind: Kind::Hard,
    title: "submission + completion = total latency",
    needs: &["submission_latency", "completion_latency", "latency_mean"],
    explain: "The mean of a sum is the sum of the means. fio loses up to 0.2 µs between the two clocks.",
};

impl Check for LatencyParts {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let sum = &row.get("submission_latency")? + &row.get("completion_latency")?;
            let clocks = Interval::new(Exact::from_integer(0), Exact::from_ratio(2, 10_000_000));
            let total = row.get("latency_mean")?;
            Some(Comparison::equal(
                ("submission + completion", &sum + &clocks),
                ("the total", total),
                Dim { bytes: 0, seconds: 1 },
            ))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
