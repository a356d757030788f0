//! P11: guests live on what the host has.

use super::{Card, Check, Comparison};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::printed::Dim;

/// what guests have, the host has.
pub(super) struct Overcommit;

const CARD: Card = Card {
    id: "P11",
    kind: Kind::Physical,
    title: "what guests have, the host has",
    needs: &["guests", "guest_memory", "memory"],
    explain: "The memory of all guests fits into the host unless ballooning is said. Processors may be overcommitted; the ratio that is printed must be the one there is.",
};

impl Check for Overcommit {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let memory = || {
            if row.is("ballooning") {
                return None;
            }
            let all = &row.positive("guests")? * &row.positive("guest_memory")?;
            Some(
                Comparison::at_most(
                    ("the guests\u{2019} memory", all),
                    ("the host\u{2019}s", row.positive("memory")?),
                    Dim { bytes: 1, seconds: 0 },
                )
                // memory that is not touched, or the same in several guests, is not there twice
                .with_slack(100),
            )
        };
        let processors = || {
            let all = &row.positive("guests")? * &row.positive("vcpus")?;
            let ratio = all.divide(&row.positive("threads")?)?;
            Some(Comparison::equal(
                ("virtual by real processors", ratio),
                ("what is printed", row.positive("overcommit")?),
                Dim::NONE,
            ))
        };
        memory().into_iter().chain(processors()).collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
