//! `check`: every problem of a manifest and its prose, at once.

use crate::cli::arguments::ExperimentArguments;
use crate::cli::failure::Failure;
use crate::cli::workspace::Loaded;
use crate::cli::{Session, image, show, workspace};
use crate::diagnostic::{Diagnostic, any_error};
use crate::inventory::Inventory;
use crate::lock;
use crate::plan::{self, Resolved};
use crate::render::{self, Context, Input};
use crate::results;
use crate::source::Source;

pub(crate) fn run(session: &Session, arguments: &ExperimentArguments) -> Result<u8, Failure> {
    let loaded = workspace::load(session, &arguments.experiment)?;
    image::check_disks(&loaded)?;
    let mut problems = vec![];
    let mut counts = vec![];
    for profile in plan::profile_names(&loaded.experiment) {
        match loaded.expand(Some(&profile)) {
            Ok(expansion) => {
                counts.push((profile, expansion.cases.len(), expansion.settings.replicates));
                problems.extend(new_to(&problems, expansion.warnings));
            }
            Err(Failure::Input(found)) => {
                problems.extend(new_to(&problems, found));
            }
            Err(other) => return Err(other),
        }
    }
    let prose = loaded.prose(session)?;
    problems.extend({
        let source = Source::new(&format!("{}/paper/en.md", loaded.shown()), &prose);
        crate::paper::check(&source, &render::functions())
    });
    if !any_error(&problems) {
        problems.extend(rehearse(&loaded, &prose)?);
    }
    if any_error(&problems) {
        return Err(problems.into());
    }
    if session.is_json {
        let warnings: Vec<_> = problems.iter().map(Diagnostic::to_json).collect();
        let profiles: Vec<_> = counts.iter().map(|(profile, cases, replicates)| serde_json::json!({"profile": profile, "cases": cases, "replicates": replicates})).collect();
        show::print(
            &serde_json::json!({"experiment": loaded.experiment.name.value, "profiles": profiles, "diagnostics": warnings})
                .to_string(),
        );
        return Ok(0);
    }
    show::diagnostics(session, &problems);
    show::print(&match problems.len() {
        0 => format!("{}: no problems", loaded.source.name()),
        _ => format!("{}: no errors", loaded.source.name()),
    });
    for (profile, cases, replicates) in counts {
        show::print(&format!("  {profile}: {cases} cases, {replicates} replicates"));
    }
    Ok(0)
}

/// The diagnostics that are not among those known.
fn new_to(known: &[Diagnostic], found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    found.into_iter().filter(|one| !known.contains(one)).collect()
}

/// Renders the prose with made-up results: what is wrong with its expressions shows before anything is measured.
fn rehearse(loaded: &Loaded, prose: &str) -> Result<Vec<Diagnostic>, Failure> {
    let pins = plan::profile_names(&loaded.experiment).into_iter().map(|profile| {
        let expansion = loaded.expand(Some(&profile))?;
        Ok((profile, plan::cases_pin(&expansion.cases)))
    });
    let pins = pins.collect::<Result<_, Failure>>()?;
    let lock = lock::resolve(&loaded.experiment, &Inventory::default(), loaded.file_digests(), pins);
    let lock_text = lock::to_yaml(&lock).map_err(Failure::incomplete)?;
    let (source, experiment) = (loaded.source.clone(), loaded.experiment.clone());
    let resolved = Resolved::new(source, experiment, lock, loaded.expand(None)?);
    let input = Input {
        manifest: loaded.source.text().to_owned(),
        lock: lock_text,
        prose: prose.to_owned(),
        results: results::rehearsal(&resolved.plan),
        context: Context { commit: None, time_s: 0, is_draft: true, program: String::new() },
        is_rehearsal: true,
    };
    Ok(render::render(&input, &resolved).err().unwrap_or_default())
}
