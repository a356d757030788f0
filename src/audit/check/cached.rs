//! P5: what fits into memory may be read from it.

use super::{Card, Check, Comparison};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::printed::Dim;

/// working set > memory.
pub(super) struct Cached;

const CARD: Card = Card {
    id: "P5",
    kind: Kind::Suspicion,
    title: "working set > memory",
    needs: &["working_set", "memory"],
    explain: "What fits into the memory of guest, host and array can be read from there, and then the number is not of the drive.",
};

impl Check for Cached {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let m = row.positive("memory")?;
            let w = row.positive("working_set")?;
            Some(Comparison::at_most(("memory", m), ("the working set", w), Dim { bytes: 1, seconds: 0 }))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
