//! G8: cases take their time.

use super::{Card, Check, Comparison, exactly, one};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::printed::Dim;

/// cases × time of a case ≤ the time there was.
pub(super) struct TimeBudget;

const CARD: Card = Card {
    id: "G8",
    kind: Kind::Hard,
    title: "cases × time of a case ≤ the time there was",
    needs: &["cases", "runtime", "window"],
    explain: "Ramp, run time and pause of every case and replicate take at least their sum, by the number that run at once.",
};

impl Check for TimeBudget {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let nothing = || exactly(0);
            let of = |role: &str| row.get(role).unwrap_or_else(nothing);
            let case = &(&row.positive("runtime")? + &of("ramp")) + &of("pause");
            let replicates = row.positive("replicates").unwrap_or_else(one);
            let all = &(&row.positive("cases")? * &case) * &replicates;
            let all = all.divide(&row.positive("parallel").unwrap_or_else(one))?;
            let window = row.positive("window")?;
            Some(Comparison::at_most(
                ("cases × time of a case", all),
                ("the time there was", window),
                Dim { bytes: 0, seconds: 1 },
            ))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
