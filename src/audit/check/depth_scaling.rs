//! L5: a deeper queue gains no more than its depth.

use super::{Card, Check, Comparison};
use crate::audit::ladder::ladders;
use crate::audit::{Finding, Kind, Subject, judge};
use crate::exact::Exact;
use crate::interval::Interval;
use crate::printed::Dim;

/// a deeper queue gains no more than its depth.
pub(super) struct DepthScaling;

const CARD: Card = Card {
    id: "L5",
    kind: Kind::Suspicion,
    title: "a deeper queue gains no more than its depth",
    needs: &["iops", "outstanding"],
    explain: "N operations in flight do at most N times what one does, and each takes no less time: more means that operations were merged, or that a cache answered.",
};

impl Check for DepthScaling {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let mut findings = vec![];
        for ladder in ladders(subject) {
            for pair in ladder.steps.windows(2) {
                let Some(factor) = pair[1].depth.divide(&pair[0].depth) else { continue };
                // single measurements scatter
                let slack = Interval::exactly(Exact::from_ratio(11, 10));
                let most = &(&pair[0].iops * &Interval::exactly(factor)) * &slack;
                let rate = Dim { bytes: 0, seconds: -1 };
                let gained = Comparison::at_most(
                    ("IOPS", pair[1].iops.clone()),
                    ("those of the step before by the depth, and 10 %", most),
                    rate,
                );
                findings.push(judge::of_table(&CARD, pair[1].place.clone(), &gained));
                if let (Some(before), Some(after)) = (&pair[0].latency, &pair[1].latency) {
                    let slack = &Interval::exactly(Exact::from_ratio(21, 20)) * after;
                    let time = Dim { bytes: 0, seconds: 1 };
                    let waited = Comparison::at_most(
                        ("the latency of the step before", before.clone()),
                        ("the latency, and 5 %", slack),
                        time,
                    );
                    findings.push(judge::of_table(&CARD, pair[1].place.clone(), &waited));
                }
            }
        }
        judge::or_skip(&CARD, findings)
    }
}
