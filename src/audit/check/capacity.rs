//! U13: capacities are made of parts.

use super::{Card, Check, Comparison};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::printed::Dim;

/// capacity = parts.
pub(super) struct Capacity;

const CARD: Card = Card {
    id: "U13",
    kind: Kind::Hard,
    title: "capacity = parts",
    needs: &["capacity_raw", "efficiency", "capacity"],
    explain: "Usable capacity is raw capacity × efficiency; memory is modules × their size.",
};

impl Check for Capacity {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let one = |count: &str, size: &str, total: &str| {
            let product = &row.positive(count)? * &row.positive(size)?;
            Some(Comparison::equal(
                ("its parts", product),
                ("the capacity", row.positive(total)?),
                Dim { bytes: 1, seconds: 0 },
            ))
        };
        let found = [one("efficiency", "capacity_raw", "capacity"), one("modules", "module_size", "memory")];
        found.into_iter().flatten().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
