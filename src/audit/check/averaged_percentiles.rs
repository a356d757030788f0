//! D9: a percentile of all is no mean of percentiles.

use super::{Card, Check};
use crate::audit::{Finding, Kind, Outcome, Row, Subject, View, judge};
use crate::claims::Place;
use crate::exact::Exact;
use crate::interval::Interval;

/// The percentiles.
const ROLES: &[&str] = &["latency_p90", "latency_p95", "latency_p99", "latency_p99.9", "latency_p99.99"];
/// a percentile of all is no mean of percentiles.
pub(super) struct AveragedPercentiles;

const CARD: Card = Card {
    id: "D9",
    kind: Kind::Suspicion,
    title: "a percentile of all is no mean of percentiles",
    needs: &["latency_p99"],
    explain: "The 99th percentile over several guests is that of all their operations. A row for all of them that has the mean of the other rows was averaged, and is a percentile of nothing.",
};

impl Check for AveragedPercentiles {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let mut findings = vec![];
        for (number, table) in subject.tables.iter().enumerate() {
            let totals: Vec<usize> = (0..table.rows.len()).filter(|row| judge::is_total(table, *row)).collect();
            let [total] = totals.as_slice() else { continue };
            for role in ROLES {
                let at = |row: usize| Row::new(subject, Some((number, row)), table.series()[0], &View::PLAIN).get(role);
                let parts: Vec<Interval> = (0..table.rows.len()).filter(|row| row != total).filter_map(at).collect();
                let (Some(of_all), true) = (at(*total), parts.len() > 1) else { continue };
                let Some(sum) = parts.iter().cloned().reduce(|one, other| &one + &other) else { continue };
                let mean = &sum * &Interval::exactly(Exact::from_ratio(1, parts.len() as u64));
                let is_flat = parts.iter().all(|part| part.overlaps(&parts[0]));
                let (verdict, words) = match mean.overlaps(&of_all) && !is_flat {
                    true => (Outcome::Warn, format!("{role} of all is the mean of {} others", parts.len())),
                    false => (Outcome::Pass, format!("{role} of all is not the mean of the others")),
                };
                let place = Place { table: table.name.clone(), row: Some(total + 1), label: table.label(*total) };
                findings.push(judge::blank(&CARD, verdict, place, words));
            }
        }
        judge::or_skip(&CARD, findings)
    }
}
