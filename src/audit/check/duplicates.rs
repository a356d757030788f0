//! G12: measured numbers do not repeat.

use super::{Card, Check};
use crate::audit::{Finding, Kind, Outcome, Row, Subject, View, judge};
use crate::claims::{Cell, Place};

/// Digits from which on two numbers seldom agree.
const DIGITS_MIN: usize = 4;
/// Values from which on a column is looked at.
const VALUES_MIN: usize = 6;

/// measured numbers do not repeat.
pub(super) struct Duplicates;

const CARD: Card = Card {
    id: "G12",
    kind: Kind::Suspicion,
    title: "measured numbers do not repeat",
    needs: &["iops"],
    explain: "Independent measurements of four or more digits seldom agree in all of them. Several equal ones may be copied, or limited by a rate (then `rate_limit` says so). As many pairs as fewer than one in a thousand tables would have are asked about.",
};

impl Check for Duplicates {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let mut findings = vec![];
        // replicates that count instructions are the same bytes
        let environment = subject.evidence.as_ref().map(|evidence| evidence.experiment.environment());
        if environment == Some(crate::store::event::Environment::VirtualExact) {
            return judge::or_skip(&CARD, findings);
        }
        for (number, table) in subject.tables.iter().enumerate() {
            if subject.fact("rate_limit").is_some()
                || Row::new(subject, Some((number, 0)), None, &View::PLAIN).word("rate_limit").is_some()
            {
                continue;
            }
            for (at, column) in
                table.columns.iter().enumerate().filter(|(_, column)| column.role.as_deref() == Some("iops"))
            {
                let mut values: Vec<(f64, f64)> = table
                    .rows
                    .iter()
                    .filter_map(|row| match &row.cells[at] {
                        Cell::Number(printed) if digits(printed.digits()) >= DIGITS_MIN => {
                            Some((printed.value().to_float(), printed.last_digit().to_float()))
                        }
                        _ => None,
                    })
                    .collect();
                if values.len() < VALUES_MIN {
                    continue;
                }
                values.sort_by(|one, other| one.0.total_cmp(&other.0));
                let same = values.windows(2).filter(|pair| pair[0].0 == pair[1].0).count();
                let expected = expected(&values);
                let p = at_least(same, expected);
                let words = format!(
                    "{same} of {} values of {} equal another, {expected:.2} would be expected",
                    values.len(),
                    column.head
                );
                let verdict = if same > 1 && p < 0.001 { Outcome::Warn } else { Outcome::Pass };
                let place = Place { table: table.name.clone(), row: None, label: column.head.clone() };
                findings.push(judge::blank(&CARD, verdict, place, words));
            }
        }
        judge::or_skip(&CARD, findings)
    }
}

/// Significant digits of a number as printed.
fn digits(text: &str) -> usize {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let digits = digits.trim_start_matches('0');
    if text.contains('.') { digits.len() } else { digits.trim_end_matches('0').len() }
}

/// The chance of so many or more events where so many are expected (Poisson).
fn at_least(count: usize, expected: f64) -> f64 {
    let mut term = libm::exp(-expected);
    let mut below = 0.0;
    for k in 0..count {
        below += term;
        term *= expected / (k + 1) as f64;
    }
    (1.0 - below).max(0.0)
}

/// How many sorted values equal the next by chance: as often as the last digit is wide beside the usual gap between values
/// that differ.
fn expected(values: &[(f64, f64)]) -> f64 {
    let gaps = values.windows(2).map(|pair| pair[1].0 - pair[0].0).filter(|gap| *gap > 0.0);
    let mut gaps: Vec<f64> = gaps.collect();
    gaps.sort_by(f64::total_cmp);
    let share = match gaps.get(gaps.len() / 2) {
        Some(gap) if gaps.len() > 1 => (values[0].1 / gap).min(1.0),
        _ => 0.01,
    };
    share * values.len() as f64
}
