//! L1: no more can be in flight than the queue holds.

use super::{Card, Check, Comparison, is_several, one};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::printed::Dim;

/// IOPS × mean latency ≤ operations in flight.
pub(super) struct Little;

const CARD: Card = Card {
    id: "L1",
    kind: Kind::Hard,
    title: "IOPS × mean latency ≤ operations in flight",
    needs: &["iops", "latency_mean", "outstanding"],
    explain: "Little\u{2019}s law (Operations Research 9, 1961): on average IOPS × latency operations are in flight, and there are never more than the queue holds. Operations that outlive the window add latency_max ÷ duration; where that is not known, up to 5 % above is a question, not an error.",
};

impl Check for Little {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let product = &row.positive("iops")? * &row.positive("latency_mean")?;
            let most = row.outstanding()?;
            let sides = (("IOPS × latency", product), ("operations in flight", most.clone()));
            let excess = row.get("latency_max").and_then(|max| max.divide(&row.positive("duration")?));
            Some(match excess {
                Some(excess) => {
                    Comparison::at_most(sides.0, ("operations in flight", &most * &(&one() + &excess)), Dim::NONE)
                }
                None => Comparison::at_most(sides.0, sides.1, Dim::NONE),
            })
            // products of means over replicates, or over uneven clients, are a little off
            .map(|compared| compared.with_slack(if is_several(row) { 25 } else { 5 }))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
