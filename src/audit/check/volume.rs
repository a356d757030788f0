//! U8: rate times time is volume.

use super::{Card, Check, Comparison};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::exact::Exact;
use crate::interval::Interval;
use crate::printed::Dim;

/// volume = rate × time.
pub(super) struct Volume;

const CARD: Card = Card {
    id: "U8",
    kind: Kind::Hard,
    title: "volume = rate × time",
    needs: &["duration", "bandwidth", "bytes"],
    explain: "Bandwidth × time is the data moved, IOPS × time the number of operations. The time is often the one that was asked for, and a test runs a little longer or shorter: one percent and half a second are allowed.",
};

impl Check for Volume {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let nearly = Interval::around(&Exact::from_integer(1), &Exact::from_ratio(1, 100));
        let moment = Interval::around(&Exact::from_integer(0), &Exact::from_ratio(1, 2));
        let one = |rate: &str, volume: &str, dim: Dim| {
            let time = &(&row.positive("duration")? * &nearly) + &moment;
            let product = &row.positive(rate)? * &time;
            if product.low().is_negative() {
                return None;
            }
            Some(Comparison::equal(("rate × time", product), ("the volume", row.positive(volume)?), dim))
        };
        let found = [one("bandwidth", "bytes", Dim { bytes: 1, seconds: 0 }), one("iops", "operations", Dim::NONE)];
        found.into_iter().flatten().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
