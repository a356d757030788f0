//! The manifest: what a person intends to measure, in plain words and exact units.
//!
//! [`parse`] reads `experiment.yaml` and reports every problem at once. It knows nothing of tools: the settings of a
//! workload stay a tree that the tool reads later, with the same places. It runs nothing and opens no other file.

mod check;
mod design;
mod disclosure;
pub mod guest;
mod host;
mod matrix;
pub mod node;
mod sessions;
pub mod shape;
mod workload;

use crate::diagnostic::{Diagnostic, any_error};
use crate::measurement::Better;
use crate::name::Name;
use crate::source::{Source, Span};
use crate::store::event::Environment;
pub use check::unknown_reference;
pub use disclosure::{Disclosure, DisclosureProfile};
use guest::Hypervisor;
pub use matrix::{Exclusion, Level, Levels, Matrix, MatrixPart};
use node::{Node, Value};
pub use sessions::{HOST_BOOT, Sessions};
use shape::{Map, Problems, Shape, Share, Spanned, record, words_of};
pub use workload::{Execution, ImportRule, Workload};

pub use design::{Design, Fill, Noise, OnFailure, Order, Otherwise, Precondition, Profile, SteadyState};
pub use host::{Access, Device, Host, HostFact, NO_ACCESS, Role};

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
        environment: Option<Spanned<Environment>>,
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

words_of! {
    Environment { Hardware = "hardware", Emulated = "emulated", VirtualExact = "virtual-exact", Unknown = "unknown", }
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

words_of! { Better { Higher = "higher", Lower = "lower", } }

record! {
    /// What is reported of a metric.
    pub struct MetricRule {
        /// Which direction is better.
        better: Option<Better>,
        /// Differences smaller than this do not matter.
        margin: Option<Share>,
    }
}

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
    pub fn environment(&self) -> Environment {
        let declared = self.environment.as_ref().map(|environment| environment.value);
        let emulates = |hypervisor: &Hypervisor| hypervisor.accelerator.value == guest::Accelerator::Tcg;
        let is_emulated = self.guest().is_some() && self.hypervisors.iter().any(|(_, one)| emulates(one));
        declared.unwrap_or(if is_emulated { Environment::Emulated } else { Environment::Hardware })
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
