//! degradation: something could have become worse.

use crate::audit::check::{Card, Check};
use crate::audit::{Finding, Kind, Outcome, Subject, judge};

/// something could have become worse.
pub(in crate::audit::check) struct Degradation;

const CARD: Card = Card {
    id: "degradation",
    kind: Kind::Crime,
    title: "something could have become worse",
    needs: &["bandwidth", "latency_mean", "cpu"],
    explain: "A study of rates alone can not show what they cost: where only numbers are printed that grow with what is praised, no loss could be seen (van der Kouwe A1). Latency, load of processors or another price belongs beside them.",
};

impl Check for Degradation {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let rates = ["iops", "bandwidth", "read_iops", "write_iops", "read_bandwidth", "write_bandwidth"];
        let prices =
            ["latency_mean", "latency_p50", "latency_p99", "latency_p99.9", "latency_max", "cpu", "power", "cost"];
        let rate = rates.iter().find(|role| subject.prints(role));
        let price = prices.iter().find(|role| subject.prints(role));
        let findings = match (rate, price) {
            (None, _) => vec![],
            (Some(rate), Some(price)) => {
                vec![judge::remark(&CARD, Outcome::Pass, "metrics", format!("{price} is reported beside {rate}"))]
            }
            (Some(rate), None) => {
                let words = format!("{rate} is reported, and nothing that could have become worse with it");
                vec![judge::remark(&CARD, Outcome::Warn, "metrics", words)]
            }
        };
        judge::or_skip(&CARD, findings)
    }
}
