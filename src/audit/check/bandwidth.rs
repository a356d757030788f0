//! U1: every operation moves one block.

use super::{Card, Check, Comparison};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::printed::Dim;

/// IOPS × block size = bandwidth.
pub(super) struct Bandwidth;

const CARD: Card = Card {
    id: "U1",
    kind: Kind::Hard,
    title: "IOPS × block size = bandwidth",
    needs: &["iops", "block_size", "bandwidth"],
    explain: "Each operation moves one block, so IOPS × block size is the bandwidth, in each direction. It breaks where a unit is mixed up (MB printed for MiB), where a block size is not what is said, or where numbers of two rows are mixed.",
};

impl Check for Bandwidth {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let one = |iops: &str, bandwidth: &str| {
            let product = &row.positive(iops)? * &row.positive("block_size")?;
            let bandwidth = row.positive(bandwidth)?;
            Some(Comparison::equal(
                ("IOPS × block size", product),
                ("the bandwidth", bandwidth),
                Dim { bytes: 1, seconds: -1 },
            ))
        };
        let pairs = [("iops", "bandwidth"), ("read_iops", "read_bandwidth"), ("write_iops", "write_bandwidth")];
        pairs.into_iter().filter_map(|(iops, bandwidth)| one(iops, bandwidth)).collect()
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        judge::run(self, subject)
    }
}
