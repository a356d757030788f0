//! no-ramp: what is warming up does not count.

use crate::audit::check::{Card, Check};
use crate::audit::{Finding, Kind, Outcome, Subject, judge};

/// what is warming up does not count.
pub(in crate::audit::check) struct NoRamp;

const CARD: Card = Card {
    id: "no-ramp",
    kind: Kind::Crime,
    title: "what is warming up does not count",
    needs: &["ramp"],
    explain: "Caches fill, drives leave their fast state and clocks settle in the beginning: it is left out, or shown to be steady (SNIA SSS PTS; van der Kouwe).",
};

impl Check for NoRamp {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let mut findings = vec![];
        if let Some(evidence) = &subject.evidence {
            let timed = evidence.plan.cases.iter().filter(|case| case.manual.is_none() && case.timing.runtime_ns > 0);
            let none: Vec<String> =
                timed.clone().filter(|case| case.timing.ramp_time_ns == 0).map(|case| case.label()).collect();
            let is_steady = evidence.experiment.design.steady_state.is_some();
            if timed.count() > 0 {
                let (verdict, words) = match none.as_slice() {
                    _ if is_steady => (Outcome::Pass, "cases are measured once they are steady".to_owned()),
                    [] => (Outcome::Pass, "every case has a time that does not count".to_owned()),
                    [first, ..] => (
                        Outcome::Fail,
                        format!("{} cases count from their first moment on, such as {first}", none.len()),
                    ),
                };
                findings.push(judge::remark(&CARD, verdict, "ramp_time", words));
            }
        } else if let Some(ramp) = subject.number("ramp") {
            let words = format!("{} s of each case do not count", ramp.round(1));
            findings.push(judge::remark(
                &CARD,
                if ramp.is_zero() { Outcome::Fail } else { Outcome::Pass },
                "ramp",
                words,
            ));
        } else if subject.loaded.claims.undisclosed.iter().any(|one| one == "ramp") {
            let words = "whether a time of each case does not count is not disclosed".to_owned();
            findings.push(judge::remark(&CARD, Outcome::Warn, "ramp", words));
        }
        judge::or_skip(&CARD, findings)
    }
}
