//! fio's JSON, versions 3.0 and later.
//!
//! Values are taken per job and direction; totals are ours: operations and bytes summed over the longest run time,
//! latencies weighted by operations. Tested with fio 3.1 to 3.41.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::super::Outputs;
use super::super::documents::{self, Codes};
use super::settings::Settings;
use super::total;
use crate::law;
use crate::measurement::{Labels, Measurement, Metric, Reading};
use crate::unit::Unit;

const CODES: Codes = Codes { json: "fio::json", around: "fio::text-around", documents: "fio::documents" };
/// The newest version that was tried.
const TESTED_NEWEST: (u64, u64) = (3, 41);
/// Fewer operations say nothing.
pub(super) const OPERATIONS_MIN: f64 = 30.0;
/// The percentiles that become metrics.
const PERCENTILES: &[(&str, &str)] = &[
    ("50.000000", "latency_p50"),
    ("90.000000", "latency_p90"),
    ("95.000000", "latency_p95"),
    ("99.000000", "latency_p99"),
    ("99.900000", "latency_p99.9"),
    ("99.990000", "latency_p99.99"),
];

#[derive(Deserialize)]
struct Document<'a> {
    #[serde(rename = "fio version", borrow)]
    version: Cow<'a, str>,
    #[serde(default, borrow, rename = "global options")]
    options: Options<'a>,
    #[serde(default, borrow)]
    jobs: Vec<Job<'a>>,
    #[serde(default, borrow)]
    client_stats: Vec<Job<'a>>,
}

#[derive(Deserialize)]
pub(super) struct Job<'a> {
    #[serde(default, borrow)]
    pub(super) jobname: Cow<'a, str>,
    #[serde(default, borrow)]
    pub(super) hostname: Option<Cow<'a, str>>,
    pub(super) port: Option<u64>,
    #[serde(default)]
    error: i64,
    #[serde(default, borrow, rename = "job options")]
    options: Options<'a>,
    read: Option<Direction<'a>>,
    write: Option<Direction<'a>>,
    trim: Option<Direction<'a>>,
    mixed: Option<Direction<'a>>,
    #[serde(borrow)]
    sync: Option<Synced<'a>>,
}

/// What fsync and its kin cost, which no direction counts.
#[derive(Deserialize)]
struct Synced<'a> {
    #[serde(borrow)]
    lat_ns: Option<Latency<'a>>,
}

#[derive(Deserialize)]
pub(super) struct Direction<'a> {
    #[serde(default)]
    pub(super) io_bytes: f64,
    bw_bytes: Option<f64>,
    #[serde(default)]
    pub(super) iops: f64,
    #[serde(default)]
    pub(super) runtime: f64,
    #[serde(default)]
    pub(super) total_ios: f64,
    #[serde(default)]
    short_ios: f64,
    #[serde(default)]
    drop_ios: f64,
    #[serde(borrow)]
    pub(super) lat_ns: Option<Latency<'a>>,
    #[serde(borrow)]
    clat_ns: Option<Latency<'a>>,
}

#[derive(Deserialize)]
pub(super) struct Latency<'a> {
    #[serde(default)]
    min: f64,
    #[serde(default)]
    max: f64,
    #[serde(default)]
    pub(super) mean: f64,
    #[serde(rename = "N")]
    pub(super) count: Option<f64>,
    #[serde(default, borrow)]
    percentile: Percentiles<'a>,
}

/// The options that matter for checks; the last of duplicates counts.
#[derive(Default)]
struct Options<'a> {
    bs: Option<Cow<'a, str>>,
    has_split: bool,
}

impl<'de: 'a, 'a> Deserialize<'de> for Options<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OptionsVisitor;
        impl<'de> Visitor<'de> for OptionsVisitor {
            type Value = Options<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("options of a job")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut options = Options::default();
                while let Some(key) = map.next_key::<Cow<'de, str>>()? {
                    match &*key {
                        "bs" | "blocksize" => options.bs = Some(map.next_value::<Text<'de>>()?.0),
                        _ => {
                            options.has_split |= matches!(&*key, "bssplit" | "bsrange" | "blocksize_range");
                            map.next_value::<IgnoredAny>()?;
                        }
                    }
                }
                Ok(options)
            }

            // fio 3.41 prints the global options of each section as one list; the last section counts
            fn visit_seq<A: SeqAccess<'de>>(self, mut sections: A) -> Result<Self::Value, A::Error> {
                let mut options = Options::default();
                while let Some(section) = sections.next_element::<Options<'de>>()? {
                    options = section;
                }
                Ok(options)
            }
        }
        deserializer.deserialize_any(OptionsVisitor)
    }
}

#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// Percentiles in the order printed; duplicate keys are kept.
#[derive(Default)]
struct Percentiles<'a>(Vec<(Cow<'a, str>, f64)>);

impl<'de: 'a, 'a> Deserialize<'de> for Percentiles<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PercentilesVisitor;
        impl<'de> Visitor<'de> for PercentilesVisitor {
            type Value = Percentiles<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("percentiles")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut found = vec![];
                while let Some((key, value)) = map.next_entry::<Cow<'de, str>, f64>()? {
                    if key != "0.00" {
                        found.push((key, value));
                    }
                }
                Ok(Percentiles(found))
            }
        }
        deserializer.deserialize_map(PercentilesVisitor)
    }
}

/// One job and direction that did something, with the JSON pointer of its object.
pub(super) struct Row<'a, 'b> {
    pub(super) job: &'b Job<'a>,
    pub(super) direction: &'static str,
    pub(super) values: &'b Direction<'a>,
    pub(super) pointer: String,
}

/// Reads an output. Settings, where they are known, sharpen the checks.
pub(super) fn read(outputs: Outputs<'_>, settings: Option<&Settings>) -> Reading {
    let mut reading = Reading::new("fio");
    let document = documents::last::<Document<'_>>(outputs.stdout, &CODES, &mut reading);
    let Some(document) = document else { return reading };
    reading.tool_version = document.version.strip_prefix("fio-").unwrap_or(&document.version).to_owned();
    if !check_version(&mut reading) {
        return reading;
    }
    let rows = rows(&document);
    check_errors(&document, &mut reading);
    let is_negative = |row: &Row<'_, '_>| {
        let latency = row.values.lat_ns.as_ref().map_or(0.0, |latency| latency.min.min(latency.mean).min(latency.max));
        [row.values.io_bytes, row.values.runtime, bandwidth(row.values), latency].iter().any(|value| *value < 0.0)
    };
    if rows.iter().any(is_negative) {
        reading.fail("fio::negative", "it holds values below zero");
    }
    if rows.is_empty() {
        reading.fail("fio::no-operations", "no job did any operation");
    }
    if reading.status == crate::measurement::Status::Failed {
        return reading;
    }
    for row in &rows {
        check_row(row, &document, &mut reading);
        let is_enough = row.values.total_ios >= OPERATIONS_MIN || rows.len() == 1;
        if is_enough {
            measure_row(row, &mut reading);
        } else {
            reading.warn(
                "fio::few-operations",
                format!("{}: {} operations say nothing", row.pointer, row.values.total_ios),
            );
        }
    }
    total::aggregate(&rows, (outputs, settings), &mut reading);
    measure_sync(&document, &mut reading);
    reading
}

/// The latency of fsync, fdatasync and sync_file_range, where one job has any.
fn measure_sync(document: &Document<'_>, reading: &mut Reading) {
    let synced = document
        .jobs
        .iter()
        .enumerate()
        .filter_map(|(number, job)| Some((number, counted(job.sync.as_ref()?.lat_ns.as_ref())?)));
    let synced: Vec<_> = synced.collect();
    if let [(number, latency)] = synced.as_slice() {
        let at = format!("/jobs/{number}/sync/lat_ns");
        let labels = Arc::new(Labels::from([
            ("aggregate".to_owned(), "true".to_owned()),
            ("direction".to_owned(), "sync".to_owned()),
        ]));
        let mut push = Push { reading, labels };
        push.value("sync_latency_mean", latency.mean, [&at, "/mean"].concat());
        push.value("sync_latency_max", latency.max, [&at, "/max"].concat());
        for (printed, value) in latency.percentile.0.iter().filter(|(printed, _)| printed == "99.000000") {
            push.value("sync_latency_p99", *value, [&at, "/percentile/", printed].concat());
        }
    }
}

fn check_version(reading: &mut Reading) -> bool {
    let mut numbers =
        reading.tool_version.split(|one: char| !one.is_ascii_digit()).filter_map(|part| part.parse::<u64>().ok());
    let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    if version < (3, 0) {
        let message = format!("fio {} prints other units; 3.0 and later are read", reading.tool_version);
        reading.fail("fio::version", message);
        return false;
    }
    if version > TESTED_NEWEST {
        let (major, minor) = TESTED_NEWEST;
        reading.warn("fio::version", format!("newer than the newest version tested, {major}.{minor}"));
    }
    true
}

/// The rows of all jobs; in client mode those of the clients, never of "All clients".
fn rows<'a, 'b>(document: &'b Document<'a>) -> Vec<Row<'a, 'b>> {
    let (jobs, place) = if document.client_stats.is_empty() {
        (&document.jobs, "jobs")
    } else {
        (&document.client_stats, "client_stats")
    };
    let mut rows = vec![];
    for (number, job) in jobs.iter().enumerate().filter(|(_, job)| job.jobname != "All clients") {
        let directions = [("read", &job.read), ("write", &job.write), ("trim", &job.trim), ("mixed", &job.mixed)];
        for (direction, values) in directions {
            if let Some(values) = values.as_ref().filter(|values| values.total_ios > 0.0 && values.iops > 0.0) {
                rows.push(Row { job, direction, values, pointer: format!("/{place}/{number}/{direction}") });
            }
        }
    }
    rows
}

/// An error of any job or client fails the whole output.
fn check_errors(document: &Document<'_>, reading: &mut Reading) {
    for job in document.jobs.iter().chain(&document.client_stats) {
        if job.error != 0 {
            reading.fail("fio::error", format!("the job `{}` ended with error {}", job.jobname, job.error));
        }
        for values in [&job.read, &job.write, &job.trim, &job.mixed].into_iter().flatten() {
            if values.short_ios > 0.0 || values.drop_ios > 0.0 {
                let message = format!(
                    "the job `{}` has {} short and {} dropped operations",
                    job.jobname, values.short_ios, values.drop_ios
                );
                reading.invalidate("fio::short-operations", message);
            }
        }
    }
}

/// Bytes and operations must fit the block size, where there is one.
fn check_row(row: &Row<'_, '_>, document: &Document<'_>, reading: &mut Reading) {
    let has_split = row.job.options.has_split || document.options.has_split;
    let text = row.job.options.bs.as_deref().or(document.options.bs.as_deref());
    let Some(block_size) = text.and_then(block_size_bytes).filter(|_| !has_split && row.direction != "mixed") else {
        return;
    };
    let bandwidth = bandwidth(row.values);
    if !law::is_bandwidth_consistent(bandwidth, row.values.iops, block_size) {
        let message = format!("{}: {} IOPS × {block_size} B is not {bandwidth} B/s", row.pointer, row.values.iops);
        reading.invalidate("fio::bandwidth", message);
    }
}

/// `4k`, `4096`, `1m`, `4k,8k,` (one size only where they differ).
fn block_size_bytes(text: &str) -> Option<f64> {
    let lower = text.trim().to_ascii_lowercase();
    let lower = lower.trim_end_matches("ib").trim_end_matches('b');
    let digits_end = lower.find(|one: char| !one.is_ascii_digit()).unwrap_or(lower.len());
    let number: f64 = lower[..digits_end].parse().ok()?;
    match &lower[digits_end..] {
        "" => Some(number),
        "k" => Some(number * 1024.0),
        "m" => Some(number * 1_048_576.0),
        "g" => Some(number * 1_073_741_824.0),
        _ => None,
    }
}

fn bandwidth(values: &Direction<'_>) -> f64 {
    let computed = if values.runtime > 0.0 { values.io_bytes * 1000.0 / values.runtime } else { 0.0 };
    values.bw_bytes.unwrap_or(computed)
}

fn labels(row: &Row<'_, '_>) -> Labels {
    let mut labels = Labels::from([
        ("direction".to_owned(), row.direction.to_owned()),
        ("job".to_owned(), row.job.jobname.to_string()),
    ]);
    if let Some(host) = &row.job.hostname {
        let port = row.job.port.map_or(String::new(), |port| format!(":{port}"));
        labels.insert("client".to_owned(), format!("{host}{port}"));
    }
    labels
}

pub(super) struct Push<'a> {
    pub(super) reading: &'a mut Reading,
    pub(super) labels: Arc<Labels>,
}

impl Push<'_> {
    pub(super) fn value(&mut self, metric: &str, value: f64, pointer: String) {
        let metric = Metric::new(metric);
        let unit = metric.unit().unwrap_or(Unit::ONE).symbol();
        if value.is_finite() {
            self.reading.measurements.push(Measurement {
                metric,
                labels: Arc::clone(&self.labels),
                value,
                unit,
                pointer,
            });
        }
    }

    /// All values of one row, each with its own place.
    pub(super) fn row(&mut self, values: &Direction<'_>, at: &str) {
        self.value("iops", values.iops, [at, "/iops"].concat());
        match values.bw_bytes {
            Some(bandwidth) => self.value("bandwidth", bandwidth, [at, "/bw_bytes"].concat()),
            None => self.value("bandwidth", bandwidth(values), format!("{at}/io_bytes {at}/runtime")),
        }
        if let Some(latency) = counted(values.lat_ns.as_ref()) {
            self.value("latency_mean", latency.mean, [at, "/lat_ns/mean"].concat());
            self.value("latency_min", latency.min, [at, "/lat_ns/min"].concat());
            self.value("latency_max", latency.max, [at, "/lat_ns/max"].concat());
        }
        self.percentiles(values, at);
        self.value("runtime", values.runtime * 1e6, [at, "/runtime"].concat());
        self.value("operations", values.total_ios, [at, "/total_ios"].concat());
        self.value("bytes", values.io_bytes, [at, "/io_bytes"].concat());
    }

    /// Percentiles of total latency where fio printed them, of completion latency otherwise.
    fn percentiles(&mut self, values: &Direction<'_>, at: &str) {
        let of_total = counted(values.lat_ns.as_ref()).filter(|latency| !latency.percentile.0.is_empty());
        let (latency, key) = match of_total {
            Some(latency) => (Some(latency), "lat_ns"),
            None => (counted(values.clat_ns.as_ref()), "clat_ns"),
        };
        let Some(latency) = latency else { return };
        for (key_printed, value) in &latency.percentile.0 {
            if let Some((_, metric)) = PERCENTILES.iter().find(|(one, _)| one == key_printed) {
                self.value(metric, *value, [at, "/", key, "/percentile/", key_printed].concat());
            }
        }
    }
}

/// A latency that counted something: `N = 0` means none, not zero. Versions before 3.19 print no `N`.
pub(super) fn counted<'b, 'a>(latency: Option<&'b Latency<'a>>) -> Option<&'b Latency<'a>> {
    latency.filter(|latency| latency.count.unwrap_or(latency.mean) > 0.0)
}

fn measure_row(row: &Row<'_, '_>, reading: &mut Reading) {
    let labels = Arc::new(labels(row));
    Push { reading, labels }.row(row.values, &row.pointer);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::Status;

    fn direction(iops: f64, operations: u64, runtime_ms: u64, mean_ns: f64) -> String {
        format!(
            r#"{{"io_bytes":{},"bw_bytes":{},"iops":{iops},"runtime":{runtime_ms},"total_ios":{operations},
            "lat_ns":{{"min":1,"max":9,"mean":{mean_ns},"N":{operations}}},
            "clat_ns":{{"mean":{mean_ns},"N":{operations},"percentile":{{"99.000000":2000,"0.00":0,"0.00":0}}}}}}"#,
            operations * 4096,
            iops * 4096.0,
        )
    }

    fn output(read: &str, write: &str, error: i64) -> String {
        format!(
            r#"{{"fio version":"fio-3.33","jobs":[{{"jobname":"job","error":{error},"job options":{{"bs":"4096"}},"read":{read},"write":{write}}}]}}"#
        )
    }

    fn total(reading: &Reading, metric: &str) -> Option<f64> {
        let is_total = |one: &&Measurement| one.metric.as_str() == metric && one.labels.contains_key("aggregate");
        reading.measurements.iter().find(is_total).map(|one| one.value)
    }

    #[test]
    fn one_direction_keeps_its_own_values_and_places() {
        let text = output(&direction(1000.0, 2000, 2000, 5000.0), "null", 0);
        let reading = read(Outputs::of(text.as_bytes(), &[]), None);
        assert_eq!(reading.status, Status::Ok, "{:?}", reading.diagnostics);
        assert_eq!(total(&reading, "iops"), Some(1000.0));
        assert_eq!(total(&reading, "latency_p99"), Some(2000.0));
        assert!(reading.measurements.iter().any(|one| one.pointer == "/jobs/0/read/lat_ns/mean"));
    }

    #[test]
    fn totals_are_summed_over_the_longest_run_time_and_weighted_by_operations() {
        let text = output(&direction(3000.0, 3000, 1000, 100.0), &direction(500.0, 1000, 2000, 500.0), 0);
        let reading = read(Outputs::of(text.as_bytes(), &[]), None);
        assert_eq!(total(&reading, "iops"), Some(2000.0));
        assert_eq!(total(&reading, "latency_mean"), Some(200.0));
        assert_eq!(total(&reading, "latency_p99"), None, "percentiles are never averaged");
    }

    #[test]
    fn errors_short_runs_and_impossible_rates_are_not_results() {
        let good = direction(1000.0, 2000, 2000, 5000.0);
        assert_eq!(read(Outputs::of(output(&good, "null", 28).as_bytes(), &[]), None).status, Status::Failed);
        let short = direction(36_571.0, 256, 7, 5000.0);
        assert_eq!(read(Outputs::of(output(&short, "null", 0).as_bytes(), &[]), None).status, Status::Invalid);
        let wrong = good.replace("\"bw_bytes\":4096000", "\"bw_bytes\":1024000");
        assert_eq!(read(Outputs::of(output(&wrong, "null", 0).as_bytes(), &[]), None).status, Status::Invalid);
        assert_eq!(read(Outputs::of(b"fio: no such file\n", &[]), None).status, Status::Failed);
        let whole = output(&good, "null", 0);
        for end in 0..whole.len() {
            assert_eq!(read(Outputs::of(&whole.as_bytes()[..end], &[]), None).status, Status::Failed, "cut at {end}");
        }
    }

    #[test]
    fn text_around_and_a_second_document_are_said() {
        let one = output(&direction(1000.0, 2000, 2000, 5000.0), "null", 0);
        let two = output(&direction(3000.0, 6000, 2000, 5000.0), "null", 0);
        let reading = read(Outputs::of(format!("note: x\n{one}\n{two}\n").as_bytes(), &[]), None);
        assert_eq!(total(&reading, "iops"), Some(3000.0));
        let codes: Vec<&str> = reading.diagnostics.iter().map(|remark| remark.code).collect();
        assert_eq!(codes, ["fio::text-around", "fio::documents"]);
    }
}
