//! Laws that measured numbers obey whatever the machine: IOPS × block size = bandwidth, and Little's law.
//!
//! They are used on what a tool printed before it is believed. Values are in base units.

/// How far a product of rounded numbers may lie from what it must equal, as a share.
pub const PRODUCT_TOLERANCE: f64 = 0.02;

/// How far concurrency may exceed the queue as fio counts it, as a share: long operations outlive the window.
pub const LITTLE_TOLERANCE: f64 = 0.02;

/// Whether IOPS × block size equals bandwidth within [`PRODUCT_TOLERANCE`].
pub fn is_bandwidth_consistent(bandwidth_bytes_per_second: f64, iops: f64, block_size_bytes: f64) -> bool {
    let product = iops * block_size_bytes;
    product.is_finite()
        && (bandwidth_bytes_per_second - product).abs() <= PRODUCT_TOLERANCE * product.max(bandwidth_bytes_per_second)
}

/// The mean number of operations in flight: throughput times mean latency (Little, Oper. Res. 9 (1961) 383).
pub fn concurrency(iops: f64, latency_mean_ns: f64) -> f64 {
    iops * latency_mean_ns / 1e9
}

/// Whether a concurrency can come from so many operations in flight.
pub fn is_concurrency_possible(iops: f64, latency_mean_ns: f64, in_flight_max: f64) -> bool {
    concurrency(iops, latency_mean_ns) <= in_flight_max * (1.0 + LITTLE_TOLERANCE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bandwidth_is_iops_times_block_size() {
        assert!(is_bandwidth_consistent(4_096_000.0, 1000.0, 4096.0));
        assert!(!is_bandwidth_consistent(1_048_576.0, 250.0, 4096.0 * 2.0));
    }

    #[test]
    fn a_queue_of_one_can_not_hold_two() {
        assert!(is_concurrency_possible(10_000.0, 100_000.0, 1.0));
        assert!(!is_concurrency_possible(955.0, 1_889_000.0, 1.0));
    }
}
