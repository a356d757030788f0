//! generator-bound: the load generator was not the limit.

use crate::audit::check::{Card, Check};
use crate::audit::{Finding, Kind, Outcome, Subject, judge};
use crate::exact::Exact;

/// the load generator was not the limit.
pub(in crate::audit::check) struct GeneratorBound;

const CARD: Card = Card {
    id: "generator-bound",
    kind: Kind::Crime,
    title: "the load generator was not the limit",
    needs: &["client_cpu"],
    explain: "Where the machine that makes the load is busy, its limit is measured (van der Kouwe; Hoefler and Belli, SC 2015). Above 90 % it is likely; programs that poll are an exception that is said.",
};

impl Check for GeneratorBound {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let limit = Exact::from_ratio(9, 10);
        let finding = subject.number("client_cpu").map(|load| {
            let words =
                format!("the load generator uses {} % of its processors", (&load * &Exact::from_integer(100)).round(1));
            judge::remark(&CARD, if load > limit { Outcome::Warn } else { Outcome::Pass }, "client_cpu", words)
        });
        judge::or_skip(&CARD, finding.into_iter().collect())
    }
}
