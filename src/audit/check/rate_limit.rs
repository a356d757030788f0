//! L8: a limited job keeps its limit.

use super::{Card, Check, Comparison};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::printed::Dim;

/// IOPS ≤ rate limit × jobs.
pub(super) struct RateLimit;

const CARD: Card = Card {
    id: "L8",
    kind: Kind::Hard,
    title: "IOPS ≤ rate limit × jobs",
    needs: &["iops", "rate_limit", "jobs"],
    explain: "A job that is limited to so many operations a second does not do more.",
};

impl Check for RateLimit {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let x = row.positive("iops")?;
            let r = row.positive("rate_limit")?;
            let j = row.positive("jobs")?;
            Some(
                Comparison::at_most(("IOPS", x), ("limit × jobs", &r * &j), Dim { bytes: 0, seconds: -1 })
                    .with_slack(2),
            )
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
