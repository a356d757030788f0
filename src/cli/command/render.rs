//! `render`: the paper from what was measured. What is not committed or not complete makes a draft.

use std::path::PathBuf;

use crate::cli::arguments::RenderArguments;
use crate::cli::failure::Failure;
use crate::cli::workspace::Loaded;
use crate::cli::{Session, show, workspace};
use crate::plan::Plan;
use crate::plan::Resolved;
use crate::publish::{self, ReportFile};
use crate::render::{self, Context, Input, Paper};
use crate::results::Results;
use crate::verify;

pub(crate) fn run(session: &Session, arguments: &RenderArguments) -> Result<u8, Failure> {
    let loaded = workspace::load(session, &arguments.experiment.experiment)?;
    let (lock, lock_text) = loaded.lock(session)?;
    let resolved = loaded.resolved(lock, arguments.profile.as_deref())?;
    let results = loaded.results(session, &resolved.plan)?.results;
    refuse_empty(&loaded, &results, &resolved.plan)?;
    let made = make(session, &loaded, (lock_text, &resolved), results, true)?;
    let folder = arguments
        .out
        .clone()
        .unwrap_or_else(|| loaded.workspace.report(loaded.experiment.name.value.as_str(), "draft"));
    publish::replace(&*session.os, &folder, &made.files).map_err(Failure::io(&folder))?;
    report(session, &folder, &made);
    Ok(0)
}

/// A paper without any result is none.
pub(crate) fn refuse_empty(loaded: &Loaded, results: &Results, planned: &Plan) -> Result<(), Failure> {
    if results.missing < planned.jobs.len() as u64 {
        return Ok(());
    }
    let profile = match planned.settings.profile.as_str() {
        crate::plan::DEFAULT_PROFILE => String::new(),
        other => format!(" of the profile `{other}`"),
    };
    Err(Failure::incomplete(format!("nothing was measured yet{profile}")).help(format!("{}.", loaded.way_to_results())))
}

/// A paper and the files of its report.
pub(crate) struct Made {
    pub(crate) paper: Paper,
    pub(crate) pdf: Vec<u8>,
    pub(crate) files: Vec<ReportFile>,
}

/// Makes a paper from results; an uncommitted one is always a draft.
pub(crate) fn make(
    session: &Session,
    loaded: &Loaded,
    (lock, resolved): (String, &Resolved),
    results: Results,
    is_draft: bool,
) -> Result<Made, Failure> {
    let revision = loaded.revision()?;
    let committed = revision.filter(|revision| revision.changed.is_empty());
    let context = Context {
        commit: committed.as_ref().map(|revision| revision.commit.clone()),
        time_s: committed.as_ref().map_or(0, |revision| revision.time_s),
        is_draft: is_draft || committed.is_none(),
        program: format!("benchpaper {}", env!("CARGO_PKG_VERSION")),
    };
    let input = Input {
        manifest: loaded.source.text().to_owned(),
        lock,
        prose: loaded.prose(session)?,
        results,
        context,
        is_rehearsal: false,
    };
    let paper = render::render(&input, resolved)?;
    let pdf = write_pdf(&paper, &input)?;
    let files = publish::files(&paper, pdf.clone());
    Ok(Made { paper, pdf, files })
}

#[cfg(feature = "pdf")]
fn write_pdf(paper: &Paper, input: &Input) -> Result<Vec<u8>, Failure> {
    Ok(render::format::pdf::write(paper, &verify::identity_of(paper, input))?)
}

#[cfg(not(feature = "pdf"))]
fn write_pdf(_: &Paper, _: &Input) -> Result<Vec<u8>, Failure> {
    Err(Failure::usage("this build can not write PDF").help("Build it with the feature `pdf`."))
}

/// Says where the paper lies.
pub(crate) fn report(session: &Session, folder: &PathBuf, made: &Made) {
    let numbers = made.paper.cellmap.entries.len();
    if session.is_json {
        show::print(&serde_json::json!({"folder": folder, "numbers": numbers, "bytes": made.pdf.len()}).to_string());
    } else {
        show::print(&format!("{} ({numbers} numbers, each with its origin)", folder.join("paper.pdf").display()));
    }
}
