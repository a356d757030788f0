//! netperf 2.x: its tables, the comma-separated values of its omni tests, and lists of both kept as JSON.
//!
//! Of datagrams what was received counts. `KBytes`, `MBytes` and `GBytes` are powers of 1024, bits powers of ten.
//! Several copies are added up only where the text itself shows that they were started together.

use std::sync::Arc;

use super::{Answers, Outputs, Question, Tool, metrics, text};
use crate::measurement::{Labels, Metric, Printed, Reading, Role};
use crate::unit::Unit;

/// netperf.
pub(super) struct Netperf;

/// Shorter measurements say nothing.
const SECONDS_MIN: f64 = 0.5;

impl Tool for Netperf {
    fn name(&self) -> &'static str {
        "netperf"
    }

    fn is_of_storage(&self) -> bool {
        false
    }

    fn recognises(&self, bytes: &[u8]) -> bool {
        let head = String::from_utf8_lossy(text::head(bytes));
        let is_title = |line: &str| is_title(line.trim().trim_start_matches('"'));
        head.lines().any(is_title) || head.lines().any(|line| line.contains("netperf -") && line.contains(" -t "))
    }

    fn parse(&self, outputs: Outputs<'_>) -> Reading {
        read(&String::from_utf8_lossy(&text::decode(outputs.stdout))).close()
    }

    fn answers(&self, outputs: Outputs<'_>) -> Answers {
        let text = String::from_utf8_lossy(&text::decode(outputs.stdout)).into_owned();
        let command = text.lines().find(|line| line.contains("netperf -"));
        let command = command.map(|line| line[line.find("netperf -").unwrap_or(0)..].trim().to_owned());
        let title = tests(&text).first().map(|test| short(&test.title));
        let pairs = [(Question::Command, command), (Question::Access, title)];
        pairs.into_iter().filter_map(|(question, value)| Some((question, value?))).collect()
    }

    fn metrics(&self) -> Vec<Metric> {
        metrics(&["transactions", "bandwidth", "latency_p50", "latency_p99", "loss"])
    }
}

/// The line that begins a test.
fn is_title(line: &str) -> bool {
    line.contains(" TEST from ") || line.contains(" TEST to ")
}

/// One test: its title and the lines that follow it.
struct Test {
    title: String,
    lines: Vec<(String, String)>,
}

/// The tests of a text with the places of their lines; a JSON list of tests is one, too.
fn tests(text: &str) -> Vec<Test> {
    if let Ok(lists) = serde_json::from_str::<Vec<Vec<String>>>(text) {
        return lists.into_iter().enumerate().filter_map(|(number, lines)| from_list(number, lines)).collect();
    }
    let mut tests: Vec<Test> = vec![];
    for (number, line) in text.lines().enumerate() {
        if is_title(line) {
            tests.push(Test { title: line.trim().to_owned(), lines: vec![] });
        } else if let Some(test) = tests.last_mut() {
            test.lines.push((text::place(number), line.to_owned()));
        }
    }
    tests
}

fn from_list(number: usize, lines: Vec<String>) -> Option<Test> {
    let mut lines = lines.into_iter().enumerate();
    let (_, title) = lines.next()?;
    let lines = lines.flat_map(|(at, block)| {
        let lines: Vec<String> = block.lines().map(str::to_owned).collect();
        lines.into_iter().map(move |line| (format!("/{number}/{at}"), line))
    });
    Some(Test { title, lines: lines.collect() })
}

fn read(text: &str) -> Reading {
    let mut reading = Reading::new("netperf");
    let tests = tests(text);
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        let is_error = line.starts_with("netperf:") || line.contains("establish control: are you sure");
        if is_error || line.starts_with("send_") && line.contains("error") {
            reading.fail("netperf::error", format!("line {}: {line}", number + 1));
        }
        if line.contains("Desired confidence was not achieved") {
            reading.warn("netperf::confidence", "the confidence that was asked for was not reached");
        }
    }
    if tests.is_empty() {
        reading.fail("netperf::no-results", "no test begins in it");
        return reading;
    }
    let several = tests.len() > 1;
    let mut found: Vec<Found> = vec![];
    for (number, test) in tests.iter().enumerate() {
        let mut labels = Labels::from([("test".to_owned(), short(&test.title))]);
        if several {
            labels.insert("run".to_owned(), (number + 1).to_string());
        } else {
            labels.role = Role::Reported;
        }
        match measure(test, labels, &mut reading) {
            Some(one) => found.push(one),
            None => reading.fail(
                "netperf::cut",
                format!("the test `{}`: its heads and values are missing or do not go together", short(&test.title)),
            ),
        }
    }
    add_up(text, &found, &mut reading);
    reading
}

/// The kind of a test without the addresses.
fn short(title: &str) -> String {
    let title = title.split(" from ").next().unwrap_or(title).split(" TEST to ").next().unwrap_or(title);
    title.trim_start_matches("MIGRATED ").trim_end_matches(" TEST").to_owned()
}

/// What counts of one test.
struct Found {
    metric: &'static str,
    value: f64,
    place: String,
}

fn measure(test: &Test, labels: Labels, reading: &mut Reading) -> Option<Found> {
    let is_csv = test.lines.iter().any(|(_, line)| line.contains(",") && line.contains("Throughput"));
    if is_csv { measure_csv(test, &Arc::new(labels), reading) } else { measure_table(test, labels, reading) }
}

/// The values of an omni test; its header may be wrapped at any space.
fn measure_csv(test: &Test, labels: &Arc<Labels>, reading: &mut Reading) -> Option<Found> {
    let mut header = String::new();
    let mut values = None;
    let from_heads = test.lines.iter().skip_while(|(_, line)| !line.contains("Throughput"));
    for (place, line) in from_heads.filter(|(_, line)| !line.trim().is_empty()) {
        let begins_with_number = line.starts_with(|one: char| one.is_ascii_digit() || one == '-');
        if begins_with_number && line.split(',').count() == header.split(',').count() {
            values = Some((place, line));
            break;
        }
        if !header.is_empty() {
            header.push(' ');
        }
        header.push_str(line.trim());
    }
    let (place, line) = values?;
    let cells: Vec<(&str, &str)> = header.split(',').map(str::trim).zip(line.split(',').map(str::trim)).collect();
    let cell = |name: &str| cells.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
    let (metric, unit) = throughput(cell("Throughput Units")?)?;
    let value = reading.measure_printed(labels, Printed { metric, text: cell("Throughput")?, unit }, place.clone())?;
    let microsecond = Unit::parse("µs").unwrap_or(Unit::NANOSECOND);
    let latencies = [
        ("latency_mean", "Mean Latency Microseconds"),
        ("latency_p50", "50th Percentile Latency Microseconds"),
        ("latency_p90", "90th Percentile Latency Microseconds"),
        ("latency_p99", "99th Percentile Latency Microseconds"),
        ("latency_min", "Minimum Latency Microseconds"),
        ("latency_max", "Maximum Latency Microseconds"),
    ];
    for (metric, name) in latencies {
        if let Some(text) = cell(name).filter(|text| !text.starts_with('-')) {
            reading.measure_printed(labels, Printed { metric, text, unit: microsecond }, place.clone());
        }
    }
    if let Some(text) = cell("Local Transport Retransmissions").filter(|text| !text.starts_with('-')) {
        reading.measure_printed(labels, Printed { metric: "retransmits", text, unit: Unit::ONE }, place.clone());
    }
    let width = cell("Throughput Confidence Width (%)").and_then(|text| text.parse::<f64>().ok());
    let asked = test.title.split_once("+/-").and_then(|(_, rest)| text::number(rest)?.0.parse::<f64>().ok());
    if let (Some(width), Some(asked)) = (width, asked)
        && width > 2.0 * asked
    {
        let message = format!("the interval is {width} % wide, {} % were asked for", 2.0 * asked);
        reading.warn("netperf::confidence", message);
    }
    Some(Found { metric, value, place: place.clone() })
}

/// What a throughput counts, and its unit.
fn throughput(unit: &str) -> Option<(&'static str, Unit)> {
    let bits = ["10^3bits/s", "10^6bits/s", "10^9bits/s"];
    let bit_units = ["kbit/s", "Mbit/s", "Gbit/s"];
    let bytes = ["KBytes/s", "MBytes/s", "GBytes/s"];
    let byte_units = ["KiB/s", "MiB/s", "GiB/s"];
    let find = |names: [&str; 3], units: [&str; 3]| {
        let at = names.iter().position(|name| unit.starts_with(name))?;
        Some(("bandwidth", Unit::parse(units[at])?))
    };
    if unit.starts_with("Trans") {
        return Some(("transactions", Unit::PER_SECOND));
    }
    find(bits, bit_units).or_else(|| find(bytes, byte_units))
}

/// The values of a table: rows of numbers below the heads.
fn measure_table(test: &Test, labels: Labels, reading: &mut Reading) -> Option<Found> {
    let is_row = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words.len() >= 4 && words.iter().all(|word| word.parse::<f64>().is_ok())
    };
    let head: String =
        test.lines.iter().take_while(|(_, line)| !is_row(line)).map(|(_, line)| format!("{line}\n")).collect();
    let rows = test.lines.iter().filter(|(_, line)| is_row(line));
    let rows: Vec<(&String, Vec<&str>)> =
        rows.map(|(place, line)| (place, line.split_whitespace().collect())).collect();
    let (place, first) = rows.first()?;
    let is_datagrams = test.title.contains("UDP") && test.title.contains("STREAM");
    let is_asked = test.title.to_ascii_uppercase().contains("REQUEST/RESPONSE");
    let (seconds_at, value_at) = if is_asked {
        (4, 5)
    } else if is_datagrams {
        (2, 5)
    } else {
        (3, 4)
    };
    let unit = if is_asked { "Trans" } else { head.split_whitespace().find(|word| throughput(word).is_some())? };
    let (metric, unit) = throughput(unit)?;
    let seconds: f64 = first.get(seconds_at)?.parse().ok()?;
    if seconds < SECONDS_MIN {
        reading.invalidate("netperf::too-short", format!("{seconds} s, less than {SECONDS_MIN} s say nothing"));
    }
    if !is_datagrams {
        let value = reading.measure_printed(
            &Arc::new(labels),
            Printed { metric, text: first.get(value_at)?, unit },
            (*place).clone(),
        )?;
        return Some(Found { metric, value, place: (*place).clone() });
    }
    let direction = |word: &str| {
        let mut labels = labels.clone();
        labels.role = Role::Row;
        labels.insert("direction".to_owned(), word.to_owned());
        Arc::new(labels)
    };
    reading.measure_printed(
        &direction("sent"),
        Printed { metric, text: first.get(value_at)?, unit },
        (*place).clone(),
    )?;
    let (received_at, received) = rows.get(1)?;
    let (sent, arrived) = (first.get(3)?.parse::<f64>().ok()?, received.get(2)?.parse::<f64>().ok()?);
    let labels = if labels.is_result() { Arc::new(labels) } else { direction("received") };
    let value =
        reading.measure_printed(&labels, Printed { metric, text: received.get(3)?, unit }, (*received_at).clone())?;
    if sent > 0.0 {
        reading.measure(&labels, ("loss", (1.0 - arrived / sent).max(0.0)), format!("{place} {received_at}"));
    }
    Some(Found { metric, value, place: (*received_at).clone() })
}

/// The sum of copies that a shell started together and waited for.
fn add_up(text: &str, found: &[Found], reading: &mut Reading) {
    let started = text.lines().filter(|line| line.contains("netperf -") && line.trim_end().ends_with('&')).count();
    if started == 0 {
        return;
    }
    if started != found.len() {
        reading.fail("netperf::missing", format!("{started} copies were started, {} have results", found.len()));
        return;
    }
    let metric = found[0].metric;
    if found.len() < 2 || found.iter().any(|one| one.metric != metric) {
        return;
    }
    let labels = Arc::new(Labels::computed());
    let places = found.iter().map(|one| one.place.as_str()).collect::<Vec<_>>().join(" ");
    reading.measure(&labels, (metric, found.iter().map(|one| one.value).sum()), places);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::Status;

    fn values(reading: &Reading, metric: &str) -> Vec<f64> {
        reading.measurements.iter().filter(|one| one.metric.as_str() == metric).map(|one| one.value).collect()
    }

    const STREAM: &str = "MIGRATED TCP STREAM TEST from 0.0.0.0 () port 0 AF_INET to 127.0.0.1 () port 0 AF_INET\nRecv   Send    Send\nSize   Size    Size     Time     Throughput\nbytes  bytes   bytes    secs.    10^6bits/sec\n\n131072  16384  16384    2.00     8000.00\n";

    #[test]
    fn a_table_a_wrapped_header_and_a_list_are_read() {
        assert_eq!(values(&read(STREAM), "bandwidth"), [1e9]);
        let omni = "MIGRATED TCP REQUEST/RESPONSE TEST from x to y\nThroughput,Throughput\nUnits,50th Percentile Latency\nMicroseconds\n2000.5,Trans/s,440\n";
        let reading = read(omni);
        assert_eq!(
            (values(&reading, "transactions"), values(&reading, "latency_p50")),
            (vec![2000.5], vec![440_000.0])
        );
        let list = r#"[["UDP REQUEST/RESPONSE TEST from a to b","Throughput,Throughput Units","10.5,Trans/s"],["X TEST from a to b","Throughput,Throughput Units","3.00,10^6bits/s"]]"#;
        let reading = read(list);
        assert_eq!((values(&reading, "transactions"), values(&reading, "bandwidth")), (vec![10.5], vec![375_000.0]));
        assert_eq!(reading.measurements[0].pointer, "/0/2");
    }

    #[test]
    fn of_datagrams_what_arrived_counts() {
        let text = "MIGRATED UDP STREAM TEST from a to b\nSocket Message Elapsed Messages\nbytes bytes secs # # 10^6bits/sec\n\n212992 65507 2.00 1000 0 800.0\n212992 2.00 900 720.0\n";
        let reading = read(text);
        assert_eq!(values(&reading, "bandwidth"), [1e8, 9e7]);
        assert!((values(&reading, "loss")[0] - 0.1).abs() < 1e-12);
    }

    #[test]
    fn copies_are_added_up_and_a_missing_one_is_missed() {
        let commands = "netperf -H h -t TCP_STREAM &\nnetperf -H h -t TCP_STREAM &\nwait\n";
        let both = read(&format!("{commands}{STREAM}{STREAM}"));
        assert_eq!(values(&both, "bandwidth"), [1e9, 1e9, 2e9]);
        assert_eq!(read(&format!("{commands}{STREAM}")).status, Status::Failed);
    }

    #[test]
    fn errors_cuts_and_short_runs_are_no_results() {
        assert_eq!(read("establish control: are you sure there is a netserver listening?").status, Status::Failed);
        assert_eq!(read(&STREAM[..STREAM.len() - 30]).status, Status::Failed);
        assert_eq!(read(&STREAM.replace("2.00  ", "0.10  ")).status, Status::Invalid);
        assert_eq!(read("").status, Status::Failed);
    }
}
