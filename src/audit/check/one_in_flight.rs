//! L3: one at a time is one at a time.

use super::{Card, Check, Comparison, one};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::printed::Dim;

/// with one in flight IOPS ≤ 1 ÷ latency.
pub(super) struct OneInFlight;

const CARD: Card = Card {
    id: "L3",
    kind: Kind::Hard,
    title: "with one in flight IOPS ≤ 1 ÷ latency",
    needs: &["iops", "latency_mean", "outstanding"],
    explain: "One operation at a time can not be begun before the last has ended: 80 µs allow 12 500 a second.",
};

impl Check for OneInFlight {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let outstanding = row.outstanding()?;
            if outstanding != one() {
                return None;
            }
            let most = one().divide(&row.positive("latency_mean")?)?;
            Some(
                Comparison::at_most(
                    ("IOPS", row.positive("iops")?),
                    ("1 ÷ latency", most),
                    Dim { bytes: 0, seconds: -1 },
                )
                .with_slack(5),
            )
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
