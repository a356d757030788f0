//! U12: quotients are of what stands beside them.

use super::{Card, Check, Comparison};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::printed::Dim;

/// derived metrics are what they are derived from.
pub(super) struct Derived;

const CARD: Card = Card {
    id: "U12",
    kind: Kind::Hard,
    title: "derived metrics are what they are derived from",
    needs: &["iops", "power", "iops_per_watt"],
    explain: "IOPS by watt, price by IOPS and IOPS by core are quotients of what stands beside them.",
};

impl Check for Derived {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let one = |above: &str, below: &str, printed: &str| {
            let quotient = row.positive(above)?.divide(&row.positive(below)?)?;
            Some(Comparison::equal(("the quotient", quotient), ("what is printed", row.positive(printed)?), Dim::NONE))
        };
        let found = [
            one("iops", "power", "iops_per_watt"),
            one("cost", "iops", "cost_per_iops"),
            one("iops", "cores", "iops_per_core"),
        ];
        found.into_iter().flatten().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
