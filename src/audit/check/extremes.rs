//! R9: the greatest, least and mean gain are those of the table.

use super::{Card, Check, Comparison};
use crate::audit::{Finding, Kind, Row, Subject, View, judge};
use crate::claims::Place;
use crate::exact::Exact;
use crate::interval::Interval;
use crate::printed::Dim;

/// the greatest, least and mean gain are those of the table.
pub(super) struct Extremes;

const CARD: Card = Card {
    id: "R9",
    kind: Kind::Hard,
    title: "the greatest, least and mean gain are those of the table",
    needs: &["gain", "gain_max", "gain_min", "gain_mean"],
    explain: "`Up to`, `at least` and `on average` speak of cells: the greatest, least and mean of the gains that the table prints.",
};

impl Check for Extremes {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let mut findings = vec![];
        for (number, table) in subject.tables.iter().enumerate() {
            let at = |row: usize| Row::new(subject, Some((number, row)), table.series()[0], &View::PLAIN);
            let gains: Vec<Interval> = (0..table.rows.len())
                .filter(|row| !judge::is_total(table, *row))
                .filter_map(|row| at(row).get("gain"))
                .collect();
            if gains.is_empty() {
                continue;
            }
            let count = Interval::exactly(Exact::from_ratio(1, gains.len() as u64));
            let fold = |join: fn(&Interval, &Interval) -> Interval| {
                gains.iter().cloned().reduce(|one, other| join(&one, &other))
            };
            let sides = [
                ("gain_max", "the greatest gain of the table", fold(Interval::max)),
                ("gain_min", "the least gain of the table", fold(Interval::min)),
                ("gain_mean", "the mean gain of the table", fold(|one, other| one + other).map(|sum| &sum * &count)),
            ];
            for (role, words, of_table) in sides {
                let is_other = at(0).word("mean_kind").is_some_and(|kind| kind != "arithmetic");
                if role == "gain_mean" && is_other {
                    continue;
                }
                let (Some(printed), Some(of_table)) = (at(0).get(role), of_table) else { continue };
                let compared = Comparison::equal(("what is said", printed), (words, of_table), Dim::NONE);
                let place = Place { table: table.name.clone(), row: None, label: role.to_owned() };
                findings.push(judge::of_table(&CARD, place, &compared));
            }
        }
        judge::or_skip(&CARD, findings)
    }
}
