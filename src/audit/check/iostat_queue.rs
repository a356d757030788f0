//! U14: iostat computes its queue from rates and waits.

use super::{Card, Check, Comparison};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::printed::Dim;

/// queue = rate × wait.
pub(super) struct IostatQueue;

const CARD: Card = Card {
    id: "U14",
    kind: Kind::Hard,
    title: "queue = rate × wait",
    needs: &["read_rate", "read_wait", "queue_mean"],
    explain: "iostat computes its mean queue from rates and waits (sysstat, aqu-sz), so the three must fit.",
};

impl Check for IostatQueue {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let part = |rate: &str, wait: &str| Some(&row.get(rate)? * &row.get(wait)?);
            let reads = part("read_rate", "read_wait")?;
            let all = part("write_rate", "write_wait").map_or(reads.clone(), |writes| &reads + &writes);
            // flushes and discards wait, too, and are seldom printed
            Some(Comparison::at_most(("rates × waits", all), ("the mean queue", row.get("queue_mean")?), Dim::NONE))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
