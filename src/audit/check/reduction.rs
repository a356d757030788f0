//! R6: nothing falls by more than all of it.

use super::{Card, Check, Comparison, one};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::printed::Dim;

/// nothing falls by more than all of it.
pub(super) struct Reduction;

const CARD: Card = Card {
    id: "R6",
    kind: Kind::Hard,
    title: "nothing falls by more than all of it",
    needs: &["reduction"],
    explain: "A latency that falls by 120 % is below zero.",
};

impl Check for Reduction {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let r = row.positive("reduction")?;
            Some(Comparison::at_most(("the reduction", r), ("the whole", one()), Dim::NONE))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
