//! D1: percentiles grow.

use super::{Card, Check, Comparison};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::exact::Exact;
use crate::interval::Interval;
use crate::printed::Dim;

/// min ≤ p50 ≤ … ≤ max.
pub(super) struct Order;

const CARD: Card = Card {
    id: "D1",
    kind: Kind::Hard,
    title: "min ≤ p50 ≤ … ≤ max",
    needs: &["latency_p50", "latency_p99"],
    explain: "Percentiles grow. A bucket of a histogram may reach above the maximum by its width, one sixty-fourth.",
};

impl Check for Order {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let order = [
            "latency_min",
            "latency_p50",
            "latency_p90",
            "latency_p95",
            "latency_p99",
            "latency_p99.9",
            "latency_p99.99",
            "latency_p99.999",
            "latency_max",
        ];
        let known: Vec<Interval> = order.iter().filter_map(|role| row.get(role)).collect();
        let bucket = Interval::exactly(Exact::from_ratio(65, 64));
        let pair = |pair: &[Interval]| {
            Comparison::at_most(
                ("the lower percentile", pair[0].clone()),
                ("the higher, with a bucket", &pair[1] * &bucket),
                Dim { bytes: 0, seconds: 1 },
            )
        };
        known.windows(2).map(pair).collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
