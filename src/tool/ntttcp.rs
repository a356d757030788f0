//! ntttcp for Linux and Windows: the XML of sender or receiver.
//!
//! Linux counts `MB` as 10^6 bytes, Windows as 2^20; bits and plain bytes mean the same to both, so they are read.

use std::sync::Arc;

use super::{Answers, Outputs, Question, Tool, metrics, text};
use crate::measurement::{Labels, Metric, Printed, Reading, Role};
use crate::unit::Unit;
use crate::xml::{self, Element};

/// ntttcp.
pub(super) struct Ntttcp;

/// The newest version that was tried.
const TESTED_NEWEST: (u64, u64) = (5, 33);
/// Shorter measurements say nothing.
const SECONDS_MIN: f64 = 0.5;
/// How far bytes over time may lie from the rate printed, as a share.
const RATE_TOLERANCE: f64 = 0.02;

impl Tool for Ntttcp {
    fn name(&self) -> &'static str {
        "ntttcp"
    }

    fn is_of_storage(&self) -> bool {
        false
    }

    fn recognises(&self, bytes: &[u8]) -> bool {
        let head = text::head(bytes);
        text::holds(head, "<ntttcps ") || text::holds(head, "<ntttcpr ")
    }

    fn extension(&self) -> &'static str {
        "xml"
    }

    fn parse(&self, outputs: Outputs<'_>) -> Reading {
        read(&text::decode(outputs.stdout)).close()
    }

    fn answers(&self, outputs: Outputs<'_>) -> Answers {
        let Ok(root) = xml::parse(&text::decode(outputs.stdout)) else { return Answers::new() };
        let of = |name: &str| root.child("parameters").and_then(|parameters| parameters.value(name)).map(str::to_owned);
        let pairs = [
            (Question::Access, of("udp").map(|udp| if udp == "True" { "UDP" } else { "TCP" }.to_owned())),
            (Question::Ramp, of("warmup_time").map(|seconds| format!("{seconds} s"))),
            (Question::Duration, of("run_time").map(|seconds| format!("{seconds} s asked"))),
            (Question::System, root.value("os").map(without_host)),
            (Question::Processor, root.value("cpu_cores").map(|cores| format!("{cores} cores"))),
        ];
        pairs.into_iter().filter_map(|(question, value)| Some((question, value?))).collect()
    }

    fn metrics(&self) -> Vec<Metric> {
        metrics(&["bandwidth", "retransmits", "cpu_usage"])
    }
}

/// What `uname` prints, without the name of the host.
fn without_host(uname: &str) -> String {
    let words: Vec<&str> = uname.split_whitespace().collect();
    words.iter().enumerate().filter(|(at, _)| *at != 1).map(|(_, word)| *word).collect::<Vec<_>>().join(" ")
}

fn read(bytes: &[u8]) -> Reading {
    let mut reading = Reading::new("ntttcp");
    let root = match xml::parse(bytes) {
        Ok(root) => root,
        Err(error) => {
            reading.fail("ntttcp::xml", format!("the XML is cut or damaged: {error}"));
            return reading;
        }
    };
    reading.tool_version = root.attribute("version").unwrap_or_default().to_owned();
    reading.check_version("ntttcp::version", TESTED_NEWEST);
    let side = if root.name == "ntttcpr" { "received" } else { "sent" };
    let errors = root.value("errors").and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0);
    if errors > 0.0 {
        reading.fail("ntttcp::error", format!("{errors} errors"));
    }
    let mut labels = Labels::from([("direction".to_owned(), side.to_owned())]);
    labels.role = Role::Reported;
    let labels = Arc::new(labels);
    let at = format!("/{}", root.name);
    let Some(rate) = rate(&root, (&at, &labels), &mut reading) else {
        reading.fail("ntttcp::no-results", "it says nothing of its throughput");
        return reading;
    };
    let number = |name: &str| root.value(name).and_then(|text| text.parse::<f64>().ok());
    if let Some(seconds) = number("realtime") {
        reading.measure(&labels, ("runtime", seconds * 1e9), format!("{at}/realtime"));
        if seconds < SECONDS_MIN {
            reading.invalidate("ntttcp::too-short", format!("{seconds} s, less than {SECONDS_MIN} s say nothing"));
        }
        check_rate((rate, seconds), number("total_bytes"), &mut reading);
    }
    for (metric, name, unit) in
        [("retransmits", "packets_retransmitted", Unit::ONE), ("cpu_usage", "cpu_busy_all", Unit::PERCENT)]
    {
        if let Some(text) = root.value(name) {
            reading.measure_printed(&labels, Printed { metric, text, unit }, format!("{at}/{name}"));
        }
    }
    reading
}

/// The throughput in bytes a second, from the unit that means the same everywhere.
fn rate(root: &Element, (at, labels): (&str, &Arc<Labels>), reading: &mut Reading) -> Option<f64> {
    for (metric, unit) in [("Bps", "B/s"), ("mbps", "Mbit/s")] {
        let found = root.all("throughput").find(|(_, one)| one.attribute("metric") == Some(metric));
        if let (Some((number, one)), Some(unit)) = (found, Unit::parse(unit)) {
            let place = format!("{at}/throughput/{number}");
            if let Some(value) =
                reading.measure_printed(labels, Printed { metric: "bandwidth", text: &one.text, unit }, place)
            {
                return Some(value);
            }
        }
    }
    None
}

/// All bytes over the time must be the rate, whichever million a `MB` is.
fn check_rate((rate, seconds): (f64, f64), megabytes: Option<f64>, reading: &mut Reading) {
    let Some(megabytes) = megabytes.filter(|_| seconds > 0.0 && rate > 0.0) else { return };
    let fits = |scale: f64| (megabytes * scale / seconds / rate - 1.0).abs() <= RATE_TOLERANCE;
    if !fits(1e6) && !fits(1_048_576.0) {
        let message = format!("{megabytes} MB in {seconds} s are not {rate} B/s");
        reading.invalidate("ntttcp::bandwidth", message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::Status;

    fn text(errors: u64, megabytes: f64) -> String {
        format!(
            "<ntttcpr computername=\"h\" version=\"5.30\"><total_bytes metric=\"MB\">{megabytes}</total_bytes><realtime metric=\"s\">2.0</realtime><throughput metric=\"MB/s\">100</throughput><throughput metric=\"mbps\">800</throughput><packets_retransmitted>7</packets_retransmitted><errors>{errors}</errors></ntttcpr>"
        )
    }

    #[test]
    fn bits_say_what_megabytes_do_not() {
        for megabytes in [200.0, 190.73] {
            let reading = read(text(0, megabytes).as_bytes());
            assert_eq!(reading.status, Status::Ok, "{:?}", reading.diagnostics);
            assert_eq!((reading.measurements[0].value, reading.measurements[0].unit), (1e8, "B/s"));
            assert_eq!(reading.measurements[0].printed.as_deref(), Some("800 Mbit/s"));
        }
    }

    #[test]
    fn errors_contradictions_and_cuts_are_no_results() {
        assert_eq!(read(text(1, 200.0).as_bytes()).status, Status::Failed);
        assert_eq!(read(text(0, 100.0).as_bytes()).status, Status::Invalid);
        let whole = text(0, 200.0);
        assert_eq!(read(&whole.as_bytes()[..whole.len() - 5]).status, Status::Failed);
        assert_eq!(read(b"<ntttcps version=\"5.33\"></ntttcps>").status, Status::Failed);
    }

    #[test]
    fn the_name_of_the_host_stays_private() {
        assert_eq!(without_host("Linux secret 5.15.0 x"), "Linux 5.15.0 x");
    }
}
