//! P4: copies are written and sent.

use super::{Card, Check, Comparison, one};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::interval::Interval;
use crate::printed::Dim;

/// copies are written and sent.
pub(super) struct Replication;

const CARD: Card = Card {
    id: "P4",
    kind: Kind::Physical,
    title: "copies are written and sent",
    needs: &["replicas", "write_bandwidth"],
    explain: "With r copies the devices write r times what a client writes, and r − 1 times of it crosses the network.",
};

impl Check for Replication {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let one_of = |factor: Interval, role: &str| {
            let needed = &factor * &row.positive("write_bandwidth")?;
            Some(Comparison::at_most(
                ("copies × writes", needed),
                ("what there is", row.positive(role)?),
                Dim { bytes: 1, seconds: -1 },
            ))
        };
        let Some(replicas) = row.positive("replicas") else { return vec![] };
        let found =
            [one_of(replicas.clone(), "device_write_bandwidth"), one_of(&replicas - &one(), "network_bandwidth")];
        found.into_iter().flatten().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
