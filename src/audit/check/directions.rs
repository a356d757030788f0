//! U7: reads and writes are all there is.

use super::{Card, Check, Comparison};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::printed::Dim;

/// reads + writes = total.
pub(super) struct Directions;

const CARD: Card = Card {
    id: "U7",
    kind: Kind::Hard,
    title: "reads + writes = total",
    needs: &["read_iops", "write_iops", "iops"],
    explain: "What is read and what is written is all that is done, in operations and in bytes.",
};

impl Check for Directions {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let one = |read: &str, write: &str, total: &str, dim: Dim| {
            let sum = &row.get(read)? + &row.get(write)?;
            Some(Comparison::equal(("reads + writes", sum), ("the total", row.get(total)?), dim))
        };
        let rate = Dim { bytes: 0, seconds: -1 };
        let bandwidth = Dim { bytes: 1, seconds: -1 };
        let found = [
            one("read_iops", "write_iops", "iops", rate),
            one("read_bandwidth", "write_bandwidth", "bandwidth", bandwidth),
        ];
        found.into_iter().flatten().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
