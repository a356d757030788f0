//! R7: a mean gain is a mean of the gains.

use super::{Card, Check};
use crate::audit::{Finding, Kind, Outcome, Row, Subject, View, judge};
use crate::claims::Place;
use crate::exact::Exact;
use crate::interval::Interval;
use crate::printed::Dim;

/// The most rows whose ratios are multiplied exactly.
const ROWS_MAX: usize = 64;

/// a mean gain is a mean of the gains.
pub(super) struct MeanGain;

const CARD: Card = Card {
    id: "R7",
    kind: Kind::Hard,
    title: "a mean gain is a mean of the gains",
    needs: &["value", "baseline", "mean_gain"],
    explain: "The mean of the gains of rows, the gain of the geometric mean of their ratios, and the gain of the sums differ: 100 to 110 and 10 to 20 are 55 %, 48.3 % and 18.2 %. Which is meant should be said (`mean_kind: arithmetic | geometric | total`); a number that is none of them is wrong.",
};

impl Check for MeanGain {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let mut findings = vec![];
        for (number, table) in subject.tables.iter().enumerate() {
            let rows: Vec<(Interval, Interval)> = (0..table.rows.len())
                .filter(|row| !judge::is_total(table, *row))
                .filter_map(|row| {
                    let row = Row::new(subject, Some((number, row)), table.series()[0], &View::PLAIN);
                    Some((row.positive("value")?, row.positive("baseline")?))
                })
                .collect();
            let first = Row::new(subject, Some((number, 0)), None, &View::PLAIN);
            if rows.len() < 2 || rows.len() > ROWS_MAX || table.rows.is_empty() {
                continue;
            }
            let Some(printed) = first.get("mean_gain") else { continue };
            let kind = first.word("mean_kind");
            if kind.as_deref().is_some_and(|kind| !["arithmetic", "geometric", "total"].contains(&kind)) {
                continue;
            }
            let Some(means) = means(&rows, &printed) else { continue };
            let wanted = means.iter().filter(|(name, _)| kind.as_deref().is_none_or(|kind| kind == *name));
            let (names, fits): (Vec<&str>, Vec<bool>) = wanted.map(|(name, fits)| (*name, *fits)).unzip();
            let shown = judge::shown(&printed, &printed, Dim::NONE).0;
            let (verdict, words) = match means.iter().find(|(name, fits)| *fits && names.contains(name)) {
                Some((name, _)) => {
                    (Outcome::Pass, format!("the mean gain {shown} is the {name} one of {} rows", rows.len()))
                }
                None => {
                    let other = means
                        .iter()
                        .find(|(_, fits)| *fits)
                        .map_or(String::new(), |(name, _)| format!("; it is the {name} one"));
                    (
                        Outcome::Fail,
                        format!(
                            "the mean gain {shown} is not the {} one of {} rows{other}",
                            names.join(" or "),
                            fits.len().max(rows.len())
                        ),
                    )
                }
            };
            let place = Place { table: table.name.clone(), row: None, label: "mean_gain".to_owned() };
            let mut finding = judge::blank(&CARD, verdict, place, words);
            finding.chance_pass = Some(
                judge::chance(
                    printed.low().to_float() / printed.high().to_float(),
                    printed.high().to_float() / printed.low().to_float(),
                ) * names.len() as f64,
            );
            findings.push(finding);
        }
        judge::or_skip(&CARD, findings)
    }
}

/// Whether a printed gain is each of the means of some rows: arithmetic, geometric, of the totals.
fn means(rows: &[(Interval, Interval)], printed: &Interval) -> Option<Vec<(&'static str, bool)>> {
    let one = Interval::exactly(Exact::from_integer(1));
    let count = Interval::exactly(Exact::from_ratio(1, rows.len() as u64));
    let ratios: Vec<Interval> = rows.iter().map(|(value, base)| value.divide(base)).collect::<Option<_>>()?;
    let sum = |intervals: &mut dyn Iterator<Item = Interval>| intervals.reduce(|one, other| &one + &other);
    let arithmetic = &(&sum(&mut ratios.iter().cloned())? * &count) - &one;
    let total = &sum(&mut rows.iter().map(|(value, _)| value.clone()))?
        .divide(&sum(&mut rows.iter().map(|(_, base)| base.clone()))?)?
        - &one;
    // the n-th power of a geometric mean is the product
    let product = ratios.iter().fold(one.clone(), |product, ratio| &product * ratio);
    let power = ratios.iter().fold(one.clone(), |power, _| &power * &(&one + printed));
    Some(vec![
        ("arithmetic", arithmetic.overlaps(printed)),
        ("geometric", power.overlaps(&product)),
        ("total", total.overlaps(printed)),
    ])
}
