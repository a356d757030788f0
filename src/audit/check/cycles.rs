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
            // programs that poll their devices get by with some 250; through a kernel it takes more than a thousand
            let is_polling = row.word("engine").is_none_or(|engine| engine.contains("spdk") || engine.contains("dpdk"));
            let least = if is_polling { exactly(100) } else { exactly(1_000) };
            Some(Comparison::at_most(
                ("the least there is, in cycles", least),
                ("cycles of an operation", each),
                Dim::NONE,
            ))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
