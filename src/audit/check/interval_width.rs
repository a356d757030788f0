//! D6: an interval follows from deviation and n.

use super::{Card, Check, Comparison, exactly};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::exact::Exact;
use crate::interval::Interval;
use crate::printed::Dim;

/// interval = t · deviation ÷ √n.
pub(super) struct IntervalWidth;

const CARD: Card = Card {
    id: "D6",
    kind: Kind::Hard,
    title: "interval = t · deviation ÷ √n",
    needs: &["ci_half", "sd", "n"],
    explain: "Half a 95 % interval of a mean is t(n − 1) · s ÷ √n: five values with s = 12 give ±14.9, not ±5. Another level or method must be said; the check compares squares.",
};

impl Check for IntervalWidth {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let n = row.positive("n")?.low().to_u64().filter(|n| (2..=10_000).contains(n))?;
            if row.word("interval_method").is_some_and(|method| method != "t") {
                return None;
            }
            let level = row.get("level").map_or(0.95, |level| level.low().to_float());
            let t = crate::statistics::student_t_quantile(f64::midpoint(1.0, level), (n - 1) as f64)?;
            let t = Exact::from_float(t)?;
            // the quantile is good to nine digits
            let t = Interval::around(&t, &(&t * &Exact::ten_to(-9)));
            let (half, sd) = (row.positive("ci_half")?, row.positive("sd")?);
            let square = &(&t * &t) * &(&sd * &sd);
            let square = square.divide(&exactly(n))?;
            Some(Comparison::equal(
                ("the square of t · s ÷ √n", square),
                ("the square of half the interval", &half * &half),
                Dim::NONE,
            ))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
