//! P12: filling takes its time.

use super::{Card, Check, Comparison};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::printed::Dim;

/// filling takes its time.
pub(super) struct Preconditioning;

const CARD: Card = Card {
    id: "P12",
    kind: Kind::Physical,
    title: "filling takes its time",
    needs: &["capacity", "precondition_bandwidth", "precondition_time"],
    explain: "A drive is not filled faster than it writes: 3.84 TB in ten minutes are 6.4 GB/s.",
};

impl Check for Preconditioning {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let c = row.positive("capacity")?;
            let b = row.positive("precondition_bandwidth")?;
            let t = row.positive("precondition_time")?;
            Some(Comparison::at_most(
                ("capacity ÷ bandwidth", c.divide(&b)?),
                ("the time it took", t),
                Dim { bytes: 0, seconds: 1 },
            ))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
