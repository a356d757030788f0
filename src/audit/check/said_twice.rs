//! G13: a number that stands twice is the same.

use super::{Card, Check, Comparison};
use crate::audit::{Finding, Kind, Row, Subject, judge};

/// A role, and the same number elsewhere.
const PAIRS: &[(&str, &str)] = &[
    ("iops", "iops_again"),
    ("bandwidth", "bandwidth_again"),
    ("latency_mean", "latency_mean_again"),
    ("value", "value_again"),
    ("gain", "gain_again"),
];

/// a number that stands twice is the same.
pub(super) struct SaidTwice;

const CARD: Card = Card {
    id: "G13",
    kind: Kind::Hard,
    title: "a number that stands twice is the same",
    needs: &["value", "value_again"],
    explain: "Table, text, figure and abstract speak of one measurement: the values that their digits stand for share at least one.",
};

impl Check for SaidTwice {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        PAIRS
            .iter()
            .filter_map(|(one, other)| {
                let dim = crate::claims::role::dim_of(one)?;
                Some(Comparison::equal(("the number", row.get(one)?), ("where it stands again", row.get(other)?), dim))
            })
            .collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
