//! G14: what was tested existed, and the paper is younger.

use super::{Card, Check};
use crate::audit::{Finding, Kind, Outcome, Subject, judge};

/// what was tested existed, and the paper is younger.
pub(super) struct Anachronism;

const CARD: Card = Card {
    id: "G14",
    kind: Kind::Hard,
    title: "what was tested existed, and the paper is younger",
    needs: &["released", "tested"],
    explain: "A component is released before it is tested, and a test is done before it is published. `released` lists the dates of the components, with their source.",
};

impl Check for Anachronism {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let published = subject.loaded.claims.paper.published.clone().or_else(|| subject.word("published"));
        let released = subject.items("released").unwrap_or_default();
        let tested = subject.word("tested");
        let mut findings = vec![];
        let mut order = |(before, earlier): (&str, &str), (after, later): (&str, &str)| {
            let (Some(early), Some(late)) = (span(earlier), span(later)) else { return };
            // who makes a thing may test it before it is sold
            let worst = if after == "tested" { Outcome::Warn } else { Outcome::Fail };
            let (verdict, words) = match early.0 > late.1 {
                true => (worst, format!("{before} {earlier} is after {after} {later}")),
                false => (Outcome::Pass, format!("{before} {earlier} is not after {after} {later}")),
            };
            findings.push(judge::remark(&CARD, verdict, before, words));
        };
        for release in &released {
            if let Some(tested) = &tested {
                order(("released", release), ("tested", tested));
            }
            if let Some(published) = &published {
                order(("released", release), ("published", published));
            }
        }
        if let (Some(tested), Some(published)) = (&tested, &published) {
            order(("tested", tested), ("published", published));
        }
        judge::or_skip(&CARD, findings)
    }
}

/// The first and last day that a date may mean, as `YYYYMMDD`; none where it is no date. `2024`, `2024-11`, `2024-11-30`.
fn span(text: &str) -> Option<(u32, u32)> {
    let parts: Vec<u32> = text.trim().split('-').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    match parts.as_slice() {
        [year @ 1900..=2200] => Some((year * 10_000 + 101, year * 10_000 + 1231)),
        [year @ 1900..=2200, month @ 1..=12] => {
            Some((year * 10_000 + month * 100 + 1, year * 10_000 + month * 100 + 31))
        }
        [year @ 1900..=2200, month @ 1..=12, day @ 1..=31] => {
            let date = year * 10_000 + month * 100 + day;
            Some((date, date))
        }
        _ => None,
    }
}
