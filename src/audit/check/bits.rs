//! U4: a byte is eight bits.

use super::{Card, Check, Comparison};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::printed::Dim;

/// bytes × 8 = bits.
pub(super) struct Bits;

const CARD: Card = Card {
    id: "U4",
    kind: Kind::Hard,
    title: "bytes × 8 = bits",
    needs: &["bandwidth", "bit_rate"],
    explain: "A byte is eight bits: 25 Gbit/s are 3.125 GB/s.",
};

impl Check for Bits {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let a = row.positive("bandwidth")?;
            let b = row.positive("bit_rate")?;
            Some(Comparison::equal(("the bandwidth", a), ("the bit rate", b), Dim { bytes: 1, seconds: -1 }))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
