//! P13: what is read was written before.

use super::{Card, Check};
use crate::audit::{Finding, Kind, Outcome, Subject, judge};

/// what is read was written before.
pub(super) struct Unwritten;

const CARD: Card = Card {
    id: "P13",
    kind: Kind::Suspicion,
    title: "what is read was written before",
    needs: &["filled", "access"],
    explain: "Blocks of a thin disk or a flash drive that were never written are read without touching the medium, and zeros or repeated data may be stored nowhere. `filled: false`, or data that is not random, says so.",
};

impl Check for Unwritten {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let mut findings = vec![];
        if let Some(filled) = subject.word("filled") {
            let is_filled = !matches!(filled.as_str(), "false" | "no" | "0");
            let words = if is_filled {
                "it was filled before"
            } else {
                "it was not filled before: reads may not touch the medium"
            };
            findings.push(judge::remark(
                &CARD,
                if is_filled { Outcome::Pass } else { Outcome::Warn },
                "filled",
                words.to_owned(),
            ));
        }
        if let Some(data) = subject.word("data") {
            let is_random = !matches!(data.as_str(), "zeros" | "zero" | "repeated" | "dedupable" | "compressible");
            let words = format!("what is written: {data}");
            findings.push(judge::remark(&CARD, if is_random { Outcome::Pass } else { Outcome::Warn }, "data", words));
        }
        if let Some(evidence) = &subject.evidence {
            let filled: Vec<&str> =
                evidence.experiment.design.precondition.iter().map(|step| step.fill.device.value.as_str()).collect();
            let read: std::collections::BTreeSet<&str> = evidence
                .plan
                .cases
                .iter()
                .filter(|case| case.manual.is_none())
                .filter_map(device_that_is_read)
                .collect();
            let (written, bare): (Vec<&str>, Vec<&str>) = read.into_iter().partition(|device| filled.contains(device));
            if !bare.is_empty() {
                let words = format!("{} is read, and the design does not fill it before", bare.join(", "));
                findings.push(judge::remark(&CARD, Outcome::Warn, "precondition", words));
            } else if !written.is_empty() {
                findings.push(judge::remark(
                    &CARD,
                    Outcome::Pass,
                    "precondition",
                    format!("{} is filled before", written.join(", ")),
                ));
            }
        }
        judge::or_skip(&CARD, findings)
    }
}

/// The device of a case that reads it.
fn device_that_is_read(case: &crate::plan::Case) -> Option<&str> {
    let pattern = case.settings.stored().get("rw")?.as_str()?;
    let is_read = pattern.contains("read") || pattern.contains("rw");
    case.settings.stored().get("device")?.as_str().filter(|_| is_read)
}
