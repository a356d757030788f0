//! Measuring programs: from a workload to a launch, and from what came out to measurements.
//!
//! One file (or folder) a tool, and one line in [`TOOLS`]. A tool is pure: it names the files and arguments of a launch
//! and reads bytes; it never opens or starts anything. What makes a measurement invalid belongs to each tool.

mod answer;
mod command;
mod crystaldiskmark;
mod diskspd;
mod documents;
pub mod draft;
mod fio;
mod iostat;
mod iperf3;
mod manual;
mod mpstat;
mod netperf;
mod ntttcp;
mod phoronix;
mod sysbench;
mod table;
mod text;
mod vdbench;
mod workload;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::digest::Digest;
use crate::manifest::node::Node;
use crate::manifest::shape::Problems;
use crate::measurement::{Metric, Reading};

pub use answer::{Answers, Question};
pub use draft::Draft;
pub use workload::{Settings, Workload};

/// What a workload may refer to.
pub struct Context<'a> {
    /// The devices of the system under test, with their sizes in bytes.
    pub devices: &'a BTreeMap<String, u64>,
    /// Those of them that take no O_DIRECT.
    pub buffered: &'a [String],
    /// The levels of this case, by factor.
    pub factors: &'a BTreeMap<String, String>,
    /// The files beside the manifest that workloads name, with their digests.
    pub files: &'a BTreeMap<String, Digest>,
}

impl Context<'_> {
    /// Whether a device takes no O_DIRECT.
    pub fn is_buffered(&self, device: &str) -> bool {
        self.buffered.iter().any(|one| one == device)
    }
}

/// How long a job runs, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Timing {
    /// Before it counts.
    pub ramp_time_ns: u64,
    /// While it counts; 0 where the tool runs to its own end.
    pub runtime_ns: u64,
}

/// What is started for a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchPlan {
    /// Program and arguments; the folder it starts in holds the devices.
    pub argv: Vec<String>,
    /// Files that are written beside the devices first: name and bytes.
    pub files: Vec<(String, Vec<u8>)>,
}

/// From where servers are to how their client is started.
pub type Asking<T> = Box<dyn Fn(&T) -> LaunchPlan>;

/// How a tool is started where jobs run in guests.
pub enum Topology {
    /// In the only guest.
    Alone(LaunchPlan),
    /// A server in each guest, asked by one client outside.
    Served {
        /// Program and arguments of the servers.
        server: Vec<String>,
        /// The client, given the ports of 127.0.0.1 that lead to the guests, in their order.
        client: Asking<[u16]>,
    },
    /// A server in the first of two guests, asked by a client in the second.
    Between {
        /// Program and arguments of the server.
        server: Vec<String>,
        /// The client, given the server's address.
        client: Asking<str>,
    },
}

/// What a job left behind.
#[derive(Debug, Clone, Copy)]
pub struct Outputs<'a> {
    /// Standard output.
    pub stdout: &'a [u8],
    /// The files it wrote, by name; those that the tool reads.
    pub files: &'a BTreeMap<String, Vec<u8>>,
    /// The name of the file that holds the standard output, where a person gave it one; some formats say there what
    /// they are.
    pub name: &'a str,
}

impl<'a> Outputs<'a> {
    /// Of a tool that only printed something.
    pub fn of(stdout: &'a [u8]) -> Self {
        const NONE: &BTreeMap<String, Vec<u8>> = &BTreeMap::new();
        Self { stdout, files: NONE, name: "" }
    }

    /// Of a file with a name.
    pub fn named(stdout: &'a [u8], name: &'a str) -> Self {
        Self { name, ..Self::of(stdout) }
    }
}

/// A file beside those of a client: for each guest what is added to its clock to have the host's, in nanoseconds.
pub const CLOCKS_FILE: &str = "clocks.json";
/// The TCP port on which a server in a guest listens.
pub const SERVER_PORT: u16 = 8765;

/// A measuring program.
///
/// What is not said here is what most of them say: a program that a person runs, whose output is imported. What depends on
/// the settings of a workload belongs to its [`Workload`].
pub trait Tool: Sync {
    /// The word in a manifest.
    fn name(&self) -> &'static str;
    /// Reads the settings of a workload into the form that is hashed; reports what is wrong with them.
    fn resolve(&self, settings: &Node, _: &Context<'_>, problems: &mut Problems) -> Option<serde_json::Value> {
        manual::resolve(settings, problems)
    }
    /// The keys of a workload that choose rows of an output, and change nothing that is done.
    fn selectors(&self) -> &'static [&'static str] {
        &[manual::SELECT]
    }
    /// The settings that [`Tool::resolve`] gave, read back; `None` where they are those that every program has which a person
    /// runs, `Some(None)` where they are not of the tool's form.
    fn workload(&self, _stored: &serde_json::Value) -> Option<Option<Arc<dyn Workload>>> {
        None
    }
    /// The program on the host that answers `--version`, and does nothing else then.
    fn version_program(&self) -> Option<&'static str> {
        None
    }
    /// Whether run time and ramp time apply.
    fn is_timed(&self) -> bool {
        false
    }
    /// Whether it is of storage, so that readers ask for caches, file systems and drives.
    fn is_of_storage(&self) -> bool {
        true
    }
    /// The ending of the file that a person saves.
    fn extension(&self) -> &'static str {
        "txt"
    }
    /// Whether it reads a file of this name, besides what was printed.
    fn reads_file(&self, _: &str) -> bool {
        false
    }
    /// The launch that writes a device of so many bytes once from start to end, where the tool can.
    fn fill(&self, _device: &str, _bytes: u64) -> Option<LaunchPlan> {
        None
    }
    /// Whether some bytes, decoded by [`decode`], look like its output.
    fn recognises(&self, bytes: &[u8]) -> bool;
    /// Reads all rows of an output, whoever made it.
    fn parse(&self, outputs: Outputs<'_>) -> Reading;
    /// What the output says of how it was made, for whoever asks.
    fn answers(&self, _: Outputs<'_>) -> Answers {
        Answers::new()
    }
    /// What the output says it was made with: replicates of one case have the same.
    fn conditions(&self, outputs: Outputs<'_>) -> Answers {
        let mut answers = self.answers(outputs);
        answers.retain(|question, _| CONDITIONS.contains(question));
        answers
    }
    /// The beginning of a manifest, out of its job file or its output; none where the bytes are neither.
    fn draft(&self, bytes: &[u8]) -> Option<Draft> {
        self.recognises(bytes).then(|| draft::of_reading(self.name(), &self.parse(Outputs::of(bytes))))
    }
    /// The metrics that count as results, the most telling first, where the settings do not choose them.
    fn metrics(&self) -> Vec<Metric>;
}

/// The questions whose answers are settings.
const CONDITIONS: &[Question] =
    &[Question::Access, Question::BlockSize, Question::Concurrency, Question::Limit, Question::WorkingSet];

/// All tools. Where several recognise an output, the first of them reads it.
pub const TOOLS: &[&dyn Tool] = &[
    &fio::Fio,
    &iperf3::Iperf3,
    &crystaldiskmark::CrystalDiskMark,
    &diskspd::DiskSpd,
    &phoronix::Phoronix,
    &ntttcp::Ntttcp,
    &netperf::Netperf,
    &sysbench::Sysbench,
    &vdbench::Vdbench,
    &mpstat::Mpstat,
    &iostat::Iostat,
    &table::Table,
    &command::Command, //
];

/// The bytes of an output as UTF-8 without byte order marks or quoting; a tool is given them so.
pub fn decode(bytes: &[u8]) -> Cow<'_, [u8]> {
    text::decode(bytes)
}

/// The names of metrics, as a tool lists them.
fn metrics(names: &[&str]) -> Vec<Metric> {
    names.iter().map(|name| Metric::new(name)).collect()
}

/// The launch that writes a device of so many bytes once from start to end, by the first tool that can.
pub fn fill(device: &str, bytes: u64) -> Option<LaunchPlan> {
    TOOLS.iter().find_map(|tool| tool.fill(device, bytes))
}

/// The tool of this name.
pub fn find(name: &str) -> Option<&'static dyn Tool> {
    TOOLS.iter().copied().find(|tool| tool.name() == name)
}

/// The tool whose output some decoded bytes look like.
pub fn recognise(bytes: &[u8]) -> Option<&'static dyn Tool> {
    TOOLS.iter().copied().find(|tool| tool.recognises(bytes))
}
