//! missing-platform: what is not said can not be repeated.

use super::{Card, Check};
use crate::audit::{Finding, Kind, Outcome, Subject, judge};

/// the platform is disclosed.
pub(super) struct MissingPlatform;

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
