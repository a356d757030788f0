//! subset: all that was planned is reported.

use crate::audit::Evidence;
use crate::audit::check::{Card, Check};
use crate::audit::{Finding, Kind, Outcome, Subject, judge};
use crate::exact::Exact;

/// all that was planned is reported.
pub(in crate::audit::check) struct Subset;

const CARD: Card = Card {
    id: "subset",
    kind: Kind::Crime,
    title: "all that was planned is reported",
    needs: &["planned", "cases"],
    explain: "Reporting a part of what was measured, or of a standard suite, lets the rest say anything (Heiser, selective benchmarking; van der Kouwe A2). Each case that is left out needs its reason.",
};

impl Check for Subset {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let mut findings = vec![];
        if let (Some(planned), Some(cases)) = (subject.number("planned"), subject.number("cases")) {
            let excluded = subject.number("excluded").unwrap_or_else(|| Exact::from_integer(0));
            let left = &(&planned - &cases) - &excluded;
            let is_all = left.is_zero() || left.is_negative();
            let words = format!(
                "{} were planned, {} are reported, {} are left out with a reason",
                planned.round(0),
                cases.round(0),
                excluded.round(0)
            );
            findings.push(judge::remark(&CARD, if is_all { Outcome::Pass } else { Outcome::Fail }, "cases", words));
        }
        if let Some(evidence) = &subject.evidence {
            findings.extend(of_experiment(evidence));
        }
        judge::or_skip(&CARD, findings)
    }
}

fn of_experiment(evidence: &Evidence<'_>) -> Vec<Finding> {
    let mut findings = vec![];
    let (jobs, missing) = (evidence.plan.jobs.len(), evidence.results.missing);
    let words = format!("{missing} of {jobs} planned jobs have no usable result");
    findings.push(judge::remark(&CARD, if missing == 0 { Outcome::Pass } else { Outcome::Fail }, "plan", words));
    if let Some((path, map)) = &evidence.paper {
        let is_printed = |label: &str| map.entries.iter().any(|entry| entry.name.contains(&format!("/{label}/")));
        let labels: Vec<String> = evidence.results.matrix().map(|case| case.case.label()).collect();
        let silent: Vec<&String> = labels.iter().filter(|label| !is_printed(label)).collect();
        let (verdict, words) = match silent.as_slice() {
            [] => (Outcome::Pass, format!("all {} cases have numbers in {path}", labels.len())),
            [first, ..] => (
                Outcome::Fail,
                format!("{} of {} cases have no number in {path}, such as {first}", silent.len(), labels.len()),
            ),
        };
        findings.push(judge::remark(&CARD, verdict, "paper", words));
    }
    findings
}
