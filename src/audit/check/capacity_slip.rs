//! U3: a capacity is printed in the unit it has.

use super::{Card, Check, Comparison};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::printed::Dim;

/// capacity is that of the data sheet.
pub(super) struct CapacitySlip;

const CARD: Card = Card {
    id: "U3",
    kind: Kind::Hard,
    title: "capacity is that of the data sheet",
    needs: &["capacity", "capacity_nominal"],
    explain: "A drive of 500 GB holds 465.7 GiB. Written as 500 GiB its capacity is 7.4 % too high: powers of 1000 and 1024 were mixed up.",
};

impl Check for CapacitySlip {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let a = row.positive("capacity")?;
            let b = row.get("capacity_nominal")?;
            Some(Comparison::equal(("the capacity", a), ("the data sheet\u{2019}s", b), Dim { bytes: 1, seconds: 0 }))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
