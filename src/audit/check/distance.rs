//! P7: light needs time.

use super::{Card, Check, Comparison};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::exact::Exact;
use crate::interval::Interval;
use crate::printed::Dim;

/// latency ≥ the way there and back.
pub(super) struct Distance;

const CARD: Card = Card {
    id: "P7",
    kind: Kind::Physical,
    title: "latency ≥ the way there and back",
    needs: &["latency_mean", "distance_km"],
    explain: "Light in glass needs 4.9 µs a kilometre (index 1.468). A write that is acknowledged by a site 100 km away takes at least 0.98 ms.",
};

impl Check for Distance {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            // reads are served where they are asked for
            if row.word("access").is_some_and(|access| access.contains("read") && !access.contains("write")) {
                return None;
            }
            let l = row.positive("latency_mean")?;
            let d = row.positive("distance_km")?;
            let trip = &d * &Interval::exactly(Exact::from_ratio(2936, 299_792_458));
            Some(Comparison::at_most(
                ("the way there and back", trip),
                ("the latency", l),
                Dim { bytes: 0, seconds: 1 },
            ))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
