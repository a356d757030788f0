//! P6: a guest is not faster than its host.

use super::{Card, Check, Comparison};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::printed::Dim;

/// a guest is not faster than its host.
pub(super) struct FasterGuest;

const CARD: Card = Card {
    id: "P6",
    kind: Kind::Suspicion,
    title: "a guest is not faster than its host",
    needs: &["iops", "host_iops"],
    explain: "A guest that does more than the machine below it has help: a cache of the host, or flushes that are ignored.",
};

impl Check for FasterGuest {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let g = row.positive("iops")?;
            let h = row.positive("host_iops")?;
            Some(
                Comparison::at_most(
                    ("the guest\u{2019}s IOPS", g),
                    ("the host\u{2019}s", h),
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
