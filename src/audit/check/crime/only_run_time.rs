//! only-run-time: what it costs is measured.

use crate::audit::check::{Card, Check};
use crate::audit::{Finding, Kind, Outcome, Subject, judge};

/// what it costs is measured.
pub(in crate::audit::check) struct OnlyRunTime;

const CARD: Card = Card {
    id: "only-run-time",
    kind: Kind::Crime,
    title: "what it costs is measured",
    needs: &["cpu", "guest_memory", "power"],
    explain: "Speed is bought with processors, memory, power or set-up: where none of them is measured, a slower thing may be the better one (van der Kouwe E2).",
};

impl Check for OnlyRunTime {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let has_numbers = ["iops", "bandwidth", "latency_mean", "value"].iter().any(|role| subject.prints(role));
        let costs = ["cpu", "power", "cost", "iops_per_watt", "iops_per_core", "guest_memory"];
        let findings = match (has_numbers, costs.iter().find(|role| subject.prints(role))) {
            (false, _) => vec![],
            (true, Some(cost)) => vec![judge::remark(&CARD, Outcome::Pass, "metrics", format!("{cost} is reported"))],
            (true, None) => {
                let words = "no load of processors, memory, power or price is reported".to_owned();
                vec![judge::remark(&CARD, Outcome::Warn, "metrics", words)]
            }
        };
        judge::or_skip(&CARD, findings)
    }
}
