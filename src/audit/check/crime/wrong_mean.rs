//! wrong-mean: means are of a kind that can be meant.

use crate::audit::check::{Card, Check};
use crate::audit::{Finding, Kind, Outcome, Subject, judge};

/// means are of a kind that can be meant.
pub(in crate::audit::check) struct WrongMean;

const CARD: Card = Card {
    id: "wrong-mean",
    kind: Kind::Crime,
    title: "means are of a kind that can be meant",
    needs: &["mean_of", "mean_kind"],
    explain: "The arithmetic mean of ratios depends on which side is called the base; the geometric one does not (Fleming and Wallace, Communications of the ACM 29 (1986) 218). The mean of percentiles is a percentile of nothing. Which mean it is should be said (van der Kouwe B5).",
};

impl Check for WrongMean {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        if subject.evidence.is_some() {
            let words = "means of replicates are medians, and ratios are averaged on logarithms".to_owned();
            return vec![judge::remark(&CARD, Outcome::Pass, "method", words)];
        }
        let Some(of) = subject.word("mean_of") else { return judge::or_skip(&CARD, vec![]) };
        let kind = subject.word("mean_kind");
        let (verdict, words) = match (of.as_str(), kind.as_deref()) {
            ("percentiles", _) => (Outcome::Fail, "percentiles were averaged".to_owned()),
            ("ratios", None) => {
                (Outcome::Fail, "ratios were averaged, and which mean was taken is not said".to_owned())
            }
            ("ratios", Some("geometric")) => (Outcome::Pass, "ratios were averaged by the geometric mean".to_owned()),
            ("ratios", Some(kind)) => (Outcome::Warn, format!("ratios were averaged by the {kind} mean, as is said")),
            (of, kind) => (Outcome::Pass, format!("{of} were averaged by the {} mean", kind.unwrap_or("arithmetic"))),
        };
        vec![judge::remark(&CARD, verdict, "mean_of", words)]
    }
}
