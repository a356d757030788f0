//! What a matrix must not ask for.

use super::super::Case;
use super::merge::refers_to;
use crate::diagnostic::Diagnostic;
use crate::guest::Spec;
use crate::manifest::guest::Reboot;
use crate::manifest::node::Node;
use crate::manifest::shape::{Map, Problems};
use crate::manifest::{Experiment, Levels as FactorLevels, Sessions, Workload};
use crate::measurement::Metric;
use crate::name::nearest;
use crate::tool::{self, Timing};
use std::collections::BTreeMap;

/// The same problem found in many cases is one problem.
pub(super) fn without_repeats(diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut kept: Vec<Diagnostic> = vec![];
    for diagnostic in diagnostics {
        if kept.last() != Some(&diagnostic) {
            kept.push(diagnostic);
        }
    }
    kept
}

/// A tool that is run here must be one that can be started.
pub(super) fn check_launch(
    work: &dyn tool::Workload,
    timing: Timing,
    workload: &Workload,
    problems: &mut Problems,
) -> Option<()> {
    let Err(reason) = work.launch(timing) else { return Some(()) };
    let help = "`plan --runsheet` prints what people do by hand, `import` takes what comes out.";
    problems.error("plan::launch", workload.tool.span, reason, help);
    None
}

/// A metric that no workload measures would silently be left out of the paper.
pub(super) fn check_metrics(experiment: &Experiment, cases: &[Case], problems: &mut Problems) {
    let measured = cases.iter().filter_map(|case| Some(case.work()?.metrics())).flatten();
    let measured: std::collections::BTreeSet<Metric> = measured.collect();
    if measured.is_empty() {
        return;
    }
    let mut known: Vec<&str> = Metric::well_known_names().collect();
    known.extend(measured.iter().map(Metric::as_str));
    for (name, _) in experiment.metrics.iter().filter(|(name, _)| !known.contains(&name.value.as_str())) {
        let help = match nearest(name.value.as_str(), known.iter().copied()) {
            Some(meant) => format!("Did you mean `{meant}`?"),
            None => format!(
                "Measured are {}.",
                measured.iter().map(|one| format!("`{one}`")).collect::<Vec<_>>().join(", ")
            ),
        };
        problems.error("plan::unknown-metric", name.span, format!("no workload measures `{}`", name.value), help);
    }
}

/// Guests that are never booted anew must be the same for all cases of a session, or some would meet used disks and some
/// fresh ones.
pub(super) fn check_reboots(experiment: &Experiment, cases: &[Case], problems: &mut Problems) {
    let Some((name, _)) = experiment.guest() else { return };
    let sessions = Sessions::of(experiment);
    let is = |reboot: Reboot| cases.iter().filter_map(|case| case.guest.as_ref()).any(|spec| spec.reboot == reboot);
    if is(Reboot::EachSession) && sessions.is_none() {
        let help = "Write `whole_plot` and `sessions`, or `reboot_guests: each-case`.";
        problems.error("plan::reboot", name.span, "guests are booted for each session, and there is none", help);
    }
    if !is(Reboot::Never) && !is(Reboot::EachSession) {
        return;
    }
    let mut known: BTreeMap<Option<&String>, &Option<Spec>> = BTreeMap::new();
    let is_mixed = cases.iter().any(|case| {
        let level = sessions.as_ref().and_then(|sessions| case.factors.get(&sessions.factor));
        *known.entry(level).or_insert(&case.guest) != &case.guest
    });
    if is_mixed {
        let message = "cases need different guests, which are never booted anew in between";
        problems.error("plan::reboot", name.span, message, "Write `reboot_guests: each-case` or `each-job`.");
    }
}

/// A factor that no setting refers to changes nothing, and its levels would be compared all the same. What a person runs,
/// a person may also set.
pub(super) fn check_factors_are_used(experiment: &Experiment, problems: &mut Problems) {
    let settings = experiment.workloads.iter().map(|(_, workload)| &workload.settings);
    let of_arms = experiment.arms.iter().flat_map(|(_, arm)| [arm.set.as_ref(), arm.guests.as_ref()]).flatten();
    let guests = experiment.guests.iter().map(|(_, guest)| guest);
    let nodes: Vec<&Node> = settings.chain(of_arms).chain(guests).collect();
    for part in experiment.matrix.parts().filter(|part| !is_by_hand(experiment, part.factors)) {
        for (name, _) in part.factors.iter() {
            let text = name.value.as_str();
            if !matches!(text, "workload" | "arm") && !nodes.iter().any(|node| refers_to(node, text)) {
                let help = format!("Write `{{factor: {text}}}` as the value of a setting.");
                let message = format!("neither workload nor guest uses the factor `{text}`");
                problems.error("plan::unused-factor", name.span, message, help);
            }
        }
    }
}

/// Whether a person runs every workload of a part.
pub(super) fn is_by_hand(experiment: &Experiment, factors: &Map<FactorLevels>) -> bool {
    let chosen = factors.get("workload");
    let is_chosen = |name: &str| chosen.is_none_or(|levels| levels.0.iter().any(|level| level.text == name));
    experiment
        .workloads
        .iter()
        .filter(|(name, _)| is_chosen(name.value.as_str()))
        .all(|(_, one)| experiment.is_manual(one))
}
