//! L6: a full queue waits at least its depth by the greatest rate.

use super::{Card, Check, Comparison};
use crate::audit::ladder::ladders;
use crate::audit::{Finding, Kind, Subject, judge};
use crate::exact::Exact;
use crate::interval::Interval;
use crate::printed::Dim;

/// a full queue waits at least its depth by the greatest rate.
pub(super) struct Asymptote;

const CARD: Card = Card {
    id: "L6",
    kind: Kind::Suspicion,
    title: "a full queue waits at least its depth by the greatest rate",
    needs: &["iops", "latency_mean", "outstanding"],
    explain: "With N operations always in flight and no more than X of them done in a second, each takes N ÷ X or more (Denning and Buzen, Computing Surveys 10 (1978) 225). It is asked only where the queue is full: IOPS × latency of at least 0.8 N.",
};

impl Check for Asymptote {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let mut findings = vec![];
        for ladder in ladders(subject) {
            let Some(most) = ladder.steps.iter().map(|step| step.iops.clone()).reduce(|one, other| one.max(&other))
            else {
                continue;
            };
            for step in &ladder.steps {
                let Some(latency) = &step.latency else { continue };
                let in_flight = &step.iops * latency;
                if *in_flight.low() < &step.depth * &Exact::from_ratio(4, 5) {
                    continue;
                }
                let Some(least) = Interval::exactly(step.depth.clone()).divide(&most) else { continue };
                let slack = &Interval::exactly(Exact::from_ratio(21, 20)) * latency;
                let compared = Comparison::at_most(
                    ("N ÷ the greatest IOPS", least),
                    ("the latency, and 5 %", slack),
                    Dim { bytes: 0, seconds: 1 },
                );
                findings.push(judge::of_table(&CARD, step.place.clone(), &compared));
            }
        }
        judge::or_skip(&CARD, findings)
    }
}
