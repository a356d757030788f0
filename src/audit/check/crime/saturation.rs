//! saturation: the range goes on until nothing is gained.

use crate::audit::check::{Card, Check};
use crate::audit::ladder::ladders;
use crate::audit::{Finding, Kind, Outcome, Subject, judge};

/// From which share of growth on the last step counts as no limit.
const STILL_GROWING: f64 = 0.10;

/// the range goes on until nothing is gained.
pub(in crate::audit::check) struct Saturation;

const CARD: Card = Card {
    id: "saturation",
    kind: Kind::Crime,
    title: "the range goes on until nothing is gained",
    needs: &["iops", "outstanding"],
    explain: "Where the last step of a queue depth still adds IOPS, the limit was not found, and what saturates first may rank otherwise there (van der Kouwe A3).",
};

impl Check for Saturation {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let mut findings: Vec<Finding> = vec![];
        for ladder in ladders(subject) {
            let [.., before, last] = ladder.steps.as_slice() else { continue };
            let gain = last.iops.low().to_float() / before.iops.high().to_float() - 1.0;
            let (from, to) = (before.depth.round(0), last.depth.round(0));
            let (verdict, words) = match gain > STILL_GROWING {
                true => (
                    Outcome::Warn,
                    format!("from {from} to {to} in flight IOPS still grow by at least {:.0} %", gain * 100.0),
                ),
                false => (Outcome::Pass, format!("from {from} to {to} in flight little is gained")),
            };
            findings.push(judge::blank(&CARD, verdict, last.place.clone(), words));
        }
        let (growing, rest): (Vec<Finding>, Vec<Finding>) =
            findings.into_iter().partition(|one| one.verdict == Outcome::Warn);
        // one question is enough
        let count = growing.len();
        let first = growing.into_iter().next().map(|first| Finding {
            detail: format!("{}; {count} of {} do", first.detail, count + rest.len()),
            ..first
        });
        let findings = first.map_or(rest, |first| vec![first]);
        judge::or_skip(&CARD, findings)
    }
}
