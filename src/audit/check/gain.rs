//! R1: a gain is by what was before.

use super::{Card, Check, Comparison, one};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::printed::Dim;

/// gain = value ÷ baseline − 1.
pub(super) struct Gain;

const CARD: Card = Card {
    id: "R1",
    kind: Kind::Hard,
    title: "gain = value ÷ baseline − 1",
    needs: &["value", "baseline", "gain"],
    explain: "A gain is the change by what was before: from 312 to 402 are 28.8 %, not 35 % and not 22.4 %.",
};

impl Check for Gain {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let b = row.positive("value")?;
            let a = row.positive("baseline")?;
            let g = row.get("gain")?;
            Some(Comparison::equal(("value ÷ baseline − 1", &b.divide(&a)? - &one()), ("the gain", g), Dim::NONE))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
