//! G7: every comparison has an outcome.

use super::{Card, Check, Comparison, exactly};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::printed::Dim;

/// wins + losses + ties = n.
pub(super) struct Outcomes;

const CARD: Card = Card {
    id: "G7",
    kind: Kind::Hard,
    title: "wins + losses + ties = n",
    needs: &["wins", "losses", "n"],
    explain: "Every comparison is won, lost or tied: 19 won and 6 lost are 25, not 24.",
};

impl Check for Outcomes {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let w = row.get("wins")?;
            let l = row.get("losses")?;
            let t = row.get("ties").unwrap_or(exactly(0));
            let n = row.positive("n")?;
            Some(Comparison::equal(("wins + losses + ties", &(&w + &l) + &t), ("n", n), Dim::NONE))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
