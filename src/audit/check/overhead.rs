//! R11: a loss of throughput is not the overhead.

use super::{Card, Check, Comparison, one};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::printed::Dim;

/// overhead = loss ÷ (1 − loss).
pub(super) struct Overhead;

const CARD: Card = Card {
    id: "R11",
    kind: Kind::Hard,
    title: "overhead = loss ÷ (1 − loss)",
    needs: &["throughput_loss", "overhead"],
    explain: "Half the throughput is twice the work: a loss of 50 % is an overhead of 100 % (van der Kouwe et al. 2018, B2).",
};

impl Check for Overhead {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let d = row.positive("throughput_loss")?;
            let o = row.positive("overhead")?;
            Some(Comparison::equal(("loss ÷ (1 − loss)", d.divide(&(&one() - &d))?), ("the overhead", o), Dim::NONE))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
