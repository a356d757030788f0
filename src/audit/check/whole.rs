//! R12: shares add up.

use super::{Card, Check, Comparison, exactly, one};
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
                let own = table.rows.iter().enumerate().filter(|(at, _)| !judge::is_total(table, *at));
                let parts = own.filter_map(|(_, row)| match &row.cells[column] {
                    Cell::Number(printed) => Some(crate::audit::View::PLAIN.interval(printed)),
                    _ => None,
                });
                let sum = parts.reduce(|sum, part| &sum + &part);
                let Some(sum) = sum else { continue };
                // several groups, each of which is whole
                let groups = sum.high().floor().to_u64().unwrap_or(1).max(1);
                let whole = if sum.low().ceil() <= *sum.high() { exactly(groups) } else { one() };
                let place = Place { table: table.name.clone(), row: None, label: table.columns[column].head.clone() };
                findings.push(judge::of_table(
                    &CARD,
                    place,
                    &Comparison::equal(("the parts", sum), ("the whole", whole), Dim::NONE),
                ));
            }
        }
        judge::or_skip(&CARD, findings)
    }
}
