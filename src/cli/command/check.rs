//! `check`: every problem of a manifest and its prose, at once.

use crate::cli::arguments::ExperimentArguments;
use crate::cli::failure::Failure;
use crate::cli::{Session, show, workspace};
use crate::diagnostic::any_error;
use crate::plan;
use crate::source::Source;

pub(crate) fn run(session: &Session, arguments: &ExperimentArguments) -> Result<u8, Failure> {
    let loaded = workspace::load(session, &arguments.experiment)?;
    let mut problems = vec![];
    let mut counts = vec![];
    for profile in plan::profile_names(&loaded.experiment) {
        match loaded.expand(Some(&profile)) {
            Ok(expansion) => counts.push((profile, expansion.cases.len(), expansion.settings.replicates)),
            Err(Failure::Input(found)) => {
                problems.extend(found.into_iter().filter(|one| !problems.contains(one)).collect::<Vec<_>>())
            }
            Err(other) => return Err(other),
        }
    }
    let prose = loaded.prose(session)?;
    problems.extend(crate::paper::check(&Source::new(&format!("{}/paper/en.md", loaded.shown()), &prose)));
    if any_error(&problems) {
        return Err(problems.into());
    }
    if session.is_json {
        let profiles: Vec<_> = counts.iter().map(|(profile, cases, replicates)| serde_json::json!({"profile": profile, "cases": cases, "replicates": replicates})).collect();
        show::print(
            &serde_json::json!({"experiment": loaded.experiment.name.value, "profiles": profiles, "diagnostics": []})
                .to_string(),
        );
        return Ok(0);
    }
    show::print(&format!("{}: no problems", loaded.source.name()));
    for (profile, cases, replicates) in counts {
        show::print(&format!("  {profile}: {cases} cases, {replicates} replicates"));
    }
    Ok(0)
}
