//! U6: a latency a thousand times off is in another unit.

use super::{Card, Check, Comparison, one};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::exact::Exact;
use crate::interval::Interval;
use crate::printed::Dim;

/// latency is in the unit it says.
pub(super) struct TimeLadder;

const CARD: Card = Card {
    id: "U6",
    kind: Kind::Suspicion,
    title: "latency is in the unit it says",
    needs: &["iops", "latency_mean", "outstanding"],
    explain: "IOPS × mean latency is the number of operations in flight. Where it is a thousand times too small or too great, ms, µs and ns were mixed up.",
};

impl Check for TimeLadder {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let product = &row.positive("iops")? * &row.positive("latency_mean")?;
            let ratio = product.divide(&row.outstanding()?)?;
            // a thousandfold in either direction, within a factor of four
            let is_near = |power: i32| {
                let scale = Exact::ten_to(power);
                let near = Interval::new(&scale * &Exact::from_ratio(1, 4), &scale * &Exact::from_integer(4));
                ratio.overlaps(&near)
            };
            let is_off = [-9, -6, -3, 3, 6, 9].into_iter().any(is_near);
            let right = if is_off { one() } else { ratio.clone() };
            let against =
                if is_off { "what units of time a thousand times off would not give:" } else { "no thousandfold:" };
            Some(Comparison::equal(("IOPS × latency ÷ operations in flight", ratio), (against, right), Dim::NONE))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
