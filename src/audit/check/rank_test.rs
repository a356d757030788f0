//! G10: n bounds p.

use super::{Card, Check, Comparison};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::exact::Exact;
use crate::interval::Interval;
use crate::printed::Dim;

/// p is not below what n allows.
pub(super) struct RankTest;

const CARD: Card = Card {
    id: "G10",
    kind: Kind::Hard,
    title: "p is not below what n allows",
    needs: &["n", "p", "test"],
    explain: "The smallest two-sided p of the exact Mann-Whitney test with n values each is 2 ÷ C(2n, n), of the signed-rank test 2 ÷ 2^n: three against three never reach 0.05.",
};

impl Check for RankTest {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let n = row.positive("n")?.low().to_u64().filter(|n| (1..=60).contains(n))?;
            let ways = match row.word("test")?.as_str() {
                "mann-whitney" => (1..=n).fold(Exact::from_integer(1), |ways, k| &ways * &Exact::from_ratio(n + k, k)),
                "signed-rank" => Exact::two_to(n as u32),
                _ => return None,
            };
            let sides = if row.is("one_sided") { 1 } else { 2 };
            let least = Interval::exactly(Exact::from_integer(sides).divide(&ways)?);
            Some(Comparison::at_most(("the smallest p", least), ("p", row.get("p")?), Dim::NONE))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
