//! clocks: processors run at a known speed.

use crate::audit::check::{Card, Check};
use crate::audit::{Finding, Kind, Outcome, Subject, judge};

/// processors run at a known speed.
pub(in crate::audit::check) struct Clocks;

const CARD: Card = Card {
    id: "clocks",
    kind: Kind::Crime,
    title: "processors run at a known speed",
    needs: &["governor", "turbo"],
    explain: "A governor that follows the load, turbo and sleep states change the speed of processors with their temperature and with what ran before (SIGPLAN; Hoefler and Belli, SC 2015).",
};

impl Check for Clocks {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let governor = match &subject.evidence {
            Some(evidence) => {
                let known = evidence.results.facts.0.get("cpu.governor");
                match known.and_then(|fact| fact.value()) {
                    Some(governor) => Some(governor.to_owned()),
                    None if known.is_some() => {
                        let words = "the machine does not say which governor its processors have".to_owned();
                        return vec![judge::remark(&CARD, Outcome::Warn, "cpu.governor", words)];
                    }
                    None => None,
                }
            }
            None => subject.word("governor"),
        };
        let mut findings = vec![];
        if let Some(governor) = governor {
            let is_pinned =
                governor == "performance" || governor.chars().next().is_some_and(|one| one.is_ascii_digit());
            let words = format!("the governor of the processors is {governor}");
            findings.push(judge::remark(
                &CARD,
                if is_pinned { Outcome::Pass } else { Outcome::Warn },
                "governor",
                words,
            ));
        }
        if let Some(turbo) = subject.word("turbo") {
            let is_fixed = !matches!(turbo.as_str(), "true" | "on" | "unknown");
            findings.push(judge::remark(
                &CARD,
                if is_fixed { Outcome::Pass } else { Outcome::Warn },
                "turbo",
                format!("turbo: {turbo}"),
            ));
        }
        judge::or_skip(&CARD, findings)
    }
}
