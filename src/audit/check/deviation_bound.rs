//! D4: range and mean bound the deviation.

use super::{Card, Check, Comparison, one};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::printed::Dim;

/// deviation ≤ what range and mean allow.
pub(super) struct DeviationBound;

const CARD: Card = Card {
    id: "D4",
    kind: Kind::Hard,
    title: "deviation ≤ what range and mean allow",
    needs: &["sd", "mean", "minimum", "maximum", "n"],
    explain: "The variance of n values is at most n ÷ (n − 1) · (max − mean)(mean − min) (Bhatia and Davis 2000).",
};

impl Check for DeviationBound {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let (sd, mean) = (row.get("sd")?, row.get("mean")?);
            let (least, most, n) = (row.get("minimum")?, row.get("maximum")?, row.positive("n")?);
            let room = &(&most - &mean) * &(&mean - &least);
            let bound = &n.divide(&(&n - &one()))? * &room;
            Some(Comparison::at_most(
                ("the variance", &sd * &sd),
                ("n ÷ (n − 1) · (max − mean)(mean − min)", bound),
                Dim::NONE,
            ))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
