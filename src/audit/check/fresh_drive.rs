//! P14: a flash drive was written twice before it counts.

use super::{Card, Check, Comparison, exactly};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::printed::Dim;

/// a flash drive was written twice before it counts.
pub(super) struct FreshDrive;

const CARD: Card = Card {
    id: "P14",
    kind: Kind::Suspicion,
    title: "a flash drive was written twice before it counts",
    needs: &["bytes", "capacity"],
    explain: "A fresh flash drive writes faster until all its blocks were written (SNIA SSS PTS asks for twice its capacity, and then for a steady state). `preconditioned: true` or `steady: true` says that it was done.",
};

impl Check for FreshDrive {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            if row.is("preconditioned")
                || row.is("steady")
                || row.word("access").is_some_and(|access| !access.contains("write"))
            {
                return None;
            }
            let written = row
                .positive("bytes")
                .or_else(|| Some(&row.positive("write_bandwidth")? * &row.positive("duration")?))?;
            let twice = &row.positive("capacity")? * &exactly(2);
            Some(Comparison::at_most(
                ("twice the capacity", twice),
                ("what was written", written),
                Dim { bytes: 1, seconds: 0 },
            ))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
