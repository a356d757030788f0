//! L9: no server is more than busy.

use super::{Card, Check, Comparison};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::printed::Dim;

/// IOPS × service time ≤ servers.
pub(super) struct Utilisation;

const CARD: Card = Card {
    id: "L9",
    kind: Kind::Hard,
    title: "IOPS × service time ≤ servers",
    needs: &["iops", "service_time", "servers"],
    explain: "A server is busy for the service time of each operation, and no server is busy for more than all of the time (utilisation law).",
};

impl Check for Utilisation {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let x = row.positive("iops")?;
            let s = row.positive("service_time")?;
            let m = row.positive("servers")?;
            Some(Comparison::at_most(("IOPS × service time", &x * &s), ("servers", m), Dim::NONE))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
