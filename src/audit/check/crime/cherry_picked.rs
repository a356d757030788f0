//! cherry-picked: no run was picked by its number.

use crate::audit::check::{Card, Check};
use crate::audit::{Finding, Kind, Outcome, Subject, judge};
use crate::results::CaseResults;

/// no run was picked by its number.
pub(in crate::audit::check) struct CherryPicked;

const CARD: Card = Card {
    id: "cherry-picked",
    kind: Kind::Crime,
    title: "no run was picked by its number",
    needs: &["reported"],
    explain: "The best of several runs is not what a reader will get, and measuring until it looks right makes any p wrong: which runs count must be fixed before they are seen (van der Kouwe; SIGPLAN).",
};

impl Check for CherryPicked {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let Some(evidence) = &subject.evidence else {
            let finding = subject.word("reported").map(|word| {
                let is_picked = word.to_lowercase().contains("best") || word.to_lowercase().contains("fastest");
                let words = format!("what is reported of several runs: {word}");
                judge::remark(&CARD, if is_picked { Outcome::Fail } else { Outcome::Pass }, "reported", words)
            });
            return judge::or_skip(&CARD, finding.into_iter().collect());
        };
        let marked: Vec<String> = evidence
            .results
            .not_ok
            .iter()
            .filter(|attempt| attempt.reason.starts_with("marked by "))
            .map(|attempt| format!("{} #{}: {}", attempt.case, attempt.replicate, attempt.reason))
            .collect();
        let mut findings: Vec<Finding> = marked
            .into_iter()
            .map(|words| {
                judge::remark(
                    &CARD,
                    Outcome::Warn,
                    "attempts",
                    format!("a finished attempt was set aside by a person: {words}"),
                )
            })
            .collect();
        let later: Vec<String> = evidence.results.cases.iter().filter_map(added_later).collect();
        if let Some(first) = later.first() {
            let words = format!(
                "{} cases have replicates that were added in a later run, such as {first}: who added them may have seen the earlier ones",
                later.len()
            );
            findings.push(judge::remark(&CARD, Outcome::Warn, "replicates", words));
        }
        if findings.is_empty() {
            let words =
                "the first usable attempt of each job counts, and all replicates were planned before".to_owned();
            findings.push(judge::remark(&CARD, Outcome::Pass, "attempts", words));
        }
        findings
    }
}

/// A case whose replicates come from several runs, each of which measured some of them only.
fn added_later(case: &CaseResults) -> Option<String> {
    let samples = &case.metrics.first()?.samples;
    let first = samples.first()?.run;
    let later = samples.iter().filter(|sample| sample.run != first && sample.origin.is_measured()).count();
    (later > 0).then(|| format!("{} ({later} of {})", case.case.label(), samples.len()))
}
