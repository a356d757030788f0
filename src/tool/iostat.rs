//! iostat: the JSON of sysstat (`-o JSON`, with `-x` for latencies). Its kB are 1024 bytes.
//!
//! The first report is of the time since the machine was booted, unless it was asked to leave that out (`-y`), which leaves
//! an empty line before the first report: without it the first of several is not counted, and a single one says nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::documents::{self, Codes};
use super::mpstat::{Document, Row, host_answers};
use super::{Answers, Outputs, Tool, metrics, text};
use crate::measurement::{Labels, Metric, Reading};

/// iostat.
pub(super) struct Iostat;

const CODES: Codes = Codes { json: "iostat::json", around: "iostat::text-around", documents: "iostat::documents" };

/// The columns of a device: direction, metric, key, and what a unit of it is in base units.
const COLUMNS: &[(&str, &str, &str, f64)] = &[
    ("read", "iops", "r/s", 1.0),
    ("read", "bandwidth", "rkB/s", 1024.0),
    ("read", "latency_mean", "r_await", 1e6),
    ("write", "iops", "w/s", 1.0),
    ("write", "bandwidth", "wkB/s", 1024.0),
    ("write", "latency_mean", "w_await", 1e6),
    ("read", "bandwidth", "rMB/s", 1_048_576.0),
    ("write", "bandwidth", "wMB/s", 1_048_576.0),
    ("discard", "iops", "d/s", 1.0),
    ("discard", "bandwidth", "dkB/s", 1024.0),
    ("discard", "bandwidth", "dMB/s", 1_048_576.0),
    ("discard", "latency_mean", "d_await", 1e6),
    ("read", "bandwidth", "MB_read/s", 1_048_576.0),
    ("write", "bandwidth", "MB_wrtn/s", 1_048_576.0),
    ("read", "bandwidth", "kB_read/s", 1024.0),
    ("write", "bandwidth", "kB_wrtn/s", 1024.0),
    ("", "iops", "tps", 1.0),
    ("", "queue_depth", "aqu-sz", 1.0),
];

/// The columns of the processors.
const PROCESSORS: &[(&str, &str)] = &[
    ("cpu_user", "user"),
    ("cpu_system", "system"),
    ("cpu_iowait", "iowait"),
    ("cpu_steal", "steal"),
    ("cpu_idle", "idle"),
];

impl Tool for Iostat {
    fn name(&self) -> &'static str {
        "iostat"
    }

    fn recognises(&self, bytes: &[u8]) -> bool {
        let head = text::head(bytes);
        text::holds(head, "\"sysstat\"") && (text::holds(head, "\"avg-cpu\"") || text::holds(head, "\"disk_device\""))
    }

    fn extension(&self) -> &'static str {
        "json"
    }

    fn parse(&self, outputs: Outputs<'_>) -> Reading {
        read(&text::decode(outputs.stdout)).close()
    }

    fn answers(&self, outputs: Outputs<'_>) -> Answers {
        host_answers(&text::decode(outputs.stdout))
    }

    fn metrics(&self) -> Vec<Metric> {
        metrics(&["iops", "bandwidth", "latency_mean", "queue_depth", "cpu_user", "cpu_system", "cpu_iowait"])
    }
}

/// Weighted sums and weights by what they are of.
type Sums = BTreeMap<(Labels, &'static str, String), (f64, f64)>;

fn read(bytes: &[u8]) -> Reading {
    let mut reading = Reading::new("iostat");
    let Some(document) = documents::last::<Document>(bytes, &CODES, &mut reading) else { return reading };
    let is_since_boot = !has_left_out_first(bytes);
    let mut sums = Sums::new();
    for (number, host) in document.sysstat.hosts.iter().enumerate() {
        let at = format!("/sysstat/hosts/{number}/statistics/*");
        let skipped = usize::from(is_since_boot && host.statistics.len() > 1);
        if is_since_boot && host.statistics.len() == 1 {
            reading.invalidate("iostat::since-boot", "its only report is of the time since the machine was booted");
        }
        if skipped > 0 {
            reading.warn("iostat::since-boot", "the first report, of the time since boot, is not counted");
        }
        for statistics in &host.statistics[skipped..] {
            for disk in &statistics.disks {
                add_disk(disk, &at, &mut sums);
            }
            for (metric, key) in PROCESSORS {
                if let Some(value) = statistics.average.as_ref().and_then(|average| average.get(*key)) {
                    let labels = Labels::computed();
                    let sum = sums.entry((labels, metric, format!("{at}/avg-cpu/{key}"))).or_default();
                    *sum = (sum.0 + value, sum.1 + 1.0);
                }
            }
        }
    }
    if sums.is_empty() {
        reading.fail("iostat::no-results", "it holds no interval");
    }
    for ((labels, metric, place), (sum, weight)) in sums {
        if sum < 0.0 {
            reading.fail("iostat::negative", format!("{place} is below zero"));
        }
        let mean = sum / weight;
        // a direction that was not used has no latency, and discards that nobody made are not worth a row
        let is_used = weight > 0.0 && (metric != "latency_mean" || mean > 0.0);
        let is_discard = labels.get("direction").is_some_and(|direction| direction == "discard");
        if is_used && (mean > 0.0 || !is_discard) {
            reading.measure(&Arc::new(labels), (metric, mean), place);
        }
    }
    reading
}

/// Whether the list of reports begins with an empty line, as `-y` leaves it.
fn has_left_out_first(bytes: &[u8]) -> bool {
    let key = b"\"statistics\"";
    let Some(at) = bytes.windows(key.len()).position(|window| window == key) else { return false };
    let rest = &bytes[at..];
    let Some(open) = rest.iter().position(|byte| *byte == b'[') else { return false };
    let space = rest[open + 1..].iter().take_while(|byte| byte.is_ascii_whitespace());
    space.filter(|byte| **byte == b'\n').count() > 1
}

fn add_disk(disk: &Row, at: &str, sums: &mut Sums) {
    let Some(device) = disk.word("disk_device") else { return };
    for (direction, metric, key, scale) in COLUMNS {
        let Some(value) = disk.number(key) else { continue };
        let mut labels = Labels::from([("device".to_owned(), device.to_owned())]);
        if !direction.is_empty() {
            labels.insert("direction".to_owned(), (*direction).to_owned());
        }
        let sum = sums.entry((labels, metric, format!("{at}/disk/*/{key}"))).or_default();
        // operations are weighed, not intervals
        let rate = key.strip_suffix("_await").map(|direction| format!("{direction}/s"));
        let weight = rate.map_or(Some(1.0), |rate| disk.number(&rate)).unwrap_or(1.0);
        *sum = (sum.0 + value * scale * weight, sum.1 + weight);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::Status;

    fn file(before: &str, reads: &[f64]) -> String {
        let report = |reads: &f64| {
            format!(
                r#"{{"avg-cpu":{{"user":10.0,"system":5.0,"idle":85.0}},"disk":[{{"disk_device":"sda","r/s":{reads},"rkB/s":{reads},"r_await":0.5,"w/s":0.0,"w_await":0.0}}]}}"#
            )
        };
        let reports = reads.iter().map(report).collect::<Vec<_>>().join(",");
        format!("{{\"sysstat\":{{\"hosts\":[{{\"statistics\":[{before}{reports}]}}]}}}}")
    }

    fn value(reading: &Reading, metric: &str) -> f64 {
        reading
            .measurements
            .iter()
            .find(|one| one.metric.as_str() == metric && one.labels.get("direction").is_some_and(|one| one == "read"))
            .unwrap()
            .value
    }

    #[test]
    fn the_time_since_boot_is_not_counted() {
        let reading = read(file("\n", &[900.0, 100.0, 200.0]).as_bytes());
        assert_eq!((reading.status, value(&reading, "iops")), (Status::Ok, 150.0));
        assert_eq!((value(&reading, "bandwidth"), value(&reading, "latency_mean")), (150.0 * 1024.0, 500_000.0));
        let asked = read(file("\n\n", &[900.0, 100.0]).as_bytes());
        assert_eq!(value(&asked, "iops"), 500.0);
        assert_eq!(read(file("\n", &[900.0]).as_bytes()).status, Status::Invalid);
    }

    #[test]
    fn a_direction_without_operations_has_no_latency_and_nothing_is_nothing() {
        let reading = read(file("\n\n", &[100.0]).as_bytes());
        let writes =
            reading.measurements.iter().filter(|one| one.labels.get("direction").is_some_and(|one| one == "write"));
        assert_eq!(writes.map(|one| one.metric.as_str()).collect::<Vec<_>>(), ["iops"]);
        assert_eq!(read(file("\n\n", &[]).as_bytes()).status, Status::Failed);
        assert_eq!(read(file("\n\n", &[-1.0]).as_bytes()).status, Status::Failed);
    }
}
