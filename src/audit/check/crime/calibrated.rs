//! calibrated: what was tuned on is not what is measured.

use crate::audit::check::{Card, Check};
use crate::audit::{Finding, Kind, Outcome, Subject, judge};

/// what was tuned on is not what is measured.
pub(in crate::audit::check) struct Calibrated;

const CARD: Card = Card {
    id: "calibrated",
    kind: Kind::Crime,
    title: "what was tuned on is not what is measured",
    needs: &["tuned_on", "measured_on"],
    explain: "Who tunes on the very data or load that is then measured fits the thing to the test (Heiser; van der Kouwe C3).",
};

impl Check for Calibrated {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let (Some(tuned), Some(measured)) = (subject.items("tuned_on"), subject.items("measured_on")) else {
            return judge::or_skip(&CARD, vec![]);
        };
        let both: Vec<&String> = tuned.iter().filter(|one| measured.contains(one)).collect();
        let (verdict, words) = match both.as_slice() {
            [] => (Outcome::Pass, format!("tuned on {}, measured on {}", tuned.join(", "), measured.join(", "))),
            [first, ..] => (Outcome::Fail, format!("{first} was tuned on and is measured")),
        };
        vec![judge::remark(&CARD, verdict, "tuned_on", words)]
    }
}
