//! `diff`: what differs between two records of an experiment, and what may be concluded.

use super::verify::{in_child, limit_this_process};
use crate::audit::{self, Evidence};
use crate::claims;
use crate::cli::arguments::{DiffArguments, Format};
use crate::cli::failure::Failure;
use crate::cli::side::{self, Found};
use crate::cli::{Session, delta, show};
use crate::diff::{self, ClaimChange, Diff, Side};
use crate::os;
use crate::render::format::markdown;
use crate::source::Source;
use crate::words;

pub(crate) fn run(session: &Session, arguments: &DiffArguments) -> Result<u8, Failure> {
    if arguments.sides.iter().any(|given| side::is_foreign(session, given)) {
        if !arguments.limited {
            return in_child(session);
        }
        limit_this_process()?;
    }
    let profile = arguments.profile.as_deref();
    let found: Result<Vec<Found>, Failure> =
        arguments.sides.iter().map(|given| side::find(session, given, (profile, &arguments.sides))).collect();
    let found = found?;
    let [a, b] = found.as_slice() else {
        if arguments.out.is_some() || arguments.isolate.is_some() {
            return Err(Failure::usage("`--out` and `--isolate` are of two sides").help("Name two of them."));
        }
        return series(session, &found);
    };
    for side in [&a.side, &b.side] {
        if is_empty(side) {
            show::note(&format!("warning: {} has no results", side.name));
        }
    }
    let diff = diff::diff(&a.side, &b.side, claims_of((a, b)));
    if let Some(folder) = &arguments.isolate {
        isolate(session, folder, &diff::isolate::isolate(&diff, &a.side, &b.side))?;
    }
    if let Some(folder) = &arguments.out {
        write(session, folder, (&diff, &b.side))?;
    }
    match session.format {
        Format::Json => show::print_json(&diff)?,
        Format::Markdown => {
            show::print(&markdown::write(&diff::report(&diff, &today(session), vec![]), words::english()))
        }
        Format::Sarif => return Err(Failure::usage("a diff is no SARIF: use text, json or markdown")),
        Format::Text => delta::text(&diff, arguments.all),
    }
    if is_empty(&a.side) || is_empty(&b.side) {
        return Ok(3);
    }
    Ok(u8::from(diff.is_different()))
}

fn is_empty(side: &Side) -> bool {
    side.results.cases.iter().all(|case| case.metrics.is_empty())
}

/// Claims whose verdict differs between what the two sides measured.
fn claims_of((a, b): (&Found, &Found)) -> Vec<ClaimChange> {
    let Some(text) = b.claims.as_ref().or(a.claims.as_ref()) else { return vec![] };
    let (Some(loaded), _) = claims::parse(&Source::new("claims.yaml", text), &|name| Err(name.to_owned())) else {
        return vec![];
    };
    if loaded.claims.paper.ours != Some(true) {
        return vec![];
    }
    let verdicts = |side: &Side| {
        let evidence = Evidence::of_results(&side.experiment, &side.plan, &side.results);
        audit::audit(&loaded, Some(evidence)).claims
    };
    let (one, other) = (verdicts(&a.side), verdicts(&b.side));
    let changed = one.into_iter().zip(other).filter(|(one, other)| one.verdict != other.verdict);
    changed
        .map(|(one, other)| ClaimChange {
            id: one.id,
            text: one.text,
            a: one.verdict.word().to_owned(),
            b: other.verdict.word().to_owned(),
        })
        .collect()
}

/// The date of the day, `YYYY-MM-DD`.
fn today(session: &Session) -> String {
    os::timestamp(session.os.now_ns()).chars().take(10).collect()
}

/// Writes the diff as Markdown, with its figures beside it.
fn write(session: &Session, folder: &std::path::Path, (diff, b): (&Diff, &Side)) -> Result<(), Failure> {
    let path = folder.join("diff.md");
    if os::is_there(&*session.os, &path).unwrap_or(false) {
        return Err(Failure::usage(format!("{} is there already", path.display())).help("Name a new folder."));
    }
    let figures = folder.join("figures");
    os::create_folders(&*session.os, &figures).map_err(Failure::io(&figures))?;
    let (blocks, drawings) = delta::figures(diff, b);
    for (name, svg) in &drawings {
        let path = figures.join(name);
        os::write_atomically(&*session.os, &path, svg.as_bytes()).map_err(Failure::io(&path))?;
    }
    let text = markdown::write(&diff::report(diff, &today(session), blocks), words::english());
    os::write_atomically(&*session.os, &path, text.as_bytes()).map_err(Failure::io(&path))?;
    show::note(&format!("{} ({} figures)", path.display(), drawings.len()));
    Ok(())
}

/// Writes the manifests that separate causes.
fn isolate(
    session: &Session,
    folder: &std::path::Path,
    apart: &(Vec<diff::isolate::Isolated>, Vec<String>),
) -> Result<(), Failure> {
    let (made, fixed) = apart;
    for one in made {
        let folder = folder.join(&one.name);
        os::create_folders(&*session.os, &folder).map_err(Failure::io(&folder))?;
        let path = folder.join("experiment.yaml");
        if os::is_there(&*session.os, &path).unwrap_or(false) {
            return Err(Failure::usage(format!("{} is there already", path.display())));
        }
        os::write_atomically(&*session.os, &path, one.manifest.as_bytes()).map_err(Failure::io(&path))?;
        show::note(&format!("{} changes {} alone", path.display(), one.cause));
    }
    for cause in fixed {
        show::note(&format!("no manifest changes {cause}: run the first side again where it is as on the second"));
    }
    if made.is_empty() && fixed.is_empty() {
        show::note("there is nothing to separate: at most one cause differs");
    }
    Ok(())
}

/// Many sides in the order of time: where a metric of a case seems to change for good.
fn series(session: &Session, found: &[Found]) -> Result<u8, Failure> {
    let sides: Vec<&Side> = found.iter().map(|one| &one.side).collect();
    let series = diff::series(&sides);
    match session.format {
        Format::Json => show::print_json(&series)?,
        Format::Text => delta::series_text(&sides, &series),
        _ => return Err(Failure::usage("more than two sides are shown as text or json")),
    }
    Ok(u8::from(series.iter().any(|one| one.change.is_some())))
}
