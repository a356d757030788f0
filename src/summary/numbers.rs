//! The numbers of a block.

use super::Input;
use crate::measurement::{Measurement, Reading};
use std::collections::BTreeMap;

/// The metrics that are shown first, in their order.
pub(super) const METRICS: &[&str] = &[
    "iops",
    "bandwidth",
    "events",
    "transactions",
    "queries",
    "score",
    "duration",
    "latency_mean",
    "latency_p50",
    "latency_p95",
    "latency_p99",
    "latency_p99.9",
    "latency_max",
    "retransmits",
    "loss",
    "jitter",
    "cpu_usage",
];

/// What is not worth a place in a short block.
pub(super) const HIDDEN: &[&str] =
    &["runtime", "operations", "bytes", "latency_min", "latency_p75", "latency_p90", "latency_p99.99", "start_skew"];

/// The most rows of parts beside their total.
pub(super) const PARTS_MAX: usize = 4;

/// Values of one metric over the files.
pub(super) type Values<'a> = Vec<(&'a Measurement, Vec<f64>)>;

/// The measurements of a file that are shown: its totals, and their parts where reads and writes or two ways are mixed.
pub(super) fn shown_of(reading: &Reading) -> Vec<&Measurement> {
    let is_total = |one: &&Measurement| one.labels.is_result();
    let (totals, parts): (Vec<&Measurement>, Vec<&Measurement>) = reading.measurements.iter().partition(is_total);
    let direction = |one: &&Measurement| one.labels.get("direction").cloned();
    let directions: std::collections::BTreeSet<String> = parts.iter().filter_map(direction).collect();
    let is_mixed = directions.len() > 1 && (directions.contains("read") || directions.contains("received back"));
    let rows: std::collections::BTreeSet<_> = parts.iter().map(|one| &one.labels).collect();
    match totals.is_empty() {
        true => parts,
        false if is_mixed && rows.len() <= PARTS_MAX => totals.into_iter().chain(parts).collect(),
        false => totals,
    }
}

/// The values of the files, by the labels of their rows, in the order in which they were read. Rows of one file that have
/// the same labels stay rows.
pub(super) fn rows(inputs: &[Input]) -> Vec<(String, Values<'_>)> {
    let mut rows: Vec<(String, Values<'_>)> = vec![];
    let mut places: BTreeMap<(String, usize), usize> = BTreeMap::new();
    for input in inputs {
        let shown = shown_of(&input.reading);
        let has_parts = shown.iter().any(|one| !one.labels.is_result());
        let mut seen: BTreeMap<(String, &str), usize> = BTreeMap::new();
        for one in shown.into_iter().filter(|one| !HIDDEN.contains(&one.metric.as_str())) {
            let label = match row_label(one) {
                label if label.is_empty() && has_parts => "all".to_owned(),
                label => label,
            };
            let number = seen.entry((label.clone(), one.metric.as_str())).or_insert(0);
            *number += 1;
            let at = *places.entry((label.clone(), *number)).or_insert(rows.len());
            if at == rows.len() {
                rows.push((if *number > 1 { format!("{label} #{number}") } else { label }, vec![]));
            }
            match rows[at].1.iter_mut().find(|(other, _)| other.metric == one.metric) {
                Some((_, values)) => values.push(one.value),
                None => rows[at].1.push((one, vec![one.value])),
            }
        }
    }
    for (_, values) in &mut rows {
        values.sort_by_key(|(one, _)| {
            METRICS.iter().position(|metric| *metric == one.metric.as_str()).unwrap_or(METRICS.len())
        });
    }
    rows
}

/// The widest label of a row.
pub(super) const LABEL_WIDTH_MAX: usize = 28;

/// Lines of numbers, at most so many; a number is never cut.
pub(super) fn numbers(inputs: &[Input], (most, width): (usize, usize)) -> Vec<String> {
    let rows = rows(inputs);
    let label_width = rows.iter().map(|(label, _)| label.chars().count()).max().unwrap_or(0).min(LABEL_WIDTH_MAX);
    let mut lines = vec![];
    for (label, values) in &rows {
        let shown: Vec<String> = values.iter().map(|(one, values)| shown(one, values)).collect();
        let indent = if label_width == 0 { 0 } else { label_width + 2 };
        let short: String = match label.chars().count() {
            count if count > label_width => {
                label.chars().take(label_width.saturating_sub(3)).chain("...".chars()).collect()
            }
            _ => label.clone(),
        };
        let is_latency = |text: &&String| text.starts_with("latency");
        let (latencies, rates): (Vec<&String>, Vec<&String>) = shown.iter().partition(is_latency);
        let (latencies, rates): (Vec<String>, Vec<String>) =
            (latencies.into_iter().cloned().collect(), rates.into_iter().cloned().collect());
        // a total alone has room for one line of rates and one of latencies; spreads need a line each
        let groups = match rows.len() {
            1 if inputs.len() > 1 => shown.into_iter().map(|one| vec![one]).collect(),
            1 => vec![rates, latencies],
            _ => vec![shown],
        };
        let mut label = short;
        for line in groups.iter().flat_map(|group| packed(group, width.saturating_sub(indent))) {
            lines.push(format!("{label:label_width$}{}{line}", " ".repeat(indent - label_width)).trim_end().to_owned());
            label = String::new();
        }
    }
    if lines.len() > most {
        let hidden = lines.len() + 1 - most;
        lines.truncate(most.saturating_sub(1));
        lines.push(format!("and {hidden} more lines: `benchpaper parse` prints them"));
    }
    lines
}

/// Texts side by side on lines of so many columns; the word `latency` stands once a line.
pub(super) fn packed(texts: &[String], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![];
    for text in texts {
        match lines.last_mut() {
            Some(line) => {
                let rest = text.strip_prefix("latency ").filter(|_| line.contains("latency ")).unwrap_or(text);
                if line.chars().count() + 2 + rest.chars().count() <= width {
                    line.push_str(", ");
                    line.push_str(rest);
                } else {
                    lines.push(text.clone());
                }
            }
            None => lines.push(text.clone()),
        }
    }
    lines
}

pub(super) fn row_label(one: &Measurement) -> String {
    const PLAIN: &[&str] = &["iodepth", "threads", "block_size", "scale"];
    let shown = one.labels.iter().filter(|(label, _)| !PLAIN.contains(&label.as_str()));
    let mut words: Vec<(&String, &String)> = shown.collect();
    words.sort_by_key(|(label, _)| label.as_str() != "test");
    words.into_iter().map(|(_, value)| value.as_str()).collect::<Vec<_>>().join(" ")
}

/// A metric with its value, or the median and the spread over several files.
pub(super) fn shown(one: &Measurement, values: &[f64]) -> String {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = (sorted[(sorted.len() - 1) / 2] + sorted[sorted.len() / 2]) / 2.0;
    let unit = if one.metric.as_str() == "iops" { "IOPS" } else { one.unit };
    let mut text = humane(middle, unit);
    if values.len() > 1 {
        text = format!("{text} ({} – {})", humane(sorted[0], unit), humane(sorted[sorted.len() - 1], unit));
    }
    match one.metric.as_str() {
        "iops" | "bandwidth" => text,
        metric => format!("{} {text}", metric.replace("latency_", "latency ").replace('_', " ")),
    }
}

/// A value in a unit that people read: four digits, powers of ten.
pub(super) fn humane(value: f64, unit: &str) -> String {
    let scaled = |steps: &[(f64, &str)]| {
        let (scale, symbol) =
            steps.iter().copied().find(|(scale, _)| value.abs() >= *scale).unwrap_or(steps[steps.len() - 1]);
        format!("{} {symbol}", digits(value / scale))
    };
    match unit {
        "B/s" => {
            let decimal = scaled(&[(1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s"), (1.0, "B/s")]);
            let binary = if value >= 1e6 { format!(" = {} MiB/s", digits(value / 1_048_576.0)) } else { String::new() };
            format!("{decimal}{binary}")
        }
        "ns" => scaled(&[(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")]),
        "1" if libm::trunc(value) == value => format!("{value}"),
        "1" => digits(value),
        unit => format!("{} {unit}", digits(value)),
    }
}

/// Four significant digits, and whole numbers in full.
pub(super) fn digits(value: f64) -> String {
    let whole = if value == 0.0 { 1 } else { libm::floor(libm::log10(value.abs())) as i64 + 1 };
    let decimals = usize::try_from(4 - whole.max(1)).unwrap_or(0).min(3);
    format!("{value:.decimals$}")
}
