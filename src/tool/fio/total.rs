//! Totals over jobs, directions and clients.
//!
//! They are ours, never the tool's own: in fio 3.28 and others the row "All clients" has wrong means.

use std::sync::Arc;

use super::super::Outputs;
use super::output::{OPERATIONS_MIN, Push, Row, counted};
use super::settings::Settings;
use super::window;
use crate::law;
use crate::measurement::{Labels, Reading};

/// Shorter measurements say nothing.
const RUNTIME_MS_MIN: f64 = 500.0;

/// The longest run time in milliseconds and all operations; too little of either says nothing.
fn check_enough(rows: &[Row<'_, '_>], reading: &mut Reading) -> (f64, f64) {
    let longest = rows.iter().map(|row| row.values.runtime).fold(0.0, f64::max);
    let operations: f64 = rows.iter().map(|row| row.values.total_ios).sum();
    if longest < RUNTIME_MS_MIN {
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
    let labels = Arc::new(Labels::from([("aggregate".to_owned(), "true".to_owned())]));
    let mut push = Push { reading, labels };
    if let [row] = rows {
        push.row(row.values, &row.pointer);
        let mean = row.values.lat_ns.as_ref().map_or(0.0, |latency| latency.mean);
        check_little((row.values.iops, mean, 1), settings, push.reading);
        return;
    }
    if longest <= 0.0 {
        return;
    }
    let places = |keys: &[&str]| {
        let of_row = |row: &Row<'_, '_>| keys.iter().map(|key| format!("{}/{key}", row.pointer)).collect::<Vec<_>>();
        rows.iter().flat_map(of_row).collect::<Vec<_>>().join(" ")
    };
    let bytes: f64 = rows.iter().map(|row| row.values.io_bytes).sum();
    let mut iops = operations * 1000.0 / longest;
    match window::common(outputs.files) {
        None => {
            push.value("iops", iops, places(&["total_ios", "runtime"]));
            push.value("bandwidth", bytes * 1000.0 / longest, places(&["io_bytes", "runtime"]));
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
    let latencies: Vec<(f64, f64)> = rows
        .iter()
        .filter_map(|row| {
            counted(row.values.lat_ns.as_ref())
                .map(|latency| (latency.mean, latency.count.unwrap_or(row.values.total_ios)))
        })
        .collect();
    let counted: f64 = latencies.iter().map(|(_, count)| count).sum();
    if counted > 0.0 && latencies.len() == rows.len() {
        let mean = latencies.iter().map(|(mean, count)| mean * count).sum::<f64>() / counted;
        push.value("latency_mean", mean, places(&["lat_ns/mean", "lat_ns/N"]));
        check_little((iops, mean, clients(rows)), settings, push.reading);
    }
    push.value("runtime", longest * 1e6, places(&["runtime"]));
    push.value("operations", operations, places(&["total_ios"]));
    push.value("bytes", bytes, places(&["io_bytes"]));
}

/// More operations in flight than there can be means that a number is wrong; short runs may exceed it a little.
fn check_little(
    (iops, latency_mean_ns, clients): (f64, f64, usize),
    settings: Option<&Settings>,
    reading: &mut Reading,
) {
    let Some(settings) = settings else { return };
    let most = settings.outstanding_max() as f64 * clients as f64;
    if !law::is_concurrency_possible(iops, latency_mean_ns, most) {
        let found = law::concurrency(iops, latency_mean_ns);
        reading
            .warn("fio::little", format!("IOPS × mean latency is {found:.2}, above the {most} operations in flight"));
    }
}

/// How many clients there are; without a client there is one.
fn clients(rows: &[Row<'_, '_>]) -> usize {
    let names = rows.iter().map(|row| (row.job.hostname.as_deref(), row.job.port));
    names.collect::<std::collections::BTreeSet<_>>().len().max(1)
}
