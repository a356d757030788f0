//! D10: repetitions spread.

use super::{Card, Check, Comparison};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::exact::Exact;
use crate::interval::Interval;
use crate::printed::Dim;

/// repetitions spread.
pub(super) struct TooSteady;

const CARD: Card = Card {
    id: "D10",
    kind: Kind::Suspicion,
    title: "repetitions spread",
    needs: &["sd", "mean", "n"],
    explain: "Ten runs of a real machine that agree to a part in ten thousand are rare: a limit, a rounding or a copy may be the reason.",
};

impl Check for TooSteady {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let (mean, sd) = (row.positive("mean")?, row.get("sd")?);
            let n = row.positive("n")?;
            if n.low().to_u64()? < 5 {
                return None;
            }
            let floor = &mean * &Interval::exactly(Exact::from_ratio(1, 10_000));
            Some(Comparison::at_most(("a ten-thousandth of the mean", floor), ("the deviation", sd), Dim::NONE))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
