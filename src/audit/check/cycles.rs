//! P9: an operation takes cycles.

use super::{Card, Check, Comparison, exactly};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::printed::Dim;

/// an operation takes cycles.
pub(super) struct Cycles;

const CARD: Card = Card {
    id: "P9",
    kind: Kind::Physical,
    title: "an operation takes cycles",
    needs: &["iops", "cores", "clock"],
    explain: "Below about 2 000 cycles no storage stack does an operation.",
};

impl Check for Cycles {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let all = &row.positive("cores")? * &row.positive("clock")?;
            let busy = row.positive("cpu").map_or(all.clone(), |cpu| &all * &cpu);
            let each = busy.divide(&row.positive("iops")?)?;
            Some(Comparison::at_most(("2000 cycles", exactly(2_000)), ("cycles of an operation", each), Dim::NONE))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
