//! G6: a full matrix is a product.

use super::{Card, Check, Comparison, one};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::printed::Dim;

/// cases = product of the levels − those left out.
pub(super) struct Cells;

const CARD: Card = Card {
    id: "G6",
    kind: Kind::Hard,
    title: "cases = product of the levels − those left out",
    needs: &["levels", "cases"],
    explain: "A full matrix has as many cases as the product of the levels of its factors: 7 block sizes × 8 queue depths are 56.",
};

impl Check for Cells {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let levels = row.items("levels")?;
            let product = levels.iter().fold(one(), |product, level| &product * level);
            let all = row.get("excluded").map_or(product.clone(), |excluded| &product - &excluded);
            Some(Comparison::equal(("the levels\u{2019} product", all), ("the cases", row.get("cases")?), Dim::NONE))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
