//! iperf3: a TCP or UDP stream between two guests, and its JSON (3.x) to measurements.
//!
//! What counts is what was received; what was sent is shown beside it. Rates become bytes per second.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::documents::{self, Codes};
use super::{Answers, Context, Draft, LaunchPlan, Outputs, Question, SERVER_PORT, Timing, Tool, Topology, draft, text};
use crate::exact::Exact;
use crate::manifest::node::Node;
use crate::manifest::shape::{Fields, Problems, Size, Spanned, decode_quantity, words};
use crate::measurement::{Labels, Measurement, Metric, Reading};
use crate::quantity::Quantity;
use crate::unit::{Dimension, Unit};

/// iperf3.
pub(super) struct Iperf3;

/// The newest version that was tried.
const TESTED_NEWEST: (u64, u64) = (3, 20);
/// Shorter measurements say nothing.
const SECONDS_MIN: f64 = 0.5;

words! {
    /// What is sent.
    pub enum Protocol {
        /// A stream that arrives whole.
        Tcp = "tcp",
        /// Datagrams, as fast as they are made.
        Udp = "udp",
    }
}

words! {
    /// Who sends.
    pub enum Direction {
        /// The client.
        ToServer = "to-server",
        /// The server.
        FromServer = "from-server",
    }
}

/// The settings that are hashed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Settings {
    protocol: String,
    direction: String,
    streams: u64,
    length_bytes: Option<u64>,
    /// No limit where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rate_bits: Option<u64>,
}

fn parse(settings: &serde_json::Value) -> Result<Settings, String> {
    Settings::deserialize(settings).map_err(|error| error.to_string())
}

impl Tool for Iperf3 {
    fn name(&self) -> &'static str {
        "iperf3"
    }

    fn resolve(&self, settings: &Node, _: &Context<'_>, problems: &mut Problems) -> Option<serde_json::Value> {
        let mut fields = Fields::open(settings, "an iperf3 workload", problems)?;
        let protocol = fields.take::<Option<Protocol>>("protocol", problems);
        let direction = fields.take::<Option<Direction>>("direction", problems);
        let streams = fields.take::<Option<Spanned<u64>>>("streams", problems);
        let length = fields.take::<Option<Spanned<Size>>>("length", problems);
        let rate = fields.take::<Option<Node>>("rate", problems);
        fields.finish(problems);
        let (protocol, direction, streams, length) = (protocol?, direction?, streams?, length?);
        let rate = rate?.map(|rate| decode_quantity(&rate, Dimension::Bandwidth, problems));
        if rate == Some(None) {
            return None;
        }
        let bits = |rate: Quantity| (&rate.in_base() * &Exact::from_integer(8)).to_u64();
        if let Some(streams) = streams.as_ref().filter(|streams| !(1..=128).contains(&streams.value)) {
            let message = format!("{} streams, expected 1 to 128", streams.value);
            problems.error("iperf3::range", streams.span, message, "Write a number in this range.");
            return None;
        }
        if let Some(length) = length.as_ref().filter(|length| !(1..=1 << 20).contains(&length.value.base())) {
            let help = "Write 1 B to 1 MiB.";
            problems.error("iperf3::range", length.span, "so much can not be written at once", help);
            return None;
        }
        let settings = Settings {
            protocol: protocol.map_or("tcp", Protocol::word).to_owned(),
            direction: direction.map_or("to-server", Direction::word).to_owned(),
            streams: streams.map_or(1, |streams| streams.value),
            length_bytes: length.map(|length| length.value.base()),
            rate_bits: rate.flatten().and_then(bits),
        };
        serde_json::to_value(settings).ok()
    }

    fn programs(&self, _: &serde_json::Value) -> Vec<String> {
        vec!["iperf3".to_owned()]
    }

    fn is_timed(&self) -> bool {
        true
    }

    fn selectors(&self) -> &'static [&'static str] {
        &[]
    }

    fn extension(&self) -> &'static str {
        "json"
    }

    fn launch(&self, _: &serde_json::Value, _: Timing) -> Result<LaunchPlan, String> {
        Err(NEEDS_TWO.to_owned())
    }

    fn launches(&self, settings: &serde_json::Value, timing: Timing, guests: u64) -> Result<Topology, String> {
        let settings = parse(settings)?;
        if guests != 2 {
            return Err(NEEDS_TWO.to_owned());
        }
        let (seconds, ramp) = (whole_seconds(timing.runtime_ns)?, whole_seconds(timing.ramp_time_ns)?);
        if seconds == 0 {
            return Err("iperf3 needs a run time".to_owned());
        }
        let server = ["iperf3", "--server", "--port", &SERVER_PORT.to_string()].map(str::to_owned).to_vec();
        let client = move |address: &str| LaunchPlan { argv: argv(&settings, address, (seconds, ramp)), files: vec![] };
        Ok(Topology::Between { server, client: Box::new(client) })
    }

    fn is_of_storage(&self) -> bool {
        false
    }

    fn steps(&self, settings: &serde_json::Value, timing: Timing) -> Vec<String> {
        let Ok(settings) = parse(settings) else { return vec![] };
        let (seconds, ramp) = (timing.runtime_ns / 1_000_000_000, timing.ramp_time_ns / 1_000_000_000);
        let client = argv(&settings, "SERVER", (if seconds == 0 { 30 } else { seconds }, ramp)).join(" ");
        vec![
            "On the machine that serves, type:".to_owned(),
            format!("    iperf3 --server --port {SERVER_PORT}"),
            "On the machine that asks, type this with the address of the other for SERVER, and keep all that is printed:"
                .to_owned(),
            format!("    {client}"),
        ]
    }

    fn was_made_with(&self, settings: &serde_json::Value, outputs: Outputs<'_>) -> Option<bool> {
        let (wanted, found) = (parse(settings).ok()?, settings_of(&text::decode(outputs.stdout))?);
        let has_length = wanted.length_bytes.is_none_or(|length| found.length_bytes == Some(length));
        Some(
            found.protocol == wanted.protocol
                && found.direction == wanted.direction
                && found.streams == wanted.streams
                && found.rate_bits == wanted.rate_bits
                && has_length,
        )
    }

    fn draft(&self, bytes: &[u8]) -> Option<Draft> {
        let reading = self.recognises(bytes).then(|| self.read(None, Outputs::of(bytes, &[])))?;
        let mut draft = draft::of_reading(self.name(), &reading);
        let found = settings_of(bytes)?;
        if let Some((_, settings)) = draft.workloads.first_mut() {
            let mut add = |key: &str, value: String| settings.push((key.to_owned(), value));
            add("protocol", found.protocol);
            add("streams", found.streams.to_string());
            match found.direction.as_str() {
                "to-server" | "from-server" => add("direction", found.direction),
                both => draft.left_out.push(format!("{both}, which a workload can not ask for")),
            }
            if let Some(bits) = found.rate_bits {
                add("rate", format!("{bits} bit/s"));
            }
        }
        Some(draft)
    }

    fn recognises(&self, bytes: &[u8]) -> bool {
        let head = text::head(bytes);
        text::holds(head, "\"iperf 3.") || text::holds(head, "Usage: iperf3 ")
    }

    fn read(&self, _: Option<&serde_json::Value>, outputs: Outputs<'_>) -> Reading {
        read(&text::decode(outputs.stdout))
    }

    fn answers(&self, outputs: Outputs<'_>) -> Answers {
        answers(&text::decode(outputs.stdout))
    }

    fn metrics(&self, settings: &serde_json::Value) -> Vec<Metric> {
        let is_udp = parse(settings).is_ok_and(|settings| settings.protocol == "udp");
        let names: &[&str] = if is_udp { &["bandwidth", "loss", "jitter"] } else { &["bandwidth", "retransmits"] };
        names.iter().map(|name| Metric::new(name)).collect()
    }

    fn describe(&self, settings: &serde_json::Value) -> Vec<(String, String)> {
        let Ok(settings) = parse(settings) else { return vec![] };
        let mut rows = vec![
            ("protocol".to_owned(), settings.protocol),
            ("direction".to_owned(), settings.direction.replace('-', " ")),
            ("streams".to_owned(), settings.streams.to_string()),
        ];
        rows.extend(settings.length_bytes.map(|length| ("length of a write".to_owned(), format!("{length} B"))));
        rows
    }
}

const NEEDS_TWO: &str = "iperf3 needs two guests: one serves, one sends";

fn whole_seconds(nanoseconds: u64) -> Result<u64, String> {
    const SECOND: u64 = 1_000_000_000;
    if nanoseconds.is_multiple_of(SECOND) {
        Ok(nanoseconds / SECOND)
    } else {
        Err("iperf3 takes whole seconds".to_owned())
    }
}

fn argv(settings: &Settings, address: &str, (seconds, ramp): (u64, u64)) -> Vec<String> {
    let mut argv = ["iperf3", "--json", "--client", address, "--port"].map(str::to_owned).to_vec();
    argv.extend([SERVER_PORT.to_string(), "--time".to_owned(), seconds.to_string()]);
    argv.extend(["--parallel".to_owned(), settings.streams.to_string()]);
    if ramp > 0 {
        argv.extend(["--omit".to_owned(), ramp.to_string()]);
    }
    if settings.protocol == "udp" {
        argv.push("--udp".to_owned());
    }
    // datagrams have a limit of 1 Mbit/s where none is named
    if let Some(rate) = settings.rate_bits.or((settings.protocol == "udp").then_some(0)) {
        argv.extend(["--bitrate".to_owned(), rate.to_string()]);
    }
    if settings.direction == "from-server" {
        argv.push("--reverse".to_owned());
    }
    if let Some(length) = settings.length_bytes {
        argv.extend(["--length".to_owned(), length.to_string()]);
    }
    argv
}

#[derive(Deserialize)]
struct Document {
    #[serde(default)]
    start: Start,
    #[serde(default)]
    end: BTreeMap<String, serde_json::Value>,
    error: Option<String>,
}

#[derive(Deserialize, Default)]
struct Start {
    #[serde(default)]
    version: String,
}

/// A sum over streams.
#[derive(Deserialize)]
struct Sum {
    seconds: f64,
    bytes: f64,
    bits_per_second: f64,
    retransmits: Option<f64>,
    jitter_ms: Option<f64>,
    lost_percent: Option<f64>,
}

/// The sums of the end: key, direction, and whether it is what was received. A key that is not there was not measured. The
/// `sum` of UDP is what was sent; what was lost of it did not arrive.
const SUMS: &[(&str, &str, bool)] = &[
    ("sum_sent", "sent", false),
    ("sum_received", "received", true),
    ("sum", "sent", true),
    ("sum_sent_bidir_reverse", "sent back", false),
    ("sum_received_bidir_reverse", "received back", false),
];

fn read(stdout: &[u8]) -> Reading {
    const CODES: Codes = Codes { json: "iperf3::json", around: "iperf3::text-around", documents: "iperf3::documents" };
    let mut reading = Reading::new("iperf3");
    if text::holds(text::head(stdout), "Usage: iperf3 ") {
        reading.fail("iperf3::usage", "it printed how it is used, not a result");
        return reading;
    }
    let Some(document) = documents::last::<Document>(stdout, &CODES, &mut reading) else { return reading };
    reading.tool_version = document.start.version.trim_start_matches("iperf ").to_owned();
    reading.check_version("iperf3::version", TESTED_NEWEST);
    if let Some(error) = document.error {
        reading.fail("iperf3::error", error);
        return reading;
    }
    check_streams(stdout, &mut reading);
    let is_udp = document.end.contains_key("sum") && !document.end.contains_key("sum_received");
    let mut is_measured = false;
    for (key, direction, counts) in SUMS {
        let Some(value) = document.end.get(*key) else { continue };
        // newer versions print `sum` beside the other two for UDP, and it says again what they say
        if *key == "sum" && !is_udp {
            continue;
        }
        match Sum::deserialize(value) {
            Ok(sum) => {
                measure(&sum, (key, direction, *counts), &mut reading);
                is_measured |= *counts;
            }
            Err(error) => reading.fail("iperf3::json", format!("/end/{key}: {error}")),
        }
    }
    if !is_measured {
        reading.fail("iperf3::no-result", "it says nothing of what was received");
    }
    if reading.status == crate::measurement::Status::Failed {
        reading.measurements.clear();
    }
    reading
}

/// Fewer bytes than this share of what a sum says are in its streams: one of them is missing.
const STREAMS_TOLERANCE: f64 = 0.01;
/// A test that ended before this share of the time that was asked for was broken off.
const DURATION_SHARE_MIN: f64 = 0.9;

/// Whether both sides sent at once, which not all versions say at the beginning.
fn is_both_ways(document: &serde_json::Value) -> bool {
    let asked = document.pointer("/start/test_start/bidir").and_then(serde_json::Value::as_u64);
    asked.is_some_and(|bidir| bidir > 0) || document.pointer("/end/sum_sent_bidir_reverse").is_some()
}

/// Every stream that was asked for has a row with bytes in it, and the rows add up to the sum.
fn check_streams(stdout: &[u8], reading: &mut Reading) {
    let Some(document) = documents::value(stdout) else { return };
    let number = |pointer: &str| document.pointer(pointer).and_then(serde_json::Value::as_f64);
    let rows = document.pointer("/end/streams").and_then(serde_json::Value::as_array);
    let both_ways = is_both_ways(&document);
    let asked = number("/start/test_start/num_streams").map(|streams| if both_ways { streams * 2.0 } else { streams });
    let connected = document.pointer("/start/connected").and_then(serde_json::Value::as_array).map(Vec::len);
    for (count, what) in [(rows.map(Vec::len), "have results"), (connected, "were connected")] {
        if let (Some(count), Some(asked)) = (count, asked)
            && (count as f64) < asked
        {
            reading.fail("iperf3::missing-stream", format!("{asked} streams were asked for, {count} {what}"));
        }
    }
    let bytes_of = |row: &serde_json::Value| {
        ["udp", "receiver", "sender"].iter().find_map(|side| row.get(side)?.get("bytes")?.as_f64())
    };
    let bytes: Vec<f64> = rows.into_iter().flatten().filter_map(bytes_of).collect();
    if bytes.contains(&0.0) {
        reading.fail("iperf3::idle-stream", "a stream moved nothing");
    }
    let sum = number("/end/sum_received/bytes").filter(|_| !both_ways);
    let own: f64 = bytes.iter().sum();
    if let Some(sum) = sum.filter(|sum| !bytes.is_empty() && (own - sum).abs() > STREAMS_TOLERANCE * sum.max(own)) {
        reading.fail("iperf3::sum", format!("its streams have {own} B, their sum says {sum} B"));
    }
    let (asked, real) = (number("/start/test_start/duration"), number("/end/sum_sent/seconds"));
    if let (Some(asked), Some(real)) = (asked, real)
        && asked > 0.0
        && real < DURATION_SHARE_MIN * asked
    {
        reading.invalidate("iperf3::broken-off", format!("{asked} s were asked for, it ended after {real:.1} s"));
    }
}

/// The settings that an output says it was made with; directions other than the two stand as words.
fn settings_of(bytes: &[u8]) -> Option<Settings> {
    let document = documents::value(bytes)?;
    let test = document.pointer("/start/test_start")?;
    let number = |key: &str| test.get(key).and_then(serde_json::Value::as_u64);
    let is_set = |key: &str| number(key).is_some_and(|value| value > 0);
    let direction = match (is_both_ways(&document), is_set("reverse")) {
        (true, _) => "both directions at once",
        (_, true) => "from-server",
        _ => "to-server",
    };
    Some(Settings {
        protocol: test.get("protocol")?.as_str()?.to_ascii_lowercase(),
        direction: direction.to_owned(),
        streams: number("num_streams")?,
        length_bytes: number("blksize"),
        rate_bits: number("target_bitrate").filter(|bits| *bits > 0),
    })
}

/// What its own account of the test says; host names and addresses are left out.
fn answers(bytes: &[u8]) -> Answers {
    let Some(document) = documents::value(bytes) else { return Answers::new() };
    let start = document.get("start");
    let test = start.and_then(|start| start.get("test_start"));
    let of =
        |key: &str| test.and_then(|test| test.get(key)).map(|value| value.to_string().trim_matches('"').to_owned());
    let system = start.and_then(|start| start.get("system_info")?.as_str());
    let without_host = |text: &str| {
        let words: Vec<&str> = text.split_whitespace().collect();
        words.iter().enumerate().filter(|(at, _)| *at != 1).take(3).map(|(_, word)| *word).collect::<Vec<_>>().join(" ")
    };
    let streams = of("num_streams").map(|streams| format!("{streams} stream{}", if streams == "1" { "" } else { "s" }));
    let settings = settings_of(bytes);
    let access = settings.as_ref().map(|one| format!("{}, {}", one.protocol, one.direction.replace('-', " ")));
    let rate = settings
        .map(|one| one.rate_bits.map_or("none".to_owned(), |bits| format!("{} Mbit/s asked", bits as f64 / 1e6)));
    let pairs = [
        (Question::Access, access),
        (Question::Limit, rate),
        (Question::BlockSize, of("blksize").map(|size| format!("{size} B"))),
        (Question::Concurrency, streams),
        (Question::Ramp, of("omit").map(|seconds| format!("{seconds} s left out"))),
        (Question::Duration, of("duration").map(|seconds| format!("{seconds} s asked"))),
        (Question::System, system.map(without_host)),
        (Question::Date, start.and_then(|start| start.pointer("/timestamp/time")?.as_str()).map(str::to_owned)),
    ];
    pairs.into_iter().filter_map(|(question, value)| Some((question, value?))).collect()
}

fn measure(sum: &Sum, (key, direction, counts): (&str, &str, bool), reading: &mut Reading) {
    if [sum.seconds, sum.bytes, sum.bits_per_second].iter().any(|value| *value < 0.0) {
        reading.fail("iperf3::negative", "it holds values below zero");
        return;
    }
    if (sum.bits_per_second * sum.seconds / 8.0 - sum.bytes).abs() > STREAMS_TOLERANCE * sum.bytes {
        let message = format!("{} B in {} s are not {} bit/s", sum.bytes, sum.seconds, sum.bits_per_second);
        reading.fail("iperf3::rate", message);
        return;
    }
    if counts && (sum.seconds < SECONDS_MIN || sum.bytes <= 0.0) {
        let message = format!("{} B in {} s say nothing", sum.bytes, sum.seconds);
        reading.invalidate("iperf3::too-short", message);
    }
    let of_direction = Arc::new(Labels::from([("direction".to_owned(), direction.to_owned())]));
    let aggregate = Arc::new(Labels::from([("aggregate".to_owned(), "true".to_owned())]));
    let mut push = |labels: &Arc<Labels>, metric: &str, value: Option<f64>, unit: Unit, places: &[&str]| {
        let Some(value) = value.filter(|value| value.is_finite()) else { return };
        let pointer = places.iter().map(|place| format!("/end/{key}/{place}")).collect::<Vec<_>>().join(" ");
        let (metric, labels) = (Metric::new(metric), Arc::clone(labels));
        reading.measurements.push(Measurement { metric, labels, value, unit: unit.symbol(), printed: None, pointer });
    };
    let rate = sum.bits_per_second / 8.0;
    push(&of_direction, "bandwidth", Some(rate), Unit::BYTE_PER_SECOND, &["bits_per_second"]);
    push(&of_direction, "bytes", Some(sum.bytes), Unit::BYTE, &["bytes"]);
    if counts {
        match sum.lost_percent.filter(|_| direction == "sent") {
            Some(lost) => {
                let arrived = Some(rate * (1.0 - lost / 100.0));
                push(&aggregate, "bandwidth", arrived, Unit::BYTE_PER_SECOND, &["bits_per_second", "lost_percent"]);
            }
            None => push(&aggregate, "bandwidth", Some(rate), Unit::BYTE_PER_SECOND, &["bits_per_second"]),
        }
        push(&aggregate, "runtime", Some(sum.seconds * 1e9), Unit::NANOSECOND, &["seconds"]);
        push(&aggregate, "jitter", sum.jitter_ms.map(|jitter| jitter * 1e6), Unit::NANOSECOND, &["jitter_ms"]);
        push(&aggregate, "loss", sum.lost_percent.map(|lost| lost / 100.0), Unit::ONE, &["lost_percent"]);
    }
    // only who sends knows what was sent again
    if key == "sum_sent" {
        push(&aggregate, "retransmits", sum.retransmits, Unit::ONE, &["retransmits"]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::Status;

    #[test]
    fn what_was_received_counts() {
        let text = r#"{"start":{"version":"iperf 3.12"},"end":{
            "sum_sent":{"seconds":2,"bytes":4000,"bits_per_second":16000,"retransmits":3},
            "sum_received":{"seconds":2,"bytes":3900,"bits_per_second":15600}}}"#;
        let reading = read(text.as_bytes());
        assert_eq!(reading.status, Status::Ok, "{:?}", reading.diagnostics);
        let total = |metric: &str| {
            let is_total = |one: &&Measurement| one.metric.as_str() == metric && one.labels.contains_key("aggregate");
            reading.measurements.iter().find(is_total).map(|one| (one.value, one.pointer.as_str())).unwrap()
        };
        assert_eq!(total("bandwidth"), (1950.0, "/end/sum_received/bits_per_second"));
        assert_eq!(total("retransmits"), (3.0, "/end/sum_sent/retransmits"));
    }

    #[test]
    fn of_datagrams_the_lost_ones_did_not_arrive() {
        let sum = r#"{"seconds":2,"bytes":4000,"bits_per_second":16000,"jitter_ms":0.5,"lost_percent":25}"#;
        let reading = read(format!(r#"{{"start":{{"version":"iperf 3.12"}},"end":{{"sum":{sum}}}}}"#).as_bytes());
        let totals = reading.measurements.iter().filter(|one| one.labels.contains_key("aggregate"));
        let totals: Vec<(&str, f64)> = totals.map(|one| (one.metric.as_str(), one.value)).collect();
        assert_eq!(totals, [("bandwidth", 1500.0), ("runtime", 2e9), ("jitter", 5e5), ("loss", 0.25)]);
    }

    #[test]
    fn an_error_and_a_usage_text_are_failures() {
        let refused = r#"{"start":{"version":"iperf 3.12"},"end":{},"error":"unable to connect"}"#;
        assert_eq!(read(refused.as_bytes()).status, Status::Failed);
        assert_eq!(read(b"Usage: iperf3 [-s|-c host]").status, Status::Failed);
        assert_eq!(read(br#"{"start":{"version":"iperf 3.12"},"end":{}}"#).status, Status::Failed);
        assert!(whole_seconds(1_500_000_000).is_err());
    }
}
