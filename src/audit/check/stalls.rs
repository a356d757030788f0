//! D11: stalls are not left out of latencies.

use super::{Card, Check, Comparison, exactly};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::printed::Dim;

/// stalls are not left out of latencies.
pub(super) struct Stalls;

const CARD: Card = Card {
    id: "D11",
    kind: Kind::Suspicion,
    title: "stalls are not left out of latencies",
    needs: &["latency_max", "latency_p99", "outstanding"],
    explain: "A closed loop sends nothing while it waits, so one long stall is one slow operation, where requests that arrive anyway would all have waited (Tene, How not to measure latency, 2015). A greatest latency more than a hundred times the highest percentile is such a stall.",
};

impl Check for Stalls {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let most = row.positive("latency_max")?;
            let roles = ["latency_p99.999", "latency_p99.99", "latency_p99.9", "latency_p99"];
            let high = roles.iter().find_map(|role| row.positive(role))?;
            row.outstanding()?;
            let limit = &high * &exactly(100);
            Some(Comparison::at_most(
                ("the greatest latency", most),
                ("a hundred times the highest percentile", limit),
                Dim { bytes: 0, seconds: 1 },
            ))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
