//! CrystalDiskMark, versions 3 to 8: the text that its window copies or saves.
//!
//! MB are 10^6 bytes, KB and KiB in the name of a test are 1024 bytes. A result is the best of its passes, which the file
//! does not print. Tables whose IOPS and MB/s contradict each other are refused: templates that were never measured.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Answers, Context, Draft, Outputs, Question, Timing, Tool, manual, metrics, text};
use crate::law;
use crate::manifest::node::Node;
use crate::manifest::shape::{Fields, Problems, Size, Spanned, words};
use crate::measurement::{Labels, Metric, Reading};
use crate::unit::Unit;

/// CrystalDiskMark.
pub(super) struct CrystalDiskMark;

/// The newest version that was tried.
const TESTED_NEWEST: (u64, u64) = (8, 0);
/// How far MB/s and IOPS × block size may lie apart beyond their rounding, as a share.
const PRODUCT_TOLERANCE: f64 = 0.002;
/// Fewer operations in flight than this share of the queue mean that the generator, not the drive, was the limit.
const QUEUE_SHARE_MIN: f64 = 0.5;

words! {
    /// Which column of a test is the result.
    pub enum Direction {
        /// Reads.
        Read = "read",
        /// Writes.
        Write = "write",
        /// Reads and writes together.
        Mix = "mix",
    }
}

/// The settings that are hashed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
struct Settings {
    test: String,
    direction: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    size_bytes: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    passes: Option<u64>,
}

fn parse(settings: &serde_json::Value) -> Option<Settings> {
    Settings::deserialize(settings).ok()
}

impl Settings {
    fn select(&self) -> BTreeMap<String, String> {
        let pairs = [("test", &self.test), ("direction", &self.direction)];
        pairs.into_iter().map(|(label, value)| (label.to_owned(), value.clone())).collect()
    }
}

impl Tool for CrystalDiskMark {
    fn name(&self) -> &'static str {
        "crystaldiskmark"
    }

    fn resolve(&self, settings: &Node, _: &Context<'_>, problems: &mut Problems) -> Option<serde_json::Value> {
        let mut fields = Fields::open(settings, "a CrystalDiskMark workload", problems)?;
        let test = fields.take::<Spanned<String>>("test", problems);
        let direction = fields.take::<Direction>("direction", problems);
        let size = fields.take::<Option<Size>>("size", problems);
        let passes = fields.take::<Option<Spanned<u64>>>("passes", problems);
        fields.finish(problems);
        let (test, direction, size, passes) = (test?, direction?, size?, passes?);
        let Some(known) = Test::of(&test.value).filter(|test| !test.is_random || test.block_size_bytes.is_some())
        else {
            let message = format!("`{}` names no test", test.value);
            let help = "Write it as the window does: `SEQ 1 MiB Q8T1`, `RND 4 KiB Q32T1`, or `SEQ Q32T1` in versions before 7.";
            problems.error("crystaldiskmark::test", test.span, message, help);
            return None;
        };
        if let Some(passes) = passes.as_ref().filter(|passes| !(1..=9).contains(&passes.value)) {
            let message = format!("{} passes, expected 1 to 9", passes.value);
            problems.error("crystaldiskmark::passes", passes.span, message, "Write a number that the window offers.");
            return None;
        }
        let settings = Settings {
            test: known.label(),
            direction: direction.word().to_owned(),
            size_bytes: size.map(|size| size.base()),
            passes: passes.map(|passes| passes.value),
        };
        serde_json::to_value(settings).ok()
    }

    fn selectors(&self) -> &'static [&'static str] {
        &["test", "direction"]
    }

    fn steps(&self, settings: &serde_json::Value, _: Timing) -> Vec<String> {
        let Some(settings) = parse(settings) else { return vec![] };
        let size = match settings.size_bytes {
            None => "the same test size each time".to_owned(),
            Some(bytes) if bytes >= 1 << 30 && bytes.is_multiple_of(1 << 30) => {
                format!("a test size of {} GiB", bytes >> 30)
            }
            Some(bytes) => format!("a test size of {} MiB", bytes >> 20),
        };
        let passes = settings.passes.map_or("the same number of".to_owned(), |passes| passes.to_string());
        vec![
            "Close every other program, and open CrystalDiskMark.".to_owned(),
            format!("In the row of lists above the results choose {passes} passes and {size}."),
            PROFILE.to_owned(),
            "Choose the drive under test; check its letter twice.".to_owned(),
            "Click `All` and wait until the clock in the title has ended.".to_owned(),
            "File > Save (text), in older versions Edit > Copy and paste into an editor.".to_owned(),
        ]
    }

    fn recognises(&self, bytes: &[u8]) -> bool {
        let head = text::head(bytes);
        text::holds(head, "CrystalDiskMark ") || text::holds(head, "AmorphousDiskMark ")
    }

    fn read(&self, settings: Option<&serde_json::Value>, outputs: Outputs<'_>) -> Reading {
        let reading = self.parse(outputs);
        match settings.and_then(parse) {
            Some(settings) => manual::choose(reading, &settings.select()),
            None => reading,
        }
    }

    fn parse(&self, outputs: Outputs<'_>) -> Reading {
        read(&String::from_utf8_lossy(&text::decode(outputs.stdout))).close()
    }

    fn answers(&self, outputs: Outputs<'_>) -> Answers {
        answers(&String::from_utf8_lossy(&text::decode(outputs.stdout)))
    }

    fn draft(&self, bytes: &[u8]) -> Option<Draft> {
        let reading = self.recognises(bytes).then(|| self.parse(Outputs::of(bytes, &[])))?;
        let levels = |label: &str| {
            let mut found: Vec<String> = vec![];
            for value in reading.measurements.iter().filter_map(|one| one.labels.get(label)) {
                if !found.contains(value) {
                    found.push(value.clone());
                }
            }
            found
        };
        let settings = [("tool", self.name()), ("test", "{factor: test}"), ("direction", "{factor: direction}")];
        let mut settings = settings.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec();
        let text = String::from_utf8_lossy(bytes);
        settings.extend(test_size_bytes(&text).map(|bytes| ("size".to_owned(), format!("{} MiB", bytes >> 20))));
        settings.extend(passes(&text).map(|passes| ("passes".to_owned(), passes.to_string())));
        Some(Draft {
            workloads: vec![("disk".to_owned(), settings)],
            factors: ["test", "direction"].map(|label| (label.to_owned(), levels(label))).to_vec(),
            is_manual: true,
            metrics: ["bandwidth", "iops"].map(str::to_owned).to_vec(),
            ..Draft::default()
        })
    }

    fn was_made_with(&self, settings: &serde_json::Value, outputs: Outputs<'_>) -> Option<bool> {
        let reading = self.read(Some(settings), outputs);
        let text = String::from_utf8_lossy(&text::decode(outputs.stdout)).into_owned();
        let (size, passes) = (test_size_bytes(&text), passes(&text));
        let settings = parse(settings)?;
        let is_other = |wanted: Option<u64>, found: Option<u64>| wanted.zip(found).is_some_and(|(one, two)| one != two);
        let is_same = !is_other(settings.size_bytes, size) && !is_other(settings.passes, passes);
        Some(is_same && reading.status != crate::measurement::Status::Failed)
    }

    fn conditions(&self, outputs: Outputs<'_>) -> Answers {
        let mut answers = self.answers(outputs);
        answers.retain(|question, _| matches!(question, Question::WorkingSet | Question::Passes));
        answers
    }

    fn metrics(&self, _: &serde_json::Value) -> Vec<Metric> {
        metrics(&["iops", "bandwidth", "latency_mean"])
    }

    fn describe(&self, settings: &serde_json::Value) -> Vec<(String, String)> {
        let Some(settings) = parse(settings) else { return vec![] };
        vec![("test".to_owned(), settings.test), ("direction".to_owned(), settings.direction)]
            .into_iter()
            .chain(settings.size_bytes.map(|bytes| ("test size".to_owned(), format!("{} MiB", bytes >> 20))))
            .chain(settings.passes.map(|passes| ("passes, the best of which counts".to_owned(), passes.to_string())))
            .collect()
    }
}

/// What a test does: order, block size, operations in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Test {
    is_random: bool,
    /// Not printed for sequential accesses before version 7.
    block_size_bytes: Option<u64>,
    depth: u64,
    threads: u64,
}

impl Test {
    /// From the name of a row, or as a manifest has it: `SEQ 1MiB (Q= 8, T= 1)`, `RND 4 KiB Q32T1`.
    fn of(name: &str) -> Option<Self> {
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

    fn label(self) -> String {
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
fn threads_after_depth(name: &str) -> Option<u64> {
    let at = name.rfind('t')?;
    let is_after_digit = name[..at].ends_with(|one: char| one.is_ascii_digit());
    if is_after_digit { text::number(&name[at + 1..])?.0.parse().ok() } else { None }
}

/// `kib`, `kb` or `k` at the beginning, and no other word.
fn is_unit(text: &str, letter: char) -> bool {
    let Some(rest) = text.strip_prefix(letter) else { return false };
    rest.starts_with("ib") || rest.starts_with('b') || !rest.starts_with(|one: char| one.is_alphanumeric())
}

/// Where the window has a test: the profiles of version 8 differ in their rows.
const PROFILE: &str = "See that the results have every row that the job wants; if not, choose another profile, or the tests under Settings. Leave all else, and the data random.";

/// What follows `Test` at the end: `32768 MiB [E: 0.1% (0.1/60.0 GiB)] (x5)  [Interval=5 sec]`.
fn test_line(text: &str) -> Option<&str> {
    let line = text
        .lines()
        .map(str::trim)
        .find(|line| line.strip_prefix("Test").is_some_and(|rest| rest.trim_start().starts_with(':')))?;
    line.split_once(':').map(|(_, value)| value.trim())
}

fn test_size_bytes(text: &str) -> Option<u64> {
    let (number, unit) = text::number(test_line(text)?)?;
    let scale = match unit.to_ascii_lowercase() {
        unit if unit.starts_with("gi") || unit.starts_with("gb") => 1 << 30,
        unit if unit.starts_with("mi") || unit.starts_with("mb") => 1 << 20,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(scale)
}

fn passes(text: &str) -> Option<u64> {
    let mut parts = test_line(text)?.split("(x").skip(1);
    parts.find_map(|rest| rest.split(')').next()?.trim().parse().ok())
}

/// The first number with a unit of bytes.
fn block_size(name: &str) -> Option<u64> {
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
struct Row<'a> {
    test: Test,
    direction: &'static str,
    megabytes: &'a str,
    iops: Option<&'a str>,
    microseconds: Option<&'a str>,
    line: usize,
}

/// What a line says: a row, a row that is cut, or something else.
enum Line<'a> {
    Row(Row<'a>),
    Cut,
    Other,
}

fn line_of<'a>(line: &'a str, section: Option<&'static str>, number: usize) -> Line<'a> {
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
fn row_parts(line: &str) -> Option<(&str, &str)> {
    let (name, values) = line.rsplit_once(':')?;
    let lower = name.trim_start().to_ascii_lowercase();
    let is_row = ["seq", "rnd", "random"].iter().any(|word| lower.starts_with(word));
    is_row.then_some((name, values))
}

fn read(text: &str) -> Reading {
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
fn check_template(rows: &[Row<'_>], reading: &mut Reading) {
    let iops: Vec<&str> = rows.iter().filter_map(|row| row.iops).collect();
    let Some(first) = iops.first().filter(|_| iops.len() >= 3) else { return };
    let has_one_rate = rows.iter().all(|row| row.megabytes == rows[0].megabytes);
    if iops.iter().all(|one| one == first) && !has_one_rate {
        let message = format!("every row has {first} IOPS whatever its MB/s: a template, not a measurement");
        reading.fail("crystaldiskmark::template", message);
    }
}

fn measure(row: &Row<'_>, reading: &mut Reading) {
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
    let iops = row.iops.and_then(|iops| reading.measure_printed(&labels, ("iops", iops, Unit::PER_SECOND), place()));
    let megabyte = Unit::parse("MB/s").unwrap_or(Unit::BYTE_PER_SECOND);
    let rate = reading.measure_printed(&labels, ("bandwidth", row.megabytes, megabyte), place());
    let microsecond = Unit::parse("µs").unwrap_or(Unit::NANOSECOND);
    let latency = row
        .microseconds
        .and_then(|text| reading.measure_printed(&labels, ("latency_mean", text, microsecond), place()));
    if let (Some(iops), Some(rate), Some(block)) = (iops, rate, row.test.block_size_bytes) {
        check_product((iops, rate, block as f64), row, reading);
    }
    if let (Some(iops), Some(latency)) = (iops, latency) {
        check_queue((iops, latency), row, reading);
    }
    if rate == Some(0.0) {
        reading.invalidate("crystaldiskmark::zero", format!("line {}: nothing was measured", row.line + 1));
    }
}

fn check_product((iops, rate, block): (f64, f64, f64), row: &Row<'_>, reading: &mut Reading) {
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
fn half_digit(text: &str) -> f64 {
    let decimals = text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    0.5 / 10_f64.powi(decimals.min(300) as i32)
}

fn check_queue((iops, latency_ns): (f64, f64), row: &Row<'_>, reading: &mut Reading) {
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

fn answers(text: &str) -> Answers {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::Status;

    fn file(version: &str, rows: &str) -> String {
        format!(
            "CrystalDiskMark {version} x64 (C) 2007-2026 someone\n\n{rows}\n  Test : 64 MiB [D: 1.0% (1.0/100.0 GiB)] (x3)\n    OS : Windows [10.0]\n"
        )
    }

    fn value(reading: &Reading, test: &str, direction: &str, metric: &str) -> Option<f64> {
        let is_it = |one: &&crate::measurement::Measurement| {
            one.metric.as_str() == metric && one.labels["test"] == test && one.labels["direction"] == direction
        };
        reading.measurements.iter().find(is_it).map(|one| one.value)
    }

    #[test]
    fn every_generation_of_rows_is_read() {
        let three = read(&file(
            "3.0.9",
            "   Sequential Read :   120.500 MB/s\n    Random Read 4KB (QD=32) :    40.960 MB/s [ 10000.0 IOPS]",
        ));
        assert_eq!(three.status, Status::Ok, "{:?}", three.diagnostics);
        assert_eq!(value(&three, "SEQ Q1T1", "read", "bandwidth"), Some(120_500_000.0));
        assert_eq!(value(&three, "RND 4KiB Q32T1", "read", "iops"), Some(10_000.0));
        let six = read(&file(
            "6.0.1",
            "  Random Read 4KiB (Q=  8,T= 8) :   40.960 MB/s [  10000.0 IOPS]\n   Sequential Read (Q= 32,T= 1) :    91.000 MB/s",
        ));
        assert_eq!(value(&six, "RND 4KiB Q8T8", "read", "bandwidth"), Some(40_960_000.0));
        assert_eq!(value(&six, "SEQ Q32T1", "read", "bandwidth"), Some(91_000_000.0));
        let eight = read(&file(
            "8.0.5",
            "[Read]\n  SEQ    1MiB (Q=  8, T= 1):   104.858 MB/s [    100.0 IOPS] < 80000.00 us>\n[Mix] Read 70%/Write 30%\n  RND    4KiB (Q=  1, T= 1):     4.096 MB/s [   1000.0 IOPS] <  1000.00 us>",
        ));
        assert_eq!(eight.status, Status::Ok, "{:?}", eight.diagnostics);
        assert_eq!(value(&eight, "SEQ 1MiB Q8T1", "read", "latency_mean"), Some(80_000_000.0));
        assert_eq!(value(&eight, "RND 4KiB Q1T1", "mix", "iops"), Some(1000.0));
    }

    #[test]
    fn a_template_a_contradiction_and_a_cut_row_are_refused() {
        let row = |rate: &str, iops: &str, depth: u64| {
            format!("  Random Read 4KiB (Q= {depth},T= 1) :   {rate} MB/s [  {iops} IOPS]\n")
        };
        let template = [row("40.1", "10000.0", 1), row("50.1", "10000.0", 2), row("60.1", "10000.0", 4)].concat();
        assert!(read(&file("6.0.1", &template)).reason().contains("template"));
        assert_eq!(read(&file("6.0.1", &row("41.960", "10000.0", 1))).status, Status::Failed);
        let whole = file("6.0.1", &row("40.960", "10000.0", 1));
        let cut = whole.find("IOPS]").unwrap();
        assert_eq!(read(&whole[..cut]).status, Status::Failed);
        assert_eq!(read("CrystalDiskMark 8.0.1\n").status, Status::Failed);
    }

    #[test]
    fn the_settings_choose_one_test() {
        let text = file(
            "6.0.1",
            "  Random Read 4KiB (Q= 32,T= 1) :   40.960 MB/s [  10000.0 IOPS]\n Random Write 4KiB (Q= 32,T= 1) :   20.480 MB/s [   5000.0 IOPS]",
        );
        let settings =
            serde_json::json!({"test": "RND 4KiB Q32T1", "direction": "write", "size_bytes": 1, "passes": 5});
        let chosen = CrystalDiskMark.read(Some(&settings), Outputs::of(text.as_bytes(), &[]));
        assert_eq!(chosen.measurements.iter().map(|one| one.value).collect::<Vec<_>>(), [5000.0, 20_480_000.0]);
        let other = serde_json::json!({"test": "SEQ Q32T1", "direction": "write", "size_bytes": 1, "passes": 5});
        assert_eq!(CrystalDiskMark.was_made_with(&other, Outputs::of(text.as_bytes(), &[])), Some(false));
    }

    #[test]
    fn a_test_is_named_as_the_window_names_it() {
        let label = |name: &str| Test::of(name).map(Test::label);
        assert_eq!(label("SEQ 1 MiB Q8T1").as_deref(), Some("SEQ 1MiB Q8T1"));
        assert_eq!(label("RND4K Q32T16").as_deref(), Some("RND 4KiB Q32T16"));
        assert_eq!(label("Sequential Read (T= 1)").as_deref(), Some("SEQ Q1T1"));
        assert_eq!(label("Random Read 4KB (QD=32)").as_deref(), Some("RND 4KiB Q32T1"));
        assert_eq!(label("trim"), None);
    }
}
