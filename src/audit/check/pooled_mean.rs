//! D8: a mean of all lies among the means of groups.

use super::{Card, Check, Comparison};
use crate::audit::{Finding, Kind, Row, Subject, View, judge};
use crate::claims::Place;
use crate::interval::Interval;
use crate::printed::Dim;

/// a mean of all lies among the means of groups.
pub(super) struct PooledMean;

const CARD: Card = Card {
    id: "D8",
    kind: Kind::Hard,
    title: "a mean of all lies among the means of groups",
    needs: &["mean", "pooled_mean"],
    explain: "The mean of all values is the mean of the groups, each counted as often as it has values: it lies between the least and the greatest, and where the numbers of values are known it is one number.",
};

impl Check for PooledMean {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let mut findings = vec![];
        for (number, table) in subject.tables.iter().enumerate().filter(|(_, table)| !table.rows.is_empty()) {
            let at = |row: usize| Row::new(subject, Some((number, row)), table.series()[0], &View::PLAIN);
            let Some(pooled) = at(0).get("pooled_mean") else { continue };
            let means: Vec<Interval> = (0..table.rows.len()).filter_map(|row| at(row).get("mean")).collect();
            let counts: Option<Vec<Interval>> = (0..table.rows.len()).map(|row| at(row).positive("n")).collect();
            let hull = means.iter().cloned().reduce(|one, other| {
                Interval::new(one.low().min(other.low()).clone(), one.high().max(other.high()).clone())
            });
            let Some(hull) = hull else { continue };
            let weighted = counts.filter(|counts| counts.len() == means.len()).and_then(|counts| {
                let all = counts.iter().cloned().reduce(|one, other| &one + &other)?;
                let sum =
                    means.iter().zip(&counts).map(|(mean, count)| mean * count).reduce(|one, other| &one + &other)?;
                sum.divide(&all)
            });
            let (words, against) = match weighted {
                Some(weighted) => ("the weighted mean of the groups", weighted),
                None => ("the range of the means of groups", hull),
            };
            let place = Place { table: table.name.clone(), row: None, label: "pooled_mean".to_owned() };
            let compared = Comparison::equal(("the mean of all", pooled), (words, against), Dim::NONE);
            findings.push(judge::of_table(&CARD, place, &compared));
        }
        judge::or_skip(&CARD, findings)
    }
}
