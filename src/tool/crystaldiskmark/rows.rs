//! The text that CrystalDiskMark copies or saves.

use super::super::{Answers, Question, text};
use crate::law;
use crate::measurement::{Labels, Printed, Reading};
use crate::unit::Unit;
use std::sync::Arc;

/// The newest version that was tried.
pub(super) const TESTED_NEWEST: (u64, u64) = (8, 0);

/// How far MB/s and IOPS × block size may lie apart beyond their rounding, as a share.
pub(super) const PRODUCT_TOLERANCE: f64 = 0.002;

/// Fewer operations in flight than this share of the queue mean that the generator, not the drive, was the limit.
pub(super) const QUEUE_SHARE_MIN: f64 = 0.5;

/// What a test does: order, block size, operations in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Test {
    pub(super) is_random: bool,
    /// Not printed for sequential accesses before version 7.
    pub(super) block_size_bytes: Option<u64>,
    pub(super) depth: u64,
    pub(super) threads: u64,
}

impl Test {
    /// From the name of a row, or as a manifest has it: `SEQ 1MiB (Q= 8, T= 1)`, `RND 4 KiB Q32T1`.
    pub(super) fn of(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let is_random = name.contains("random") || name.contains("rnd");
        // one release of a clone misspells the word
        if !is_random && !name.contains("seq") {
            return None;
        }
        let after = |key: &str| {
            let at = name.find(key)? + key.len();
            let digits = name[at..].trim_start().trim_start_matches('=').trim_start();
            text::number(digits).and_then(|(number, _)| number.parse::<u64>().ok())
        };
        let depth = after("qd").or_else(|| after("(q")).or_else(|| after(" q")).unwrap_or(1);
        let threads = after(",t").or_else(|| after(", t")).or_else(|| threads_after_depth(&name)).unwrap_or(1);
        Some(Self { is_random, block_size_bytes: block_size(&name), depth, threads })
    }

    pub(super) fn label(self) -> String {
        let order = if self.is_random { "RND" } else { "SEQ" };
        let size = match self.block_size_bytes {
            Some(bytes) if bytes.is_multiple_of(1 << 20) => format!(" {}MiB", bytes >> 20),
            Some(bytes) => format!(" {}KiB", bytes >> 10),
            None => String::new(),
        };
        format!("{order}{size} Q{}T{}", self.depth, self.threads)
    }
}

/// The threads of `q32t16`.
pub(super) fn threads_after_depth(name: &str) -> Option<u64> {
    let at = name.rfind('t')?;
    let is_after_digit = name[..at].ends_with(|one: char| one.is_ascii_digit());
    if is_after_digit { text::number(&name[at + 1..])?.0.parse().ok() } else { None }
}

/// `kib`, `kb` or `k` at the beginning, and no other word.
pub(super) fn is_unit(text: &str, letter: char) -> bool {
    let Some(rest) = text.strip_prefix(letter) else { return false };
    rest.starts_with("ib") || rest.starts_with('b') || !rest.starts_with(|one: char| one.is_alphanumeric())
}

/// What follows `Test` at the end: `32768 MiB [E: 0.1% (0.1/60.0 GiB)] (x5)  [Interval=5 sec]`.
pub(super) fn test_line(text: &str) -> Option<&str> {
    let line = text
        .lines()
        .map(str::trim)
        .find(|line| line.strip_prefix("Test").is_some_and(|rest| rest.trim_start().starts_with(':')))?;
    line.split_once(':').map(|(_, value)| value.trim())
}

pub(super) fn test_size_bytes(text: &str) -> Option<u64> {
    let (number, unit) = text::number(test_line(text)?)?;
    let scale = match unit.to_ascii_lowercase() {
        unit if unit.starts_with("gi") || unit.starts_with("gb") => 1 << 30,
        unit if unit.starts_with("mi") || unit.starts_with("mb") => 1 << 20,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(scale)
}

pub(super) fn passes(text: &str) -> Option<u64> {
    let mut parts = test_line(text)?.split("(x").skip(1);
    parts.find_map(|rest| rest.split(')').next()?.trim().parse().ok())
}

/// The first number with a unit of bytes.
pub(super) fn block_size(name: &str) -> Option<u64> {
    let mut rest = name;
    while let Some(at) = rest.find(|one: char| one.is_ascii_digit()) {
        let (number, unit) = text::number(&rest[at..])?;
        let scale = match unit {
            unit if is_unit(unit, 'k') => 1 << 10,
            unit if is_unit(unit, 'm') => 1 << 20,
            _ => 0,
        };
        if scale > 0 {
            return number.parse::<u64>().ok()?.checked_mul(scale);
        }
        rest = &rest[at + number.len()..];
    }
    None
}

/// One row of results.
pub(super) struct Row<'a> {
    pub(super) test: Test,
    pub(super) direction: &'static str,
    pub(super) megabytes: &'a str,
    pub(super) iops: Option<&'a str>,
    pub(super) microseconds: Option<&'a str>,
    pub(super) line: usize,
}

/// What a line says: a row, a row that is cut, or something else.
pub(super) enum Line<'a> {
    Row(Row<'a>),
    Cut,
    Other,
}

pub(super) fn line_of<'a>(line: &'a str, section: Option<&'static str>, number: usize) -> Line<'a> {
    let Some((name, values)) = row_parts(line) else { return Line::Other };
    let lower = name.to_ascii_lowercase();
    let named = if lower.contains("read") {
        Some("read")
    } else if lower.contains("write") {
        Some("write")
    } else {
        None
    };
    let (Some(test), Some(direction)) = (Test::of(name), named.or(section)) else { return Line::Other };
    let Some((megabytes, rest)) = text::number(values) else { return Line::Cut };
    let Some(rest) = rest.strip_prefix("MB/s") else { return Line::Cut };
    let inside = |open: char, close: char| rest.split_once(open)?.1.split_once(close)?.0.split_whitespace().next();
    let (iops, microseconds) = (inside('[', ']'), inside('<', '>'));
    let is_cut = (rest.contains('[') && iops.is_none()) || (rest.contains('<') && microseconds.is_none());
    if is_cut {
        return Line::Cut;
    }
    Line::Row(Row { test, direction, megabytes, iops, microseconds, line: number })
}

/// The name of a row and what stands after its colon.
pub(super) fn row_parts(line: &str) -> Option<(&str, &str)> {
    let (name, values) = line.rsplit_once(':')?;
    let lower = name.trim_start().to_ascii_lowercase();
    let is_row = ["seq", "rnd", "random"].iter().any(|word| lower.starts_with(word));
    is_row.then_some((name, values))
}

pub(super) fn read(text: &str) -> Reading {
    let mut reading = Reading::new("crystaldiskmark");
    let Some(title) = text.lines().find(|line| line.contains("DiskMark ")) else {
        reading.fail("crystaldiskmark::title", "no line names CrystalDiskMark and its version");
        return reading;
    };
    let after = title.split_once("DiskMark ").map_or("", |(_, after)| after);
    reading.tool_version = after.split_whitespace().next().unwrap_or_default().to_owned();
    if !title.contains("CrystalDiskMark ") {
        reading.warn("crystaldiskmark::clone", format!("made by another program: {}", title.trim()));
    }
    reading.check_version("crystaldiskmark::version", TESTED_NEWEST);
    let mut rows = vec![];
    let mut section = None;
    for (number, line) in text.lines().enumerate() {
        match line.trim() {
            "[Read]" => section = Some("read"),
            "[Write]" => section = Some("write"),
            mix if mix.starts_with("[Mix]") => section = Some("mix"),
            _ => match line_of(line, section, number) {
                Line::Row(row) => rows.push(row),
                Line::Cut => reading.fail("crystaldiskmark::cut", format!("line {}: a row is cut", number + 1)),
                Line::Other => {}
            },
        }
    }
    if rows.is_empty() {
        reading.fail("crystaldiskmark::no-rows", "it holds no results");
    }
    if !text.lines().any(|line| line.trim_start().starts_with("OS") && line.contains(':')) {
        reading.warn("crystaldiskmark::cut", "its last lines are missing: rows may be, too");
    }
    check_template(&rows, &mut reading);
    rows.iter().for_each(|row| measure(row, &mut reading));
    reading
}

/// IOPS that are the same in rows with other rates were never measured.
pub(super) fn check_template(rows: &[Row<'_>], reading: &mut Reading) {
    let iops: Vec<&str> = rows.iter().filter_map(|row| row.iops).collect();
    let Some(first) = iops.first().filter(|_| iops.len() >= 3) else { return };
    let has_one_rate = rows.iter().all(|row| row.megabytes == rows[0].megabytes);
    if iops.iter().all(|one| one == first) && !has_one_rate {
        let message = format!("every row has {first} IOPS whatever its MB/s: a template, not a measurement");
        reading.fail("crystaldiskmark::template", message);
    }
}

pub(super) fn measure(row: &Row<'_>, reading: &mut Reading) {
    let mut labels = Labels::from([
        ("test".to_owned(), row.test.label()),
        ("direction".to_owned(), row.direction.to_owned()),
        ("iodepth".to_owned(), row.test.depth.to_string()),
        ("threads".to_owned(), row.test.threads.to_string()),
    ]);
    labels.extend(row.test.block_size_bytes.map(|bytes| ("block_size".to_owned(), format!("{bytes} B"))));
    let labels = Arc::new(labels);
    let place = || text::place(row.line);
    let known = reading.measurements.iter().any(|one| one.labels == labels);
    if known {
        reading.warn("crystaldiskmark::twice", format!("line {}: this test stands there twice", row.line + 1));
        return;
    }
    let iops = row.iops.and_then(|iops| {
        reading.measure_printed(&labels, Printed { metric: "iops", text: iops, unit: Unit::PER_SECOND }, place())
    });
    let megabyte = Unit::parse("MB/s").unwrap_or(Unit::BYTE_PER_SECOND);
    let rate =
        reading.measure_printed(&labels, Printed { metric: "bandwidth", text: row.megabytes, unit: megabyte }, place());
    let microsecond = Unit::parse("µs").unwrap_or(Unit::NANOSECOND);
    let latency = row.microseconds.and_then(|text| {
        reading.measure_printed(&labels, Printed { metric: "latency_mean", text, unit: microsecond }, place())
    });
    if let (Some(iops), Some(rate), Some(block)) = (iops, rate, row.test.block_size_bytes) {
        check_product(&Product { iops, rate, block: block as f64 }, row, reading);
    }
    if let (Some(iops), Some(latency)) = (iops, latency) {
        check_queue((iops, latency), row, reading);
    }
    if rate == Some(0.0) {
        reading.invalidate("crystaldiskmark::zero", format!("line {}: nothing was measured", row.line + 1));
    }
}

/// Numbers of which one is the product of the others: operations and bytes a second, bytes an operation.
struct Product {
    iops: f64,
    rate: f64,
    block: f64,
}

fn check_product(product: &Product, row: &Row<'_>, reading: &mut Reading) {
    let Product { iops, rate, block } = *product;
    let product = iops * block;
    let rounding = half_digit(row.megabytes) * 1e6 + half_digit(row.iops.unwrap_or("0")) * block;
    if (product - rate).abs() > rounding + PRODUCT_TOLERANCE * rate.max(product) {
        let message = format!(
            "line {}: {iops} IOPS of {block} B are {:.3} MB/s, printed are {}",
            row.line + 1,
            product / 1e6,
            row.megabytes
        );
        reading.fail("crystaldiskmark::bandwidth", message);
    }
}

/// Half a unit of the last digit of a decimal.
pub(super) fn half_digit(text: &str) -> f64 {
    let decimals = text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    0.5 / 10_f64.powi(decimals.min(300) as i32)
}

pub(super) fn check_queue((iops, latency_ns): (f64, f64), row: &Row<'_>, reading: &mut Reading) {
    let most = (row.test.depth * row.test.threads) as f64;
    let found = law::concurrency(iops, latency_ns);
    if !law::is_concurrency_possible(iops, latency_ns, most) {
        let message = format!("line {}: IOPS × latency is {found:.2}, above the {most} in flight", row.line + 1);
        reading.warn("crystaldiskmark::little", message);
    } else if found < most * QUEUE_SHARE_MIN {
        let message = format!(
            "line {}: IOPS × latency is {found:.1} of {most} in flight: its latency is not that of a full queue",
            row.line + 1
        );
        reading.warn("crystaldiskmark::little", message);
    }
}

pub(super) fn answers(text: &str) -> Answers {
    let value = |key: &str| {
        let line = text
            .lines()
            .map(str::trim)
            .find(|line| line.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with(':')))?;
        line.split_once(':').map(|(_, value)| value.trim().to_owned()).filter(|value| !value.is_empty())
    };
    let mut answers = Answers::from([
        (Question::Command, "a window: the settings are in this block".to_owned()),
        (Question::Direct, "yes, the page cache is passed by".to_owned()),
        (Question::Compressibility, "random unless `All 0x00` was chosen, which is not recorded".to_owned()),
    ]);
    let test = value("Test");
    let between = |text: &str, open: char, close: char| Some(text.split_once(open)?.1.split_once(close)?.0.to_owned());
    if let Some(test) = &test {
        let size = test.split(['[', '(']).next().unwrap_or_default().trim().to_owned();
        answers.insert(Question::WorkingSet, format!("{size} file"));
        let drive = between(test, '[', ']').filter(|drive| !drive.starts_with("Interval"));
        answers.extend(drive.map(|drive| (Question::Target, drive)));
        answers.extend(passes(text).map(|passes| (Question::Passes, format!("{passes} passes, the best is printed"))));
        if test.contains("<0Fill>") {
            answers.insert(Question::Compressibility, "zeros: compresses to nothing".to_owned());
        }
    }
    let interval = value("Time")
        .or_else(|| between(test.as_deref()?.rsplit_once('[')?.1, 'I', ']').map(|rest| format!("I{rest}")));
    answers.extend(interval.map(|time| (Question::Duration, time)));
    for (question, key) in [(Question::System, "OS"), (Question::Date, "Date"), (Question::Drive, "Device")] {
        answers.extend(value(key).map(|value| (question, value)));
    }
    answers
}
