//! R5: gains multiply.

use super::{Card, Check, Comparison, one};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::printed::Dim;

/// gains multiply.
pub(super) struct Compounding;

const CARD: Card = Card {
    id: "R5",
    kind: Kind::Hard,
    title: "gains multiply",
    needs: &["gains", "gain_total"],
    explain: "Gains one after the other multiply: +10 % and then +20 % are +32 %, not +30 %.",
};

impl Check for Compounding {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let gains = row.items("gains")?;
            let product = gains.iter().fold(one(), |product, gain| &product * &(&one() + gain));
            Some(Comparison::equal(("all gains", &product - &one()), ("the total", row.get("gain_total")?), Dim::NONE))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
