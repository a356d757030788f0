//! U2: a bandwidth printed in two units is one bandwidth.

use super::{Card, Check, Comparison};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::printed::Dim;

/// two printed forms of one bandwidth agree.
pub(super) struct TwoUnits;

const CARD: Card = Card {
    id: "U2",
    kind: Kind::Hard,
    title: "two printed forms of one bandwidth agree",
    needs: &["bandwidth", "bandwidth_also"],
    explain: "The same bandwidth in MB/s and MiB/s differs by 1.048576, in GB/s and GiB/s by 1.073742.",
};

impl Check for TwoUnits {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let found = || {
            let a = row.positive("bandwidth")?;
            let b = row.positive("bandwidth_also")?;
            Some(Comparison::equal(("the bandwidth", a), ("its other form", b), Dim { bytes: 1, seconds: -1 }))
        };
        found().into_iter().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
