//! durability: what is written is safe in all arms.

use crate::audit::check::{Card, Check};
use crate::audit::{Finding, Kind, Outcome, Subject, judge};
use crate::plan::Case;

/// what is written is safe in all arms.
pub(in crate::audit::check) struct Durability;

const CARD: Card = Card {
    id: "durability",
    kind: Kind::Crime,
    title: "what is written is safe in all arms",
    needs: &["arms"],
    explain: "Where one arm makes its writes durable and the other does not, the difference is the price of safety (Heiser; SIGPLAN). Cache modes, fsync, barriers and flushes are the same, or are what is compared.",
};

impl Check for Durability {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let words = ["sync", "fsync", "barriers", "flush", "durable", "host_cache", "write_cache", "cache"];
        let Some(evidence) = &subject.evidence else {
            let claims = &subject.loaded.claims;
            let is_treated = |name: &str| claims.treatment.iter().any(|one| one.as_str() == name);
            let mut findings = vec![];
            for name in words.iter().filter(|name| !is_treated(name)) {
                let said: Vec<(String, String)> = claims
                    .arms
                    .iter()
                    .filter_map(|(arm, facts)| Some((arm.value.to_string(), facts.get(name)?.text())))
                    .collect();
                if said.len() < 2 {
                    continue;
                }
                let is_alike = said.windows(2).all(|pair| pair[0].1 == pair[1].1);
                let shown = said.iter().map(|(arm, text)| format!("{arm}: {text}")).collect::<Vec<_>>().join("; ");
                findings.push(judge::remark(
                    &CARD,
                    if is_alike { Outcome::Pass } else { Outcome::Fail },
                    name,
                    format!("{name} by arm. {shown}"),
                ));
            }
            return judge::or_skip(&CARD, findings);
        };
        let Some(factor) = crate::plan::compared_factor(evidence.experiment) else {
            return judge::or_skip(&CARD, vec![]);
        };
        if words.iter().any(|word| factor.contains(word)) {
            return vec![judge::remark(&CARD, Outcome::Pass, &factor, "it is what is compared".to_owned())];
        }
        let mut safety: std::collections::BTreeMap<String, std::collections::BTreeSet<String>> = Default::default();
        for case in evidence.plan.cases.iter().filter(|case| case.noise.is_none()) {
            let Some(level) = case.factors.get(&factor) else { continue };
            safety.entry(level.clone()).or_default().insert(of_case(case));
        }
        let distinct: std::collections::BTreeSet<_> = safety.values().collect();
        let shown = safety
            .iter()
            .map(|(level, words)| format!("{level}: {}", words.iter().cloned().collect::<Vec<_>>().join(" or ")));
        let shown = shown.collect::<Vec<_>>().join("; ");
        let verdict = if distinct.len() < 2 { Outcome::Pass } else { Outcome::Fail };
        vec![judge::remark(&CARD, verdict, &factor, format!("what makes writes durable, by {factor}. {shown}"))]
    }
}

/// All settings of a case that decide whether its writes are durable.
fn of_case(case: &Case) -> String {
    let options = case.settings.stored().get("options").and_then(serde_json::Value::as_object);
    let mut said: Vec<String> = options
        .into_iter()
        .flatten()
        .filter(|(name, _)| name.contains("sync") && !name.starts_with("cpus"))
        .map(|(name, value)| format!("{name}={}", value.as_str().map_or_else(|| value.to_string(), str::to_owned)))
        .collect();
    said.extend(case.guest.iter().flat_map(|guest| &guest.disks).map(|disk| format!("cache={}", disk.cache)));
    said.sort();
    said.dedup();
    if said.is_empty() { "nothing is said".to_owned() } else { said.join(" ") }
}
