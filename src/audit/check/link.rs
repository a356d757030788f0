//! P1: nothing passes a link faster than it is.

use super::{Card, Check, Comparison, one};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::exact::Exact;
use crate::interval::Interval;
use crate::printed::Dim;

/// bandwidth ≤ link × links.
pub(super) struct Link;

const CARD: Card = Card {
    id: "P1",
    kind: Kind::Physical,
    title: "bandwidth ≤ link × links",
    needs: &["bandwidth", "link"],
    explain: "No more passes a link than its raw bandwidth: 25 Gbit/s are 3.125 GB/s, SATA III 600 MB/s, PCIe 3.0 ×16 15.75 GB/s before its own overhead. What is above came from somewhere else, a cache most of all.",
};

impl Check for Link {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let b = row.positive("bandwidth")?;
            // links carry both directions at once
            let b = match row.get("read_share") {
                Some(share) => &b * &share.max(&(&one() - &share)),
                None if row.word("access").is_some_and(|access| access.contains("mix") || access.contains("rw")) => {
                    &b * &Interval::exactly(Exact::from_ratio(1, 2))
                }
                None => b,
            };
            let l = row.positive("link")?;
            let n = row.positive("links").unwrap_or_else(one);
            Some(Comparison::at_most(("the bandwidth", b), ("the link", &l * &n), Dim { bytes: 1, seconds: -1 }))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
