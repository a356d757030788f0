//! R2: a gain by the new value is none.

use super::{Card, Check, Comparison, one};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::printed::Dim;

/// a gain is not by the new value.
pub(super) struct Denominator;

const CARD: Card = Card {
    id: "R2",
    kind: Kind::Suspicion,
    title: "a gain is not by the new value",
    needs: &["value", "baseline", "gain"],
    explain: "Where (b − a) ÷ b is printed instead of (b − a) ÷ a, the base was swapped.",
};

impl Check for Denominator {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let (value, baseline, gain) = (row.positive("value")?, row.positive("baseline")?, row.get("gain")?);
            let right = &value.divide(&baseline)? - &one();
            let swapped = &one() - &baseline.divide(&value)?;
            let is_swapped = !right.overlaps(&gain) && swapped.overlaps(&gain);
            let side = if is_swapped { right } else { gain.clone() };
            Some(Comparison::equal(("the gain", gain), ("value ÷ baseline − 1", side), Dim::NONE))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
