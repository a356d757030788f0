//! The plan: all jobs in their order, which of them will run and why, how long it takes and what it can show.
//!
//! Pure: from manifest, lock and the keys of finished jobs. What must stay true: the same input gives the same plan, and
//! nothing in a job's key depends on prose, comments, layout or the number of replicates.

mod expand;
mod manual;
mod order;
mod power;
mod resolved;
pub mod runsheet;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::guest::Spec;
use crate::guest::hypervisor::HYPERVISORS;
use crate::inventory;
use crate::lock::{self, CasesPin, Lock, binding};
use crate::manifest::{Experiment, Profile, Sessions};
use crate::name::Name;
use crate::store::event::Environment;
use crate::tool::{self, Timing, Workload};

pub use expand::{Expansion, expand};
pub use power::{Comparing, Power, analysis, compared_factor, power};
pub use resolved::Resolved;

/// The name of the design without a profile.
pub const DEFAULT_PROFILE: &str = "default";

/// The numbers of the design after the profile was applied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// The profile, [`DEFAULT_PROFILE`] where none was named.
    pub profile: String,
    /// How often each case is measured, in all sessions together.
    pub replicates: u64,
    /// Ramp and run time.
    pub timing: Timing,
    /// How many noise pairs.
    pub noise_pairs: u64,
}

/// One point of the matrix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// What identifies it.
    pub digest: Digest,
    /// The levels, by factor.
    pub factors: BTreeMap<String, String>,
    /// The name of the workload.
    pub workload: String,
    /// The name of the tool.
    pub tool: String,
    /// The resolved settings.
    pub settings: tool::Settings,
    /// What is booted for it; none where it runs on the host itself.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub guest: Option<Spec>,
    /// Ramp and run time.
    pub timing: Timing,
    /// `a` or `b` where the case is one side of a noise pair.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub noise: Option<String>,
    /// The part of the matrix, where it is not the main one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub part: Option<String>,
    /// How its results come in, where a person runs it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub manual: Option<Manual>,
}

/// A case that a person runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manual {
    /// What the numbers are.
    pub environment: Environment,
    /// How often it is measured.
    pub replicates: u64,
    /// The name of the file to save, without replicate and ending. Cases whose results stand in one output share it.
    pub file: String,
}

impl Case {
    /// How often it is measured under a design.
    pub fn replicates(&self, settings: &Settings) -> u64 {
        match (&self.noise, &self.manual) {
            (Some(_), _) => settings.noise_pairs,
            (None, Some(manual)) => manual.replicates,
            (None, None) => settings.replicates,
        }
    }

    /// Its settings as its tool understands them; none where the tool is not known, or cannot read them.
    pub fn work(&self) -> Option<&dyn Workload> {
        self.settings.workload(&self.tool)
    }

    /// The programs that are started for it on the host.
    pub fn programs(&self) -> Vec<String> {
        if self.manual.is_some() {
            return vec![];
        }
        match &self.guest {
            Some(spec) => spec.hypervisor().programs().map(|program| program.name.to_owned()).to_vec(),
            None => self.work().map(|work| work.programs()).unwrap_or_default(),
        }
    }

    /// The levels in one line: `arm=direct block_size=4 KiB`.
    pub fn label(&self) -> String {
        let levels: Vec<String> = self.factors.iter().map(|(factor, level)| format!("{factor}={level}")).collect();
        let label = if levels.is_empty() { self.workload.clone() } else { levels.join(" ") };
        match &self.noise {
            Some(side) => format!("{label} (noise {side})"),
            None => label,
        }
    }
}

/// One replicate of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// What identifies it.
    pub key: Digest,
    /// The case, by its place in the plan.
    pub case: usize,
    /// From 1.
    pub replicate: u64,
    /// From 1, where the design has sessions.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub session: Option<u64>,
}

/// All that is to be measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The experiment.
    pub experiment: Name,
    /// The numbers of the design.
    pub settings: Settings,
    /// The points of the matrix, noise sides last.
    pub cases: Vec<Case>,
    /// The jobs in the order they are run.
    pub jobs: Vec<Job>,
}

/// Why a job will run, or will not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// It has no usable result.
    NotMeasured,
    /// It has one, so it is not measured again.
    Measured,
    /// It was not asked for.
    NotSelected,
    /// A person runs it, and no result was imported yet.
    ByHand,
    /// The host is booted anew for its session, and others come first.
    LaterSession,
}

/// The design's numbers under a profile; `None` where no profile has this name.
pub fn settings(experiment: &Experiment, profile: Option<&str>) -> Option<Settings> {
    let chosen: Option<&Profile> = match profile {
        Some(name) if name != DEFAULT_PROFILE => Some(experiment.profiles.get(name)?),
        _ => None,
    };
    let design = &experiment.design;
    let each = chosen.and_then(|chosen| chosen.replicates.as_ref()).unwrap_or(&design.replicates).value;
    let replicates = each * Sessions::of(experiment).map_or(1, |sessions| sessions.per_level());
    let runtime = chosen.and_then(|chosen| chosen.runtime.as_ref()).or(design.runtime.as_ref());
    let ramp_time = chosen.and_then(|chosen| chosen.ramp_time.as_ref()).or(design.ramp_time.as_ref());
    let timing = Timing {
        ramp_time_ns: ramp_time.map_or(0, |time| time.base()),
        runtime_ns: runtime.map_or(0, |time| time.base()),
    };
    let noise_pairs = chosen.and_then(|chosen| chosen.noise_pairs).or(design.noise.as_ref().map(|noise| noise.pairs));
    let profile = profile.unwrap_or(DEFAULT_PROFILE).to_owned();
    Some(Settings { profile, replicates, timing, noise_pairs: noise_pairs.unwrap_or(0) })
}

/// The names of all profiles, [`DEFAULT_PROFILE`] first.
pub fn profile_names(experiment: &Experiment) -> Vec<String> {
    let named = experiment.profiles.names().filter(|name| *name != DEFAULT_PROFILE).map(str::to_owned);
    std::iter::once(DEFAULT_PROFILE.to_owned()).chain(named).collect()
}

/// The pin of some expanded cases.
pub fn cases_pin(cases: &[Case]) -> CasesPin {
    let bytes: Vec<&[u8]> = cases.iter().map(|case| case.digest.as_bytes().as_slice()).collect();
    CasesPin { count: cases.len(), digest: Digest::tagged("benchpaper/cases@1", &bytes) }
}

/// Joins cases and lock to a plan.
pub fn plan(experiment: &Experiment, lock: &Lock, expansion: Expansion) -> Plan {
    let Expansion { settings, cases, .. } = expansion;
    let environment = experiment.environment().word();
    let bindings: Vec<Digest> = bindings(&cases, lock, environment);
    let key = |case: usize, replicate: u64, session: Option<u64>| {
        let (replicate_bytes, session_bytes) = (replicate.to_be_bytes(), session.unwrap_or(0).to_be_bytes());
        let parts: [&[u8]; 4] =
            [cases[case].digest.as_bytes(), bindings[case].as_bytes(), &replicate_bytes, &session_bytes];
        // what was measured in one session does not answer for another; without sessions keys are those of earlier versions
        Digest::tagged("benchpaper/job@1", if session.is_some() { &parts } else { &parts[..3] })
    };
    let order = order::of(&experiment.design, (&cases, &settings), Sessions::of(experiment).as_ref());
    let job = |(case, replicate, session)| Job { key: key(case, replicate, session), case, replicate, session };
    let jobs = order.into_iter().map(job).collect();
    Plan { experiment: experiment.name.value.clone(), settings, cases, jobs }
}

/// One binding a case; cases that start the same programs share one computation.
fn bindings(cases: &[Case], lock: &Lock, environment: &str) -> Vec<Digest> {
    let mut known: BTreeMap<(Vec<String>, Option<String>), Digest> = BTreeMap::new();
    let one = |case: &Case| {
        if let Some(manual) = &case.manual {
            return lock::manual_binding(manual.environment.word());
        }
        let (programs, image) = (case.programs(), case.guest.as_ref().map(|guest| guest.name.clone()));
        let bound = || binding(lock, environment, (&programs, image.as_deref()));
        *known.entry((programs.clone(), image.clone())).or_insert_with(bound)
    };
    cases.iter().map(one).collect()
}

impl Plan {
    /// For each job, in order, whether it runs. `done` is sorted; `only` selects cases by a part of their label.
    pub fn reasons(&self, done: &[Digest], only: Option<&str>) -> Vec<Reason> {
        let selected: Vec<bool> =
            self.cases.iter().map(|case| only.is_none_or(|only| case.label().contains(only))).collect();
        let one = |job: &Job| {
            if done.binary_search(&job.key).is_ok() {
                Reason::Measured
            } else if self.cases[job.case].manual.is_some() {
                Reason::ByHand
            } else if selected[job.case] {
                Reason::NotMeasured
            } else {
                Reason::NotSelected
            }
        };
        self.jobs.iter().map(one).collect()
    }

    /// The programs that jobs start, sorted.
    pub fn programs(&self) -> Vec<String> {
        programs(&self.cases)
    }
}

/// The programs that cases start, sorted.
pub fn programs(cases: &[Case]) -> Vec<String> {
    cases.iter().flat_map(Case::programs).collect::<BTreeSet<_>>().into_iter().collect()
}

/// The programs with what is known of their versions: tools and hypervisors say which of theirs may be asked.
pub fn inspected(names: &[String]) -> Vec<inventory::Program> {
    let of_tools = tool::TOOLS.iter().filter_map(|tool| tool.version_program());
    let of_hypervisors = HYPERVISORS.iter().flat_map(|one| one.programs()).map(|program| program.name);
    let answering: BTreeSet<&str> = of_tools.chain(of_hypervisors).collect();
    let program =
        |name: &String| inventory::Program { name: name.clone(), answers_version: answering.contains(name.as_str()) };
    names.iter().map(program).collect()
}

/// How long a job takes when nothing is known of earlier ones: its times and what starting costs, in nanoseconds.
pub fn expected_duration_ns(case: &Case) -> u64 {
    const START_NS: u64 = 400_000_000;
    const BOOT_NS: u64 = 6_000_000_000;
    const OTHER_BOOT_NS: u64 = 3_500_000_000;
    let timed = case.timing.ramp_time_ns + case.timing.runtime_ns;
    let started = if timed == 0 { 0 } else { timed + START_NS };
    started + case.guest.as_ref().map_or(0, |guest| BOOT_NS + (guest.count - 1) * OTHER_BOOT_NS)
}

/// How long some jobs take together, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Duration {
    /// Preparation, and each job once.
    pub expected_ns: u64,
    /// With every retry and every round that may be needed.
    pub most_ns: u64,
}

/// How long the jobs that run take. Devices are taken to be filled at 200 MB/s.
pub fn duration(experiment: &Experiment, plan: &Plan, reasons: &[Reason]) -> Duration {
    const FILL_BYTES_PER_SECOND: u64 = 200_000_000;
    let design = &experiment.design;
    let to_run = plan.jobs.iter().zip(reasons).filter(|(_, reason)| **reason == Reason::NotMeasured);
    let pause = design.pause.as_ref().map_or(0, |pause| pause.base());
    let jobs: u64 = to_run.map(|(job, _)| expected_duration_ns(&plan.cases[job.case]) + pause).sum();
    let fills = design.precondition.iter().map(|step| {
        let bytes = experiment.device_bytes(step.fill.device.value.as_str()).unwrap_or(0);
        bytes.saturating_mul(step.fill.passes.unwrap_or(1)) / (FILL_BYTES_PER_SECOND / 1_000) * 1_000_000
    });
    let fills: u64 = if jobs == 0 { 0 } else { fills.sum() };
    let (least, most) =
        design.steady_state.as_ref().map_or((0, 0), |steady| (steady.rounds.value, steady.at_most.value));
    let retries = design.on_failure.as_ref().and_then(|policy| policy.retry).unwrap_or(0);
    let most_ns = fills + jobs.saturating_mul(1 + most).saturating_mul(1 + retries);
    Duration { expected_ns: fills + jobs.saturating_mul(1 + least), most_ns }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_tools_and_of_every_hypervisor_are_asked_for_their_version_and_no_others() {
        let names = ["fio", "qemu-img", "sh", "tiny-vm"].map(str::to_owned);
        let asked: Vec<bool> = inspected(&names).iter().map(|program| program.answers_version).collect();
        assert_eq!(asked, [true, true, false, true]);
    }
}
