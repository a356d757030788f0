//! L11: what is serial bounds the speed-up.

use super::{Card, Check, Comparison, one};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::printed::Dim;

/// speed-up ≤ Amdahl.
pub(super) struct Amdahl;

const CARD: Card = Card {
    id: "L11",
    kind: Kind::Suspicion,
    title: "speed-up ≤ Amdahl",
    needs: &["speedup", "serial_share", "count"],
    explain: "What can not be done at once bounds the speed-up: 1 ÷ (f + (1 − f) ÷ n) (Amdahl 1967). Caches can beat it.",
};

impl Check for Amdahl {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let s = row.positive("speedup")?;
            let f = row.positive("serial_share")?;
            let n = row.positive("count")?;
            let rest = (&one() - &f).divide(&n)?;
            Some(Comparison::at_most(
                ("the speed-up", s),
                ("Amdahl\u{2019}s bound", one().divide(&(&f + &rest))?),
                Dim::NONE,
            ))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
