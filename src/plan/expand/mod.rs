//! From factors to cases: every combination but the excluded ones, its settings resolved by the tool.

mod check;
mod merge;

use super::{Case, Settings, manual};
use crate::diagnostic::Diagnostic;
use crate::digest::Digest;
use crate::guest::{self, Spec};
use crate::manifest::shape::{Map, Problems};
use crate::manifest::{Arm, Exclusion, Experiment, Level, Levels as FactorLevels, Workload};
use crate::name::nearest;
use crate::source::Source;
use crate::tool::{self, Context, Timing, Tool, Topology};
use serde::Serialize;
use std::collections::BTreeMap;

use check::{check_factors_are_used, check_launch, check_metrics, check_reboots, without_repeats};
use merge::merged;
pub(super) use merge::refers_to;

/// The most cases.
const CASES_MAX: usize = 100_000;

/// The cases of a manifest under a profile.
#[derive(Debug, Clone, PartialEq)]
pub struct Expansion {
    /// The numbers of the design.
    pub settings: Settings,
    /// In the order of the factors, noise sides last.
    pub cases: Vec<Case>,
    /// Combinations left out, with their reasons, in the order of the manifest.
    pub excluded: Vec<(String, String)>,
    /// What is allowed and perhaps not meant.
    pub warnings: Vec<Diagnostic>,
}

/// What a case's digest is made of.
#[derive(Serialize)]
struct Identity<'a> {
    tool: &'a str,
    settings: &'a serde_json::Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    guest: Option<&'a Spec>,
    ramp_time_ns: String,
    runtime_ns: String,
    design: &'a serde_json::Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    noise: Option<&'a str>,
}

/// Expands the matrix; every problem of every workload, once each. `files` are the digests of the files beside the
/// manifest.
pub fn expand(
    experiment: &Experiment,
    source: &Source,
    settings: Settings,
    files: &BTreeMap<String, Digest>,
) -> Result<Expansion, Vec<Diagnostic>> {
    let mut problems = Problems::new(source);
    check_factors_are_used(experiment, &mut problems);
    let mut builder = Builder::new(experiment, &settings, files);
    let mut cases = vec![];
    let mut excluded = vec![];
    let mut main = vec![];
    for part in experiment.matrix.parts() {
        let combinations = combinations(part.factors, CASES_MAX.saturating_sub(cases.len()), &mut problems);
        for levels in &combinations {
            if let Some(reason) = exclusion(part.exclude, levels) {
                excluded.push((label(levels), reason));
                continue;
            }
            let case = builder.case(levels, None, &mut problems);
            cases.extend(case.map(|case| Case { part: part.title.map(str::to_owned), ..case }));
        }
        if part.title.is_none() {
            main = combinations;
        }
    }
    if let Some(noise) = experiment.design.noise.as_ref().filter(|_| settings.noise_pairs > 0) {
        let wanted: BTreeMap<&str, String> =
            noise.case.iter().filter_map(|(factor, level)| Some((factor.value.as_str(), level.scalar()?))).collect();
        let is_wanted = |levels: &&Levels<'_>| {
            levels.iter().all(|(factor, level)| wanted.get(factor).is_none_or(|wanted| *wanted == level.text))
        };
        if let Some(levels) = main.iter().find(is_wanted) {
            cases.extend(["a", "b"].iter().filter_map(|side| builder.case(levels, Some(side), &mut problems)));
        }
    }
    manual::name_files(experiment, &mut cases);
    check_metrics(experiment, &cases, &mut problems);
    check_reboots(experiment, &cases, &mut problems);
    let diagnostics = without_repeats(problems.into_sorted());
    if crate::diagnostic::any_error(&diagnostics) {
        return Err(diagnostics);
    }
    Ok(Expansion { settings, cases, excluded, warnings: diagnostics })
}

type Levels<'a> = Vec<(&'a str, &'a Level)>;

fn label(levels: &Levels<'_>) -> String {
    levels.iter().map(|(factor, level)| format!("{factor}={}", level.text)).collect::<Vec<_>>().join(" ")
}

/// The cartesian product, the last factor fastest.
fn combinations<'a>(factors: &'a Map<FactorLevels>, most: usize, problems: &mut Problems) -> Vec<Levels<'a>> {
    let count = factors.iter().try_fold(1_usize, |count, (_, levels)| count.checked_mul(levels.0.len()));
    if count.is_none_or(|count| count > most) {
        let span = factors.iter().next().map_or_else(Default::default, |(name, _)| name.span);
        problems.error("plan::too-many", span, format!("more than {CASES_MAX} cases"), "Use fewer factors or levels.");
        return vec![];
    }
    let mut combined: Vec<Levels<'a>> = vec![vec![]];
    for (name, levels) in factors.iter() {
        let mut next = Vec::with_capacity(combined.len() * levels.0.len());
        for prefix in &combined {
            for level in &levels.0 {
                let mut one = Vec::with_capacity(prefix.len() + 1);
                one.extend_from_slice(prefix);
                one.push((name.value.as_str(), level));
                next.push(one);
            }
        }
        combined = next;
    }
    combined
}

fn exclusion(exclude: &[Exclusion], levels: &Levels<'_>) -> Option<String> {
    let holds = |factor: &str, excluded: &[String]| {
        levels.iter().any(|(name, level)| *name == factor && excluded.contains(&level.text))
    };
    let matching = exclude.iter().find(|exclusion| {
        exclusion.levels.iter().all(|(factor, excluded)| {
            let excluded: Vec<String> = excluded.iter().map(|level| level.value.clone()).collect();
            holds(factor.value.as_str(), &excluded)
        })
    });
    matching.map(|exclusion| exclusion.reason.clone())
}

/// What all cases share.
struct Builder<'a> {
    experiment: &'a Experiment,
    settings: &'a Settings,
    files: &'a BTreeMap<String, Digest>,
    devices: BTreeMap<String, u64>,
    design: serde_json::Value,
}

impl<'a> Builder<'a> {
    fn new(experiment: &'a Experiment, settings: &'a Settings, files: &'a BTreeMap<String, Digest>) -> Self {
        let sut = experiment.sut();
        let devices: BTreeMap<String, u64> = sut.map_or_else(BTreeMap::new, |host| {
            host.devices.iter().map(|(name, device)| (name.value.to_string(), device.size.value.base())).collect()
        });
        Self { experiment, settings, files, design: design_identity(experiment, &devices), devices }
    }

    fn case(&mut self, levels: &Levels<'_>, noise: Option<&str>, problems: &mut Problems) -> Option<Case> {
        let (name, workload) = self.workload(levels)?;
        let Some(tool) = tool::find(workload.tool.value.as_str()) else {
            let known: Vec<&str> = tool::TOOLS.iter().map(|tool| tool.name()).collect();
            let names = known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            let help = match nearest(workload.tool.value.as_str(), known.iter().copied()) {
                Some(meant) => format!("Did you mean `{meant}`?"),
                None => format!("Known: {names}."),
            };
            let message = format!("no tool is called `{}`", workload.tool.value);
            problems.error("plan::unknown-tool", workload.tool.span, message, help);
            return None;
        };
        let arm = self.arm(levels);
        let set = arm.and_then(|arm| arm.set.as_ref());
        let node = merged(&workload.settings, set, levels, problems)?;
        let manual = manual::of(self.experiment, workload, self.settings.replicates);
        let guest = match self.experiment.guest().filter(|_| manual.is_none()) {
            Some((name, guest)) => {
                let before = problems.count();
                let guest = merged(guest, arm.and_then(|arm| arm.guests.as_ref()), levels, problems)?;
                if problems.count() > before {
                    return None;
                }
                Some(guest::resolve(self.experiment, (name, &guest), self.files, problems)?)
            }
            None => None,
        };
        let of_guest = guest.as_ref().map(Spec::devices);
        let factors: BTreeMap<String, String> =
            levels.iter().map(|(factor, level)| ((*factor).to_owned(), level.text.clone())).collect();
        let devices = of_guest.as_ref().unwrap_or(&self.devices);
        let buffered = guest.as_ref().map(Spec::memory_disks).unwrap_or_default();
        let context = Context { devices, buffered: &buffered, factors: &factors, files: self.files };
        let settings: tool::Settings = tool.resolve(&node, &context, problems)?.into();
        let work = settings.workload(tool.name())?;
        let timing = timing_of(tool, self.settings.timing);
        match (&guest, &manual) {
            (Some(spec), _) => self.check_topology(work, (spec, workload), problems)?,
            (None, None) => check_launch(work, timing, workload, problems)?,
            (None, Some(_)) => {}
        }
        let by_hand = manual.is_some().then(|| serde_json::json!({"by_hand": factors}));
        let identity = Identity {
            tool: tool.name(),
            settings: settings.stored(),
            guest: guest.as_ref(),
            ramp_time_ns: timing.ramp_time_ns.to_string(),
            runtime_ns: timing.runtime_ns.to_string(),
            design: by_hand.as_ref().unwrap_or(&self.design),
            noise,
        };
        let digest = Digest::of_value("benchpaper/case@1", &identity).ok()?;
        let (workload, tool, noise) = (name.to_owned(), tool.name().to_owned(), noise.map(str::to_owned));
        Some(Case { digest, factors, workload, tool, settings, guest, timing, noise, part: None, manual })
    }

    /// The workload that the levels choose, or the only one.
    fn workload(&self, levels: &Levels<'_>) -> Option<(&'a str, &'a Workload)> {
        let chosen = levels.iter().find(|(factor, _)| *factor == "workload").map(|(_, level)| level.text.as_str());
        let name = chosen.or_else(|| self.experiment.workloads.names().next())?;
        let (key, workload) = self.experiment.workloads.iter().find(|(key, _)| key.value.as_str() == name)?;
        Some((key.value.as_str(), workload))
    }

    /// A tool must be able to run in so many guests, and a card must be for something.
    fn check_topology(
        &self,
        work: &dyn tool::Workload,
        (spec, workload): (&Spec, &Workload),
        problems: &mut Problems,
    ) -> Option<()> {
        let help = "Let the guests' `count` be what the tool can use.";
        let topology = match work.launches(self.settings.timing, spec.count) {
            Ok(topology) => topology,
            Err(reason) => {
                problems.error("plan::guests", workload.tool.span, reason, help);
                return None;
            }
        };
        const SERVED_NS_MIN: u64 = 2_000_000_000;
        let runtime_ns = self.settings.timing.runtime_ns;
        if matches!(topology, Topology::Served { .. }) && runtime_ns > 0 && runtime_ns < SERVED_NS_MIN {
            let message = "guests begin up to a second apart, and little is left of this run time when all are active";
            problems.warn("plan::runtime", workload.tool.span, message, "Write `runtime: 3 s` or more.");
        }
        if spec.network.is_some() && !matches!(topology, Topology::Between { .. }) {
            let message =
                format!("`{}` sends nothing between guests, so their `network` would do nothing", workload.tool.value);
            let help = "Leave `network` away, or use `iperf3`.";
            problems.error("plan::guests", workload.tool.span, message, help);
            return None;
        }
        Some(())
    }

    /// The arm that the levels choose.
    fn arm(&self, levels: &Levels<'_>) -> Option<&'a Arm> {
        let (_, level) = levels.iter().find(|(factor, _)| *factor == "arm")?;
        self.experiment.arms.get(&level.text)
    }
}

/// What else of the design a result depends on.
fn design_identity(experiment: &Experiment, devices: &BTreeMap<String, u64>) -> serde_json::Value {
    let design = &experiment.design;
    let fills: Vec<String> = design
        .precondition
        .iter()
        .map(|step| format!("{} {}", step.fill.device.value, step.fill.passes.unwrap_or(1)))
        .collect();
    let steady = design.steady_state.as_ref().map(|steady| {
        let (range, slope) = (steady.range.quantity().to_string(), steady.slope.quantity().to_string());
        format!(
            "{} {} {range} {slope} {} {}",
            steady.metric.value,
            steady.rounds.value,
            steady.at_most.value,
            steady.otherwise.word()
        )
    });
    let devices: BTreeMap<&String, String> = devices.iter().map(|(name, bytes)| (name, bytes.to_string())).collect();
    let mut identity = serde_json::json!({
        "precondition": fills, "steady_state": steady, "devices": devices,
        "concurrency": design.concurrency.as_ref().map_or(1, |one| one.value).to_string(),
        "replicate_unit": design.replicate_unit,
    });
    // where it is absent, keys are those of earlier versions
    if let (Some(factor), Some(fields)) = (&design.whole_plot, identity.as_object_mut()) {
        fields.insert("whole_plot".to_owned(), factor.value.as_str().into());
    }
    identity
}

fn timing_of(tool: &dyn Tool, timing: Timing) -> Timing {
    if tool.is_timed() { timing } else { Timing { ramp_time_ns: 0, runtime_ns: 0 } }
}
