//! coordinated-omission: stalls are not left out of latencies.

use crate::audit::check::{Card, Check};
use crate::audit::{Finding, Kind, Outcome, Subject, judge};

/// How far the greatest latency may lie above the highest percentile.
const STALL: f64 = 100.0;

/// stalls are not left out of latencies.
pub(in crate::audit::check) struct CoordinatedOmission;

const CARD: Card = Card {
    id: "coordinated-omission",
    kind: Kind::Crime,
    title: "stalls are not left out of latencies",
    needs: &["latency_max", "latency_p99", "outstanding"],
    explain: "A closed loop sends nothing while it waits, so one long stall is one slow operation, where requests that arrive anyway would all have waited (Tene, How not to measure latency, 2015). A greatest latency far above the highest percentile printed, in a test that is short, is such a stall.",
};

impl Check for CoordinatedOmission {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let findings = judge::rows(subject, |row| {
            let most = row.positive("latency_max")?;
            let high = ["latency_p99.999", "latency_p99.99", "latency_p99.9", "latency_p99"]
                .iter()
                .find_map(|role| row.positive(role))?;
            row.outstanding()?;
            let factor = most.divide(&high)?;
            let share = factor.low().to_float();
            let words = format!(
                "in a closed loop the greatest latency is {share:.0} times the highest percentile that is printed"
            );
            let verdict = if share > STALL { Outcome::Warn } else { Outcome::Pass };
            Some(judge::blank(&CARD, verdict, row.place(), words))
        });
        judge::or_skip(&CARD, findings)
    }
}
