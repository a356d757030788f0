//! What a person runs: how often, in which environment, and under which name to save what comes out.

use std::collections::{BTreeMap, BTreeSet};

use super::expand::refers_to;
use super::{Case, Manual};
use crate::manifest::{Experiment, Sessions, Workload};
use crate::name::slug;
use crate::tool;

/// How the results of a workload come in, where a person runs it; the name of its file is found later.
pub(super) fn of(experiment: &Experiment, workload: &Workload, replicates: u64) -> Option<Manual> {
    let environment =
        workload.environment.as_ref().map_or_else(|| experiment.environment(), |environment| environment.value);
    let sessions = Sessions::of(experiment).map_or(1, |sessions| sessions.per_level());
    let replicates = workload.replicates.as_ref().map_or(replicates, |each| each.value * sessions);
    let manual = Manual { environment, replicates, file: String::new() };
    experiment.is_manual(workload).then_some(manual)
}

/// Names the files of the cases that a person runs: by the levels that change what is done. A level that only chooses
/// among the rows of an output is no part of the name, so that the cases of one output share one file.
pub(super) fn name_files(experiment: &Experiment, cases: &mut [Case]) {
    let mut levels: BTreeMap<(Option<String>, String), BTreeSet<String>> = BTreeMap::new();
    for case in cases.iter().filter(|case| case.manual.is_some()) {
        for (factor, level) in &case.factors {
            levels.entry((case.part.clone(), factor.clone())).or_default().insert(level.clone());
        }
    }
    for case in cases {
        let Some(workload) = experiment.workloads.get(&case.workload) else { continue };
        let selectors = tool::find(&case.tool).map_or(&[] as &[&str], |tool| tool.selectors());
        // a level that all cases share tells nothing apart
        let varies =
            |factor: &str| levels.get(&(case.part.clone(), factor.to_owned())).is_some_and(|levels| levels.len() > 1);
        let factors = case.factors.iter().filter(|(factor, _)| varies(factor));
        let factors = factors.map(|(factor, level)| (factor.clone(), level.clone())).collect();
        let file = file_of(&factors, workload, selectors);
        if let Some(manual) = &mut case.manual {
            manual.file = if file.is_empty() { slug(&case.workload) } else { file };
        }
    }
}

fn file_of(factors: &BTreeMap<String, String>, workload: &Workload, selectors: &[&str]) -> String {
    let keys = |is_wanted: &dyn Fn(&str) -> bool| {
        let crate::manifest::node::Value::Map(entries) = &workload.settings.value else { return vec![] };
        entries.iter().filter(|(key, _)| is_wanted(&key.text)).map(|(_, node)| node).collect::<Vec<_>>()
    };
    let choosing = keys(&|key| selectors.contains(&key));
    let doing = keys(&|key| !selectors.contains(&key));
    let only_chooses = |factor: &str| {
        choosing.iter().any(|node| refers_to(node, factor)) && !doing.iter().any(|node| refers_to(node, factor))
    };
    let parts = factors.iter().filter(|(factor, _)| !only_chooses(factor));
    parts.map(|(factor, level)| format!("{}-{}", slug(factor), slug(level))).collect::<Vec<_>>().join("_")
}
