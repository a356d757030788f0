//! DiskSpd's text: for each time span a table of all operations, of reads and of writes, and the latency distribution.

use std::sync::Arc;

use super::super::text;
use super::{TESTED_NEWEST, check_enough};
use crate::law;
use crate::measurement::{Labels, Printed, Reading, Role};
use crate::unit::Unit;

/// The percentiles that become metrics, as they are printed.
const PERCENTILES: &[(&str, &str)] = &[
    ("min", "latency_min"),
    ("50th", "latency_p50"),
    ("75th", "latency_p75"),
    ("90th", "latency_p90"),
    ("95th", "latency_p95"),
    ("99th", "latency_p99"),
    ("3-nines", "latency_p99.9"),
    ("4-nines", "latency_p99.99"),
    ("max", "latency_max"),
];

/// How far a printed rate may lie from bytes over time, as a share, beyond half of its last digit.
const RATE_TOLERANCE: f64 = 0.01;
/// Half of the last digit of a rate in MiB/s, in bytes a second.
const HALF_CENT: f64 = 0.005 * 1_048_576.0;

/// What is known of one time span.
#[derive(Default)]
struct Span<'a> {
    seconds: Option<f64>,
    threads: Option<u64>,
    tables: Vec<Table<'a>>,
    distribution: Vec<(usize, Vec<&'a str>)>,
}

/// `Total IO`, `Read IO` or `Write IO`.
struct Table<'a> {
    direction: &'static str,
    columns: Vec<&'a str>,
    rows: Vec<Vec<&'a str>>,
    total: Option<(usize, Vec<&'a str>)>,
}

impl Table<'_> {
    fn total(&self, column: &str) -> Option<(usize, &str)> {
        let (line, cells) = self.total.as_ref()?;
        let at = self.columns.iter().position(|one| *one == column)?;
        cells.get(at).map(|cell| (*line, *cell))
    }

    fn number(&self, column: &str) -> Option<f64> {
        self.total(column)?.1.parse().ok()
    }

    /// What the rows add up to in a column.
    fn sum(&self, column: &str) -> Option<f64> {
        let at = self.columns.iter().position(|one| *one == column)?;
        self.rows.iter().map(|row| row.get(at)?.parse::<f64>().ok()).sum()
    }
}

pub(super) fn read(text: &str) -> Reading {
    let mut reading = Reading::new("diskspd");
    reading.tool_version = version(text);
    reading.check_version("diskspd::version", TESTED_NEWEST);
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.starts_with("ERROR") || line.starts_with("Error ") || line.starts_with("There has been an error") {
            reading.fail("diskspd::error", format!("line {}: {line}", number + 1));
        }
    }
    let spans = spans(text);
    if spans.is_empty() {
        reading.fail("diskspd::no-results", "it holds no results");
    }
    let block_size = block_size(text);
    let in_flight = in_flight(text);
    let is_mixed = is_mixed(text);
    let several = spans.len() > 1;
    for (number, span) in spans.iter().enumerate() {
        let name = several.then(|| (number + 1).to_string());
        measure(span, name.as_deref(), &mut reading);
        check(span, &Parameters { block_size, in_flight, is_mixed }, &mut reading);
    }
    reading
}

/// The text does not say its version; the path of the program may.
fn version(text: &str) -> String {
    let command = text.lines().find_map(|line| line.trim().strip_prefix("Command Line:")).unwrap_or_default();
    let lower = command.to_ascii_lowercase();
    let after =
        lower.split("diskspd").skip(1).filter_map(|rest| text::number(rest.trim_start_matches(['.', '-', '_', ' '])));
    let found = after.map(|(number, _)| number.trim_end_matches('.').to_owned()).find(|number| number.contains('.'));
    found.unwrap_or_default()
}

fn spans(text: &str) -> Vec<Span<'_>> {
    let mut spans: Vec<Span<'_>> = vec![];
    let mut is_distribution = false;
    for (number, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        if trimmed.starts_with("Results for timespan") {
            spans.push(Span::default());
            is_distribution = false;
        }
        let Some(span) = spans.last_mut() else { continue };
        if let Some(seconds) = trimmed.strip_prefix("actual test time:") {
            span.seconds = text::number(seconds).and_then(|(number, _)| number.parse().ok());
        } else if let Some(threads) = trimmed.strip_prefix("thread count:") {
            span.threads = threads.trim().parse().ok();
        } else if let Some(direction) = direction(trimmed) {
            span.tables.push(Table { direction, columns: vec![], rows: vec![], total: None });
        } else if trimmed.starts_with("%-ile") {
            is_distribution = true;
        } else if is_distribution && trimmed.contains('|') {
            span.distribution.push((number, trimmed.split('|').map(str::trim).collect()));
        } else if let Some(table) = span.tables.last_mut() {
            add_line(table, number, trimmed);
        }
    }
    spans
}

fn direction(line: &str) -> Option<&'static str> {
    match line {
        "Total IO" => Some("all"),
        "Read IO" => Some("read"),
        "Write IO" => Some("write"),
        _ => None,
    }
}

fn add_line<'a>(table: &mut Table<'a>, number: usize, line: &'a str) {
    if !line.contains('|') {
        return;
    }
    if let Some(cells) = line.strip_prefix("total:") {
        table.total.get_or_insert((number, cells.split('|').map(str::trim).collect()));
    } else if table.columns.is_empty() {
        table.columns = line.split('|').skip(1).map(str::trim).collect();
    } else {
        table.rows.push(line.split('|').skip(1).map(str::trim).collect());
    }
}

/// The size of an operation, from the parameters or the command.
fn block_size(text: &str) -> Option<f64> {
    let mut sizes = text.lines().filter_map(|line| line.trim().strip_prefix("block size:")).map(bytes_of);
    let first = sizes.next().or_else(|| Some(option(text, "-b").and_then(bytes_of)))??;
    // several targets with several sizes have no single one
    sizes.all(|other| other == Some(first)).then_some(first)
}

/// `4096`, `4KiB`, `4K`, `1M`.
fn bytes_of(text: &str) -> Option<f64> {
    let (number, unit) = text::number(text)?;
    let scale = match unit.chars().next() {
        None => 1.0,
        Some('K' | 'k') => 1024.0,
        Some('M' | 'm') => 1_048_576.0,
        Some('G' | 'g') => 1_073_741_824.0,
        Some(_) => return None,
    };
    Some(number.parse::<f64>().ok()? * scale)
}

/// The value of an option in the command.
fn option<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let command = text.lines().find_map(|line| line.trim().strip_prefix("Command Line:"))?;
    command.split_whitespace().skip(1).find_map(|word| word.strip_prefix(name)).filter(|value| !value.is_empty())
}

/// Bytes of an operation, operations in flight of one thread, and whether reads and writes are mixed.
struct Parameters {
    block_size: Option<f64>,
    in_flight: Option<f64>,
    is_mixed: bool,
}

/// Whether reads and writes are mixed, so that each has a table.
fn is_mixed(text: &str) -> bool {
    let writes = option(text, "-w").and_then(|share| share.parse::<u64>().ok());
    text.contains("performing mix test") || writes.is_some_and(|share| (1..100).contains(&share))
}

/// The operations in flight of one thread.
fn in_flight(text: &str) -> Option<f64> {
    let of_line = |line: &'_ str| {
        let value = line.trim().strip_prefix("number of outstanding I/O operations")?;
        value.trim_start_matches(" per thread").trim_start_matches(':').trim().parse::<f64>().ok()
    };
    text.lines().find_map(of_line).or_else(|| option(text, "-o")?.parse().ok())
}

fn labels(direction: &str, span: Option<&str>) -> Arc<Labels> {
    let mut labels = Labels::new();
    if direction == "all" {
        // it is the tool's own total, and one row stands for all
        labels.role = Role::Reported;
    } else {
        labels.insert("direction".to_owned(), direction.to_owned());
    }
    labels.extend(span.map(|span| ("timespan".to_owned(), span.to_owned())));
    Arc::new(labels)
}

fn measure(span: &Span<'_>, name: Option<&str>, reading: &mut Reading) {
    let mebibyte = Unit::parse("MiB/s").unwrap_or(Unit::BYTE_PER_SECOND);
    let millisecond = Unit::parse("ms").unwrap_or(Unit::NANOSECOND);
    for table in &span.tables {
        let labels = labels(table.direction, name);
        let operations = table.number("I/Os").unwrap_or(0.0);
        // no operation has no latency and no rate
        if operations <= 0.0 && table.direction != "all" {
            continue;
        }
        let columns = [
            ("iops", "I/O per s", Unit::PER_SECOND),
            ("bandwidth", "MiB/s", mebibyte),
            ("bandwidth", "MB/s", mebibyte),
            ("latency_mean", "AvgLat", millisecond),
            ("operations", "I/Os", Unit::ONE),
            ("bytes", "bytes", Unit::BYTE),
        ];
        for (metric, column, unit) in columns {
            if let Some((line, cell)) = table.total(column) {
                reading.measure_printed(&labels, Printed { metric, text: cell, unit }, text::place(line));
            }
        }
        let column = match table.direction {
            "read" => 1,
            "write" => 2,
            _ => 3,
        };
        for (line, cells) in &span.distribution {
            let metric = cells.first().and_then(|name| PERCENTILES.iter().find(|(printed, _)| printed == name));
            if let (Some((_, metric)), Some(cell)) = (metric, cells.get(column)) {
                reading.measure_printed(&labels, Printed { metric, text: cell, unit: millisecond }, text::place(*line));
            }
        }
        if let (Some(seconds), "all") = (span.seconds, table.direction) {
            reading.measure(&labels, ("runtime", seconds * 1e9), String::new());
        }
    }
}

fn check(span: &Span<'_>, parameters: &Parameters, reading: &mut Reading) {
    let Parameters { block_size, in_flight, is_mixed } = *parameters;
    let all = span.tables.iter().find(|table| table.direction == "all");
    let Some(table) = all.filter(|table| table.total.is_some()) else {
        reading.fail("diskspd::cut", "the line with the totals is missing");
        return;
    };
    let (iops, operations) = (table.number("I/O per s"), table.number("I/Os"));
    let (Some(iops), Some(operations)) = (iops, operations) else {
        reading.fail("diskspd::cut", "the line with the totals is cut");
        return;
    };
    check_enough((span.seconds, operations), reading);
    let bandwidth = table.number("bytes").zip(span.seconds.filter(|seconds| *seconds > 0.0));
    if let (Some((bytes, seconds)), Some(block)) = (bandwidth, block_size)
        && !law::is_bandwidth_consistent(bytes / seconds, iops, block)
    {
        reading.invalidate("diskspd::bandwidth", format!("{iops} IOPS × {block} B is not {} B/s", bytes / seconds));
    }
    for direction in ["read", "write"].into_iter().filter(|_| is_mixed) {
        if !span.tables.iter().any(|table| table.direction == direction && table.total.is_some()) {
            reading.fail("diskspd::cut", format!("the table of {direction}s is missing: it is cut"));
        }
    }
    let printed = table.number("MiB/s").or_else(|| table.number("MB/s"));
    if let (Some((bytes, seconds)), Some(printed)) = (bandwidth, printed)
        && (printed * 1_048_576.0 - bytes / seconds).abs() > RATE_TOLERANCE * (bytes / seconds) + HALF_CENT
    {
        let message =
            format!("{bytes} B in {seconds} s are {:.2} MiB/s, printed are {printed}", bytes / seconds / 1_048_576.0);
        reading.fail("diskspd::rate", message);
    }
    let threads = span.threads.unwrap_or(table.rows.len() as u64);
    if threads > table.rows.len() as u64 {
        let sum = table.sum("I/Os").unwrap_or(0.0);
        let message = match sum == operations {
            true => "; they add up to the total, so the others did nothing or were cut off with their share",
            false => "; the total is of all",
        };
        reading.warn("diskspd::threads", format!("{threads} threads, {} rows{message}", table.rows.len()));
    }
    let latency = table.number("AvgLat").map(|milliseconds| milliseconds * 1e6);
    if let (Some(latency), Some(depth)) = (latency, in_flight) {
        let most = depth * threads as f64;
        let found = law::concurrency(iops, latency);
        if !law::is_concurrency_possible(iops, latency, most) {
            reading.warn("diskspd::little", format!("IOPS × latency is {found:.2}, above the {most} in flight"));
        } else if found < most * 0.9 {
            let message = format!("IOPS × latency is {found:.1} of {most} in flight: the queue was not full");
            reading.warn("diskspd::little", message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::Status;

    fn text(threads: u64, rows: &[(u64, f64)], total: (u64, f64), milliseconds: f64) -> String {
        let row = |name: &str, (count, iops): (u64, f64)| {
            format!(
                "{name} {} | {count} | {:.2} | {iops:.2} | {milliseconds} | 1.0 | 2.0",
                count * 4096,
                iops * 4096.0 / 1_048_576.0
            )
        };
        let table = |title: &str| {
            let rows: Vec<String> = rows.iter().map(|one| row("0 |", *one) + " | file (1GiB)").collect();
            format!(
                "{title}\nthread | bytes | I/Os | MiB/s | I/O per s | AvgLat | IopsStdDev | LatStdDev | file\n---\n{}\n---\n{}\n",
                rows.join("\n"),
                row("total:", total)
            )
        };
        format!(
            "Command Line: diskspd -b4K -o4 -t{threads} x\n\nResults for timespan 1:\n***\nactual test time:\t10.00s\nthread count:\t{threads}\n\n{}\nTotal latency distribution:\n %-ile | Read (ms) | Write (ms) | Total (ms)\n---\n 50th | N/A | 1.5 | 1.5\n",
            table("Total IO")
        )
    }

    #[test]
    fn the_total_line_counts() {
        let reading = read(&text(2, &[(10_000, 1000.0), (10_000, 1000.0)], (20_000, 2000.0), 4.0));
        assert_eq!(reading.status, Status::Ok, "{:?}", reading.diagnostics);
        assert!(reading.diagnostics.is_empty(), "{:?}", reading.diagnostics);
        let value = |metric: &str| reading.measurements.iter().find(|one| one.metric.as_str() == metric).unwrap().value;
        assert_eq!((value("iops"), value("latency_mean"), value("latency_p50")), (2000.0, 4e6, 1.5e6));
        assert_eq!(reading.measurements[1].printed.as_deref(), Some("7.81 MiB/s"));
    }

    #[test]
    fn a_shortened_table_and_idle_threads_are_said() {
        let cut = read(&text(4, &[(10_000, 1000.0), (10_000, 1000.0)], (40_000, 4000.0), 4.0));
        assert_eq!(cut.status, Status::Ok);
        assert!(cut.diagnostics[0].message.contains("the total is of all"), "{:?}", cut.diagnostics);
        let idle = read(&text(4, &[(10_000, 1000.0), (10_000, 1000.0)], (20_000, 2000.0), 4.0));
        assert!(idle.diagnostics[0].message.contains("did nothing"), "{:?}", idle.diagnostics);
    }

    #[test]
    fn an_impossible_rate_too_little_and_a_cut_are_no_results() {
        let good = text(1, &[(10_000, 1000.0)], (10_000, 1000.0), 4.0);
        assert_eq!(read(&good).status, Status::Ok);
        assert_eq!(read(&good.replace("-b4K", "-b8K")).status, Status::Invalid);
        assert_eq!(read(&text(1, &[(20, 2.0)], (20, 2.0), 4.0)).status, Status::Invalid);
        let at = good.find("total:").unwrap();
        assert_eq!(read(&good[..at]).status, Status::Failed);
        assert_eq!(read(&good.replace("Command Line", "ERROR: opening\nCommand Line")).status, Status::Failed);
    }
}
