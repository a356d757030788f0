//! L4: at one queue depth more IOPS are less latency.

use super::{Card, Check, Comparison, one};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::exact::Exact;
use crate::interval::Interval;
use crate::printed::Dim;

/// IOPS gain and latency cut are one.
pub(super) struct GainAndCut;

const CARD: Card = Card {
    id: "L4",
    kind: Kind::Hard,
    title: "IOPS gain and latency cut are one",
    needs: &["iops_gain", "latency_cut"],
    explain: "At the same number of operations in flight IOPS × latency is the same, so a gain g means a cut of g ÷ (1 + g): +38 % is −27.5 %. Of averages over cases only one side holds: the mean cut is at most ḡ ÷ (1 + ḡ).",
};

impl Check for GainAndCut {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let (gain, cut) = (row.positive("iops_gain")?, row.positive("latency_cut")?);
            let bound = gain.divide(&(&one() + &gain))?;
            // what an operation costs outside of its latency moves both a little
            let about = Interval::new(Exact::from_ratio(4, 5), Exact::from_ratio(6, 5));
            let sides = (("the latency cut", cut), ("gain ÷ (1 + gain), within a fifth", &bound * &about));
            Some(match row.is("averaged") {
                true => Comparison::at_most(sides.0, sides.1, Dim::NONE),
                false => Comparison::equal(sides.0, sides.1, Dim::NONE),
            })
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
