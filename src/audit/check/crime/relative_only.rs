//! relative-only: ratios stand beside what they are of.

use crate::audit::check::{Card, Check};
use crate::audit::{Finding, Kind, Outcome, Subject, judge};
use crate::claims::Table;

/// ratios stand beside what they are of.
pub(in crate::audit::check) struct RelativeOnly;

const CARD: Card = Card {
    id: "relative-only",
    kind: Kind::Crime,
    title: "ratios stand beside what they are of",
    needs: &["gain", "value", "baseline"],
    explain: "A ratio without the two numbers it is of can not be checked, and hides whether both are far from what the thing should do (Heiser; van der Kouwe F4).",
};

impl Check for RelativeOnly {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let ratios = ["gain", "times", "reduction", "latency_cut", "iops_gain", "throughput_loss"];
        let absolutes =
            ["value", "baseline", "iops", "bandwidth", "latency_mean", "read_iops", "write_iops", "median", "mean"];
        let of_table = |table: &Table| {
            let has = |roles: &[&str]| {
                let mut used = table.columns.iter().filter_map(|column| column.role.as_deref());
                used.any(|role| roles.contains(&role))
            };
            has(&ratios).then(|| {
                let (verdict, words) = match has(&absolutes) {
                    true => (Outcome::Pass, "the numbers that its ratios are of stand in it"),
                    false => (Outcome::Fail, "its ratios stand alone"),
                };
                judge::remark(&CARD, verdict, &table.name, words.to_owned())
            })
        };
        let mut findings: Vec<Finding> = subject.loaded.tables.iter().filter_map(of_table).collect();
        if let Some((path, map)) = subject.evidence.as_ref().and_then(|evidence| evidence.paper.as_ref()) {
            let has = |ending: &str| map.entries.iter().any(|entry| entry.name.ends_with(ending));
            if has("/change") {
                let verdict = if has("/median") { Outcome::Pass } else { Outcome::Fail };
                findings.push(judge::remark(
                    &CARD,
                    verdict,
                    "paper",
                    format!("{path}: changes, and the medians that they are of"),
                ));
            }
        }
        judge::or_skip(&CARD, findings)
    }
}
