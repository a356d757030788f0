//! fio's logs (`write_bw_log`, `write_iops_log`, `write_lat_log`): time in ms, value, direction, block size.
//!
//! The content does not say what the values are; the name does: `x_bw.1.log` KiB/s, `x_iops.1.log` 1/s, `x_lat.1.log`,
//! `x_clat.1.log` and `x_slat.1.log` nanoseconds (microseconds before fio 3.0, which the log does not say either).

use std::sync::Arc;

use super::super::text;
use crate::measurement::{Labels, Metric, Reading, Role, Value};
use crate::unit::Unit;

/// Fewer samples say nothing.
const SAMPLES_MIN: usize = 2;

/// Whether some bytes are a log: lines of at least four whole numbers, the third a direction.
pub(super) fn is_log(bytes: &[u8]) -> bool {
    let head = String::from_utf8_lossy(text::head(bytes));
    let lines: Vec<&str> = head.lines().filter(|line| !line.trim().is_empty()).take(3).collect();
    !lines.is_empty() && lines.iter().all(|line| sample(line).is_some())
}

/// A line of a log; the direction is the place in read, write, trim.
struct Sample {
    time_ms: f64,
    value: f64,
    direction: usize,
}

fn sample(line: &str) -> Option<Sample> {
    let mut fields = line.split(',').map(str::trim);
    let time = fields.next()?.parse::<u64>().ok()?;
    let value = fields.next()?.parse::<f64>().ok().filter(|value| *value >= 0.0)?;
    let direction = fields.next()?.parse::<usize>().ok().filter(|direction| *direction < 3)?;
    fields.next()?.parse::<u64>().ok()?;
    Some(Sample { time_ms: time as f64, value, direction })
}

/// What the values of a log are: the metric, and the factor to base units.
struct Kind {
    metric: &'static str,
    scale: f64,
    is_latency: bool,
}

/// What the values of a log are, by its name.
fn kind(name: &str) -> Option<Kind> {
    let stem = name.rsplit('/').next().unwrap_or(name);
    let kinds = [("_bw.", "bandwidth", 1024.0, false), ("_iops.", "iops", 1.0, false)];
    let latencies = [
        ("_slat.", "submission_latency", 1.0, true),
        ("_clat.", "completion_latency", 1.0, true),
        ("_lat.", "latency", 1.0, true),
    ];
    let found = kinds.into_iter().chain(latencies).find(|(part, _, _, _)| stem.contains(part));
    found.map(|(_, metric, scale, is_latency)| Kind { metric, scale, is_latency })
}

pub(super) fn read(text: &str, name: &str) -> Reading {
    let mut reading = Reading::new("fio");
    let Some(Kind { metric, scale, is_latency }) = kind(name) else {
        let message =
            "a log of fio does not say what its values are: name it `x_bw.1.log`, `x_iops.1.log` or `x_lat.1.log`";
        reading.fail("fio::log-name", message);
        return reading;
    };
    let mut samples: [Vec<(f64, f64)>; 3] = Default::default();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match sample(line) {
            Some(one) => samples[one.direction].push((one.time_ms, one.value * scale)),
            None => reading.fail("fio::log", format!("line {} is cut or damaged", number + 1)),
        }
    }
    if is_latency {
        reading.warn("fio::log-unit", "latencies are read as nanoseconds, as fio writes them since 3.0");
    }
    let is_only = samples.iter().filter(|samples| !samples.is_empty()).count() == 1;
    for (direction, samples) in ["read", "write", "trim"].into_iter().zip(samples) {
        if !samples.is_empty() {
            let mut labels = Labels::from([("direction".to_owned(), direction.to_owned())]);
            labels.role = if is_only { Role::Reported } else { Role::Row };
            measure(samples, (metric, is_latency), &Arc::new(labels), &mut reading);
        }
    }
    if reading.measurements.is_empty() {
        reading.fail("fio::log", "it holds no samples");
    }
    reading
}

fn measure(samples: Vec<(f64, f64)>, (metric, is_latency): (&str, bool), labels: &Arc<Labels>, reading: &mut Reading) {
    if samples.len() < SAMPLES_MIN {
        reading.invalidate("fio::log", "one sample says nothing");
    }
    let count = samples.len() as f64;
    let longest = samples.iter().map(|(time, _)| *time).fold(0.0, f64::max);
    let mut values: Vec<f64> = samples.into_iter().map(|(_, value)| value).collect();
    let mean = values.iter().sum::<f64>() / count;
    let place = || "line/*/2".to_owned();
    if is_latency {
        values.sort_by(f64::total_cmp);
        let last = values.len() - 1;
        let at = |share: f64| values[((share * count).ceil() as usize).clamp(1, last + 1) - 1];
        let named = |part: &str| match metric {
            "latency" => format!("latency_{part}"),
            other => format!("{other}_{part}"),
        };
        let found = [
            ("mean", mean),
            ("min", values[0]),
            ("p50", at(0.5)),
            ("p99", at(0.99)),
            ("p99.9", at(0.999)),
            ("max", values[last]),
        ];
        for (part, value) in found {
            reading.measure_in(
                labels,
                Value { metric: Metric::new(&named(part)), value, unit: Unit::NANOSECOND },
                place(),
            );
        }
    } else {
        reading.measure(labels, (metric, mean), place());
    }
    reading.measure(labels, ("samples", count), "line/*".to_owned());
    reading.measure(labels, ("runtime", longest * 1e6), "line/*/1".to_owned());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::Status;

    const LOG: &str = "100, 40, 0, 0, 0\n200, 60, 0, 0, 0\n200, 10, 1, 0, 0\n300, 10, 1, 0, 0\n";

    #[test]
    fn the_name_says_what_the_values_are() {
        assert!(is_log(LOG.as_bytes()));
        let value = |name: &str, metric: &str| {
            let reading = read(LOG, name);
            assert_eq!(reading.status, Status::Ok, "{:?}", reading.diagnostics);
            reading.measurements.iter().find(|one| one.metric.as_str() == metric).map(|one| (one.value, one.unit))
        };
        assert_eq!(value("x_bw.1.log", "bandwidth"), Some((50.0 * 1024.0, "B/s")));
        assert_eq!(value("a/x_iops.1.log", "iops"), Some((50.0, "1/s")));
        assert_eq!(value("x_lat.1.log", "latency_p99"), Some((60.0, "ns")));
        assert_eq!(value("x_clat.1.log", "completion_latency_mean"), Some((50.0, "ns")));
        assert_eq!(read(LOG, "x.log").status, Status::Failed);
    }

    #[test]
    fn cut_lines_are_said_and_other_tables_are_no_log() {
        assert_eq!(read("100, 40, 0, 0\n200, 6", "x_bw.1.log").status, Status::Failed);
        assert!(!is_log(b"a, b, c, d\n"));
        assert!(!is_log(b"1, 2, 9, 4\n"));
        assert!(!is_log(b""));
    }
}
