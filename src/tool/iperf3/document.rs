//! iperf3's JSON.

use super::super::documents::{self, Codes};
use super::super::{Answers, Question, text};
use super::Settings;
use crate::measurement::{Labels, Measurement, Metric, Reading};
use crate::unit::Unit;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The newest version that was tried.
pub(super) const TESTED_NEWEST: (u64, u64) = (3, 20);

/// Shorter measurements say nothing.
pub(super) const SECONDS_MIN: f64 = 0.5;

#[derive(Deserialize)]
pub(super) struct Document {
    #[serde(default)]
    pub(super) start: Start,
    #[serde(default)]
    pub(super) end: BTreeMap<String, serde_json::Value>,
    pub(super) error: Option<String>,
}

#[derive(Deserialize, Default)]
pub(super) struct Start {
    #[serde(default)]
    pub(super) version: String,
}

/// A sum over streams.
#[derive(Deserialize)]
pub(super) struct Sum {
    pub(super) seconds: f64,
    pub(super) bytes: f64,
    pub(super) bits_per_second: f64,
    pub(super) retransmits: Option<f64>,
    pub(super) jitter_ms: Option<f64>,
    pub(super) lost_percent: Option<f64>,
}

/// The sums of the end: key, direction, and whether it is what was received. A key that is not there was not measured. The
/// `sum` of UDP is what was sent; what was lost of it did not arrive.
pub(super) const SUMS: &[(&str, &str, bool)] = &[
    ("sum_sent", "sent", false),
    ("sum_received", "received", true),
    ("sum", "sent", true),
    ("sum_sent_bidir_reverse", "sent back", false),
    ("sum_received_bidir_reverse", "received back", false),
];

/// One of the sums.
struct Kind<'a> {
    key: &'a str,
    direction: &'a str,
    /// Whether it is what was received.
    counts: bool,
}

pub(super) fn read(stdout: &[u8]) -> Reading {
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
                measure(&sum, &Kind { key, direction, counts: *counts }, &mut reading);
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
pub(super) const STREAMS_TOLERANCE: f64 = 0.01;

/// A test that ended before this share of the time that was asked for was broken off.
pub(super) const DURATION_SHARE_MIN: f64 = 0.9;

/// Whether both sides sent at once, which not all versions say at the beginning.
pub(super) fn is_both_ways(document: &serde_json::Value) -> bool {
    let asked = document.pointer("/start/test_start/bidir").and_then(serde_json::Value::as_u64);
    asked.is_some_and(|bidir| bidir > 0) || document.pointer("/end/sum_sent_bidir_reverse").is_some()
}

/// Every stream that was asked for has a row with bytes in it, and the rows add up to the sum.
pub(super) fn check_streams(stdout: &[u8], reading: &mut Reading) {
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
pub(super) fn settings_of(bytes: &[u8]) -> Option<Settings> {
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
pub(super) fn answers(bytes: &[u8]) -> Answers {
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

fn measure(sum: &Sum, kind: &Kind<'_>, reading: &mut Reading) {
    let Kind { key, direction, counts } = *kind;
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
    let aggregate = Arc::new(Labels::computed());
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
