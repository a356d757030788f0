//! R4: n times is a quotient.

use super::{Card, Check, Comparison, one};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::printed::Dim;

/// n times = value ÷ baseline.
pub(super) struct Times;

const CARD: Card = Card {
    id: "R4",
    kind: Kind::Hard,
    title: "n times = value ÷ baseline",
    needs: &["value", "baseline", "times"],
    explain: "Three times as fast is +200 %. Some write it for +300 %: both readings are tried.",
};

impl Check for Times {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let quotient = row.positive("value")?.divide(&row.positive("baseline")?)?;
            let times = row.positive("times")?;
            let more = &quotient - &one();
            let side = if more.overlaps(&times) { more } else { quotient };
            Some(Comparison::equal(("value ÷ baseline", side), ("the times", times), Dim::NONE))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
