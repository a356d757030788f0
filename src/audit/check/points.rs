//! R3: points are a difference.

use super::{Card, Check, Comparison};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::printed::Dim;

/// points = difference of shares.
pub(super) struct Points;

const CARD: Card = Card {
    id: "R3",
    kind: Kind::Hard,
    title: "points = difference of shares",
    needs: &["value", "baseline", "points"],
    explain: "From 30 % to 40 % are 10 points, and 33 %.",
};

impl Check for Points {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let b = row.positive("value")?;
            let a = row.positive("baseline")?;
            let p = row.get("points")?;
            Some(Comparison::equal(("value − baseline", &b - &a), ("the points", p), Dim::NONE))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
