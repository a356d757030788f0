//! fio's JSON, versions 2.x and 3.x, and what its other formats become: jobs with directions.
//!
//! Values are taken per job and direction; totals are ours: operations and bytes summed over the longest run time,
//! latencies weighted by operations. Before 3.0 `io_bytes` is in KiB and latencies are in microseconds; `bw` is KiB/s in
//! all versions. Tested with fio 2.1 to 3.41.

mod document;

use super::super::Outputs;
use super::super::documents::{self, Codes};
use super::check;
use super::settings::Settings;
use super::total;
use crate::measurement::{Labels, Reading, Role, Status};
use std::sync::Arc;

pub(super) use document::{Direction, Document, Job, Latency};

const CODES: Codes = Codes { json: "fio::json", around: "fio::text-around", documents: "fio::documents" };

/// The newest version that was tried.
const TESTED_NEWEST: (u64, u64) = (3, 41);

/// Fewer operations say nothing.
pub(super) const OPERATIONS_MIN: f64 = 30.0;

/// The percentiles that become metrics.
pub(super) const PERCENTILES: &[(&str, &str)] = &[
    ("50.000000", "latency_p50"),
    ("90.000000", "latency_p90"),
    ("95.000000", "latency_p95"),
    ("99.000000", "latency_p99"),
    ("99.900000", "latency_p99.9"),
    ("99.990000", "latency_p99.99"),
];

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
    let Some(mut document) = document else { return reading };
    if !outputs.stdout.starts_with(b"{") {
        check::around(outputs.stdout, &document, &mut reading);
    }
    reading.tool_version = document.version.strip_prefix("fio-").unwrap_or(&document.version).to_owned();
    reading.check_version("fio::version", TESTED_NEWEST);
    let is_old = reading.tool_version.split('.').next().and_then(|major| major.parse::<u64>().ok()).unwrap_or(3) < 3;
    let entries = document.jobs.len() + document.client_stats.len();
    for job in document.jobs.iter_mut().chain(&mut document.client_stats) {
        let options = job.options.over(&document.options);
        // the row of a group stands for jobs of which the options of one are printed
        job.outstanding = options.outstanding().filter(|_| !options.may_be_grouped(entries));
        for values in [&mut job.read, &mut job.write, &mut job.trim, &mut job.mixed].into_iter().flatten() {
            // the last releases before 3.0 have the keys of 3.0, and with them its units
            values.normalize(is_old && values.lat_ns.is_none() && values.bw_bytes.is_none());
        }
    }
    interpret(&document, (outputs, settings), &mut reading);
    reading
}

/// Checks, rows and totals of what fio said, whichever format it was in.
pub(super) fn interpret(
    document: &Document<'_>,
    (outputs, settings): (Outputs<'_>, Option<&Settings>),
    reading: &mut Reading,
) {
    let rows = rows(document);
    if let Some(at) = &document.cut {
        reading.fail("fio::cut", format!("{at}: the job does not end: it is cut"));
    }
    check::errors(document, reading);
    check::idle(document, &rows, reading);
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
    if reading.status == Status::Failed {
        return;
    }
    for row in &rows {
        check::product(row, document, reading);
        let is_enough = row.values.total_ios >= OPERATIONS_MIN || rows.len() == 1;
        if is_enough {
            measure_row(row, reading);
        } else {
            let operations = row.values.total_ios;
            let message = format!("{}: {operations} operations say nothing", row.pointer);
            reading.warn("fio::few-operations", message);
        }
    }
    let newest = rows.iter().filter_map(|row| row.job.run).max();
    if let Some(last) = newest {
        reading.warn("fio::runs", format!("several runs; the total is of the last, run {last}"));
    }
    let counted: Vec<Row<'_, '_>> = rows.into_iter().filter(|row| row.job.run == newest).collect();
    check::habits(&counted, document, reading);
    total::aggregate(&counted, (outputs, settings), reading);
    check::all_clients(document, &counted, reading);
    measure_unified(document, reading);
    measure_sync(document, reading);
}

/// The sum that `unified_rw_reporting=both` prints beside its parts.
fn measure_unified(document: &Document<'_>, reading: &mut Reading) {
    for (number, job) in document.jobs.iter().enumerate().filter(|(_, job)| has_parts(job)) {
        if let Some(values) = &job.mixed {
            let pointer = format!("/jobs/{number}/mixed");
            measure_row(&Row { job, direction: "mixed", values, pointer }, reading);
        }
    }
}

/// Whether reads and writes stand beside their sum.
fn has_parts(job: &Job<'_>) -> bool {
    let is_used = |values: &Option<Direction<'_>>| values.as_ref().is_some_and(|values| values.total_ios > 0.0);
    job.mixed.is_some() && (is_used(&job.read) || is_used(&job.write))
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
        let mut labels = Labels::from([("direction".to_owned(), "sync".to_owned())]);
        labels.role = Role::Computed;
        let mut push = Push { reading, labels: Arc::new(labels) };
        push.value("sync_latency_mean", latency.mean, [&at, "/mean"].concat());
        push.value("sync_latency_max", latency.max, [&at, "/max"].concat());
        for (printed, value) in latency.percentile.0.iter().filter(|(printed, _)| printed == "99.000000") {
            push.value("sync_latency_p99", *value, [&at, "/percentile/", printed].concat());
        }
    }
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
        let has_parts = has_parts(job);
        for (direction, values) in directions {
            let is_counted = direction != "mixed" || !has_parts;
            let is_used = |values: &&Direction<'_>| values.iops > 0.0 && is_counted;
            if let Some(values) = values.as_ref().filter(is_used) {
                let pointer = match job.place.as_str() {
                    "" => format!("/{place}/{number}/{direction}"),
                    place => format!("{place}/{direction}"),
                };
                rows.push(Row { job, direction, values, pointer });
            }
        }
    }
    rows
}

pub(super) fn bandwidth(values: &Direction<'_>) -> f64 {
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
    labels.extend(row.job.run.map(|run| ("run".to_owned(), run.to_string())));
    labels
}

pub(super) struct Push<'a> {
    pub(super) reading: &'a mut Reading,
    pub(super) labels: Arc<Labels>,
}

impl Push<'_> {
    pub(super) fn value(&mut self, metric: &str, value: f64, pointer: String) {
        self.reading.measure(&self.labels, (metric, value), pointer);
    }

    /// All values of one row, each with its own place.
    pub(super) fn row(&mut self, values: &Direction<'_>, at: &str) {
        self.value("iops", values.iops, [at, "/iops"].concat());
        match values.bw_bytes {
            Some(bandwidth) if values.bw.is_some_and(|bw| bw * 1024.0 == bandwidth) && values.is_old => {
                self.value("bandwidth", bandwidth, [at, "/bw"].concat())
            }
            Some(bandwidth) => self.value("bandwidth", bandwidth, [at, "/bw_bytes"].concat()),
            None => self.value("bandwidth", bandwidth(values), format!("{at}/io_bytes {at}/runtime")),
        }
        let (key, _) = values.latency_keys();
        if let Some(latency) = counted(values.lat_ns.as_ref()) {
            self.value("latency_mean", latency.mean, [at, "/", key, "/mean"].concat());
            self.value("latency_min", latency.min, [at, "/", key, "/min"].concat());
            self.value("latency_max", latency.max, [at, "/", key, "/max"].concat());
        }
        self.percentiles(values, at);
        self.value("runtime", values.runtime * 1e6, [at, "/runtime"].concat());
        if !values.has_estimated_operations {
            self.value("operations", values.total_ios, [at, "/total_ios"].concat());
        }
        if values.io_bytes > 0.0 {
            self.value("bytes", values.io_bytes, [at, "/io_bytes"].concat());
        }
    }

    /// Percentiles of total latency where fio printed them, of completion latency otherwise.
    fn percentiles(&mut self, values: &Direction<'_>, at: &str) {
        let of_total = counted(values.lat_ns.as_ref()).filter(|latency| !latency.percentile.0.is_empty());
        let (lat, clat) = values.latency_keys();
        let (latency, key) = match of_total {
            Some(latency) => (Some(latency), lat),
            None => (counted(values.clat_ns.as_ref()), clat),
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
    use crate::measurement::Measurement;

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
        let is_total = |one: &&Measurement| one.metric.as_str() == metric && one.labels.is_result();
        reading.measurements.iter().find(is_total).map(|one| one.value)
    }

    #[test]
    fn one_direction_keeps_its_own_values_and_places() {
        let text = output(&direction(1000.0, 2000, 2000, 5000.0), "null", 0);
        let reading = read(Outputs::of(text.as_bytes()), None);
        assert_eq!(reading.status, Status::Ok, "{:?}", reading.diagnostics);
        assert_eq!(total(&reading, "iops"), Some(1000.0));
        assert_eq!(total(&reading, "latency_p99"), Some(2000.0));
        assert!(reading.measurements.iter().any(|one| one.pointer == "/jobs/0/read/lat_ns/mean"));
    }

    #[test]
    fn totals_are_summed_over_the_longest_run_time_and_weighted_by_operations() {
        let text = output(&direction(3000.0, 3000, 1000, 100.0), &direction(500.0, 1000, 2000, 500.0), 0);
        let reading = read(Outputs::of(text.as_bytes()), None);
        assert_eq!(total(&reading, "iops"), Some(2000.0));
        assert_eq!(total(&reading, "latency_mean"), Some(200.0));
        assert_eq!(total(&reading, "latency_p99"), None, "percentiles are never averaged");
    }

    #[test]
    fn errors_short_runs_and_impossible_rates_are_not_results() {
        let good = direction(1000.0, 2000, 2000, 5000.0);
        assert_eq!(read(Outputs::of(output(&good, "null", 28).as_bytes()), None).status, Status::Failed);
        let short = direction(36_571.0, 256, 7, 5000.0);
        assert_eq!(read(Outputs::of(output(&short, "null", 0).as_bytes()), None).status, Status::Invalid);
        let wrong = good.replace("\"bw_bytes\":4096000", "\"bw_bytes\":1024000");
        assert_eq!(read(Outputs::of(output(&wrong, "null", 0).as_bytes()), None).status, Status::Invalid);
        assert_eq!(read(Outputs::of(b"fio: no such file\n"), None).status, Status::Failed);
        let whole = output(&good, "null", 0);
        for end in 0..whole.len() {
            assert_eq!(read(Outputs::of(&whole.as_bytes()[..end]), None).status, Status::Failed, "cut at {end}");
        }
    }

    #[test]
    fn text_around_and_a_second_document_are_said() {
        let one = output(&direction(1000.0, 2000, 2000, 5000.0), "null", 0);
        let two = output(&direction(3000.0, 6000, 2000, 5000.0), "null", 0);
        let reading = read(Outputs::of(format!("note: x\n{one}\n{two}\n").as_bytes()), None);
        assert_eq!(total(&reading, "iops"), Some(3000.0));
        let codes: Vec<&str> = reading.diagnostics.iter().map(|remark| remark.code).collect();
        assert_eq!(codes, ["fio::text-around", "fio::documents"]);
    }
}
