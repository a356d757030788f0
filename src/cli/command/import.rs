//! `import`: files that somebody else made, attached to cases and recorded.

use std::path::{Path, PathBuf};

use crate::cli::arguments::ImportArguments;
use crate::cli::failure::Failure;
use crate::cli::workspace::Loaded;
use crate::cli::{Session, show, workspace};
use crate::digest::Digest;
use crate::import::{self, Assignment, Earlier, File, Recorded, Request};
use crate::os::Kind;
use crate::plan::Plan;
use crate::store::event::{Origin, Outcome};
use crate::store::history::history;
use crate::store::{Reader, index};

/// The largest file that is imported, in bytes.
const FILE_LIMIT_BYTES: u64 = 1 << 30;
/// The most files of one import.
const FILES_MAX: usize = 100_000;
/// The deepest folder that is looked into.
const DEPTH_MAX: usize = 8;

pub(crate) fn run(session: &Session, arguments: &ImportArguments) -> Result<u8, Failure> {
    let loaded = workspace::load(session, &arguments.experiment.experiment)?;
    let (lock, lock_text) = loaded.lock(session)?;
    let planned = loaded.plan(&lock, arguments.profile.as_deref())?;
    if !planned.cases.iter().any(|case| case.manual.is_some()) {
        let help = "Write `execution: manual` for the experiment, or for the workload that the files are of.";
        return Err(Failure::usage("benchpaper runs every case of this experiment itself").help(help));
    }
    let files = files(session, &arguments.files)?;
    let layout = loaded.workspace.layout();
    let _alone = layout.lock_experiment(&*session.os, &loaded.experiment.name.value)?;
    let index = index::load(&*session.os, &layout)?;
    let mut reader = Reader::open(&*session.os, &layout)?;
    let history = history(&*session.os, &layout, &mut reader, &loaded.experiment.name.value)?;
    let earlier = Earlier::of(&history, index.done(&loaded.experiment.name.value), (&planned, &reader));
    drop(reader);
    let assignment = import::assign(&loaded.experiment, &planned, &earlier, &files);
    if arguments.dry_run {
        return report(session, (&planned, &files), &assignment, None);
    }
    let (pictures, pages) = sources(session, &arguments.transcribed_from)?;
    let sources: Vec<String> = pages.into_iter().chain(arguments.source.iter().cloned()).collect();
    let evidence = evidence(session, &loaded)?;
    let revision = loaded.revision()?.filter(|revision| revision.changed.is_empty());
    let request = Request {
        os: &*session.os,
        layout: &layout,
        experiment: &loaded.experiment,
        inputs: (loaded.source.text().as_bytes(), lock_text.as_bytes()),
        plan: &planned,
        files: &files,
        origin: if arguments.transcribed_from.is_empty() { Origin::Imported } else { Origin::Transcribed },
        sources: &sources,
        pictures: &pictures,
        evidence: &evidence,
        attempts: history.attempts(),
        previous: history.newest_head(),
        commit: revision.map(|revision| revision.commit),
    };
    let mut fresh = assignment.clone();
    fresh.unmatched.retain(|(file, _)| !earlier.has_listed(&files[*file]));
    let (_, recorded) = import::record(request, &fresh)?;
    report(session, (&planned, &files), &assignment, Some(&recorded))
}

/// The files named, and those in the folders named, in the order of their names.
fn files(session: &Session, named: &[PathBuf]) -> Result<Vec<File>, Failure> {
    let mut paths = vec![];
    for path in named {
        // a file that a person names may be a link; what lies in a folder may not
        let real = session.os.canonical(path).map_err(Failure::io(path))?;
        match session.os.stat(&real).map_err(Failure::io(path))?.kind {
            Kind::Folder => below(session, &real, DEPTH_MAX, &mut paths)?,
            _ => paths.push(path.clone()),
        }
    }
    let mut files = vec![];
    for path in paths {
        let bytes = session.os.read(&path, FILE_LIMIT_BYTES).map_err(Failure::io(&path))?;
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        files.push(File { name, bytes });
    }
    Ok(files)
}

/// The regular files below a folder; links are not followed, so that nothing outside it is read.
fn below(session: &Session, folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let mut names = session.os.list(folder).map_err(Failure::io(folder))?;
    names.sort_by_key(|name| natural(name));
    for name in names.into_iter().filter(|name| !name.starts_with('.')) {
        let path = folder.join(name);
        match session.os.stat(&path).map_err(Failure::io(&path))?.kind {
            Kind::Folder if depth > 0 => below(session, &path, depth - 1, found)?,
            Kind::File => found.push(path),
            _ => show::note(&format!("{} is no file and is not read", path.display())),
        }
        if found.len() > FILES_MAX {
            return Err(Failure::usage(format!("more than {FILES_MAX} files")).help("Import them in parts."));
        }
    }
    Ok(())
}

/// Names in the order of people: `r2` before `r10`.
fn natural(name: &str) -> Vec<(String, u64)> {
    let mut parts = vec![];
    let mut rest = name;
    while !rest.is_empty() {
        let digits = rest.find(|one: char| one.is_ascii_digit()).unwrap_or(rest.len());
        let (words, after) = rest.split_at(digits);
        let end = after.find(|one: char| !one.is_ascii_digit()).unwrap_or(after.len());
        parts.push((words.to_owned(), after[..end].parse().unwrap_or(0)));
        rest = &after[end..];
    }
    parts
}

/// The pictures and pages that numbers were copied from, and the addresses of those that are not at hand.
fn sources(session: &Session, named: &[String]) -> Result<(Vec<File>, Vec<String>), Failure> {
    let (mut pictures, mut pages) = (vec![], vec![]);
    for source in named {
        let is_address = ["http://", "https://", "doi:"].iter().any(|start| source.starts_with(start));
        if let Some(page) = source.strip_prefix("cite:").or(is_address.then_some(source.as_str())) {
            pages.push(page.trim().to_owned());
            continue;
        }
        let path = Path::new(source);
        let bytes = session.os.read(path, FILE_LIMIT_BYTES).map_err(|error| {
            let failure = Failure::io(path)(error);
            failure
                .help("Name the picture or page that the numbers were copied from, its address (https://…, doi:…), or a citation: cite:….")
        })?;
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        pages.push(format!("{name}, {}", Digest::of(&bytes)));
        pictures.push(File { name, bytes });
    }
    Ok((pictures, pages))
}

/// The saved outputs that facts in the manifest were read from, where they lie in `inventory/` beside it with the digest that
/// the manifest has.
fn evidence(session: &Session, loaded: &Loaded) -> Result<Vec<File>, Failure> {
    let Some(sut) = loaded.experiment.sut() else { return Ok(vec![]) };
    let mut files: Vec<File> = vec![];
    for (path, fact) in sut.facts.iter() {
        let Some(name) = &fact.file else { continue };
        if files.iter().any(|file| file.name == *name) {
            continue;
        }
        let is_plain = !name.is_empty() && name.split('/').all(|part| crate::name::Name::new(part).is_ok());
        let place = loaded.folder.join("inventory").join(name);
        let real = session.os.canonical(&place).ok().filter(|real| is_plain && real.starts_with(&loaded.folder));
        let bytes =
            real.map(|real| session.os.read(&real, FILE_LIMIT_BYTES)).transpose().map_err(Failure::io(&place))?;
        match bytes {
            Some(bytes) if Digest::of(&bytes).to_string() == fact.object.value => {
                files.push(File { name: name.clone(), bytes });
            }
            Some(_) => {
                let message = format!("{}: it is not the output that `{}` was read from", place.display(), path.value);
                return Err(Failure::usage(message).help("`benchpaper inventory --from` writes the facts again."));
            }
            None => show::note(&format!(
                "inventory/{name} is not at hand: its digest stays the only evidence of `{}`",
                path.value
            )),
        }
    }
    Ok(files)
}

/// A row for each file and case: file, case, what became of it, why; and whether all of them are results.
fn rows_of(
    (planned, files): (&Plan, &[File]),
    assignment: &Assignment,
    recorded: Option<&[Recorded]>,
) -> (Vec<[String; 4]>, bool) {
    let what = |job: usize| {
        let job = &planned.jobs[job];
        format!("{} #{}", planned.cases[job.case].label(), job.replicate)
    };
    let outcome_of = |file: usize, job: usize| {
        recorded?.iter().find(|one| one.file == file && one.job == job).map(|one| (one.outcome, one.reason.as_str()))
    };
    let mut is_complete = assignment.unmatched.is_empty();
    let mut rows = vec![];
    for (file, jobs) in &assignment.matched {
        for job in jobs {
            let would_be = || import::judged(planned, *job, &files[*file]);
            let (outcome, reason) =
                outcome_of(*file, *job).map_or_else(would_be, |(outcome, reason)| (outcome, reason.to_owned()));
            is_complete &= outcome == Outcome::Ok;
            let word = match recorded {
                None if outcome == Outcome::Ok => "would be imported".to_owned(),
                None => format!("would be {}", outcome.word()),
                Some(_) => outcome.word().to_owned(),
            };
            rows.push([files[*file].name.clone(), what(*job), word, reason]);
        }
    }
    for (file, jobs) in &assignment.lacking {
        let reason = "the file does not hold it";
        rows.extend(
            jobs.iter()
                .map(|job| [files[*file].name.clone(), what(*job), "still missing".to_owned(), reason.to_owned()]),
        );
    }
    rows.extend(assignment.known.iter().map(|file| {
        [files[*file].name.clone(), String::new(), "known".to_owned(), "it was imported before".to_owned()]
    }));
    rows.extend(
        assignment
            .unmatched
            .iter()
            .map(|(file, reason)| [files[*file].name.clone(), String::new(), "not used".to_owned(), reason.clone()]),
    );
    (rows, is_complete)
}

fn report(
    session: &Session,
    (planned, files): (&Plan, &[File]),
    assignment: &Assignment,
    recorded: Option<&[Recorded]>,
) -> Result<u8, Failure> {
    let (rows, is_complete) = rows_of((planned, files), assignment, recorded);
    if session.is_json {
        let rows: Vec<_> = rows
            .iter()
            .map(|[file, case, outcome, reason]| serde_json::json!({"file": file, "case": case, "outcome": outcome, "reason": reason}))
            .collect();
        show::print_json(&serde_json::json!({"files": rows}))?;
    } else {
        let rows = together(rows);
        show::print(&show::table(&["file", "case", "outcome", "why"], &rows, &[]));
        let jobs: usize = assignment.matched.iter().map(|(_, jobs)| jobs.len()).sum();
        show::print(&format!(
            "{} files: {} for {jobs} jobs, {} known, {} not used",
            files.len(),
            assignment.matched.len(),
            assignment.known.len(),
            assignment.unmatched.len()
        ));
    }
    Ok(if is_complete { 0 } else { 3 })
}

/// The most cases of one file that are shown one by one.
const CASES_SHOWN_MAX: usize = 3;

/// Rows for people: many cases of one file with one outcome are one row.
fn together(rows: Vec<[String; 4]>) -> Vec<Vec<String>> {
    let mut shown: Vec<Vec<String>> = vec![];
    for group in rows.chunk_by(|one, other| one[0] == other[0] && one[2..] == other[2..]) {
        if group.len() <= CASES_SHOWN_MAX {
            shown.extend(group.iter().map(|row| row.to_vec()));
        } else {
            let [file, _, outcome, reason] = &group[0];
            shown.push(vec![file.clone(), format!("{} cases", group.len()), outcome.clone(), reason.clone()]);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_comes_before_ten() {
        let mut names = ["x_r10.txt", "x_r2.txt", "x_r1.txt"];
        names.sort_by_key(|name| natural(name));
        assert_eq!(names, ["x_r1.txt", "x_r2.txt", "x_r10.txt"]);
    }
}
