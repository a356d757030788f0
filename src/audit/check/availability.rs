//! P16: an availability is a downtime.

use super::{Card, Check, Comparison, one};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::exact::Exact;
use crate::interval::Interval;
use crate::printed::Dim;

/// downtime = (1 − availability) × a year.
pub(super) struct Availability;

const CARD: Card = Card {
    id: "P16",
    kind: Kind::Hard,
    title: "downtime = (1 − availability) × a year",
    needs: &["availability", "downtime"],
    explain: "The share of a year that is out of service: 99.99 % are 52.6 minutes a year.",
};

impl Check for Availability {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let a = row.positive("availability")?;
            let d = row.positive("downtime")?;
            let year = Interval::new(Exact::from_integer(31_536_000), Exact::from_integer(31_622_400));
            Some(Comparison::equal(
                ("(1 − availability) × a year", &(&one() - &a) * &year),
                ("the downtime", d),
                Dim { bytes: 0, seconds: 1 },
            ))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
