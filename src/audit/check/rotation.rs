//! P8: a disk has to turn.

use super::{Card, Check, Comparison, exactly, one};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::printed::Dim;

/// a disk that turns does few random operations.
pub(super) struct Rotation;

const CARD: Card = Card {
    id: "P8",
    kind: Kind::Physical,
    title: "a disk that turns does few random operations",
    needs: &["iops", "rpm", "devices"],
    explain: "Half a turn passes before a random block comes by: at 7200 a minute 4.17 ms, so 240 operations a second with one in flight on one disk. A queue lets a disk sort them; four a turn is more than any does. Only for what is not cached.",
};

impl Check for Rotation {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            if row.word("access").as_deref() != Some("random") {
                return None;
            }
            if row.word("writes").as_deref() == Some("cached") {
                return None;
            }
            let turns = row.positive("rpm")?.divide(&exactly(60))?;
            let iops = row.positive("iops")?;
            // with one in flight one disk works at a time, half a turn each
            let (each, disks) = match row.outstanding() {
                Some(outstanding) if outstanding == one() => (exactly(2), one()),
                // a disk that chooses among many has a short way to the next
                _ => (exactly(6), row.positive("devices")?),
            };
            let most = &(&turns * &each) * &disks;
            Some(Comparison::at_most(
                ("random IOPS", iops),
                ("what turning disks can do", most),
                Dim { bytes: 0, seconds: -1 },
            ))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
