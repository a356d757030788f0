//! L7: more cores or guests gain, and no more than their number.

use super::{Card, Check, Comparison};
use crate::audit::{Finding, Kind, Subject, View, judge};
use crate::claims::{Cell, Place};
use crate::printed::Dim;

/// more cores or guests gain, and no more than their number.
pub(super) struct Scaling;

const CARD: Card = Card {
    id: "L7",
    kind: Kind::Suspicion,
    title: "more cores or guests gain, and no more than their number",
    needs: &["total", "count"],
    explain: "Twice the cores, guests or jobs do at most twice the work, and up to the knee not less than before. More than that is a cache, or another cause; less and then more again is noise or another bottleneck.",
};

impl Check for Scaling {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let mut findings = vec![];
        for table in &subject.tables {
            let find = |role: &str| table.columns.iter().position(|column| column.role.as_deref() == Some(role));
            let (Some(count), Some(total)) = (
                find("count").or_else(|| find("guests")).or_else(|| find("cores")),
                find("total").or_else(|| find("iops")),
            ) else {
                continue;
            };
            if ["per_unit", "outstanding", "queue_depth"].iter().any(|role| find(role).is_some()) {
                continue;
            }
            let number = |row: &crate::claims::Row, column: usize| match &row.cells[column] {
                Cell::Number(printed) => Some(View::PLAIN.interval(printed)),
                _ => None,
            };
            let pairs = table.rows.windows(2).enumerate();
            for (at, pair) in pairs.filter(|(at, _)| table.label(*at) == table.label(at + 1)) {
                let found = || {
                    let (n1, n2) = (number(&pair[0], count)?, number(&pair[1], count)?);
                    let (x1, x2) = (number(&pair[0], total)?, number(&pair[1], total)?);
                    if n1.low().is_zero() || n2.low() <= n1.low() {
                        return None;
                    }
                    let most = &x1 * &n2.divide(&n1)?;
                    Some(Comparison::at_most(
                        ("the value of more", x2),
                        ("that of fewer by their number", most),
                        Dim::NONE,
                    ))
                };
                let place = Place { table: table.name.clone(), row: Some(at + 2), label: table.label(at + 1) };
                findings.extend(found().map(|compared| judge::of_table(&CARD, place, &compared)));
            }
        }
        judge::or_skip(&CARD, findings)
    }
}
