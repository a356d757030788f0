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
        let steps: Vec<(f64, String, crate::claims::Place)> = ladders(subject)
            .iter()
            .filter_map(|ladder| {
                let [.., before, last] = ladder.steps.as_slice() else { return None };
                let gain = last.iops.low().to_float() / before.iops.high().to_float() - 1.0;
                let step = format!("from {} to {} in flight", before.depth.round(0), last.depth.round(0));
                Some((gain, step, last.place.clone()))
            })
            .collect();
        let growing: Vec<_> = steps.iter().filter(|(gain, ..)| *gain > STILL_GROWING).collect();
        let least = growing.iter().map(|(gain, ..)| *gain).fold(f64::INFINITY, f64::min);
        let findings = match (growing.first(), steps.first()) {
            (Some((_, step, place)), _) => {
                let (count, all) = (growing.len(), steps.len());
                let words = format!(
                    "{step} IOPS still grow, by {:.0} % or more in {count} of {all} series like it",
                    least * 100.0
                );
                vec![judge::blank(&CARD, Outcome::Warn, place.clone(), words)]
            }
            (None, Some((_, step, place))) => {
                vec![judge::blank(&CARD, Outcome::Pass, place.clone(), format!("{step} little is gained"))]
            }
            (None, None) => vec![],
        };
        judge::or_skip(&CARD, findings)
    }
}
