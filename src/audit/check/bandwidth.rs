//! U1: every operation moves one block.

use super::{Card, Check, Comparison};
use crate::audit::{Finding, Kind, Row, Subject, judge};
use crate::exact::Exact;
use crate::interval::Interval;
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

/// One, give or take the share of operations that are in flight: a tool counts operations and bytes at different moments, such
/// as at the end of the ramp, and those in flight may be in one count and not in the other. One where that is not known.
fn counted_apart(row: &Row<'_>) -> Interval {
    let one = Exact::from_integer(1);
    let share = row.outstanding().zip(row.positive("operations")).and_then(|(depth, all)| depth.divide(&all));
    share.map_or_else(|| Interval::exactly(one.clone()), |share| Interval::around(&one, share.high()))
}

impl Check for Bandwidth {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn compare(&self, row: &Row<'_>) -> Vec<Comparison> {
        let one = |iops: &str, bandwidth: &str| {
            let product = &(&row.positive(iops)? * &row.positive("block_size")?) * &counted_apart(row);
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
