//! P2: devices do what their data sheet says.

use super::{Card, Check, Comparison};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::printed::Dim;

/// device × count ≥ what was measured.
pub(super) struct DataSheet;

const CARD: Card = Card {
    id: "P2",
    kind: Kind::Suspicion,
    title: "device × count ≥ what was measured",
    needs: &["devices", "device_iops"],
    explain: "More than the data sheet says of all devices together came from a cache, from compression, or from data that were never written.",
};

impl Check for DataSheet {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let one = |value: &str, device: &str, dim: Dim| {
            let all = &row.positive("devices")? * &row.positive(device)?;
            Some(Comparison::at_most(("what was measured", row.positive(value)?), ("all devices", all), dim))
        };
        let found = [
            one("iops", "device_iops", Dim { bytes: 0, seconds: -1 }),
            one("bandwidth", "device_bandwidth", Dim { bytes: 1, seconds: -1 }),
        ];
        found.into_iter().flatten().collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
