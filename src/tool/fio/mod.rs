//! fio: a workload in fio's own words to a job file, and all that it prints to measurements.
//!
//! A value can never become another option: option names and values are checked letter by letter, and options that
//! execute, load or open something are refused.

mod answers;
mod check;
mod draft;
mod log;
mod options;
mod output;
mod printed;
mod settings;
mod terse;
mod total;
mod window;

use std::sync::Arc;

use super::{Answers, Context, Draft, LaunchPlan, Outputs, Question, Timing, Tool, Topology, Workload, text, workload};
use settings::Settings;

use crate::manifest::node::Node;
use crate::manifest::shape::Problems;
use crate::measurement::{Metric, Reading, Status};

/// fio.
pub(super) struct Fio;

impl Tool for Fio {
    fn name(&self) -> &'static str {
        "fio"
    }

    fn resolve(&self, settings: &Node, context: &Context<'_>, problems: &mut Problems) -> Option<serde_json::Value> {
        let settings = settings::resolve(settings, context, problems)?;
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

    fn reads_file(&self, name: &str) -> bool {
        window::is_log(name) || name == window::CLOCKS_FILE
    }

    fn fill(&self, device: &str, bytes: u64) -> Option<LaunchPlan> {
        Some(launch_plan(settings::fill_file(device, bytes)))
    }

    fn version_program(&self) -> Option<&'static str> {
        Some("fio")
    }

    fn recognises(&self, bytes: &[u8]) -> bool {
        format_of(bytes).is_some()
    }

    fn parse(&self, outputs: Outputs<'_>) -> Reading {
        read(outputs, None)
    }

    fn answers(&self, outputs: Outputs<'_>) -> Answers {
        let decoded = text::decode(outputs.stdout);
        let mut found = match format_of(&decoded) {
            Some(Format::Printed) => answers::of_text(&String::from_utf8_lossy(&decoded)),
            _ => answers::answers(&decoded),
        };
        if let std::collections::btree_map::Entry::Vacant(place) = found.entry(Question::Duration) {
            let reading = self.parse(outputs);
            let runtimes = reading.measurements.iter().filter(|one| one.metric.as_str() == "runtime");
            let longest = runtimes.map(|one| one.value).fold(0.0, f64::max);
            if longest > 0.0 {
                place.insert(format!("{:.1} s measured", longest / 1e9));
            }
        }
        found
    }

    fn draft(&self, bytes: &[u8]) -> Option<Draft> {
        draft::draft(bytes)
    }

    fn metrics(&self) -> Vec<Metric> {
        super::metrics(METRICS)
    }
}

/// What counts as a result, the most telling first.
const METRICS: &[&str] = &[
    "iops",
    "bandwidth",
    "latency_mean",
    "latency_p50",
    "latency_p99",
    "sync_latency_mean",
    "sync_latency_p99",
    "fairness",
    "start_skew",
];

impl Workload for Settings {
    fn programs(&self) -> Vec<String> {
        vec!["fio".to_owned()]
    }

    fn launch(&self, timing: Timing) -> Result<LaunchPlan, String> {
        Ok(launch_plan(settings::job_file(self, timing)))
    }

    /// One guest is asked over its console, for `fio --client` takes a second more: fio's server waits for so long between
    /// a job and the word to run it.
    fn launches(&self, timing: Timing, guests: u64) -> Result<Topology, String> {
        if guests == 1 {
            return Ok(Topology::Alone(self.launch(timing)?));
        }
        let server = vec!["fio".to_owned(), format!("--server=0.0.0.0,{}", crate::tool::SERVER_PORT)];
        let settings = self.clone();
        Ok(Topology::Served { server, client: Box::new(move |ports| client(&settings, timing, ports)) })
    }

    fn load(&self) -> Vec<(&'static str, u64)> {
        vec![("block_size", self.block_size_bytes), ("outstanding", self.outstanding_max())]
    }

    fn read(&self, outputs: Outputs<'_>) -> Reading {
        read(outputs, Some(self))
    }

    fn was_made_with(&self, outputs: Outputs<'_>) -> Option<bool> {
        answers::was_made_with(self, &text::decode(outputs.stdout))
    }

    fn metrics(&self) -> Vec<Metric> {
        super::metrics(METRICS)
    }

    fn describe(&self) -> Vec<(String, String)> {
        settings::describe(self)
    }
}

/// Reads an output in any of fio's formats.
fn read(outputs: Outputs<'_>, settings: Option<&Settings>) -> Reading {
    let decoded = text::decode(outputs.stdout);
    let outputs = Outputs { stdout: &decoded, ..outputs };
    let text = || String::from_utf8_lossy(&decoded);
    let interpret = |document: &output::Document<'_>| {
        let mut reading = Reading::new("fio");
        reading.tool_version = document.version.strip_prefix("fio-").unwrap_or(&document.version).to_owned();
        output::interpret(document, (outputs, settings), &mut reading);
        reading
    };
    let reading = match format_of(&decoded) {
        // an output of ours is JSON, and what is none is damaged
        Some(Format::Json) | None => output::read(outputs, settings),
        Some(Format::Printed) => interpret(&printed::document(&text())),
        Some(Format::Terse) => match terse::document(&text()) {
            Ok(document) => interpret(&document),
            Err(reason) => {
                let mut reading = Reading::new("fio");
                reading.fail("fio::terse", reason);
                reading
            }
        },
        Some(Format::Log) => log::read(&text(), outputs.name),
    };
    // a name in another encoding damages nothing but itself
    if reading.status == Status::Failed && std::str::from_utf8(&decoded).is_err() {
        let lossy = text().into_owned();
        return read(Outputs { stdout: lossy.as_bytes(), ..outputs }, settings);
    }
    reading.close()
}

/// The formats that fio writes.
enum Format {
    Json,
    Printed,
    Terse,
    Log,
}

/// The format of some decoded bytes; JSON where it stands among others.
fn format_of(bytes: &[u8]) -> Option<Format> {
    let head = text::head(bytes);
    if text::holds(head, "\"fio version\"") {
        return Some(Format::Json);
    }
    let lines = String::from_utf8_lossy(head);
    if lines.lines().any(|line| terse::is_terse(line.trim())) {
        return Some(Format::Terse);
    }
    if lines.contains("): err=") && lines.contains("(groupid=") {
        return Some(Format::Printed);
    }
    log::is_log(bytes).then_some(Format::Log)
}

const JOB_FILE: &str = "job.fio";

fn launch_plan(job_file: String) -> LaunchPlan {
    let argv = ["fio", "--output-format=json", JOB_FILE].map(str::to_owned).to_vec();
    LaunchPlan { argv, files: vec![(JOB_FILE.to_owned(), job_file.into_bytes())] }
}

/// One job file a guest, so that their logs have different names.
fn client(settings: &Settings, timing: Timing, ports: &[u16]) -> LaunchPlan {
    let mut argv = ["fio", "--output-format=json"].map(str::to_owned).to_vec();
    let mut files = vec![];
    for (number, port) in (1..).zip(ports) {
        let file = format!("guest-{number}.fio");
        argv.push(format!("--client=ip:127.0.0.1,{port}"));
        argv.push(file.clone());
        files.push((file, settings::guest_file(settings, timing, number).into_bytes()));
    }
    LaunchPlan { argv, files }
}
