//! unfair-competitor: arms are treated alike.

use crate::audit::check::{Card, Check};
use crate::audit::{Evidence, Finding, Kind, Outcome, Subject, judge};

/// arms are treated alike.
pub(in crate::audit::check) struct UnfairCompetitor;

const CARD: Card = Card {
    id: "unfair-competitor",
    kind: Kind::Crime,
    title: "arms are treated alike",
    needs: &["arms"],
    explain: "What is done to one arm and not to the other (tuning, reboots, ramp, version) may be what is measured (van der Kouwe D3). It is worse where the favoured arm is the one that comes out best. What the comparison is about is named as `treatment` and does not count.",
};

impl Check for UnfairCompetitor {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        if let Some(evidence) = &subject.evidence {
            return judge::or_skip(&CARD, of_experiment(evidence).into_iter().collect());
        }
        let claims = &subject.loaded.claims;
        let favours = claims.paper.favours.as_ref().map(|name| name.value.to_string());
        let mut findings = vec![];
        let names: std::collections::BTreeSet<&str> = claims.arms.iter().flat_map(|(_, facts)| facts.names()).collect();
        for name in names.into_iter().filter(|name| !claims.treatment.iter().any(|one| one.as_str() == *name)) {
            let of_arm = |facts: &crate::manifest::shape::Map<crate::claims::Fact>| {
                facts.get(name).map(|fact| fact.items()).unwrap_or_default()
            };
            let arms: Vec<(String, Vec<String>)> =
                claims.arms.iter().map(|(arm, facts)| (arm.value.to_string(), of_arm(facts))).collect();
            let is_alike = arms.windows(2).all(|pair| pair[0].1 == pair[1].1);
            let words =
                |items: &[String]| if items.is_empty() { "nothing is said".to_owned() } else { items.join(", ") };
            let said =
                arms.iter().map(|(arm, items)| format!("{arm}: {}", words(items))).collect::<Vec<_>>().join("; ");
            let treated = arms.iter().max_by_key(|(_, items)| items.len()).map(|(arm, _)| arm.clone());
            let verdict = match (is_alike, treated == favours && favours.is_some()) {
                (true, _) => Outcome::Pass,
                (false, true) if name == "tuning" => Outcome::Fail,
                (false, _) => Outcome::Warn,
            };
            findings.push(judge::blank(&CARD, verdict, Subject::place(name), format!("{name} differs by arm. {said}")));
        }
        judge::or_skip(&CARD, findings)
    }
}

/// Whether levels of what is compared have as many usable results as each other, of those that were planned.
fn of_experiment(evidence: &Evidence<'_>) -> Option<Finding> {
    let factor = crate::plan::compared_factor(evidence.experiment)?;
    let mut shares: std::collections::BTreeMap<&str, (usize, u64)> = Default::default();
    for case in evidence.results.matrix() {
        let level = case.case.factors.get(&factor)?;
        let share = shares.entry(level).or_default();
        share.0 += case.metrics.first().map_or(0, |metric| metric.samples.len());
        share.1 += case.case.replicates(&evidence.plan.settings);
    }
    let is_alike = shares.values().map(|(usable, planned)| planned.saturating_sub(*usable as u64)).collect::<Vec<_>>();
    let verdict = if is_alike.windows(2).all(|pair| pair[0] == pair[1]) { Outcome::Pass } else { Outcome::Warn };
    let said: Vec<String> =
        shares.iter().map(|(level, (usable, planned))| format!("{level}: {usable} of {planned}")).collect();
    Some(judge::remark(&CARD, verdict, &factor, format!("usable results by {factor}. {}", said.join("; "))))
}
