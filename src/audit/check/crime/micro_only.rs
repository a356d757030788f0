//! micro-only: small tests do not stand for all work.

use crate::audit::check::{Card, Check};
use crate::audit::{Finding, Kind, Outcome, Subject, judge};
use crate::claims::Kind as ClaimKind;

/// Programs that make a load of their own.
const SYNTHETIC: &[&str] = &["fio", "diskspd", "vdbench", "crystaldiskmark", "iperf3", "netperf", "ntttcp", "sysbench"];

/// small tests do not stand for all work.
pub(in crate::audit::check) struct MicroOnly;

const CARD: Card = Card {
    id: "micro-only",
    kind: Kind::Crime,
    title: "small tests do not stand for all work",
    needs: &["synthetic"],
    explain: "A micro-benchmark measures one path. That something is faster overall does not follow from it (van der Kouwe B1); a claim should name the load that it is of.",
};

impl Check for MicroOnly {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let is_synthetic = match &subject.evidence {
            Some(evidence) => evidence.plan.cases.iter().all(|case| SYNTHETIC.contains(&case.tool.as_str())),
            None if subject.word("synthetic").is_none() => return judge::or_skip(&CARD, vec![]),
            None => subject.word("synthetic").is_some_and(|word| word == "true"),
        };
        let is_broad = |text: &str| {
            let text = text.to_lowercase();
            ["performance", "overall", "in general", "best choice"].iter().any(|word| text.contains(word))
        };
        let claims = subject.loaded.claims.claims.iter();
        let broad = claims.filter(|claim| claim.kind() == ClaimKind::Comparison && is_broad(&claim.text));
        let mut findings: Vec<Finding> = broad
            .filter(|_| is_synthetic)
            .map(|claim| {
                let words = "it speaks of performance as such, and only synthetic loads were measured".to_owned();
                judge::remark(&CARD, Outcome::Warn, claim.id.value.as_str(), words)
            })
            .collect();
        if findings.is_empty() {
            let words = "no claim goes beyond the loads that were measured".to_owned();
            findings.push(judge::remark(&CARD, Outcome::Pass, "claims", words));
        }
        findings
    }
}
