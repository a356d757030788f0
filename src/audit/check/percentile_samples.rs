//! G9: a percentile needs samples beyond it.

use super::{Card, Check, Comparison, exactly};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::exact::Exact;
use crate::interval::Interval;
use crate::printed::Dim;

/// a percentile rests on samples.
pub(super) struct PercentileSamples;

const CARD: Card = Card {
    id: "G9",
    kind: Kind::Suspicion,
    title: "a percentile rests on samples",
    needs: &["operations"],
    explain: "Above the 99.99th percentile lie 0.01 % of the operations. Where that are fewer than ten, the number says little.",
};

impl Check for PercentileSamples {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let operations = || {
            let counted = row.positive("operations");
            counted.or_else(|| Some(&row.positive("iops")? * &row.positive("duration")?))
        };
        let Some(operations) = operations() else { return vec![] };
        let beyond =
            [("latency_p99", 100), ("latency_p99.9", 1_000), ("latency_p99.99", 10_000), ("latency_p99.999", 100_000)];
        let quoted = beyond.into_iter().filter(|(role, _)| row.get(role).is_some());
        let one = |(_, share): (&str, u64)| {
            let beyond = &operations * &Interval::exactly(Exact::from_ratio(1, share));
            Comparison::at_most(("ten", exactly(10)), ("operations beyond it", beyond), Dim::NONE)
        };
        quoted.map(one).collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
