//! G15: products are known.

use super::{Card, Check};
use crate::audit::{Finding, Kind, Outcome, Subject, judge};

/// names and numbers of products are known ones.
pub(super) struct KnownProducts;

const CARD: Card = Card {
    id: "G15",
    kind: Kind::Suspicion,
    title: "names and numbers of products are known ones",
    needs: &["known"],
    explain: "A fact with `known` lists what its source allows: a file system version that never was, a processor with other cores.",
};

impl Check for KnownProducts {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let facts = subject.context.iter().filter(|(_, known)| !known.fact.known.is_empty());
        let findings = facts.map(|(name, known)| {
            let text = known.fact.text();
            let is_known = known.fact.known.contains(&text);
            let verdict = if is_known { Outcome::Pass } else { Outcome::Warn };
            let words = format!("{name} is `{text}`; known: {}", known.fact.known.join(", "));
            judge::blank(&CARD, verdict, Subject::place(name), words)
        });
        judge::or_skip(&CARD, findings.collect())
    }
}
