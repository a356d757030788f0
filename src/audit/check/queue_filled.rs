//! L2: a closed loop keeps its queue full.

use super::{Card, Check, Comparison};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::exact::Exact;
use crate::interval::Interval;
use crate::printed::Dim;

/// the queue was filled.
pub(super) struct QueueFilled;

const CARD: Card = Card {
    id: "L2",
    kind: Kind::Suspicion,
    title: "the queue was filled",
    needs: &["iops", "latency_mean", "outstanding"],
    explain: "A closed loop keeps its queue full, so IOPS × latency is near the number of operations in flight. Below 80 % something else was the limit: the generator, a rate limit, or operations that are not counted.",
};

impl Check for QueueFilled {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            if row.word("rate_limit").is_some() || row.is("open_loop") {
                return None;
            }
            let product = &row.positive("iops")? * &row.positive("latency_mean")?;
            let least = &row.outstanding()? * &Interval::exactly(Exact::from_ratio(4, 5));
            Some(Comparison::at_most(
                ("80 % of the operations in flight", least),
                ("IOPS × latency", product),
                Dim::NONE,
            ))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
