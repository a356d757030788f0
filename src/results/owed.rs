//! What a paper owes its readers by the kind of disclosure that its manifest names, and what of it nobody gave.

use super::Results;
use crate::manifest::Experiment;

/// The facts that a paper of this kind should give and that are neither known, declared nor waived.
pub fn owed(experiment: &Experiment, results: &Results) -> Vec<String> {
    let Some(disclosure) = &experiment.disclosure else { return vec![] };
    let declared = experiment.hosts.iter().flat_map(|(_, host)| host.declared.names());
    let waived = disclosure.waived.names();
    let settled: Vec<&str> = declared.chain(waived).collect();
    let is_known = |wanted: &str| {
        let (start, end) = wanted.split_once('*').unwrap_or((wanted, ""));
        let fits = |path: &str| match wanted.contains('*') {
            true => path.starts_with(start) && path.ends_with(end),
            false => path == wanted,
        };
        let mut facts = results.facts.0.iter().filter(|(path, _)| fits(path)).peekable();
        settled.iter().any(|path| fits(path) || *path == wanted)
            || (facts.peek().is_some() && facts.all(|(_, fact)| fact.value().is_some()))
    };
    disclosure.profile.facts().iter().filter(|wanted| !is_known(wanted)).map(|wanted| (*wanted).to_owned()).collect()
}
