//! missing-platform: what is not said can not be repeated.

use crate::audit::check::{Card, Check};
use crate::audit::{Finding, Kind, Outcome, Subject, judge};

/// the platform is disclosed.
pub(in crate::audit::check) struct MissingPlatform;

const CARD: Card = Card {
    id: "missing-platform",
    kind: Kind::Crime,
    title: "the platform is disclosed",
    needs: &["undisclosed"],
    explain: "What is not said of hardware, versions, settings and method can not be repeated (van der Kouwe F1, F2; SIGPLAN).",
};

impl Check for MissingPlatform {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        if let Some(evidence) = &subject.evidence {
            if evidence.experiment.disclosure.is_none() {
                let words = "the manifest names no kind of disclosure: nobody knows what is missing".to_owned();
                return vec![judge::remark(&CARD, Outcome::Warn, "disclosure", words)];
            }
            let owed = crate::results::owed(evidence.experiment, evidence.results);
            let (verdict, words) = match owed.as_slice() {
                [] => (Outcome::Pass, "what a paper of this kind owes is given, or waived with a reason".to_owned()),
                owed => (Outcome::Fail, format!("owed and not given: {}", owed.join(", "))),
            };
            return vec![judge::remark(&CARD, verdict, "disclosure", words)];
        }
        let missing = &subject.loaded.claims.undisclosed;
        match missing.is_empty() {
            true => judge::or_skip(&CARD, vec![]),
            false => {
                let words = format!("not disclosed: {}", missing.join(", "));
                vec![judge::blank(&CARD, Outcome::Warn, Subject::place("undisclosed"), words)]
            }
        }
    }
}
