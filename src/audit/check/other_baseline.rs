//! R10: a gain is over the baseline of its own row.

use super::{Card, Check, one};
use crate::audit::{Finding, Kind, Outcome, Row, Subject, View, judge};
use crate::claims::Place;
use crate::interval::Interval;

/// The most rows of a table whose pairs are all tried.
const ROWS_MAX: usize = 500;

/// a gain is over the baseline of its own row.
pub(super) struct OtherBaseline;

const CARD: Card = Card {
    id: "R10",
    kind: Kind::Suspicion,
    title: "a gain is over the baseline of its own row",
    needs: &["value", "baseline", "gain"],
    explain: "A gain that its own row does not give, and that exactly one other row does, may compare two different cases.",
};

impl Check for OtherBaseline {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let mut findings = vec![];
        for (number, table) in subject.tables.iter().enumerate().filter(|(_, table)| table.rows.len() <= ROWS_MAX) {
            for series in table.series() {
                let rows: Vec<(usize, Interval, Interval, Interval)> = (0..table.rows.len())
                    .filter_map(|at| {
                        let row = Row::new(subject, Some((number, at)), series, &View::PLAIN);
                        Some((at, row.positive("value")?, row.positive("baseline")?, row.get("gain")?))
                    })
                    .collect();
                for (at, value, baseline, gain) in &rows {
                    let fits =
                        |base: &Interval| value.divide(base).is_some_and(|ratio| (&ratio - &one()).overlaps(gain));
                    let others: Vec<usize> = rows
                        .iter()
                        .filter(|(other, _, base, _)| other != at && fits(base))
                        .map(|(other, ..)| *other)
                        .collect();
                    let (verdict, words) = match (fits(baseline), others.as_slice()) {
                        (true, _) => (Outcome::Pass, "its own row gives the gain".to_owned()),
                        (false, [other]) => (
                            Outcome::Warn,
                            format!("its own row does not give the gain, the baseline of row {} does", other + 1),
                        ),
                        (false, _) => continue,
                    };
                    let place = Place { table: table.name.clone(), row: Some(at + 1), label: table.label(*at) };
                    findings.push(judge::blank(&CARD, verdict, place, words));
                }
            }
        }
        judge::or_skip(&CARD, findings)
    }
}
