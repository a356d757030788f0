//! G5: percentiles of an HDR histogram lie on its buckets.

use super::{Card, Check};
use crate::audit::{Finding, Kind, Outcome, Subject, judge};

/// The percentiles.
const ROLES: &[&str] =
    &["latency_p50", "latency_p90", "latency_p95", "latency_p99", "latency_p99.9", "latency_p99.99", "latency_p99.999"];
/// Buckets an octave.
const BUCKETS: u64 = 1024;

/// percentiles of an HDR histogram lie on its buckets.
pub(super) struct HdrGrid;

const CARD: Card = Card {
    id: "G5",
    kind: Kind::Suspicion,
    title: "percentiles of an HDR histogram lie on its buckets",
    needs: &["latency_p99", "histogram"],
    explain: "HdrHistogram with three significant digits has 1024 buckets an octave in the unit that it records, and prints the highest value of a bucket. `histogram: hdr` and `histogram_unit: 1 µs` say so; wrk2 and YCSB record microseconds.",
};

impl Check for HdrGrid {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let findings = judge::rows(subject, |row| {
            if row.word("histogram").as_deref() != Some("hdr") {
                return None;
            }
            let unit = row.positive("histogram_unit")?.low().clone();
            let mut seen = 0;
            for role in ROLES {
                let Some(interval) = row.get(role) else { continue };
                let ends = [interval.low(), interval.high()].map(|end| end.divide(&unit).map(|end| end.to_float()));
                let [Some(low), Some(high)] = ends else { continue };
                seen += 1;
                if !is_on_grid(low.max(0.0) as u64, high.max(0.0) as u64) {
                    let words = format!("{role} lies within a bucket, not on its bounds");
                    return Some(judge::blank(&CARD, Outcome::Warn, row.place(), words));
                }
            }
            (seen > 0).then(|| {
                judge::blank(&CARD, Outcome::Pass, row.place(), format!("{seen} percentiles lie on bounds of buckets"))
            })
        });
        judge::or_skip(&CARD, findings)
    }
}

/// Whether a bound of a bucket lies within some values.
fn is_on_grid(low: u64, high: u64) -> bool {
    if high < 2 * BUCKETS {
        return true;
    }
    let width = 1 << (high.ilog2() - BUCKETS.ilog2());
    let next = low.div_ceil(width) * width;
    [next, next.saturating_sub(1), next + width - 1].iter().any(|bound| (low..=high).contains(bound))
}
