//! L8: a limited job keeps its limit.

use super::{Card, Check, Comparison, exactly, one};
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
            // the limit is of each direction: only where it is one is it that of all
            let one_way = row.get("read_share").is_some_and(|share| share == one() || share == exactly(0));
            let most = if one_way { &r * &j } else { &(&r * &j) * &exactly(2) };
            let rate = Dim { bytes: 0, seconds: -1 };
            Some(Comparison::at_most(("IOPS", x), ("limit × jobs, of each direction", most), rate).with_slack(2))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
