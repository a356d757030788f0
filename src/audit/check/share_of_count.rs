//! G2: shares of things are fractions.

use super::{Card, Check, Comparison};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::interval::Interval;
use crate::printed::Dim;

/// a share of n things is a fraction.
pub(super) struct ShareOfCount;

const CARD: Card = Card {
    id: "G2",
    kind: Kind::Hard,
    title: "a share of n things is a fraction",
    needs: &["share_of_count", "n"],
    explain: "So many of n are k ÷ n: 84 % of 24 is neither 20 nor 21.",
};

impl Check for ShareOfCount {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let (share, n) = (row.get("share_of_count")?, row.positive("n")?);
            let k = (&share * &n).high().floor();
            let nearest = Interval::exactly(k.divide(n.low())?);
            Some(Comparison::equal(("the nearest k ÷ n", nearest), ("the share", share), Dim::NONE))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
