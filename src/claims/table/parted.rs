//! Rows whose digits ran together: parted where the numbers fit each other.

use super::super::collapsed;
use super::super::shape::{Collapsed, TableSpec};
use super::{Column, Form, Line, Row, row};
use crate::manifest::node::Node;
use crate::manifest::shape::Problems;
use crate::printed::{Dim, Printed};

/// Whether a size has a mere k, M or G behind it.
pub(super) fn bare_suffix(printed: &Printed) -> bool {
    let end = printed.token().trim_end().chars().last();
    printed.dim() == Dim { bytes: 1, seconds: 0 } && end.is_some_and(|end| "kKmMgGtT".contains(end))
}

/// A row whose digits ran together: the one way to part them in which everything fits.
pub(super) fn split(
    one: &Collapsed,
    (columns, mark): Form<'_>,
    spec: &TableSpec,
    problems: &mut Problems,
) -> Option<Row> {
    let numbers: Vec<&Column> = columns.iter().filter(|column| column.role.is_some()).collect();
    let names = columns.len() - numbers.len();
    if one.names.len() != names {
        let message = format!("{} names, there are {names} columns of names", one.names.len());
        problems.error("claims::collapsed", one.digits.span, message, "Write one for each column without a role.");
        return None;
    }
    let context: Vec<collapsed::Known<'_>> = spec
        .facts
        .iter()
        .flat_map(|facts| {
            facts.set.iter().map(|(name, fact)| collapsed::Known {
                series: facts.series.as_deref(),
                name: name.value.as_str(),
                fact,
            })
        })
        .collect();
    let found = match &one.parted {
        Some(parted) => {
            let cells: Vec<String> = parted.value.split('|').map(|cell| cell.trim().to_owned()).collect();
            if cells.concat() != one.digits.value || cells.len() != numbers.len() {
                let message = format!("{} cells, which together are not the digits", cells.len());
                let help = format!("Part the same digits into {} cells.", numbers.len());
                problems.error("claims::collapsed", parted.span, message, help);
                return None;
            }
            vec![cells]
        }
        None => collapsed::splits(&one.digits.value, (&numbers, mark), &context),
    };
    let [cells] = found.as_slice() else {
        let message = match found.len() {
            0 => "there is no way to part these digits in which the numbers fit each other".to_owned(),
            _ => format!(
                "there are several ways to part these digits: {} and {}",
                found[0].join("|"),
                found[1].join("|")
            ),
        };
        let help = "Write the right one as `parted: a|b|c`.";
        problems.error("claims::collapsed", one.digits.span, message, help);
        return None;
    };
    let (mut names, mut cells) = (one.names.iter(), cells.iter());
    let text = |column: &Column| match column.role {
        None => names.next().map(Node::shown),
        Some(_) => cells.next().cloned(),
    };
    let cells: Vec<String> = columns.iter().filter_map(text).collect();
    row(&Line { cells, number: 0, span: one.digits.span }, (columns, mark), problems)
}
