//! baseline: there is something to compare with.

use crate::audit::check::{Card, Check};
use crate::audit::{Finding, Kind, Outcome, Subject, judge};
use crate::claims::Kind as ClaimKind;

/// there is something to compare with.
pub(in crate::audit::check) struct Baseline;

const CARD: Card = Card {
    id: "baseline",
    kind: Kind::Crime,
    title: "there is something to compare with",
    needs: &["compared_with"],
    explain: "A comparison needs what it compares with, measured in the same way; one of virtual machines also needs the machine without them, or nobody knows what they cost (van der Kouwe D1, D2).",
};

impl Check for Baseline {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let mut findings = vec![];
        let compares = subject.loaded.claims.claims.iter().any(|claim| claim.kind() == ClaimKind::Comparison);
        if let Some(word) = subject.word("compared_with") {
            let has_one = !matches!(word.as_str(), "none" | "false" | "no");
            let words = format!("what is compared with: {word}");
            findings.push(judge::remark(
                &CARD,
                if has_one { Outcome::Pass } else { Outcome::Fail },
                "compared_with",
                words,
            ));
        }
        if let Some(evidence) = subject.evidence.as_ref().filter(|_| compares) {
            let (verdict, words) = match crate::plan::compared_factor(evidence.experiment) {
                Some(factor) => (Outcome::Pass, format!("the levels of {factor} are measured beside each other")),
                None => {
                    (Outcome::Fail, "claims compare, and the manifest names no treatment that is a factor".to_owned())
                }
            };
            findings.push(judge::remark(&CARD, verdict, "treatment", words));
        }
        if let Some(evidence) = subject.evidence.as_ref() {
            let cases = &evidence.plan.cases;
            let is_virtual = cases.iter().any(|case| case.guest.is_some());
            if is_virtual && cases.iter().all(|case| case.guest.is_some()) {
                let words = "every case runs in a guest: what the machine does without one is not measured".to_owned();
                findings.push(judge::remark(&CARD, Outcome::Warn, "guests", words));
            }
        }
        judge::or_skip(&CARD, findings)
    }
}
