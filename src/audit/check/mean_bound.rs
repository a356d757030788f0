//! D3: percentile and maximum bound the mean.

use super::{ANY, Card, Check, Comparison, are_of_operations};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::exact::Exact;
use crate::interval::Interval;
use crate::printed::Dim;

/// mean ≤ p·Q(p) + (1 − p)·max.
pub(super) struct MeanBound;

const CARD: Card = Card {
    id: "D3",
    kind: Kind::Hard,
    title: "mean ≤ p·Q(p) + (1 − p)·max",
    needs: &["latency_mean", "latency_p99", "latency_max"],
    explain: "Below a percentile nothing is above it, and beyond it nothing is above the maximum. Where the percentiles may be of the completion of operations only, as fio prints them, a mean above it is a question; `percentiles_of: total` says that they are of the same.",
};

impl Check for MeanBound {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let bucket = Interval::exactly(Exact::from_ratio(65, 64));
        let found = || {
            let (p99, max) = (row.get("latency_p99")?, row.get("latency_max")?);
            let share = |above: u64| Interval::exactly(Exact::from_ratio(above, 100));
            let bound = &(&(&p99 * &share(99)) + &(&max * &share(1))) * &bucket;
            let compared = Comparison::at_most(
                ("the mean", row.get("latency_mean")?),
                ("0.99 p99 + 0.01 max", bound),
                Dim { bytes: 0, seconds: 1 },
            );
            Some(if are_of_operations(row) { compared } else { compared.with_slack(ANY) })
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
