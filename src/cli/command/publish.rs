//! `publish`: makes, verifies and freezes the paper under its version.

use std::path::PathBuf;

use super::render::{make, refuse_empty, report};
use crate::cli::arguments::PublishArguments;
use crate::cli::failure::Failure;
use crate::cli::workspace::Loaded;
use crate::cli::workspace::Recorded;
use crate::cli::{Session, show, workspace};
use crate::os;
use crate::publish::{self, Frozen};
use crate::results::Results;
use crate::store::check::references;
use crate::store::history::History;
use crate::verify::{self, Opened, Record};

pub(crate) fn run(session: &Session, arguments: &PublishArguments) -> Result<u8, Failure> {
    let loaded = workspace::load(session, &arguments.experiment.experiment)?;
    let (lock, lock_text) = loaded.lock(session)?;
    let resolved = loaded.resolved(lock, arguments.profile.as_deref())?;
    let Recorded { results, history, reader } = loaded.results(session, &resolved.plan)?;
    refuse_empty(&loaded, &results, &resolved.plan)?;
    if !arguments.draft {
        refuse_unfit(&loaded, &results, resolved.plan.jobs.len())?;
    }
    let made = make(session, &loaded, (lock_text, &resolved), results.clone(), arguments.draft)?;
    let record = Record { history: &history, reader: &reader };
    let verified = verify::verify(&Opened::open(&made.pdf)?, Some(&record))?;
    if verified.exit_code(true) != 0 {
        let problems = verified.failures.iter().chain(&verified.notes).cloned().collect::<Vec<_>>().join("; ");
        return Err(Failure::Other { code: 4, message: format!("the paper does not verify: {problems}"), help: None });
    }
    let name = loaded.experiment.name.value.as_str();
    if arguments.draft {
        let folder = loaded.workspace.report(name, "draft");
        publish::replace(&*session.os, &folder, &made.files).map_err(Failure::io(&folder))?;
        report(session, &folder, &made);
        return Ok(0);
    }
    let folder = loaded.workspace.report(name, &loaded.experiment.version.value);
    match publish::freeze(&*session.os, &folder, &made.files).map_err(Failure::io(&folder))? {
        Frozen::Refused(differing) => {
            let message = format!("{} is published with other bytes: {}", folder.display(), differing.join(", "));
            return Err(Failure::Other {
                code: 1,
                message,
                help: Some("A published version never changes; raise `version` in the manifest.".to_owned()),
            });
        }
        Frozen::Unchanged => show::note("this version is published, with the same bytes"),
        Frozen::Written => {}
    }
    keep_evidence(session, &loaded, &results, &history)?;
    report(session, &folder, &made);
    Ok(0)
}

/// A published paper is of committed inputs and complete results.
fn refuse_unfit(loaded: &Loaded, results: &Results, jobs: usize) -> Result<(), Failure> {
    let Some(revision) = loaded.revision()? else {
        return Err(Failure::usage("the experiment is not in a git repository with a commit")
            .help("Commit it, or make a draft with `--draft`."));
    };
    if !revision.changed.is_empty() {
        let message = format!("not committed: {}", revision.changed.join(", "));
        return Err(Failure::usage(message).help("Commit these files, or make a draft with `--draft`."));
    }
    if results.missing > 0 {
        let message = format!("{} of {jobs} jobs have no usable result", results.missing);
        return Err(
            Failure::incomplete(message).help(format!("{}; publishing never measures.", loaded.way_to_results()))
        );
    }
    Ok(())
}

/// Makes git keep the journals, packs and loose objects of the runs that the paper names.
fn keep_evidence(session: &Session, loaded: &Loaded, results: &Results, history: &History) -> Result<(), Failure> {
    let layout = loaded.workspace.layout();
    let mut paths = vec![];
    for (run, journal) in history.runs.iter().filter(|(run, _)| results.runs.iter().any(|one| one.run == run.as_str()))
    {
        paths.extend(["head", "journal.jsonl", "pack"].map(|file| PathBuf::from("runs").join(run.as_str()).join(file)));
        for digest in journal.events().flat_map(references) {
            let path = layout.object(&digest);
            if os::is_there(&*session.os, &path).map_err(Failure::io(&path))? {
                let below = path.strip_prefix(layout.folder()).map(std::path::Path::to_owned);
                paths.extend(below);
            }
        }
    }
    let path = layout.folder().join(".gitignore");
    let existing = match session.os.read(&path, 1 << 20) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(Failure::io(&path)(error)),
    };
    let kept = publish::kept_by_git(&existing, &paths);
    if kept != existing {
        os::write_atomically(&*session.os, &path, kept.as_bytes()).map_err(Failure::io(&path))?;
        show::note("commit `reports` and `artifacts` together: the evidence goes with the paper");
    }
    Ok(())
}
