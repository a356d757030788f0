//! iperf3: a TCP or UDP stream between two guests, and its JSON (3.x) to measurements.
//!
//! What counts is what was received; what was sent is shown beside it. Rates become bytes per second.

mod document;

use super::{
    Answers, Context, Draft, LaunchPlan, Outputs, SERVER_PORT, Timing, Tool, Topology, Workload, draft, text, workload,
};
use crate::exact::Exact;
use crate::manifest::node::Node;
use crate::manifest::shape::{Fields, Problems, Size, Spanned, decode_quantity, words};
use crate::measurement::{Metric, Reading};
use crate::quantity::Quantity;
use crate::unit::Dimension;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

use document::{answers, read, settings_of};

/// iperf3.
pub(super) struct Iperf3;

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

    fn workload(&self, stored: &serde_json::Value) -> Option<Option<Arc<dyn Workload>>> {
        Some(workload::parsed::<Settings>(stored))
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

    fn is_of_storage(&self) -> bool {
        false
    }

    fn draft(&self, bytes: &[u8]) -> Option<Draft> {
        let reading = self.recognises(bytes).then(|| self.parse(Outputs::of(bytes)))?;
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

    fn version_program(&self) -> Option<&'static str> {
        Some("iperf3")
    }

    fn recognises(&self, bytes: &[u8]) -> bool {
        let head = text::head(bytes);
        text::holds(head, "\"iperf 3.") || text::holds(head, "Usage: iperf3 ")
    }

    fn parse(&self, outputs: Outputs<'_>) -> Reading {
        read(&text::decode(outputs.stdout))
    }

    fn answers(&self, outputs: Outputs<'_>) -> Answers {
        answers(&text::decode(outputs.stdout))
    }

    fn metrics(&self) -> Vec<Metric> {
        super::metrics(&["bandwidth", "retransmits"])
    }
}

impl Workload for Settings {
    fn programs(&self) -> Vec<String> {
        vec!["iperf3".to_owned()]
    }

    fn launch(&self, _: Timing) -> Result<LaunchPlan, String> {
        Err(NEEDS_TWO.to_owned())
    }

    fn launches(&self, timing: Timing, guests: u64) -> Result<Topology, String> {
        if guests != 2 {
            return Err(NEEDS_TWO.to_owned());
        }
        let (seconds, ramp) = (whole_seconds(timing.runtime_ns)?, whole_seconds(timing.ramp_time_ns)?);
        if seconds == 0 {
            return Err("iperf3 needs a run time".to_owned());
        }
        let server = ["iperf3", "--server", "--port", &SERVER_PORT.to_string()].map(str::to_owned).to_vec();
        let settings = self.clone();
        let client = move |address: &str| LaunchPlan { argv: argv(&settings, address, (seconds, ramp)), files: vec![] };
        Ok(Topology::Between { server, client: Box::new(client) })
    }

    fn steps(&self, timing: Timing) -> Vec<String> {
        let (seconds, ramp) = (timing.runtime_ns / 1_000_000_000, timing.ramp_time_ns / 1_000_000_000);
        let client = argv(self, "SERVER", (if seconds == 0 { 30 } else { seconds }, ramp)).join(" ");
        vec![
            "On the machine that serves, type:".to_owned(),
            format!("    iperf3 --server --port {SERVER_PORT}"),
            "On the machine that asks, type this with the address of the other for SERVER, and keep all that is printed:"
                .to_owned(),
            format!("    {client}"),
        ]
    }

    fn read(&self, outputs: Outputs<'_>) -> Reading {
        Iperf3.parse(outputs)
    }

    fn was_made_with(&self, outputs: Outputs<'_>) -> Option<bool> {
        let (wanted, found) = (self, settings_of(&text::decode(outputs.stdout))?);
        let has_length = wanted.length_bytes.is_none_or(|length| found.length_bytes == Some(length));
        Some(
            found.protocol == wanted.protocol
                && found.direction == wanted.direction
                && found.streams == wanted.streams
                && found.rate_bits == wanted.rate_bits
                && has_length,
        )
    }

    fn metrics(&self) -> Vec<Metric> {
        let is_udp = self.protocol == "udp";
        let names: &[&str] = if is_udp { &["bandwidth", "loss", "jitter"] } else { &["bandwidth", "retransmits"] };
        names.iter().map(|name| Metric::new(name)).collect()
    }

    fn describe(&self) -> Vec<(String, String)> {
        let settings = self.clone();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::{Measurement, Status};

    #[test]
    fn what_was_received_counts() {
        let text = r#"{"start":{"version":"iperf 3.12"},"end":{
            "sum_sent":{"seconds":2,"bytes":4000,"bits_per_second":16000,"retransmits":3},
            "sum_received":{"seconds":2,"bytes":3900,"bits_per_second":15600}}}"#;
        let reading = read(text.as_bytes());
        assert_eq!(reading.status, Status::Ok, "{:?}", reading.diagnostics);
        let total = |metric: &str| {
            let is_total = |one: &&Measurement| one.metric.as_str() == metric && one.labels.is_result();
            reading.measurements.iter().find(is_total).map(|one| (one.value, one.pointer.as_str())).unwrap()
        };
        assert_eq!(total("bandwidth"), (1950.0, "/end/sum_received/bits_per_second"));
        assert_eq!(total("retransmits"), (3.0, "/end/sum_sent/retransmits"));
    }

    #[test]
    fn of_datagrams_the_lost_ones_did_not_arrive() {
        let sum = r#"{"seconds":2,"bytes":4000,"bits_per_second":16000,"jitter_ms":0.5,"lost_percent":25}"#;
        let reading = read(format!(r#"{{"start":{{"version":"iperf 3.12"}},"end":{{"sum":{sum}}}}}"#).as_bytes());
        let totals = reading.measurements.iter().filter(|one| one.labels.is_result());
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
