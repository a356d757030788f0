//! confounded: nothing else differs between what is compared.

use crate::audit::check::{Card, Check};
use crate::audit::{Finding, Kind, Outcome, Subject, judge};
use crate::claims::Kind as ClaimKind;

/// nothing else differs between what is compared.
pub(in crate::audit::check) struct Confounded;

const CARD: Card = Card {
    id: "confounded",
    kind: Kind::Crime,
    title: "nothing else differs between what is compared",
    needs: &["differs_also"],
    explain: "What differs between two arms besides what is compared may be the reason of the difference (van der Kouwe D3; Heiser). A claim that names a reason falls with it; a comparison of products has a footnote.",
};

impl Check for Confounded {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let is_causal = subject.loaded.claims.claims.iter().any(|claim| claim.kind() == ClaimKind::Cause);
        let worse = if is_causal { Outcome::Fail } else { Outcome::Warn };
        let also = match &subject.evidence {
            Some(evidence) => evidence.results.hidden_differences.clone(),
            None => match subject.items("differs_also") {
                Some(also) => also,
                None => return judge::or_skip(&CARD, vec![]),
            },
        };
        if also.is_empty() {
            let words = "no fact is known that differs and was not declared".to_owned();
            return vec![judge::remark(&CARD, Outcome::Pass, "facts", words)];
        }
        let words = |one: &String| format!("{one}: it differs, and the comparison is not about it");
        also.iter().map(|one| judge::remark(&CARD, worse, "facts", words(one))).collect()
    }
}
