//! U11: a ratio is a saving.

use super::{Card, Check, Comparison, one};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::printed::Dim;

/// saving = 1 − 1 ÷ ratio.
pub(super) struct Saving;

const CARD: Card = Card {
    id: "U11",
    kind: Kind::Hard,
    title: "saving = 1 − 1 ÷ ratio",
    needs: &["ratio", "saving"],
    explain: "Data that shrink 4:1 save 75 %, not 80 %.",
};

impl Check for Saving {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let r = row.positive("ratio")?;
            let s = row.positive("saving")?;
            Some(Comparison::equal(("1 − 1 ÷ ratio", &one() - &one().divide(&r)?), ("the saving", s), Dim::NONE))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
