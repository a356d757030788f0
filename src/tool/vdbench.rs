//! Vdbench 5.04: the intervals it prints. The `avg` line counts, which leaves out the warm-up; what Vdbench does before the
//! run, such as making the file, is a row of its own and no result.

use std::sync::Arc;

use super::{Answers, Outputs, Question, Tool, metrics, text};
use crate::law;
use crate::measurement::{Labels, Metric, Printed, Reading, Role};
use crate::unit::Unit;

/// Vdbench.
pub(super) struct Vdbench;

/// The newest version that was tried.
const TESTED_NEWEST: (u64, u64) = (5, 4);
/// Half a unit of the last digit of the rate in megabytes.
const MEGABYTES_ROUNDING: f64 = 0.005;

impl Tool for Vdbench {
    fn name(&self) -> &'static str {
        "vdbench"
    }

    fn recognises(&self, bytes: &[u8]) -> bool {
        let head = text::head(bytes);
        text::holds(head, "Starting RD=") || text::holds(head, "Vdbench distribution:")
    }

    fn parse(&self, outputs: Outputs<'_>) -> Reading {
        read(&String::from_utf8_lossy(&text::decode(outputs.stdout))).close()
    }

    fn answers(&self, outputs: Outputs<'_>) -> Answers {
        let text = String::from_utf8_lossy(&text::decode(outputs.stdout)).into_owned();
        let last = text.lines().rev().find_map(|line| line.split_once("Starting RD=")).map(|(_, rest)| rest.to_owned());
        let arguments =
            text.lines().find_map(|line| line.split_once("input argument scanned: ")).map(|(_, rest)| rest.trim());
        let limit =
            last.as_deref().and_then(|rest| Some(rest.split_once("I/O rate: ")?.1.split(';').next()?.to_owned()));
        let pairs = [
            (Question::Command, arguments.map(|arguments| format!("vdbench {}", arguments.trim_matches('\'')))),
            (Question::Limit, limit),
            (
                Question::Duration,
                last.map(|rest| rest.split(';').skip(2).collect::<Vec<_>>().join(";").trim().to_owned()),
            ),
        ];
        pairs.into_iter().filter_map(|(question, value)| Some((question, value?))).collect()
    }

    fn metrics(&self) -> Vec<Metric> {
        metrics(&["iops", "bandwidth", "latency_mean", "latency_max"])
    }
}

/// One run definition: its name and its averages.
struct Definition<'a> {
    name: &'a str,
    has_binary_megabytes: bool,
    average: Option<(usize, Vec<&'a str>)>,
}

fn definitions(text: &str) -> Vec<Definition<'_>> {
    let mut found: Vec<Definition<'_>> = vec![];
    for (number, line) in text.lines().enumerate() {
        if let Some((_, rest)) = line.split_once("Starting RD=") {
            let name = rest.split([';', ' ']).next().unwrap_or_default();
            found.push(Definition { name, has_binary_megabytes: true, average: None });
            continue;
        }
        let Some(definition) = found.last_mut() else { continue };
        if line.contains("1000**2") {
            definition.has_binary_megabytes = false;
        }
        let mut words = line.split_whitespace();
        let average = words.by_ref().find(|word| word.starts_with("avg_"));
        if let Some(average) = average.filter(|average| !is_void(average)) {
            definition.average = Some((number, words.collect()));
            debug_assert!(average.contains('-'));
        }
    }
    found
}

/// `avg_2-1`: an average that begins after it ends is of nothing.
fn is_void(average: &str) -> bool {
    let bounds = average.strip_prefix("avg_").and_then(|bounds| bounds.split_once('-'));
    let bounds = bounds.and_then(|(from, to)| Some((from.parse::<u64>().ok()?, to.parse::<u64>().ok()?)));
    bounds.is_none_or(|(from, to)| from > to)
}

fn read(text: &str) -> Reading {
    let mut reading = Reading::new("vdbench");
    reading.tool_version = version(text);
    reading.check_version("vdbench::version", TESTED_NEWEST);
    for (number, line) in text.lines().enumerate() {
        let is_error = line.contains("Slave aborted") || line.contains("java.lang.RuntimeException");
        if is_error || line.contains("Common.failure") || line.contains("Data Validation error") {
            reading.fail("vdbench::error", format!("line {}: {}", number + 1, line.trim()));
        }
    }
    if !text.contains("Vdbench execution completed successfully") {
        reading.fail("vdbench::cut", "it does not say that the run was completed");
    }
    let definitions = definitions(text);
    let measured: Vec<&Definition<'_>> = definitions.iter().filter(|one| !one.name.starts_with("SD_format")).collect();
    if measured.is_empty() {
        reading.fail("vdbench::no-results", "no run definition was started");
    }
    for definition in &definitions {
        let is_only = measured.len() == 1 && definition.name == measured[0].name;
        let mut labels = Labels::from([("rd".to_owned(), definition.name.to_owned())]);
        if is_only {
            labels.role = Role::Reported;
        }
        let is_format = definition.name.starts_with("SD_format");
        match &definition.average {
            Some(average) => measure(definition, average, &Arc::new(labels), &mut reading),
            None if is_format => {}
            None => reading.fail("vdbench::cut", format!("RD={} has no average", definition.name)),
        }
    }
    reading
}

/// `vdbench50407` in a path, or what the program says of itself.
fn version(text: &str) -> String {
    let digits = |rest: &str| rest.chars().take_while(char::is_ascii_digit).collect::<String>();
    let found = text.split("vdbench").skip(1).map(digits).find(|digits| digits.len() == 5);
    found.map_or_else(String::new, |digits| format!("{}.{}.{}", &digits[..1], &digits[1..3], &digits[3..]))
}

fn measure(
    definition: &Definition<'_>,
    (line, cells): &(usize, Vec<&str>),
    labels: &Arc<Labels>,
    reading: &mut Reading,
) {
    let number = |at: usize| cells.get(at).and_then(|cell| cell.parse::<f64>().ok()).filter(|value| value.is_finite());
    let (Some(rate), Some(megabytes), Some(bytes), Some(_)) = (number(0), number(1), number(2), number(4)) else {
        reading.fail("vdbench::cut", format!("line {}: the average is cut", line + 1));
        return;
    };
    if rate <= 0.0 {
        reading.invalidate("vdbench::no-operations", format!("RD={} did no operation", definition.name));
        return;
    }
    let megabyte = if definition.has_binary_megabytes { "MiB/s" } else { "MB/s" };
    let unit = |symbol: &str| Unit::parse(symbol).unwrap_or(Unit::ONE);
    // newer versions print the greatest latency of reads and of writes, older ones one of both
    let (greatest, depth): (&[usize], Option<usize>) = match cells.len() {
        13 => (&[7, 8], Some(10)),
        12 => (&[7], Some(9)),
        _ => (&[], None),
    };
    let greatest = greatest.iter().filter_map(|at| cells.get(*at)).max_by(|one, other| {
        let value = |text: &str| text.parse::<f64>().unwrap_or(0.0);
        value(one).total_cmp(&value(other))
    });
    let depth = depth.and_then(|at| cells.get(at));
    let values = [
        ("iops", cells.first(), Unit::PER_SECOND),
        ("bandwidth", cells.get(1), unit(megabyte)),
        ("latency_mean", cells.get(4), unit("ms")),
        ("latency_max", greatest, unit("ms")),
        ("queue_depth", depth, Unit::ONE),
    ];
    for (metric, text, unit) in values {
        if let Some(text) = text {
            reading.measure_printed(labels, Printed { metric, text, unit }, text::place(*line));
        }
    }
    let scale = if definition.has_binary_megabytes { 1_048_576.0 } else { 1e6 };
    let is_near = (rate * bytes / scale - megabytes).abs() <= MEGABYTES_ROUNDING;
    if !is_near && !law::is_bandwidth_consistent(megabytes * scale, rate, bytes) {
        let message = format!("line {}: {rate} IOPS × {bytes} B is not {megabytes} {megabyte}", line + 1);
        reading.invalidate("vdbench::bandwidth", message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::Status;

    fn text(average: &str, cells: &str) -> String {
        format!(
            "10:00:00.000 Starting slave: /opt/vdbench50407/vdbench SlaveJvm\n10:00:01.000 Starting RD=rd1; I/O rate: 100; elapsed=5; For loops: None\n\n interval i/o MB/sec\n rate 1024**2\n10:00:02.000 1 90.0 0.35\n10:00:06.000 {average} {cells}\n10:00:07.000 Vdbench execution completed successfully.\n"
        )
    }

    const CELLS: &str = "1000.0 3.91 4096 50.00 0.500 0.4 0.6 2.00 3.50 0.1 0.5 4.6 0.9";

    #[test]
    fn the_average_after_the_warm_up_counts() {
        let reading = read(&text("avg_2-5", CELLS));
        assert_eq!(reading.status, Status::Ok, "{:?}", reading.diagnostics);
        assert_eq!(reading.tool_version, "5.04.07");
        let values: Vec<(&str, f64)> =
            reading.measurements.iter().map(|one| (one.metric.as_str(), one.value)).collect();
        assert_eq!(values[0], ("iops", 1000.0));
        assert_eq!(values[1], ("bandwidth", 3.91 * 1_048_576.0));
        assert_eq!(values[3], ("latency_max", 3_500_000.0));
    }

    #[test]
    fn a_void_average_a_contradiction_and_a_cut_are_no_results() {
        assert_eq!(read(&text("avg_2-1", CELLS)).status, Status::Failed);
        assert_eq!(read(&text("avg_2-5", &CELLS.replace("3.91", "4.91"))).status, Status::Invalid);
        let whole = text("avg_2-5", CELLS);
        assert_eq!(read(&whole[..whole.len() - 30]).status, Status::Failed);
        assert_eq!(read(&text("avg_2-5", "1000.0 3.91")).status, Status::Failed);
    }

    #[test]
    fn making_the_file_is_no_result() {
        let format =
            "10:00:00 Starting RD=SD_format; I/O rate: Uncontrolled MAX\n10:00:01 avg_2-1 0.0 0.00 0 0.00 0.000\n";
        let reading = read(&[format, &text("avg_2-5", CELLS)].concat());
        assert_eq!(reading.status, Status::Ok, "{:?}", reading.diagnostics);
        assert!(reading.measurements.iter().all(|one| one.labels["rd"] == "rd1"));
    }
}
