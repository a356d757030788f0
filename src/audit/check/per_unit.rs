//! U9: equal parts make the total.

use super::{Card, Check, Comparison};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::printed::Dim;

/// value of one × count = total.
pub(super) struct PerUnit;

const CARD: Card = Card {
    id: "U9",
    kind: Kind::Hard,
    title: "value of one × count = total",
    needs: &["per_unit", "count", "total"],
    explain: "So many equal parts make the total: 16 × 25.1 k are 400.8 k to 402.4 k.",
};

impl Check for PerUnit {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let a = row.positive("per_unit")?;
            let n = row.positive("count")?;
            let t = row.positive("total")?;
            Some(Comparison::equal(("one × count", &a * &n), ("the total", t), Dim::NONE))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
