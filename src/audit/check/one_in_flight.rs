//! L3: one at a time is one at a time.

use super::{Card, Check, Comparison, is_several, one};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::printed::Dim;

/// with one in flight IOPS ≤ 1 ÷ latency.
pub(super) struct OneInFlight;

const CARD: Card = Card {
    id: "L3",
    kind: Kind::Hard,
    title: "with one in flight IOPS ≤ 1 ÷ latency",
    needs: &["iops", "latency_mean", "outstanding"],
    explain: "One operation at a time can not be begun before the last has ended: 80 µs allow 12 500 a second. One that outlives the window adds latency_max ÷ duration; where that is not known, up to 5 % above is a question.",
};

impl Check for OneInFlight {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let outstanding = row.outstanding()?;
            if outstanding != one() {
                return None;
            }
            let most = one().divide(&row.positive("latency_mean")?)?;
            let excess = row.get("latency_max").and_then(|max| max.divide(&row.positive("duration")?));
            let most = excess.as_ref().map_or(most.clone(), |excess| &most * &(&one() + excess));
            let rate = Dim { bytes: 0, seconds: -1 };
            let compared = Comparison::at_most(("IOPS", row.positive("iops")?), ("1 ÷ latency", most), rate);
            Some(compared.with_slack(if is_several(row) { 25 } else { 5 }))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
