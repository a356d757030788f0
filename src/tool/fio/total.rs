//! Totals over jobs, directions and clients.
//!
//! They are ours, never the tool's own: in fio 3.28 and others the row "All clients" has wrong means.

use std::sync::Arc;

use super::super::Outputs;
use super::check;
use super::options::Histogram;
use super::output::{Job, OPERATIONS_MIN, PERCENTILES, Push, Row, bandwidth, counted};
use super::settings::Settings;
use super::window;
use crate::measurement::{Labels, Reading};

/// Shorter measurements say nothing.
const RUNTIME_MS_MIN: f64 = 500.0;

/// The longest run time in milliseconds and all operations; too little of either says nothing.
fn check_enough(rows: &[Row<'_, '_>], reading: &mut Reading) -> (f64, f64) {
    let longest = rows.iter().map(|row| row.values.runtime).fold(0.0, f64::max);
    let operations: f64 = rows.iter().map(|row| row.values.total_ios).sum();
    if longest <= 0.0 {
        reading.invalidate("fio::no-runtime", "it does not say how long it ran");
    } else if longest < RUNTIME_MS_MIN {
        reading.invalidate("fio::too-short", format!("{longest} ms, less than {RUNTIME_MS_MIN} ms say nothing"));
    }
    if operations < OPERATIONS_MIN {
        reading.invalidate(
            "fio::few-operations",
            format!("{operations} operations, fewer than {OPERATIONS_MIN} say nothing"),
        );
    }
    (longest, operations)
}

/// The totals over all rows; of one row they are its own values, at its own places.
pub(super) fn aggregate(
    rows: &[Row<'_, '_>],
    (outputs, settings): (Outputs<'_>, Option<&Settings>),
    reading: &mut Reading,
) {
    let (longest, operations) = check_enough(rows, reading);
    let queue = Queue::of(rows, settings);
    let labels = Arc::new(Labels::computed());
    let mut push = Push { reading, labels };
    if let [row] = rows {
        push.row(row.values, &row.pointer);
        let mean = row.values.lat_ns.as_ref().map_or(0.0, |latency| latency.mean);
        queue.check((row.values.iops, mean), push.reading);
        return;
    }
    if longest <= 0.0 {
        return;
    }
    if rows.iter().any(|row| row.job.groupid != rows[0].job.groupid) {
        let message = "its jobs are of several groups, which may have run one after the other: no total is made";
        push.reading.warn("fio::groups", message);
        return;
    }
    let bytes: f64 = rows.iter().map(|row| row.values.io_bytes).sum();
    let mut iops = operations * 1000.0 / longest;
    let bandwidth = rates(rows, (bytes, longest));
    match window::common(outputs.files) {
        None => {
            push.value("iops", iops, places(rows, &["total_ios", "runtime"]));
            push.value("bandwidth", bandwidth, places(rows, &["io_bytes", "runtime"]));
        }
        Some(Err(reason)) => push.reading.invalidate("fio::window", reason),
        Some(Ok(window)) => {
            let totals: f64 = rows.iter().map(|row| row.values.iops).sum();
            if !window.agrees_with(totals) {
                push.reading
                    .invalidate("fio::window", format!("the logs do not say what the totals say, {totals} IOPS"));
            }
            iops = window.iops;
            window.push(&mut push);
        }
    }
    latency(rows, &mut push, |mean, reading| queue.check((iops, mean), reading));
    push.value("runtime", longest * 1e6, places(rows, &["runtime"]));
    if !rows.iter().any(|row| row.values.has_estimated_operations) {
        push.value("operations", operations, places(rows, &["total_ios"]));
    }
    if bytes > 0.0 {
        push.value("bytes", bytes, places(rows, &["io_bytes"]));
    }
}

/// Bytes over the longest time; formats that print no bytes have rates.
fn rates(rows: &[Row<'_, '_>], (bytes, longest_ms): (f64, f64)) -> f64 {
    if rows.iter().all(|row| row.values.io_bytes > 0.0) {
        return bytes * 1000.0 / longest_ms;
    }
    rows.iter().map(|row| bandwidth(row.values)).sum()
}

/// The places of some keys in every row.
fn places(rows: &[Row<'_, '_>], keys: &[&str]) -> String {
    let of_row = |row: &Row<'_, '_>| keys.iter().map(|key| format!("{}/{key}", row.pointer)).collect::<Vec<_>>();
    rows.iter().flat_map(of_row).collect::<Vec<_>>().join(" ")
}

/// The mean latency, weighted by operations, and percentiles of the merged histograms where every row has one.
fn latency(rows: &[Row<'_, '_>], push: &mut Push<'_>, check: impl Fn(f64, &mut Reading)) {
    let latencies = rows.iter().filter_map(|row| {
        let latency = counted(row.values.lat_ns.as_ref())?;
        Some((latency.mean, latency.count.unwrap_or(row.values.total_ios)))
    });
    let latencies: Vec<(f64, f64)> = latencies.collect();
    let count: f64 = latencies.iter().map(|(_, count)| count).sum();
    if count > 0.0 && latencies.len() == rows.len() {
        let mean = latencies.iter().map(|(mean, count)| mean * count).sum::<f64>() / count;
        push.value("latency_mean", mean, places(rows, &["lat_ns/mean", "lat_ns/N"]));
        check(mean, push.reading);
    }
    let bins = rows.iter().filter_map(|row| counted(row.values.clat_ns.as_ref())).map(|latency| &latency.bins);
    let bins: Vec<&Histogram> = bins.filter(|bins| !bins.0.is_empty()).collect();
    if bins.len() == rows.len() {
        let merged = Histogram::merged(bins.into_iter());
        for (percent, metric) in PERCENTILES {
            if let Some(value) = percent.parse().ok().and_then(|percent| merged.percentile(percent)) {
                push.value(metric, value, places(rows, &["clat_ns/bins"]));
            }
        }
    }
}

/// How many operations there can be in flight.
struct Queue {
    most: Option<f64>,
    is_limited: bool,
}

impl Queue {
    fn of(rows: &[Row<'_, '_>], settings: Option<&Settings>) -> Self {
        if let Some(settings) = settings {
            return Self { most: Some(settings.outstanding_max() as f64 * clients(rows) as f64), is_limited: true };
        }
        let mut jobs: Vec<&Job<'_>> = rows.iter().map(|row| row.job).collect();
        jobs.dedup_by(|one, other| std::ptr::eq(*one, *other));
        let depths: Option<Vec<f64>> = jobs.iter().map(|job| job.outstanding).collect();
        Self {
            most: depths.map(|depths| depths.iter().sum()),
            is_limited: jobs.iter().any(|job| job.options.is_limited),
        }
    }

    fn check(&self, (iops, latency_mean_ns): (f64, f64), reading: &mut Reading) {
        if let Some(most) = self.most.filter(|_| latency_mean_ns > 0.0) {
            check::little((iops, latency_mean_ns), most, self.is_limited, reading);
        }
    }
}

/// How many clients there are; without a client there is one.
fn clients(rows: &[Row<'_, '_>]) -> usize {
    let names = rows.iter().map(|row| (row.job.hostname.as_deref(), row.job.port));
    names.collect::<std::collections::BTreeSet<_>>().len().max(1)
}
