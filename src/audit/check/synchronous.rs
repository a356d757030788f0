//! L10: a synchronous engine holds one operation a job.

use super::{Card, Check, Comparison};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::printed::Dim;

/// a synchronous engine holds one operation a job.
pub(super) struct Synchronous;

const CARD: Card = Card {
    id: "L10",
    kind: Kind::Hard,
    title: "a synchronous engine holds one operation a job",
    needs: &["outstanding", "jobs", "engine"],
    explain: "psync, sync, pvsync and mmap hold one operation a job, whatever iodepth says.",
};

impl Check for Synchronous {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let engine = row.word("engine")?;
            let is_synchronous = ["psync", "sync", "pvsync", "pvsync2", "vsync", "mmap"].contains(&engine.as_str());
            let jobs = row.positive("jobs")?;
            let jobs = row.positive("clients").map_or(jobs.clone(), |clients| &jobs * &clients);
            let jobs = row.positive("guests").map_or(jobs.clone(), |guests| &jobs * &guests);
            let outstanding = row.outstanding()?;
            is_synchronous
                .then(|| Comparison::at_most(("operations in flight", outstanding), ("jobs", jobs), Dim::NONE))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
