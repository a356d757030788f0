//! D1: percentiles grow.

use super::{ANY, Card, Check, Comparison, are_of_operations};
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
    explain: "Percentiles grow. A bucket of a histogram may reach above the maximum by its width, one sixty-fourth. The least latency may be of whole operations where percentiles are of their completion only, as fio prints them: that it is above one is a question, unless `percentiles_of: total` says that they are of the same.",
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
        let known: Vec<(&str, Interval)> = order.iter().filter_map(|role| Some((*role, row.get(role)?))).collect();
        let bucket = Interval::exactly(Exact::from_ratio(65, 64));
        let pair = |pair: &[(&str, Interval)]| {
            let compared = Comparison::at_most(
                ("the lower percentile", pair[0].1.clone()),
                ("the higher, with a bucket", &pair[1].1 * &bucket),
                Dim { bytes: 0, seconds: 1 },
            );
            let is_mixed = pair[0].0 == "latency_min" && !are_of_operations(row);
            if is_mixed { compared.with_slack(ANY) } else { compared }
        };
        known.windows(2).map(pair).collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
