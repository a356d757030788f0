//! ablation: one thing is credited that was changed alone.

use crate::audit::check::{Card, Check};
use crate::audit::{Finding, Kind, Outcome, Subject, judge};
use crate::claims::Kind as ClaimKind;
use crate::manifest::node::{Node, Value};

/// one thing is credited that was changed alone.
pub(in crate::audit::check) struct Ablation;

const CARD: Card = Card {
    id: "ablation",
    kind: Kind::Crime,
    title: "one thing is credited that was changed alone",
    needs: &["arms"],
    explain: "Where several things were changed at once, none of them can be credited with what came of it (van der Kouwe E4): each needs a run of its own.",
};

impl Check for Ablation {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let causal: Vec<&crate::claims::Claim> =
            subject.loaded.claims.claims.iter().filter(|claim| claim.kind() == ClaimKind::Cause).collect();
        let changed: Vec<String> = match &subject.evidence {
            Some(evidence) => {
                let levels =
                    |name: &str| evidence.experiment.matrix.levels(name).is_some_and(|levels| levels.len() > 1);
                let bundles = evidence
                    .experiment
                    .arms
                    .iter()
                    .filter_map(|(_, arm)| arm.set.as_ref())
                    .filter_map(keys)
                    .max_by_key(Vec::len);
                let treatments = evidence.experiment.treatment.iter().map(|one| one.value.to_string());
                bundles.filter(|keys| keys.len() > 1 && levels("arm")).unwrap_or_else(|| treatments.collect())
            }
            None => subject.loaded.claims.treatment.iter().map(ToString::to_string).collect(),
        };
        let findings = causal.iter().map(|claim| {
            let (verdict, words) = match changed.as_slice() {
                [] | [_] => (Outcome::Pass, "one thing was changed".to_owned()),
                several => (
                    Outcome::Warn,
                    format!("it names one reason, and these were changed together: {}", several.join(", ")),
                ),
            };
            judge::remark(&CARD, verdict, claim.id.value.as_str(), words)
        });
        judge::or_skip(&CARD, findings.collect())
    }
}

fn keys(node: &Node) -> Option<Vec<String>> {
    match &node.value {
        Value::Map(entries) => Some(entries.iter().map(|(key, _)| key.text.clone()).collect()),
        _ => None,
    }
}
