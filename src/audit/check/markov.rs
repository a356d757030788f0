//! D2: a mean bounds its percentiles.

use super::{Card, Check, Comparison, exactly};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::exact::Exact;
use crate::interval::Interval;
use crate::printed::Dim;

/// Q(p) ≤ mean ÷ (1 − p).
pub(super) struct Markov;

const CARD: Card = Card {
    id: "D2",
    kind: Kind::Hard,
    title: "Q(p) ≤ mean ÷ (1 − p)",
    needs: &["latency_mean", "latency_p99"],
    explain: "Of positive numbers no more than a hundredth can be above a hundred means (Markov): a mean of 120 µs bounds p99 to 12 ms.",
};

impl Check for Markov {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let bucket = Interval::exactly(Exact::from_ratio(65, 64));
        let one = |(role, factor): (&str, u64)| {
            let bound = &(&row.positive("latency_mean")? * &exactly(factor)) * &bucket;
            Some(Comparison::at_most(
                ("the percentile", row.get(role)?),
                ("mean ÷ (1 − p)", bound),
                Dim { bytes: 0, seconds: 1 },
            ))
        };
        let roles = [
            ("latency_p50", 2),
            ("latency_p90", 10),
            ("latency_p95", 20),
            ("latency_p99", 100),
            ("latency_p99.9", 1_000),
            ("latency_p99.99", 10_000),
        ];
        roles.into_iter().filter_map(one).collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
