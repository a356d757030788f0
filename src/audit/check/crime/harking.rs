//! harking: what is claimed was claimed before it was measured.

use crate::audit::Before;
use crate::audit::check::{Card, Check};
use crate::audit::{Finding, Kind, Outcome, Subject, judge};

/// what is claimed was claimed before it was measured.
pub(in crate::audit::check) struct Harking;

const CARD: Card = Card {
    id: "harking",
    kind: Kind::Crime,
    title: "what is claimed was claimed before it was measured",
    needs: &["claims"],
    explain: "A claim made after the results were seen fits them by construction, and its p means nothing (Kerr, Personality and Social Psychology Review 2 (1998) 196). Such a claim is exploratory, and says so. The order is that of the commits, not of clocks.",
};

impl Check for Harking {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let Some(evidence) = &subject.evidence else { return judge::or_skip(&CARD, vec![]) };
        let changed = evidence.reread.iter().map(|one| {
            let words =
                format!("the manifest was changed after the first result was measured, in how results are read: {one}");
            judge::remark(&CARD, Outcome::Warn, "manifest", words)
        });
        let changed: Vec<Finding> = changed.collect();
        let claims = &subject.loaded.claims.claims;
        if claims.is_empty() {
            return judge::or_skip(&CARD, changed);
        }
        let (commit, before) = match &evidence.before {
            Before::Known { commit, claims } => (commit, claims),
            Before::Unknown(reason) => {
                let words = format!("whether the claims are older than the results can not be said: {reason}");
                let unknown = judge::remark(&CARD, Outcome::Warn, "claims", words);
                return changed.into_iter().chain([unknown]).collect();
            }
        };
        let of_claim = |claim: &crate::claims::Claim| {
            let id = claim.id.value.as_str();
            let (verdict, words) = match before.get(id) {
                _ if claim.exploratory == Some(true) => (Outcome::Pass, "it says that it is exploratory".to_owned()),
                Some(said) if *said == claim.said(&subject.loaded.claims.context) => {
                    (Outcome::Pass, format!("commit {commit}, which the first result is of, has it"))
                }
                Some(_) => (
                    Outcome::Warn,
                    format!("it says another thing than in commit {commit}, which the first result is of"),
                ),
                None => (Outcome::Warn, format!("it is newer than commit {commit}, which the first result is of")),
            };
            judge::remark(&CARD, verdict, id, words)
        };
        changed.into_iter().chain(claims.iter().map(of_claim)).collect()
    }
}
