//! D7: t and its degrees of freedom give p.

use super::{Card, Check, Comparison};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::exact::Exact;
use crate::interval::Interval;
use crate::printed::Dim;

/// t and its degrees of freedom give p.
pub(super) struct TAndP;

const CARD: Card = Card {
    id: "D7",
    kind: Kind::Hard,
    title: "t and its degrees of freedom give p",
    needs: &["t", "freedom", "p"],
    explain: "The two-sided p of Student's t follows from t and the degrees of freedom (Nuijten et al., Behavior Research Methods 48 (2016) 1205). A one-sided p is half of it, which is named `one_sided: true`.",
};

impl Check for TAndP {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let (t, freedom) = (row.get("t")?, row.positive("freedom")?);
            let tail = |t: f64| crate::statistics::student_t_tail(t.abs(), freedom.low().to_float());
            let ends = [t.low().to_float(), t.high().to_float()].map(f64::abs);
            let sides = if row.is("one_sided") { 1.0 } else { 2.0 };
            let least = if t.low().is_negative() && !t.high().is_negative() { 0.0 } else { ends[0].min(ends[1]) };
            let (low, high) = (tail(ends[0].max(ends[1]))? * sides, tail(least)? * sides);
            // beyond what the computed tail may be off
            let outward =
                Interval::new(Exact::from_float(low * 0.999_999)?, Exact::from_float((high * 1.000_001).min(1.0))?);
            Some(Comparison::equal(("p of t", outward), ("p", row.get("p")?), Dim::NONE))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
