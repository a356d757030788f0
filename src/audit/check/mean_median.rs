//! D5: mean and median lie within a deviation.

use super::{Card, Check, Comparison, exactly};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::printed::Dim;

/// |mean − median| ≤ deviation.
pub(super) struct MeanMedian;

const CARD: Card = Card {
    id: "D5",
    kind: Kind::Hard,
    title: "|mean − median| ≤ deviation",
    needs: &["mean", "median", "sd"],
    explain: "Mean and median are never further apart than one standard deviation (Hotelling and Solomons 1932); of a sample n ÷ (n − 1) of its variance.",
};

impl Check for MeanMedian {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let gap = &row.get("mean")? - &row.get("median")?;
            let sd = row.get("sd")?;
            let nothing = exactly(0);
            let distance = gap.max(&(&nothing - &gap)).max(&nothing);
            let distance = if gap.contains(nothing.low()) { nothing.hull(&distance) } else { distance };
            Some(Comparison::at_most(("|mean − median|", distance), ("the deviation", sd), Dim::NONE))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
