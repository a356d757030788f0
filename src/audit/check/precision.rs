//! G11: digits end where the noise begins.

use super::{Card, Check, Comparison};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::exact::Exact;
use crate::interval::Interval;
use crate::printed::Dim;

/// digits end where the noise begins.
pub(super) struct Precision;

const CARD: Card = Card {
    id: "G11",
    kind: Kind::Suspicion,
    title: "digits end where the noise begins",
    needs: &["mean", "ci_half"],
    explain: "Digits far below the interval say nothing: 401,873 with an interval of five percent has three too many.",
};

impl Check for Precision {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let (mean, half) = (row.get("mean").or_else(|| row.get("value"))?, row.positive("ci_half")?);
            let hundredth = &half * &Interval::exactly(Exact::from_ratio(1, 1000));
            let digit = Interval::exactly(mean.width());
            (!mean.width().is_zero()).then(|| {
                Comparison::at_most(
                    ("a thousandth of half the interval", hundredth),
                    ("one in the last digit", digit),
                    Dim::NONE,
                )
            })
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
