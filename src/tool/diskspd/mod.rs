//! DiskSpd 2.x: its text and its XML. `MiB/s` are 2^20 bytes; older versions print the same number as `MB/s`.
//!
//! The total line counts, never the sum of the rows: a table may have been shortened. Threads that were asked for and
//! never reported are said.

mod document;
mod printed;

use super::{Answers, Outputs, Question, Tool, metrics, text};
use crate::measurement::{Metric, Reading};

/// DiskSpd.
pub(super) struct DiskSpd;

/// The newest version that was tried.
const TESTED_NEWEST: (u64, u64) = (2, 2);
/// Shorter measurements say nothing.
const SECONDS_MIN: f64 = 0.5;
/// Fewer operations say nothing.
const OPERATIONS_MIN: f64 = 30.0;

impl Tool for DiskSpd {
    fn name(&self) -> &'static str {
        "diskspd"
    }

    fn recognises(&self, bytes: &[u8]) -> bool {
        let head = text::head(bytes);
        let is_document = text::holds(head, "<Results>") && text::holds(head, "<TimeSpan");
        is_document || text::holds(head, "Results for timespan 1:")
    }

    fn parse(&self, outputs: Outputs<'_>) -> Reading {
        let bytes = text::decode(outputs.stdout);
        let reading = match is_xml(&bytes) {
            true => document::read(&bytes),
            false => printed::read(&String::from_utf8_lossy(&bytes)),
        };
        reading.close()
    }

    fn answers(&self, outputs: Outputs<'_>) -> Answers {
        let bytes = text::decode(outputs.stdout);
        if is_xml(&bytes) { document::answers(&bytes) } else { answers(&String::from_utf8_lossy(&bytes)) }
    }

    fn metrics(&self) -> Vec<Metric> {
        metrics(&["iops", "bandwidth", "latency_mean", "latency_p50", "latency_p99"])
    }
}

fn is_xml(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().starts_with(b"<")
}

/// Too little of either says nothing.
fn check_enough((seconds, operations): (Option<f64>, f64), reading: &mut Reading) {
    if let Some(seconds) = seconds.filter(|seconds| *seconds < SECONDS_MIN) {
        reading.invalidate("diskspd::too-short", format!("{seconds} s, less than {SECONDS_MIN} s say nothing"));
    }
    if operations < OPERATIONS_MIN {
        let message = format!("{operations} operations, fewer than {OPERATIONS_MIN} say nothing");
        reading.invalidate("diskspd::few-operations", message);
    }
}

fn answers(text: &str) -> Answers {
    let value = |key: &str| {
        let lines = text.lines().map(str::trim);
        lines.filter_map(|line| line.strip_prefix(key)).map(|value| value.trim().to_owned()).find(|one| !one.is_empty())
    };
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let has = |wanted: &str| lines.iter().any(|line| line.starts_with(wanted));
    let mut answers = Answers::new();
    let mut add = |question: Question, value: Option<String>| answers.extend(value.map(|value| (question, value)));
    add(Question::Command, value("Command Line:"));
    add(Question::Target, value("path:").map(|path| path.trim_matches('\'').to_owned()));
    add(Question::BlockSize, value("block size:"));
    let depth = value("number of outstanding I/O operations per thread:");
    let depth = depth.or_else(|| value("number of outstanding I/O operations:"));
    let threads = value("threads per file:").or_else(|| value("thread count:"));
    add(Question::Concurrency, depth.zip(threads).map(|(depth, threads)| format!("{depth} × {threads} threads")));
    let cache = lines.iter().find(|line| line.starts_with("software cache"));
    add(Question::Direct, cache.map(|line| (*line).to_owned()));
    let write_cache = lines.iter().find(|line| line.starts_with("hardware write cache"));
    add(Question::Sync, write_cache.map(|line| (*line).to_owned()));
    let order =
        if has("using random I/O") { Some("random") } else { has("using sequential I/O").then_some("sequential") };
    let mix = value("performing mix test").or_else(|| has("performing write test").then(|| "writes".to_owned()));
    let mix = mix.or_else(|| has("performing read test").then(|| "reads".to_owned()));
    add(Question::Access, order.zip(mix).map(|(order, mix)| format!("{order}, {mix}")));
    add(Question::Ramp, value("warm up time:"));
    let asked = value("duration:").map(|asked| format!("{asked} asked"));
    let real = value("actual test time:").map(|real| format!("{real} measured"));
    add(Question::Duration, [asked, real].into_iter().flatten().reduce(|one, other| format!("{one}, {other}")));
    add(Question::Date, value("start time:"));
    add(
        Question::Processor,
        value("cpu count:").or_else(|| value("proc count:")).map(|count| format!("{count} logical")),
    );
    answers
}
