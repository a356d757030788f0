//! G1: means of whole numbers are fractions.

use super::{Card, Check, Comparison};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::interval::Interval;
use crate::printed::Dim;

/// a mean of whole numbers is a fraction.
pub(super) struct Grim;

const CARD: Card = Card {
    id: "G1",
    kind: Kind::Hard,
    title: "a mean of whole numbers is a fraction",
    needs: &["mean", "n"],
    explain: "The mean of n whole numbers is k ÷ n. With few of them most decimals can not occur (Brown and Heathers 2017): 4.37 of three is none. It says something where n is less than the decimals can tell.",
};

impl Check for Grim {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            if !row.is("integers") {
                return None;
            }
            let (mean, n) = (row.get("mean")?, row.positive("n")?);
            let sum = &mean * &n;
            let k = sum.high().floor();
            let nearest = Interval::exactly(k.divide(n.low())?);
            Some(Comparison::equal(("the nearest k ÷ n", nearest), ("the mean", mean), Dim::NONE))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
