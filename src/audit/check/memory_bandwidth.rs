//! P10: copies cross the bus.

use super::{Card, Check, Comparison};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::printed::Dim;

/// copies × bandwidth ≤ memory bandwidth.
pub(super) struct MemoryBandwidth;

const CARD: Card = Card {
    id: "P10",
    kind: Kind::Physical,
    title: "copies × bandwidth ≤ memory bandwidth",
    needs: &["bandwidth", "copies", "memory_bandwidth"],
    explain: "Each copy of a byte crosses the memory bus, so copies × bandwidth stays below what its channels carry.",
};

impl Check for MemoryBandwidth {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let b = row.positive("bandwidth")?;
            let c = row.positive("copies")?;
            let m = row.positive("memory_bandwidth")?;
            Some(Comparison::at_most(
                ("copies × bandwidth", &b * &c),
                ("the memory\u{2019}s bandwidth", m),
                Dim { bytes: 1, seconds: -1 },
            ))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
