//! R12: shares add up.

use super::{Card, Check, Comparison, one};
use crate::audit::{Finding, Kind, Subject, judge};
use crate::claims::Cell;
use crate::claims::Place;
use crate::printed::Dim;

/// parts make 100 %.
pub(super) struct Whole;

const CARD: Card = Card {
    id: "R12",
    kind: Kind::Hard,
    title: "parts make 100 %",
    needs: &["part"],
    explain: "Shares of a whole add up to it, within half a digit each.",
};

impl Check for Whole {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let mut findings = vec![];
        for table in &subject.tables {
            let is_part = |at: &usize| table.columns[*at].role.as_deref() == Some("part");
            for column in (0..table.columns.len()).filter(is_part) {
                let parts = table.rows.iter().filter_map(|row| match &row.cells[column] {
                    Cell::Number(printed) => Some(crate::audit::View::PLAIN.interval(printed)),
                    _ => None,
                });
                let sum = parts.reduce(|sum, part| &sum + &part);
                let Some(sum) = sum else { continue };
                let place = Place { table: table.name.clone(), row: None, label: table.columns[column].head.clone() };
                findings.push(judge::of_table(
                    &CARD,
                    place,
                    &Comparison::equal(("the parts", sum), ("the whole", one()), Dim::NONE),
                ));
            }
        }
        judge::or_skip(&CARD, findings)
    }
}
