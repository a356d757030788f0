//! P18: a timer is finer than what it measures.

use super::{Card, Check};
use crate::audit::{Finding, Kind, Outcome, Subject, judge};
use crate::exact::Exact;

/// a timer is finer than what it measures.
pub(super) struct Timer;

const CARD: Card = Card {
    id: "P18",
    kind: Kind::Suspicion,
    title: "a timer is finer than what it measures",
    needs: &["latency_min", "clock_step"],
    explain: "A least latency of zero, or digits below the step of the clock, come from a timer that is too coarse.",
};

impl Check for Timer {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let findings = judge::rows(subject, |row| {
            if let Some(least) = row.get("latency_min") {
                let is_zero = least.low().is_negative() || least.low().is_zero();
                let (verdict, words) = match is_zero && least.high().to_float() < 1e-6 {
                    true => (
                        Outcome::Warn,
                        "the least latency is zero: the timer is too coarse, or operations were not timed",
                    ),
                    false => (Outcome::Pass, "the least latency is more than nothing"),
                };
                return Some(judge::blank(&CARD, verdict, row.place(), words.to_owned()));
            }
            let (step, latency) = (row.positive("clock_step")?, row.get("latency_mean")?);
            let digit = latency.width();
            let is_finer = &digit * &Exact::from_integer(100) < *step.low();
            let words = if is_finer {
                "digits of a mean are printed that are a hundred times finer than the clock"
            } else {
                "digits are no finer than the clock allows"
            };
            Some(judge::blank(
                &CARD,
                if is_finer { Outcome::Warn } else { Outcome::Pass },
                row.place(),
                words.to_owned(),
            ))
        });
        judge::or_skip(&CARD, findings)
    }
}
