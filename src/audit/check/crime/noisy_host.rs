//! noisy-host: nobody else used the machine.

use crate::audit::check::{Card, Check};
use crate::audit::{Finding, Kind, Outcome, Subject, judge};
use crate::exact::Exact;

/// nobody else used the machine.
pub(in crate::audit::check) struct NoisyHost;

const CARD: Card = Card {
    id: "noisy-host",
    kind: Kind::Crime,
    title: "nobody else used the machine",
    needs: &["steal"],
    explain: "Time that a hypervisor gives to others, other load, throttling and errors of links change what is measured (Hoefler and Belli, SC 2015).",
};

impl Check for NoisyHost {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let mut findings = vec![];
        if let Some(evidence) = &subject.evidence {
            let used = evidence.results.used_runs();
            let remarks: Vec<&String> =
                used.iter().filter_map(|run| evidence.results.runs.get(*run)).flat_map(|run| &run.remarks).collect();
            let (verdict, words) = match remarks.as_slice() {
                [] => (Outcome::Pass, "nothing was seen to disturb the runs".to_owned()),
                [first, ..] => {
                    (Outcome::Warn, format!("{} remarks while it was measured, such as: {first}", remarks.len()))
                }
            };
            if !used.is_empty() {
                findings.push(judge::remark(&CARD, verdict, "runs", words));
            }
        }
        if let Some(steal) = subject.number("steal") {
            let words = format!("time given to others: {} %", (&steal * &Exact::from_integer(100)).round(2));
            findings.push(judge::remark(
                &CARD,
                if steal.is_zero() { Outcome::Pass } else { Outcome::Warn },
                "steal",
                words,
            ));
        }
        judge::or_skip(&CARD, findings)
    }
}
