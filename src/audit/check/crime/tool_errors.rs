//! tool-errors: errors of the tools are not passed over.

use crate::audit::check::{Card, Check};
use crate::audit::{Finding, Kind, Outcome, Subject, judge};

/// errors of the tools are not passed over.
pub(in crate::audit::check) struct ToolErrors;

const CARD: Card = Card {
    id: "tool-errors",
    kind: Kind::Crime,
    title: "errors of the tools are not passed over",
    needs: &["tool_errors"],
    explain: "A job that reports errors, short or dropped operations did other work than the one that it is compared with.",
};

impl Check for ToolErrors {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let mut findings = vec![];
        if let Some(evidence) = &subject.evidence {
            if let Some(first) = evidence.damaged.first() {
                let words = format!("{} results can not be read, the first: {}", evidence.damaged.len(), first.error);
                findings.push(judge::remark(&CARD, Outcome::Fail, "record", words));
            }
            let failed = &evidence.results.not_ok;
            let (verdict, words) = match failed.as_slice() {
                [] => (Outcome::Pass, format!("none of {} attempts failed or was invalid", evidence.results.attempts)),
                [first, ..] => (
                    Outcome::Warn,
                    format!(
                        "{} of {} attempts are not ok and count nowhere, such as {} #{}: {}",
                        failed.len(),
                        evidence.results.attempts,
                        first.case,
                        first.replicate,
                        first.reason
                    ),
                ),
            };
            findings.push(judge::remark(&CARD, verdict, "attempts", words));
        }
        if let Some(errors) = subject.number("tool_errors") {
            let words = format!("{} errors of the tool", errors.round(0));
            findings.push(judge::remark(
                &CARD,
                if errors.is_zero() { Outcome::Pass } else { Outcome::Fail },
                "tool_errors",
                words,
            ));
        }
        judge::or_skip(&CARD, findings)
    }
}
