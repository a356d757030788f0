//! The manifest: what a person intends to measure, in plain words and exact units.
//!
//! [`parse`] reads `experiment.yaml` and reports every problem at once. It knows nothing of tools: the settings of a
//! workload stay a tree that the tool reads later, with the same places. It runs nothing and opens no other file.

mod check;
mod disclosure;
pub mod guest;
mod matrix;
pub mod node;
mod sessions;
pub mod shape;
mod workload;

use crate::diagnostic::{Diagnostic, any_error};
use crate::name::Name;
use crate::source::{Source, Span};

use guest::{Hypervisor, Reboot};
use node::{Node, Value};
use shape::{Map, OneOrMany, Problems, Shape, Share, Size, Spanned, Time, record, words};

/// The version of the format.
pub const FORMAT: &str = "benchpaper/experiment@1";

record! {
    /// An experiment: what is measured, on what, how often, and what the paper says of it.
    pub struct Experiment {
        /// `benchpaper/experiment@1`.
        format: Spanned<String>,
        /// The name of the experiment and of its folder.
        name: Spanned<Name>,
        /// The title of the paper.
        title: String,
        /// The version of the paper, such as 1.0.0.
        version: Spanned<String>,
        /// Who wrote it.
        authors: Vec<Author>,
        /// The licence of the paper, as an SPDX expression.
        license: Option<String>,
        /// The question the paper answers, in one sentence.
        question: String,
        /// The machines by name.
        hosts: Map<Host>,
        /// What the measured numbers are: on real hardware unless the machine or the guests are known to be emulated.
        environment: Option<Spanned<EnvironmentWord>>,
        /// Who runs the jobs: benchpaper unless said otherwise, or a person, whose results are imported.
        execution: Option<Execution>,
        /// Which case the files belong to that `import` is given, where their names and contents do not say.
        imports: Vec<ImportRule>,
        /// The hypervisors by name.
        hypervisors: Map<Hypervisor>,
        /// The guests that jobs run in, by name; none where jobs run on the host itself.
        guests: Map<Node>,
        /// What a tool's version must be.
        tools: Map<ToolPin>,
        /// The workloads by name; `tool` names the program, the other keys are the tool's.
        workloads: Map<Workload>,
        /// Named bundles of settings that are compared; the factor `arm` chooses one.
        arms: Map<Arm>,
        /// The factors and what is left out.
        matrix: Matrix,
        /// How it is measured.
        design: Design,
        /// Named variations of the design, such as smoke, short and full.
        profiles: Map<Profile>,
        /// What is reported of each result; all that the tool measures where nothing is said.
        metrics: Map<MetricRule>,
        /// The factors or settings that may differ between what is compared.
        treatment: Vec<Spanned<Name>>,
        /// What kind of disclosure the paper owes, and what is waived with a reason.
        disclosure: Option<Disclosure>,
    }
}

record! {
    /// An author of the paper.
    pub struct Author {
        /// The name as printed.
        name: String,
        /// Where the author works.
        affiliation: Option<String>,
        /// An ORCID identifier.
        orcid: Option<String>,
    }
}

record! {
    /// A machine of the laboratory.
    pub struct Host {
        /// What it is for: controller, sut, load-generator or target.
        role: OneOrMany<Role>,
        /// How it is reached.
        access: Spanned<Access>,
        /// What must hold where it runs, such as `cpu.cores: ">= 2"`.
        require: Map<Spanned<String>>,
        /// Facts that nobody can read from the machine, as the authors state them.
        declared: Map<String>,
        /// Facts of a machine that is not at hand, from what its programs printed: `inventory --from` writes them.
        facts: Map<HostFact>,
        /// The test files by name; a workload's `device` names one.
        devices: Map<Device>,
    }
}

record! {
    /// A fact that was read from a saved output.
    pub struct HostFact {
        /// The value.
        measured: String,
        /// The digest of the output it was read from.
        object: Spanned<String>,
        /// The name of the saved output.
        file: Option<String>,
    }
}

record! {
    /// A file under the scratch folder that is measured as a device.
    pub struct Device {
        /// How large it is.
        size: Spanned<Size>,
    }
}

words! {
    /// What a machine is for.
    pub enum Role {
        /// Runs benchpaper.
        Controller = "controller",
        /// The system under test.
        Sut = "sut",
        /// Makes the load.
        LoadGenerator = "load-generator",
        /// Holds the storage.
        Target = "target",
    }
}

words! {
    /// How a machine is reached.
    pub enum Access {
        /// It is the machine that benchpaper runs on.
        Local = "local",
        /// It can not be reached: people run the jobs on it, and their results are imported.
        None = "none",
    }
}

words! {
    /// The kind of machine that is measured.
    pub enum EnvironmentWord {
        /// A machine, or a guest with hardware virtualisation.
        Hardware = "hardware",
        /// Software emulation.
        Emulated = "emulated",
        /// Emulation that counts instructions instead of time, without host I/O: replicates are byte-identical.
        VirtualExact = "virtual-exact",
        /// Not known.
        Unknown = "unknown",
    }
}

record! {
    /// What a tool must be.
    pub struct ToolPin {
        /// The version, with a comparison: `>= 3.30`, `== 3.33`.
        version: Spanned<String>,
    }
}

record! {
    /// A named bundle of settings.
    pub struct Arm {
        /// The settings that replace those of the workload.
        set: Option<Node>,
        /// The settings that replace those of the guests.
        guests: Option<Node>,
        /// What a person does to bring it about, one step a line, where jobs are run by hand.
        steps: Vec<String>,
        /// Why these settings.
        why: Option<String>,
    }
}

words! {
    /// The order of jobs.
    pub enum Order {
        /// A replicate visits every case before the next begins, in a new random order each time: replicates are blocks.
        Interleaved = "interleaved",
        /// All jobs in one random order: arms are independent.
        Randomized = "randomized",
    }
}

record! {
    /// How it is measured.
    pub struct Design {
        /// How often each case is measured; with `sessions`, in each of them.
        replicates: Spanned<u64>,
        /// What is really repeated, such as job or boot.
        replicate_unit: Option<String>,
        /// When guests are booted anew: for each job unless said otherwise.
        reboot_guests: Option<Reboot>,
        /// The factor that is hard to change, such as an arm that needs a boot of the host: its levels are visited in
        /// `sessions` and compared by them.
        whole_plot: Option<Spanned<Name>>,
        /// The level of `whole_plot` in each session, in order; every level as often as any other.
        sessions: Vec<Node>,
        /// In which order.
        order: Order,
        /// The seed of the order.
        seed: u64,
        /// What is done to the devices before the first job.
        precondition: Vec<Precondition>,
        /// How long a job runs before it counts.
        ramp_time: Option<Time>,
        /// How long a job counts.
        runtime: Option<Time>,
        /// How long a job may take in all before it is ended.
        time_limit: Option<Time>,
        /// How long the machine rests between jobs.
        pause: Option<Time>,
        /// How many jobs run at once; more than one only where nothing is measured that they could disturb.
        concurrency: Option<Spanned<u64>>,
        /// Rounds that are run until the metric is steady.
        steady_state: Option<SteadyState>,
        /// A case measured as two arms of the same thing: the noise floor.
        noise: Option<Noise>,
        /// What happens when a job fails.
        on_failure: Option<OnFailure>,
    }
}

record! {
    /// What is done to a device before the first job.
    pub struct Precondition {
        /// Writes the whole device.
        fill: Fill,
    }
}

record! {
    /// Sequential writes over a whole device.
    pub struct Fill {
        /// Which device.
        device: Spanned<Name>,
        /// How often.
        passes: Option<u64>,
    }
}

record! {
    /// When a metric counts as steady (SNIA SSS PTS: range and slope of a window of rounds).
    pub struct SteadyState {
        /// Which metric.
        metric: Spanned<Name>,
        /// How many rounds the window holds.
        rounds: Spanned<u64>,
        /// How far rounds may lie apart, as a share of their mean.
        range: Share,
        /// How far the fitted line may move over the window, as a share of the mean.
        slope: Share,
        /// How many rounds are run at most.
        at_most: Spanned<u64>,
        /// What happens when it does not become steady.
        otherwise: Otherwise,
    }
}

words! {
    /// What happens when a case does not become steady.
    pub enum Otherwise {
        /// It is measured, and the paper says so.
        Mark = "mark",
        /// The attempt is invalid.
        Fail = "fail",
    }
}

record! {
    /// The same case measured as two arms.
    pub struct Noise {
        /// Which case: factors and levels.
        case: Map<Node>,
        /// How many pairs.
        pairs: u64,
    }
}

record! {
    /// What happens when a job fails.
    pub struct OnFailure {
        /// How often it is tried again after a failure of the infrastructure; never because of a number.
        retry: Option<u64>,
        /// After how many failures in a row the run stops.
        stop_after: Option<u64>,
    }
}

record! {
    /// A variation of the design.
    pub struct Profile {
        /// How often each case is measured.
        replicates: Option<Spanned<u64>>,
        /// How long a job counts.
        runtime: Option<Time>,
        /// How long a job runs before it counts.
        ramp_time: Option<Time>,
        /// How many noise pairs.
        noise_pairs: Option<u64>,
    }
}

words! {
    /// Which direction of a metric is better.
    pub enum BetterWord {
        /// More is better.
        Higher = "higher",
        /// Less is better.
        Lower = "lower",
    }
}

record! {
    /// What is reported of a metric.
    pub struct MetricRule {
        /// Which direction is better.
        better: Option<BetterWord>,
        /// Differences smaller than this do not matter.
        margin: Option<Share>,
    }
}

pub use check::unknown_reference;
pub use disclosure::{Disclosure, DisclosureProfile};
pub use matrix::{Exclusion, Level, Levels, Matrix, MatrixPart};
pub use sessions::{HOST_BOOT, Sessions};
pub use workload::{Execution, ImportRule, Workload};

/// A manifest and what is worth knowing about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// The manifest; `None` where there are errors.
    pub experiment: Option<Experiment>,
    /// Errors and warnings, in the order of their places.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a manifest.
pub fn parse(source: &Source) -> Parsed {
    let (root, mut diagnostics) = node::parse(source);
    let Some(root) = root else {
        if diagnostics.is_empty() {
            diagnostics
                .push(Diagnostic::error("manifest::empty", "the file holds no YAML").at(source, Span::default()));
        }
        return Parsed { experiment: None, diagnostics };
    };
    let mut problems = Problems::new(source);
    let experiment = Experiment::decode(&root, &mut problems);
    if let Some(experiment) = &experiment {
        check::check(experiment, &mut problems);
    }
    diagnostics.extend(problems.into_sorted());
    diagnostics.sort_by_key(|problem| problem.place.as_ref().map(|(_, span)| *span));
    let experiment = if any_error(&diagnostics) { None } else { experiment };
    Parsed { experiment, diagnostics }
}

impl Experiment {
    /// What the measured numbers are: as declared, or as what executes the guests makes them.
    pub fn environment(&self) -> EnvironmentWord {
        let declared = self.environment.as_ref().map(|environment| environment.value);
        let emulates = |hypervisor: &Hypervisor| hypervisor.accelerator.value == guest::Accelerator::Tcg;
        let is_emulated = self.guest().is_some() && self.hypervisors.iter().any(|(_, one)| emulates(one));
        declared.unwrap_or(if is_emulated { EnvironmentWord::Emulated } else { EnvironmentWord::Hardware })
    }

    /// The system under test.
    pub fn sut(&self) -> Option<&Host> {
        self.hosts.iter().find(|(_, host)| host.role.0.contains(&Role::Sut)).map(|(_, host)| host)
    }

    /// Whether a person runs the jobs of a workload.
    pub fn is_manual(&self, workload: &Workload) -> bool {
        workload.execution.or(self.execution) == Some(Execution::Manual)
    }

    /// Whether people run all jobs, so that nothing of this machine matters.
    pub fn is_all_manual(&self) -> bool {
        !self.workloads.is_empty() && self.workloads.iter().all(|(_, workload)| self.is_manual(workload))
    }

    /// The guests, where jobs run in any, with their name.
    pub fn guest(&self) -> Option<(&Spanned<Name>, &Node)> {
        self.guests.iter().next()
    }

    /// The names of the disks and volumes of the guests.
    pub fn guest_devices(&self) -> Vec<&str> {
        let Some((_, guest)) = self.guest() else { return vec![] };
        let maps = ["disks", "volumes"].into_iter().filter_map(|key| guest.get(key));
        let names = maps.filter_map(|node| if let Value::Map(entries) = &node.value { Some(entries) } else { None });
        names.flatten().map(|(key, _)| key.text.as_str()).collect()
    }

    /// The size of a device of the system under test, in bytes.
    pub fn device_bytes(&self, device: &str) -> Option<u64> {
        self.sut().and_then(|host| host.devices.get(device)).map(|device| device.size.value.base())
    }
}

/// The files beside the manifest that workloads and arms name under `files`, sorted.
pub fn input_files(experiment: &Experiment) -> Vec<String> {
    let settings = experiment.workloads.iter().map(|(_, workload)| &workload.settings);
    let arms = experiment.arms.iter().filter_map(|(_, arm)| arm.set.as_ref());
    let lists = settings.chain(arms).filter_map(|node| node.get("files"));
    let mut files: Vec<String> = lists
        .flat_map(|node| match &node.value {
            Value::List(items) => items.iter().filter_map(Node::scalar).collect(),
            _ => vec![],
        })
        .collect();
    for (_, guest) in experiment.guests.iter() {
        let kernel = guest.get("kernel");
        files.extend(["file", "userland"].iter().filter_map(|key| kernel?.get(key)?.scalar()));
        if let Some(Value::Map(disks)) = guest.get("disks").map(|disks| &disks.value) {
            files.extend(disks.iter().filter_map(|(_, disk)| disk.get("image")?.scalar()));
        }
    }
    files.sort();
    files.dedup();
    files
}

/// The JSON Schema of a manifest, for editors.
pub fn schema() -> serde_json::Value {
    let mut schema = Experiment::schema();
    if let Some(object) = schema.as_object_mut() {
        object.insert("$schema".to_owned(), "https://json-schema.org/draft/2020-12/schema".into());
        object.insert("title".to_owned(), "benchpaper experiment".into());
    }
    schema
}
