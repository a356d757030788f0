//! What an audit of an experiment's own paper needs: its record, its published numbers, and where its runs lead.

use std::path::Path;

use super::Session;
use super::failure::Failure;
use super::workspace::{self, Loaded};
use crate::audit::{Before, Comparisons, Evidence, RunLinks};
use crate::cellmap::CellMap;
use crate::claims;
use crate::digest::Digest;
use crate::lock::Lock;
use crate::os::git::{self, GitError};
use crate::plan::Plan;
use crate::results::{Damaged, Results, collect_undamaged};
use crate::source::Source;
use crate::store::Reader;
use crate::store::event::{Event, Genesis, Outcome};
use crate::store::history::{History, history};

/// The largest cell map, in bytes.
const CELL_MAP_LIMIT_BYTES: u64 = 256 << 20;

/// All that was gathered, owned.
pub(crate) struct Gathered {
    pub(crate) loaded: Loaded,
    pub(crate) lock: Lock,
    pub(crate) lock_text: String,
    pub(crate) plan: Plan,
    results: Results,
    damaged: Vec<Damaged>,
    runs: Vec<RunLinks>,
    paper: Option<(String, CellMap)>,
    before: Before,
    reread: Vec<String>,
    sequence: Vec<Digest>,
}

impl Gathered {
    /// As an audit takes it.
    pub(crate) fn evidence<'a>(&'a self, rerun: Option<&'a Results>) -> Evidence<'a> {
        Evidence {
            experiment: &self.loaded.experiment,
            plan: &self.plan,
            results: &self.results,
            damaged: &self.damaged,
            runs: self.runs.clone(),
            paper: self.paper.clone(),
            before: self.before.clone(),
            reread: self.reread.clone(),
            sequence: self.sequence.clone(),
            rerun,
            comparisons: Comparisons::default(),
        }
    }
}

/// Reads the record of an experiment; `claims` is its claims file.
pub(crate) fn gather(
    session: &Session,
    experiment: &Path,
    profile: Option<&str>,
    claims: &Path,
) -> Result<Gathered, Failure> {
    let loaded = workspace::load(session, experiment)?;
    let (lock, lock_text) = loaded.lock(session)?;
    let plan = loaded.plan(&lock, profile)?;
    let layout = loaded.workspace.layout();
    let mut reader = Reader::open(&*session.os, &layout)?;
    let history = history(&*session.os, &layout, &mut reader, &loaded.experiment.name.value)?;
    let (results, damaged) = collect_undamaged(&plan, &history, &reader, session.os.processors())?;
    let links = |genesis: Option<&Genesis>| match genesis {
        Some(genesis) => run_links(&loaded, &lock_text, genesis, &reader),
        None => RunLinks { run: String::new(), lock: String::new(), commit: String::new(), broken: vec![] },
    };
    let runs = history.runs.iter().map(|(_, journal)| links(journal.genesis())).collect();
    let before = before(session, &history, &results, claims);
    let paper = published(session, &loaded)?;
    let sequence = sequence(&history);
    let reread = reread(&loaded, &history, &results, &reader);
    Ok(Gathered { loaded, lock, lock_text, plan, results, damaged, runs, paper, before, reread, sequence })
}

/// Where a run leads: its lock and manifest in the store, and the commit that it names.
fn run_links(loaded: &Loaded, lock_text: &str, genesis: &Genesis, reader: &Reader<'_>) -> RunLinks {
    let mut broken = vec![];
    let mut held = |digest: &Digest, what: &str| match reader.get(digest) {
        Ok(bytes) => Some(bytes.into_owned()),
        Err(error) => {
            broken.push(format!("the {what} of run {}: {error}", genesis.run));
            None
        }
    };
    let (manifest, lock) = (held(&genesis.manifest, "manifest"), held(&genesis.lock, "lock"));
    let lock_words = match genesis.lock == Digest::of(lock_text.as_bytes()) {
        true => format!("{}, the one beside the manifest", genesis.lock),
        false => format!("{}, an earlier one: the keys of the jobs pin the same", genesis.lock),
    };
    let files = [("experiment.yaml", manifest), ("experiment.lock.yaml", lock)];
    let commit = match &genesis.commit {
        None => "none: the run was made from files that were not committed".to_owned(),
        Some(commit) => {
            let found: Result<Vec<bool>, GitError> = files
                .iter()
                .map(|(name, bytes)| Ok(git::file_at(&loaded.folder.join(name), commit)? == *bytes))
                .collect();
            match found {
                Ok(found) if found.iter().all(|is_same| *is_same) => format!("{commit}, which holds both"),
                Ok(_) => {
                    broken.push(format!("commit {commit} holds another manifest or lock than run {}", genesis.run));
                    commit.clone()
                }
                Err(_) => format!("{commit}, which is not in this repository"),
            }
        }
    };
    RunLinks { run: genesis.run.to_string(), lock: lock_words, commit, broken }
}

/// The beginning of the run that gave the first results.
fn first<'a>(history: &'a History, results: &Results) -> Option<&'a Genesis> {
    let (_, journal) = history.runs.get(*results.used_runs().first()?)?;
    journal.genesis()
}

/// What of the manifest decides how results are read, and differs from that of the run that gave the first of them.
fn reread(loaded: &Loaded, history: &History, results: &Results, reader: &Reader<'_>) -> Vec<String> {
    let Some(Ok(bytes)) = first(history, results).map(|genesis| reader.get(&genesis.manifest)) else { return vec![] };
    let then = Source::new("experiment.yaml", &String::from_utf8_lossy(&bytes));
    crate::diff::changes_of_analysis(&then, &loaded.source)
}

/// The claims as they stood in the commit that the first result was measured from.
fn before(session: &Session, history: &History, results: &Results, claims: &Path) -> Before {
    if results.used_runs().is_empty() {
        return Before::Unknown("there is no result yet".to_owned());
    }
    let Some(commit) = first(history, results).and_then(|genesis| genesis.commit.clone()) else {
        return Before::Unknown("the first run was made from files that were not committed".to_owned());
    };
    let found = session.os.canonical(claims).ok().map(|path| git::file_at(&path, &commit));
    match found {
        Some(Ok(Some(bytes))) => {
            let source = Source::new("claims.yaml", &String::from_utf8_lossy(&bytes));
            let ids = claims::said(&source).unwrap_or_default();
            Before::Known { commit, claims: ids }
        }
        Some(Ok(None)) => Before::Known { commit, claims: Default::default() },
        _ => Before::Unknown(format!("commit {commit} is not in this repository")),
    }
}

/// The numbers of the published paper of this version.
fn published(session: &Session, loaded: &Loaded) -> Result<Option<(String, CellMap)>, Failure> {
    let (name, version) = (loaded.experiment.name.value.as_str(), &loaded.experiment.version.value);
    let path = loaded.workspace.report(name, version).join("cellmap.json");
    let damaged = |what: &str| Failure::Other {
        code: 4,
        message: format!("{}: {what}", path.display()),
        help: Some("`benchpaper verify --strict` on the report says what else differs.".to_owned()),
    };
    let folder = path.parent().unwrap_or(&path);
    if !crate::os::is_there(&*session.os, folder).unwrap_or(false) {
        return Ok(None);
    }
    let kind = session.os.stat(&path).map(|stat| stat.kind);
    if !kind.is_ok_and(|kind| kind == crate::os::Kind::File) {
        return Err(damaged("the published paper has no such file"));
    }
    let bytes = session.os.read(&path, CELL_MAP_LIMIT_BYTES).map_err(Failure::io(&path))?;
    match serde_json::from_slice(&bytes) {
        Ok(map) => {
            let shown = path.strip_prefix(&loaded.workspace.root).unwrap_or(&path).display().to_string();
            Ok(Some((shown, map)))
        }
        Err(error) => Err(damaged(&error.to_string())),
    }
}

/// The jobs with a usable result, in the order in which they ended.
fn sequence(history: &History) -> Vec<Digest> {
    let events = history.runs.iter().flat_map(|(_, journal)| journal.events());
    let ok = events.filter_map(|event| match event {
        Event::Finished(finished) if finished.outcome == Outcome::Ok => Some(finished.job),
        _ => None,
    });
    ok.collect()
}
