//! R8: rates over equal work have a harmonic mean.

use super::{Card, Check, Comparison};
use crate::audit::{Finding, Kind, Row, Subject, View, judge};
use crate::claims::Place;
use crate::exact::Exact;
use crate::interval::Interval;
use crate::printed::Dim;

/// The most rows whose times are added exactly.
const ROWS_MAX: usize = 100;

/// rates over equal work have a harmonic mean.
pub(super) struct MeanRate;

const CARD: Card = Card {
    id: "R8",
    kind: Kind::Suspicion,
    title: "rates over equal work have a harmonic mean",
    needs: &["iops", "mean_rate"],
    explain: "Where each row does the same work, the mean rate is all work by all time: n ÷ Σ 1/x. The arithmetic mean is right for tests of equal time.",
};

impl Check for MeanRate {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let mut findings = vec![];
        for (number, table) in subject.tables.iter().enumerate() {
            let at = |row: usize| Row::new(subject, Some((number, row)), table.series()[0], &View::PLAIN);
            if table.rows.is_empty() || table.rows.len() > ROWS_MAX || !at(0).is("equal_work") {
                continue;
            }
            let rates: Vec<Interval> = (0..table.rows.len()).filter_map(|row| at(row).positive("iops")).collect();
            let one = Interval::exactly(Exact::from_integer(1));
            let found = || {
                let printed = at(0).get("mean_rate")?;
                let inverse: Vec<Interval> = rates.iter().map(|rate| one.divide(rate)).collect::<Option<_>>()?;
                let time = inverse.into_iter().reduce(|one, other| &one + &other)?;
                let harmonic = Interval::exactly(Exact::from_integer(rates.len() as i128)).divide(&time)?;
                Some(Comparison::equal(
                    ("the mean rate", printed),
                    ("the harmonic mean", harmonic),
                    Dim { bytes: 0, seconds: -1 },
                ))
            };
            let place = Place { table: table.name.clone(), row: None, label: "mean_rate".to_owned() };
            findings.extend(found().map(|compared| judge::of_table(&CARD, place, &compared)));
        }
        judge::or_skip(&CARD, findings)
    }
}
