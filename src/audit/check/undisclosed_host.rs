//! P17: what disturbs a host is disclosed.

use super::{Card, Check};
use crate::audit::{Finding, Kind, Outcome, Subject, judge};

/// What a context may say of it.
const FACTS: &[&str] = &["steal", "numa", "turbo", "neighbours"];

/// what disturbs a host is disclosed.
pub(super) struct UndisclosedHost;

const CARD: Card = Card {
    id: "P17",
    kind: Kind::Suspicion,
    title: "what disturbs a host is disclosed",
    needs: &["steal", "numa", "turbo"],
    explain: "Time stolen by other guests, memory of another node, turbo and neighbours change results by more than most gains that are published.",
};

impl Check for UndisclosedHost {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let Some(evidence) = &subject.evidence else {
            let said: Vec<&str> = FACTS.iter().copied().filter(|fact| subject.fact(fact).is_some()).collect();
            let silent: Vec<&str> = FACTS
                .iter()
                .copied()
                .filter(|fact| subject.loaded.claims.undisclosed.iter().any(|one| one == fact))
                .collect();
            let findings = match (said.as_slice(), silent.as_slice()) {
                ([], []) => vec![],
                (said, []) => {
                    vec![judge::remark(&CARD, Outcome::Pass, "host", format!("disclosed: {}", said.join(", ")))]
                }
                (_, silent) => {
                    vec![judge::remark(&CARD, Outcome::Warn, "host", format!("not disclosed: {}", silent.join(", ")))]
                }
            };
            return judge::or_skip(&CARD, findings);
        };
        let is_known = |path: &str| evidence.results.facts.0.get(path).is_some_and(|fact| fact.value().is_some());
        let silent: Vec<&str> =
            ["cpu.numa_nodes", "cpu.smt", "virtualization.role"].into_iter().filter(|path| !is_known(path)).collect();
        let (verdict, words) = match silent.as_slice() {
            [] => (Outcome::Pass, "nodes, threads and virtualisation of the host are known".to_owned()),
            silent => (Outcome::Warn, format!("not known of the host: {}", silent.join(", "))),
        };
        vec![judge::remark(&CARD, verdict, "host", words)]
    }
}
