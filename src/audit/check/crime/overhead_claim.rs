//! overhead-claim: overhead is measured as work.

use crate::audit::check::{Card, Check};
use crate::audit::{Finding, Kind, Outcome, Subject, judge};

/// overhead is measured as work.
pub(in crate::audit::check) struct OverheadClaim;

const CARD: Card = Card {
    id: "overhead-claim",
    kind: Kind::Crime,
    title: "overhead is measured as work",
    needs: &["cpu", "latency_mean"],
    explain: "A fall of throughput is no overhead: where the load is bound by something else the work may have doubled without any fall, and a fall by d means overhead of d ÷ (1 − d) at best (van der Kouwe B2, B3). Load of processors or latency is needed.",
};

impl Check for OverheadClaim {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let claims = subject.loaded.claims.claims.iter().filter(|claim| claim.text.to_lowercase().contains("overhead"));
        let has_work = ["cpu", "latency_mean", "overhead", "cycles"].iter().any(|role| subject.prints(role));
        let findings = claims.map(|claim| {
            let (verdict, words) = match has_work {
                true => (Outcome::Pass, "load of processors or latency is reported"),
                false => {
                    (Outcome::Fail, "it speaks of overhead, and neither load of processors nor latency is reported")
                }
            };
            judge::remark(&CARD, verdict, claim.id.value.as_str(), words.to_owned())
        });
        judge::or_skip(&CARD, findings.collect())
    }
}
