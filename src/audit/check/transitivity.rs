//! R13: ratios multiply.

use super::{Card, Check, Comparison};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::printed::Dim;

/// A÷B × B÷C = A÷C.
pub(super) struct Transitivity;

const CARD: Card = Card {
    id: "R13",
    kind: Kind::Hard,
    title: "A÷B × B÷C = A÷C",
    needs: &["ratio_ab", "ratio_bc", "ratio_ac"],
    explain: "Ratios of the same levels multiply: 1.20 of the second, which is 1.10 of the third, is 1.32 of the third.",
};

impl Check for Transitivity {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let a = row.positive("ratio_ab")?;
            let b = row.positive("ratio_bc")?;
            let c = row.positive("ratio_ac")?;
            Some(Comparison::equal(("the product", &a * &b), ("the ratio", c), Dim::NONE))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
