//! U5: a mean block lies between the least and the greatest.

use super::{Card, Check, Comparison};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::printed::Dim;

/// bandwidth ÷ IOPS lies between the block sizes.
pub(super) struct EffectiveBlock;

const CARD: Card = Card {
    id: "U5",
    kind: Kind::Hard,
    title: "bandwidth ÷ IOPS lies between the block sizes",
    needs: &["iops", "bandwidth", "block_size_min", "block_size_max"],
    explain: "With blocks of several sizes the mean block is bandwidth ÷ IOPS, and no mean lies outside of what it is of.",
};

impl Check for EffectiveBlock {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let mean = row.positive("bandwidth")?.divide(&row.positive("iops")?)?;
            let (least, most) = (row.positive("block_size_min")?, row.positive("block_size_max")?);
            let size = Dim { bytes: 1, seconds: 0 };
            Some(vec![
                Comparison::at_most(("bandwidth ÷ IOPS", mean.clone()), ("the greatest block", most), size),
                Comparison::at_most(("the least block", least), ("bandwidth ÷ IOPS", mean), size),
            ])
        };
        found().unwrap_or_default()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
