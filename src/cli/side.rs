//! The sides of a diff: where manifest, lock and results of each come from.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::Session;
use super::failure::Failure;
use super::workspace::{self, Workspace};
use crate::diff::Side;
use crate::lock::LOCK_LIMIT_BYTES;
use crate::manifest::node::FILE_LIMIT_BYTES;
use crate::name::{Name, RunId, nearest};
use crate::os::tree::Tree;
use crate::os::{Files, Kind, git};
use crate::pdf;
use crate::plan::{self, Resolved};
use crate::results::collect;
use crate::source::Source;
use crate::store::history::{History, history};
use crate::store::{self, Journal, Layout, Reader, bundle};
use crate::verify::{self, VerifyError};

/// A side, with the claims file that lies beside its manifest.
pub(crate) struct Found {
    pub(crate) side: Side,
    pub(crate) claims: Option<String>,
}

/// Whether a side is a file that a stranger may have made, a PDF or a bundle: it is read in a child with limits.
pub(crate) fn is_foreign(session: &Session, given: &str) -> bool {
    paper_of(session, given).is_some() || is_bundle(session, Path::new(given))
}

fn is_bundle(session: &Session, path: &Path) -> bool {
    let is_file = session.os.stat(path).is_ok_and(|stat| stat.kind == Kind::File);
    is_file && session.os.read_range(path, 0, 512).is_ok_and(|start| bundle::is_bundle(&start))
}

/// A store that is read: on a disk, or in a bundle.
struct Store<'a> {
    files: &'a dyn Files,
    layout: Layout,
    reader: Reader<'a>,
}

impl<'a> Store<'a> {
    fn on_disk(session: &'a Session, layout: Layout) -> Result<Self, Failure> {
        Ok(Self { files: &*session.os, reader: Reader::open(&*session.os, &layout)?, layout })
    }

    fn in_bundle(tree: &'a Tree) -> Self {
        let layout = Layout::new(Path::new(""));
        Self { files: tree, reader: Reader::unlocked(tree, &layout), layout }
    }
}

/// Finds a side by what it was called; `all` are the names of all sides, of which a bare revision takes its experiment.
pub(crate) fn find(
    session: &Session,
    given: &str,
    (profile, all): (Option<&str>, &[String]),
) -> Result<Found, Failure> {
    if let Some(path) = paper_of(session, given) {
        return published(session, given, &path);
    }
    let path = Path::new(given);
    if is_bundle(session, path) {
        let tree = bundle::read(session.os.open(path).map_err(Failure::io(path))?)?;
        return newest(session, (given, all), Store::in_bundle(&tree));
    }
    let has = |name: &str| crate::os::is_there(&*session.os, &path.join(name)).unwrap_or(false);
    if has("journal.jsonl") {
        let id = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let store = path.parent().and_then(Path::parent).unwrap_or(Path::new("."));
        return run(session, given, (Store::on_disk(session, Layout::new(store))?, id));
    }
    if has("runs") && !has("experiment.yaml") {
        return newest(session, (given, all), Store::on_disk(session, Layout::new(path))?);
    }
    if let Some((revision, inside)) = given.split_once(':').filter(|_| !is_path(session, path)) {
        return at_revision(session, given, (revision, inside), profile);
    }
    if RunId::new(given).is_ok() {
        let layout = Workspace::here(session)?.layout();
        if crate::os::is_there(&*session.os, &layout.runs().join(given)).unwrap_or(false) {
            return run(session, given, (Store::on_disk(session, layout)?, given));
        }
    }
    if let Some((name, version)) = given.split_once('@').filter(|_| !is_path(session, path)) {
        let reports = Workspace::here(session)?.report(name, "");
        let known = session.os.list(&reports).unwrap_or_default().join(", ");
        return Err(Failure::usage(format!("no report of `{name}` has the version `{version}`"))
            .help(format!("There are: {}. {FORMS}", if known.is_empty() { "none" } else { &known })));
    }
    refuse_other_paths(session, given)?;
    if let Some(inside) = experiment_at(session, given, all)? {
        return at_revision(session, given, (given, &inside), profile);
    }
    if !is_path(session, path) && !is_experiment(session, given) {
        let known = Workspace::here(session).ok().and_then(|here| session.os.list(&here.root.join("experiments")).ok());
        let known = known.unwrap_or_default();
        let meant = nearest(given, known.iter().map(String::as_str));
        let meant = meant.map_or_else(String::new, |meant| format!("Did you mean `{meant}`? "));
        return Err(Failure::usage(format!("nothing is called `{given}`")).help(format!("{meant}{FORMS}")));
    }
    tree(session, given, profile)
}

/// Whether a name or path is that of an experiment of this repository.
fn is_experiment(session: &Session, given: &str) -> bool {
    let Ok(here) = Workspace::here(session) else { return false };
    let folders = [here.root.join("experiments").join(given), here.root.join(given)];
    folders.iter().any(|folder| is_path(session, &folder.join("experiment.yaml")))
}

/// Files that are no side, and folders of several.
fn refuse_other_paths(session: &Session, given: &str) -> Result<(), Failure> {
    let path = Path::new(given);
    let Ok(stat) = session.os.stat(path) else { return Ok(()) };
    if stat.kind != Kind::Folder && !path.ends_with("experiment.yaml") {
        let message = format!("{given} is a file, and no PDF, bundle or experiment.yaml");
        return Err(Failure::usage(message).help(FORMS));
    }
    let entries = session.os.list(path).unwrap_or_default();
    let stores: Vec<String> =
        entries.into_iter().filter(|name| is_path(session, &path.join(name).join("runs"))).collect();
    if stores.is_empty() || is_path(session, &path.join("experiment.yaml")) {
        return Ok(());
    }
    let named: Vec<String> = stores.iter().map(|name| path.join(name).display().to_string()).collect();
    Err(Failure::usage(format!("{given} holds several records")).help(format!("Name one: {}.", named.join(", "))))
}

/// The path of the experiment that a bare revision stands for: that of another side, or the only one there is. `None` where it
/// is no revision, or the name of an experiment, too.
fn experiment_at(session: &Session, given: &str, all: &[String]) -> Result<Option<String>, Failure> {
    let Ok(workspace) = Workspace::here(session) else { return Ok(None) };
    if is_path(session, Path::new(given)) || is_experiment(session, given) || !git::is_revision(&workspace.root, given)
    {
        return Ok(None);
    }
    let of_side = |side: &String| {
        let (before, after) = side.split_once(':').unwrap_or((side, ""));
        let name = if after.is_empty() { before.split_once('@').map_or(before, |(name, _)| name) } else { after };
        let name = name.trim_end_matches('/').rsplit('/').next()?;
        is_experiment(session, name).then(|| name.to_owned())
    };
    let known: Vec<String> = session.os.list(&workspace.root.join("experiments")).unwrap_or_default();
    let named = all.iter().filter(|side| *side != given).find_map(of_side);
    let only = || match known.as_slice() {
        [one] => Some(one.clone()),
        _ => None,
    };
    match named.or_else(only) {
        Some(name) => Ok(Some(format!("experiments/{name}"))),
        None => Err(Failure::usage(format!("{given} is a revision, of which experiment is not said"))
            .help(format!("Write `{given}:experiments/NAME`; there are: {}.", known.join(", ")))),
    }
}

const FORMS: &str = "A side is an experiment (its name or folder), a revision (`HEAD~1`, a tag, `REVISION:experiments/NAME`), a run (its id or folder), `NAME@VERSION`, a PDF or its folder, a bundle, or a folder that holds `runs`.";

fn is_path(session: &Session, path: &Path) -> bool {
    crate::os::is_there(&*session.os, path).unwrap_or(false)
}

/// The PDF that a side is, where it is one.
fn paper_of(session: &Session, given: &str) -> Option<PathBuf> {
    let path = PathBuf::from(given);
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("pdf")) && is_path(session, &path) {
        return Some(path);
    }
    let inside = path.join("paper.pdf");
    if is_path(session, &inside) {
        return Some(inside);
    }
    let (name, version) = given.split_once('@')?;
    let path = Workspace::here(session).ok()?.report(name, version).join("paper.pdf");
    is_path(session, &path).then_some(path)
}

/// A paper carries its manifest, its lock and its results.
fn published(session: &Session, given: &str, path: &Path) -> Result<Found, Failure> {
    let bytes = session.os.read(path, pdf::FILE_LIMIT_BYTES).map_err(Failure::io(path))?;
    let named = |error: VerifyError| match Failure::from(error) {
        Failure::Other { code, message, .. } => {
            let help = format!("`benchpaper verify {}` says all that is wrong with it.", path.display());
            Failure::Other { code, message: format!("{}: {message}", path.display()), help: Some(help) }
        }
        input => input,
    };
    let (files, _) = verify::attachments(&bytes).map_err(named)?;
    let input = verify::input_of(&files).map_err(named)?;
    Ok(Found { side: Side::new(given, input.resolve()?, input.results), claims: None })
}

/// The experiment as its files are now.
fn tree(session: &Session, given: &str, profile: Option<&str>) -> Result<Found, Failure> {
    let loaded = workspace::load(session, Path::new(given))?;
    let (lock, _) = loaded.lock(session)?;
    let resolved = loaded.resolved(lock, profile)?;
    let results = loaded.results(session, &resolved.plan)?.results;
    let is_dirty = loaded.revision()?.is_some_and(|revision| !revision.changed.is_empty());
    let name = if is_dirty { format!("{given} (not committed)") } else { given.to_owned() };
    let claims = session.os.read(&loaded.folder.join("claims.yaml"), FILE_LIMIT_BYTES as u64).ok();
    let claims = claims.and_then(|bytes| String::from_utf8(bytes).ok());
    Ok(Found { side: Side::new(&name, resolved, results), claims })
}

/// The experiment as a commit has it, with what the store holds of its jobs.
fn at_revision(
    session: &Session,
    given: &str,
    (revision, inside): (&str, &str),
    profile: Option<&str>,
) -> Result<Found, Failure> {
    let workspace = Workspace::here(session)?;
    let read = |name: &str, limit: usize| -> Result<Option<String>, Failure> {
        let path = format!("{}/{name}", inside.trim_end_matches('/'));
        let found = git::at_revision(&workspace.root, revision, &path).map_err(|error| {
            Failure::usage(format!("{given}: {error}")).help("`git log --oneline` lists what there is.")
        })?;
        match found {
            Some(bytes) if bytes.len() > limit => {
                Err(Failure::usage(format!("{given}: {name} is larger than {limit} bytes")))
            }
            Some(bytes) => String::from_utf8(bytes)
                .map(Some)
                .map_err(|_| Failure::usage(format!("{given}: {name} is no UTF-8 text"))),
            None => Ok(None),
        }
    };
    let must = |name: &str, limit: usize| {
        read(name, limit)?.ok_or_else(|| {
            Failure::usage(format!("{revision} has no {}/{name}", inside.trim_end_matches('/'))).help(FORMS)
        })
    };
    let manifest = must("experiment.yaml", FILE_LIMIT_BYTES)?;
    let lock = must("experiment.lock.yaml", LOCK_LIMIT_BYTES as usize)?;
    let wanted = profile.unwrap_or(plan::DEFAULT_PROFILE);
    let resolved = Resolved::of_texts(Source::new("experiment.yaml", &manifest), &lock, wanted)?;
    if resolved.lock.cases.get(wanted) != Some(&plan::cases_pin(&resolved.plan.cases)) {
        return Err(Failure::usage(format!("{given}: its lock was written for other cases than its manifest has"))
            .help("Name the commit in which both fit, or its run."));
    }
    let layout = workspace.layout();
    let mut reader = Reader::open(&*session.os, &layout)?;
    let history = history(&*session.os, &layout, &mut reader, &resolved.experiment.name.value)?;
    let results = collect(&resolved.plan, &history, &reader, session.os.processors())?;
    Ok(Found { side: Side::new(given, resolved, results), claims: read("claims.yaml", FILE_LIMIT_BYTES)? })
}

/// What the newest run of a store measured, in the order in which they were begun; of the experiment that another side names,
/// where the store holds several.
fn newest(session: &Session, (given, all): (&str, &[String]), mut store: Store<'_>) -> Result<Found, Failure> {
    let mut experiments: BTreeSet<Name> = BTreeSet::new();
    for id in store.layout.run_ids(store.files)? {
        let journal = store::read_journal(store.files, &store.layout, &id)?;
        experiments.extend(journal.genesis().map(|genesis| genesis.experiment.clone()));
    }
    let is_named = |name: &&Name| all.iter().any(|side| side.split(['/', '@', ':']).any(|part| part == name.as_str()));
    let named: Vec<&Name> = experiments.iter().filter(is_named).collect();
    let experiment = match (experiments.len(), named.as_slice()) {
        (0, _) => return Err(Failure::usage(format!("{given} holds no run")).help(FORMS)),
        (1, _) => experiments.first(),
        (_, [one]) => Some(*one),
        _ => None,
    };
    let Some(experiment) = experiment.cloned() else {
        let names = experiments.iter().map(Name::to_string).collect::<Vec<_>>().join(", ");
        return Err(Failure::usage(format!("{given} holds runs of several experiments: {names}"))
            .help("Name a run by its folder, or the experiment as the other side."));
    };
    let history = history(store.files, &store.layout, &mut store.reader, &experiment)?;
    let Some(newest) = history.runs.last().map(|(run, _)| run.clone()) else {
        return Err(Failure::usage(format!("{given} holds no run of `{experiment}`")));
    };
    if history.runs.len() > 1 {
        super::show::note(&format!(
            "note: {given} holds {} runs of `{experiment}`; {newest}, the newest, is taken",
            history.runs.len()
        ));
    }
    run(session, given, (store, newest.as_str()))
}

/// What one run measured, under the manifest and lock that it was made with.
fn run(session: &Session, given: &str, (mut store, id): (Store<'_>, &str)) -> Result<Found, Failure> {
    let id = RunId::new(id).map_err(|error| Failure::usage(format!("{given}: {error}")))?;
    let journal: Journal = store.reader.load(&id)?;
    let Some(genesis) = journal.genesis().cloned() else {
        return Err(Failure::usage(format!("{given}: the run has no beginning")));
    };
    let text =
        |digest| -> Result<String, Failure> { Ok(String::from_utf8_lossy(&store.reader.get(&digest)?).into_owned()) };
    let (manifest, lock) = (text(genesis.manifest)?, text(genesis.lock)?);
    let resolved = Resolved::of_texts(Source::new("experiment.yaml", &manifest), &lock, &genesis.profile)?;
    let history = History { runs: vec![(id, journal)] };
    let results = collect(&resolved.plan, &history, &store.reader, session.os.processors())?;
    Ok(Found { side: Side::new(given, resolved, results), claims: None })
}
