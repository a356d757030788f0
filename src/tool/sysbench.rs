//! sysbench 1.x: cpu, memory, fileio, threads, mutex and databases.
//!
//! Several outputs in one text, as a script that runs a copy a processor leaves them, are rows of their own.

use std::sync::Arc;

use super::{Answers, Outputs, Question, Tool, metrics, text};
use crate::measurement::{Labels, Metric, Printed, Reading, Role};
use crate::unit::Unit;

/// sysbench.
pub(super) struct Sysbench;

/// The newest version that was tried.
const TESTED_NEWEST: (u64, u64) = (1, 1);
/// Shorter measurements say nothing.
const SECONDS_MIN: f64 = 0.5;
/// How far events over time may lie from the rate printed, as a share: the clock runs a little longer than the test.
const RATE_TOLERANCE: f64 = 0.05;

impl Tool for Sysbench {
    fn name(&self) -> &'static str {
        "sysbench"
    }

    fn version_program(&self) -> Option<&'static str> {
        Some("sysbench")
    }

    fn recognises(&self, bytes: &[u8]) -> bool {
        let head = String::from_utf8_lossy(text::head(bytes));
        head.lines().any(|line| version_of(line).is_some())
    }

    fn parse(&self, outputs: Outputs<'_>) -> Reading {
        read(&String::from_utf8_lossy(&text::decode(outputs.stdout))).close()
    }

    fn answers(&self, outputs: Outputs<'_>) -> Answers {
        let text = String::from_utf8_lossy(&text::decode(outputs.stdout)).into_owned();
        let of = |key: &str| {
            let line = text.lines().map(str::trim).find_map(|line| line.strip_prefix(key))?;
            Some(line.trim().to_owned()).filter(|value| !value.is_empty())
        };
        let operation = of("operation:").or_else(|| of("Doing").map(|test| test.trim_end_matches(" test").to_owned()));
        let operation = match (test_of(&text), operation) {
            (Some(test), Some(operation)) => Some(format!("{test}: {operation}")),
            (test, operation) => operation.or(test.map(str::to_owned)),
        };
        let pairs = [
            (Question::Access, operation),
            (Question::BlockSize, of("block size:").or_else(|| of("Block size"))),
            (
                Question::WorkingSet,
                of("Total file size:").or_else(|| of("total size:").map(|size| format!("{size} moved in all"))),
            ),
            (
                Question::Concurrency,
                of("Number of threads:")
                    .map(|threads| format!("{threads} thread{}", if threads == "1" { "" } else { "s" })),
            ),
            (
                Question::Duration,
                of("total time:").or_else(|| of("time elapsed:")).map(|time| format!("{time} measured")),
            ),
            (Question::Limit, of("Target transaction rate:")),
        ];
        pairs.into_iter().filter_map(|(question, value)| Some((question, value?))).collect()
    }

    fn metrics(&self) -> Vec<Metric> {
        metrics(&["transactions", "queries", "events", "iops", "bandwidth", "latency_mean", "latency_p95"])
    }
}

/// The kind of test, by what only it prints.
fn test_of(text: &str) -> Option<&'static str> {
    const KINDS: &[(&str, &str)] = &[
        ("Prime numbers limit:", "cpu"),
        ("Running memory speed test", "memory"),
        ("Operations performed:", "memory"),
        ("File operations:", "fileio"),
        ("SQL statistics:", "database"),
        ("OLTP test statistics:", "database"),
        ("Initializing mutexes", "mutex"),
        ("thread yields", "threads"),
    ];
    KINDS.iter().find(|(words, _)| text.contains(words)).map(|(_, kind)| *kind)
}

/// The version, where a line is the first of an output: `sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)`.
fn version_of(line: &str) -> Option<(&str, &str)> {
    let at = line.find("sysbench ")?;
    let rest = &line[at + "sysbench ".len()..];
    let version = rest.split_whitespace().next()?;
    let is_version = version.starts_with(|one: char| one.is_ascii_digit()) && version.contains('.');
    let is_title = rest.contains("LuaJIT") || rest.contains("multi-threaded system evaluation");
    (is_version && is_title).then(|| (line[..at].trim(), version))
}

/// One output within a text.
struct Part<'a> {
    prefix: &'a str,
    version: &'a str,
    lines: Vec<(usize, &'a str)>,
}

fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts: Vec<Part<'_>> = vec![];
    for (number, line) in text.lines().enumerate() {
        if let Some((prefix, version)) = version_of(line) {
            parts.push(Part { prefix, version: version.trim_end_matches(':'), lines: vec![] });
        } else if let Some(part) = parts.last_mut() {
            let line = line.trim();
            let inner = if part.prefix.is_empty() { line } else { line.strip_prefix(part.prefix).unwrap_or(line) };
            part.lines.push((number, inner.trim()));
        }
    }
    parts
}

impl<'a> Part<'a> {
    /// What follows a key, with its line.
    fn value(&self, key: &str) -> Option<(usize, &'a str)> {
        self.lines.iter().find_map(|(number, line)| Some((*number, line.strip_prefix(key)?.trim())))
    }
}

fn read(text: &str) -> Reading {
    let mut reading = Reading::new("sysbench");
    let parts = parts(text);
    let Some(last) = parts.last() else {
        reading.fail("sysbench::title", "no line names sysbench and its version");
        return reading;
    };
    reading.tool_version = last.version.to_owned();
    reading.check_version("sysbench::version", TESTED_NEWEST);
    for (number, part) in parts.iter().enumerate() {
        let mut labels = Labels::new();
        if parts.len() > 1 {
            let name = if part.prefix.is_empty() { (number + 1).to_string() } else { part.prefix.to_owned() };
            labels.insert("run".to_owned(), name);
        } else {
            labels.role = Role::Reported;
        }
        measure(part, &Arc::new(labels), &mut reading);
    }
    reading
}

fn measure(part: &Part<'_>, labels: &Arc<Labels>, reading: &mut Reading) {
    for (number, line) in part.lines.iter().filter(|(_, line)| line.starts_with("FATAL") || line.starts_with("Fatal")) {
        reading.fail("sysbench::error", format!("line {}: {line}", number + 1));
    }
    let Some(seconds) = seconds(part) else {
        reading.fail("sysbench::cut", "the time that it took is missing: it is cut, or did not end");
        return;
    };
    if seconds < SECONDS_MIN {
        reading.invalidate("sysbench::too-short", format!("{seconds} s, less than {SECONDS_MIN} s say nothing"));
    }
    let before = reading.measurements.len();
    let rate = rates(part, labels, reading);
    files(part, labels, reading);
    if reading.measurements.len() == before {
        reading.fail("sysbench::no-results", "it holds no rate that is known");
        return;
    }
    let has_latencies = ["Latency (ms):", "per-request statistics:", "Latency histogram", "response time:"]
        .iter()
        .any(|key| part.lines.iter().any(|(_, line)| line.starts_with(key)));
    if !has_latencies {
        reading.fail("sysbench::cut", "the latencies are missing: it is cut");
        return;
    }
    latencies(part, labels, reading);
    let at = part.value("total time:").or_else(|| part.value("time elapsed:")).map(|(line, _)| text::place(line));
    reading.measure(labels, ("runtime", (seconds * 1e9).round()), at.unwrap_or_default());
    let events = part.value("total number of events:").and_then(|(_, text)| text.parse::<f64>().ok());
    if let (Some(rate), Some(events)) = (rate, events)
        && (events / seconds / rate - 1.0).abs() > RATE_TOLERANCE
    {
        reading.invalidate("sysbench::rate", format!("{events} events in {seconds} s are not {rate} a second"));
    }
    check_errors(part, reading);
}

fn seconds(part: &Part<'_>) -> Option<f64> {
    let (_, text) = part.value("total time:").or_else(|| part.value("time elapsed:"))?;
    text.trim_end_matches('s').parse().ok().filter(|seconds: &f64| *seconds > 0.0)
}

/// Rates of events, transactions and queries, and of memory; the one that counts events is returned.
fn rates(part: &Part<'_>, labels: &Arc<Labels>, reading: &mut Reading) -> Option<f64> {
    let mut of_events = None;
    for (metric, key) in [("events", "events per second:"), ("events", "events/s (eps):")] {
        if let Some((line, text)) = part.value(key) {
            of_events =
                reading.measure_printed(labels, Printed { metric, text, unit: Unit::PER_SECOND }, text::place(line));
        }
    }
    for (metric, key) in [("transactions", "transactions:"), ("queries", "queries:"), ("events", "Total operations:")] {
        let Some((line, text)) = part.value(key) else { continue };
        let Some(inside) = text.split_once('(').map(|(_, inside)| inside) else { continue };
        if let Some((number, rest)) = text::number(inside).filter(|(_, rest)| rest.starts_with("per sec")) {
            debug_assert!(rest.starts_with("per sec"));
            let value = reading.measure_printed(
                labels,
                Printed { metric, text: number, unit: Unit::PER_SECOND },
                text::place(line),
            );
            of_events = of_events.or(value.filter(|_| metric != "queries"));
        }
    }
    let moved = part.lines.iter().find(|(_, line)| line.contains(" transferred ("));
    if let Some((line, text)) = moved {
        let inside = text.split_once(" transferred (").and_then(|(_, inside)| text::number(inside));
        // old versions write MB for the same 2^20 bytes
        let is_known = |unit: &str| unit.starts_with("MiB/sec") || unit.starts_with("MB/sec");
        if let (Some((number, unit)), Some(mebibyte)) = (inside, Unit::parse("MiB/s"))
            && is_known(unit)
        {
            reading.measure_printed(
                labels,
                Printed { metric: "bandwidth", text: number, unit: mebibyte },
                text::place(*line),
            );
        }
    }
    of_events
}

/// Rates of a test of files, by direction.
fn files(part: &Part<'_>, labels: &Arc<Labels>, reading: &mut Reading) {
    let keys = [
        ("read", "iops", "reads/s:", "1/s"),
        ("write", "iops", "writes/s:", "1/s"),
        ("sync", "iops", "fsyncs/s:", "1/s"),
        ("read", "bandwidth", "read, MiB/s:", "MiB/s"),
        ("write", "bandwidth", "written, MiB/s:", "MiB/s"),
    ];
    for (direction, metric, key, unit) in keys {
        let (Some((line, text)), Some(unit)) = (part.value(key), Unit::parse(unit)) else { continue };
        if text.parse() == Ok(0.0) {
            continue;
        }
        let mut labels = (**labels).clone();
        labels.role = Role::Row;
        labels.insert("direction".to_owned(), direction.to_owned());
        reading.measure_printed(&Arc::new(labels), Printed { metric, text, unit }, text::place(line));
    }
}

fn latencies(part: &Part<'_>, labels: &Arc<Labels>, reading: &mut Reading) {
    let Some(start) = part.lines.iter().position(|(_, line)| line.starts_with("Latency (ms):")) else { return };
    let millisecond = Unit::parse("ms").unwrap_or(Unit::NANOSECOND);
    for (number, line) in part.lines[start + 1..].iter().take_while(|(_, line)| !line.is_empty()) {
        let Some((key, value)) = line.split_once(':') else { continue };
        let percentile = key.strip_suffix("th percentile").map(|number| format!("latency_p{number}"));
        let metric = match key {
            "min" => "latency_min",
            "avg" => "latency_mean",
            "max" => "latency_max",
            _ => match &percentile {
                Some(metric) => metric,
                None => continue,
            },
        };
        // two decimals of a millisecond: a memory access takes less, and 0.00 is no latency of nothing
        let value = value.trim();
        if value.parse() != Ok(0.0) {
            reading.measure_printed(labels, Printed { metric, text: value, unit: millisecond }, text::place(*number));
        }
    }
}

fn check_errors(part: &Part<'_>, reading: &mut Reading) {
    let Some((_, text)) = part.value("ignored errors:") else { return };
    if let Some((number, _)) = text::number(text).filter(|(number, _)| number.parse() != Ok(0.0)) {
        reading.warn("sysbench::errors", format!("{number} errors were ignored"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::Status;

    fn text(body: &str) -> String {
        format!(
            "sysbench 1.0.20 (using system LuaJIT 2.1)\n\nNumber of threads: 1\n\n{body}\nGeneral statistics:\n    total time: 2.0000s\n    total number of events: 2000\n\nLatency (ms):\n         min: 0.00\n         avg: 0.98\n         max: 3.10\n         95th percentile: 1.52\n         sum: 1999.00\n\n"
        )
    }

    fn value(reading: &Reading, metric: &str) -> Option<f64> {
        reading.measurements.iter().find(|one| one.metric.as_str() == metric).map(|one| one.value)
    }

    #[test]
    fn processors_memory_files_and_databases_are_read() {
        let cpu = read(&text("CPU speed:\n    events per second:  1000.00\n"));
        assert_eq!(cpu.status, Status::Ok, "{:?}", cpu.diagnostics);
        assert_eq!((value(&cpu, "events"), value(&cpu, "latency_p95")), (Some(1000.0), Some(1_520_000.0)));
        assert_eq!(value(&cpu, "latency_min"), None, "0.00 ms is less than can be printed");
        let memory =
            read(&text("Total operations: 2000 (1000.00 per second)\n\n2.00 MiB transferred (1.50 MiB/sec)\n"));
        assert_eq!((value(&memory, "events"), value(&memory, "bandwidth")), (Some(1000.0), Some(1_572_864.0)));
        let files =
            read(&text("File operations:\n reads/s: 10.50\n writes/s: 0.00\nThroughput:\n read, MiB/s: 2.00\n"));
        assert_eq!(files.measurements.iter().filter(|one| one.metric.as_str() == "iops").count(), 1);
        let database = read(&text(
            "transactions: 2000 (1000.00 per sec.)\nqueries: 40000 (20000.00 per sec.)\nignored errors: 3 (0.01 per sec.)\n",
        ));
        assert_eq!((value(&database, "transactions"), value(&database, "queries")), (Some(1000.0), Some(20_000.0)));
        assert!(database.diagnostics[0].message.contains("3 errors"));
    }

    #[test]
    fn copies_with_a_prefix_are_rows() {
        let one = text("CPU speed:\n    events per second:  1000.00\n");
        let reading = read(&format!("CPU 0 {one}\nCPU 1 {one}"));
        let runs: Vec<&str> =
            reading.measurements.iter().filter_map(|one| Some(one.labels.get("run")?.as_str())).collect();
        assert!(runs.contains(&"CPU 0") && runs.contains(&"CPU 1"), "{runs:?}");
    }

    #[test]
    fn a_wrong_rate_a_cut_and_an_error_are_no_results() {
        let good = text("CPU speed:\n    events per second:  1000.00\n");
        assert_eq!(read(&good.replace("1000.00", "1500.00")).status, Status::Invalid);
        assert_eq!(read(&good[..good.find("General").unwrap()]).status, Status::Failed);
        assert_eq!(read(&format!("{good}FATAL: worker died\n")).status, Status::Failed);
        assert_eq!(read("sysbench 1.0.20 (using LuaJIT)\n").status, Status::Failed);
    }
}
