//! P15: no more is used than is supplied.

use super::{Card, Check, Comparison};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::printed::Dim;

/// power ≤ power supply.
pub(super) struct Power;

const CARD: Card = Card {
    id: "P15",
    kind: Kind::Physical,
    title: "power ≤ power supply",
    needs: &["power", "power_limit"],
    explain: "No machine uses more power than its supply gives, in steady work even less.",
};

impl Check for Power {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let w = row.positive("power")?;
            let l = row.positive("power_limit")?;
            // at the wall a supply takes more than it gives
            Some(Comparison::at_most(("the power", w), ("the supply", l), Dim::NONE).with_slack(25))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
