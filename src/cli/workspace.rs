//! The repository a verb works in: where experiments, artifacts and reports lie, and how an experiment is loaded.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Session;
use super::failure::Failure;
use crate::diagnostic::any_error;
use crate::digest::Digest;
use crate::lock::{self, LOCK_LIMIT_BYTES, Lock};
use crate::manifest::node::FILE_LIMIT_BYTES;
use crate::manifest::{self, Experiment};
use crate::os::git::{self, Revision};
use crate::os::{Kind, is_there};
use crate::paper::TEMPLATE_LIMIT_BYTES;
use crate::plan::{self, Expansion, Plan, Resolved};
use crate::results::{self, Results};
use crate::source::Source;
use crate::store::history::{History, history};
use crate::store::{Layout, Reader};

/// A repository: a folder with `experiments` in it.
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    /// Where a rerun is recorded, apart from the record of the experiment.
    pub(crate) rerun: Option<PathBuf>,
}

/// An experiment as its files say it.
pub(crate) struct Loaded {
    pub(crate) workspace: Workspace,
    /// Its folder.
    pub(crate) folder: PathBuf,
    pub(crate) source: Source,
    pub(crate) experiment: Experiment,
    /// The files beside the manifest that workloads name.
    pub(crate) files: BTreeMap<String, Vec<u8>>,
}

/// The record of an experiment, and its results under a plan.
pub(crate) struct Recorded<'a> {
    pub(crate) results: Results,
    pub(crate) history: History,
    pub(crate) reader: Reader<'a>,
}

impl Workspace {
    /// The one named with `--root`, or the nearest above a folder.
    pub(crate) fn find(session: &Session, from: &Path) -> Result<Self, Failure> {
        if let Some(root) = &session.root {
            let root = session.os.canonical(root).map_err(Failure::io(root))?;
            return Ok(Self { root, rerun: None });
        }
        let start = session.os.canonical(from).map_err(Failure::io(from))?;
        let found =
            start.ancestors().find(|folder| is_there(&*session.os, &folder.join("experiments")).unwrap_or(false));
        match found {
            Some(root) => Ok(Self { root: root.to_owned(), rerun: None }),
            None => {
                let message = format!("{} lies in no folder that has `experiments` in it", start.display());
                Err(Failure::usage(message)
                    .help("`benchpaper init NAME` begins an experiment here; `--root` names another folder."))
            }
        }
    }

    /// The one of the current folder.
    pub(crate) fn here(session: &Session) -> Result<Self, Failure> {
        Self::find(session, Path::new("."))
    }

    pub(crate) fn layout(&self) -> Layout {
        self.rerun.as_deref().map_or_else(|| Layout::new(&self.artifacts()), Layout::new)
    }

    /// What is made once and used by all runs, such as images of guests, lies here too.
    pub(crate) fn artifacts(&self) -> PathBuf {
        self.root.join("artifacts")
    }

    pub(crate) fn report(&self, experiment: &str, version: &str) -> PathBuf {
        self.root.join("reports").join(experiment).join(version)
    }
}

/// The folder of an experiment given by path or name.
fn experiment_folder(session: &Session, given: &Path) -> Result<(Workspace, PathBuf), Failure> {
    let is_manifest = given.file_name().is_some_and(|name| name == "experiment.yaml");
    let folder = if is_manifest { given.parent().unwrap_or(given) } else { given };
    let is_folder = |path: &Path| is_there(&*session.os, &path.join("experiment.yaml")).unwrap_or(false);
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    if is_folder(folder) {
        let canonical = session.os.canonical(folder).map_err(Failure::io(folder))?;
        let workspace = Workspace::find(session, &canonical)?;
        return Ok((workspace, canonical));
    }
    let workspace = Workspace::here(session)?;
    let by_name = workspace.root.join("experiments").join(folder);
    let by_path = workspace.root.join(folder);
    match [by_name, by_path].into_iter().find(|path| is_folder(path)) {
        Some(path) => Ok((workspace, path)),
        None => {
            let known = session.os.list(&workspace.root.join("experiments")).unwrap_or_default();
            let help = match crate::name::nearest(&given.display().to_string(), known.iter().map(String::as_str)) {
                Some(meant) => format!("Did you mean `experiments/{meant}`?"),
                None => format!("There are: {}.", known.join(", ")),
            };
            Err(Failure::usage(format!("{} holds no experiment.yaml", given.display())).help(help))
        }
    }
}

/// How many jobs an experiment has, where the index remembers its plan and all of them are done: nothing is parsed.
pub(crate) fn known_complete(session: &Session, given: &Path, profile: Option<&str>) -> Result<Option<usize>, Failure> {
    let (workspace, folder) = experiment_folder(session, given)?;
    let Some(inputs) = inputs_digest(session, &folder, profile) else { return Ok(None) };
    let name = folder.file_name().and_then(|name| name.to_str()).and_then(|name| crate::name::Name::new(name).ok());
    let Some(name) = name else { return Ok(None) };
    let index = crate::store::index::load(&*session.os, &workspace.layout())?;
    Ok(index.complete(&name, &inputs))
}

/// The digest of all that a plan is made of: manifest, lock, profile and this program.
pub(crate) fn inputs_digest(session: &Session, folder: &Path, profile: Option<&str>) -> Option<Digest> {
    let manifest = session.os.read(&folder.join("experiment.yaml"), FILE_LIMIT_BYTES as u64).ok()?;
    let lock = session.os.read(&folder.join("experiment.lock.yaml"), LOCK_LIMIT_BYTES).ok()?;
    let program = session.os.own_program().and_then(|path| session.os.stat(&path)).ok()?;
    let program = format!("{} {} {}", env!("CARGO_PKG_VERSION"), program.length, program.modified_ns);
    let files = lock_files(&lock).into_iter().map(|name| session.os.read(&folder.join(name), INPUT_LIMIT_BYTES));
    let files: Vec<u8> = files
        .map(|bytes| bytes.ok().map(|bytes| Digest::of(&bytes).hex()))
        .collect::<Option<Vec<_>>>()?
        .concat()
        .into();
    let parts = [
        Digest::of(&files),
        Digest::of(&manifest),
        Digest::of(&lock),
        Digest::of(profile.unwrap_or_default().as_bytes()),
        Digest::of(program.as_bytes()),
    ];
    let parts: Vec<&[u8]> = parts.iter().map(|part| part.as_bytes().as_slice()).collect();
    Some(Digest::tagged("benchpaper/inputs@1", &parts))
}

/// The files that a lock names, found without parsing it whole: the lines of its `files` section.
fn lock_files(lock: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(lock);
    let section = text.lines().skip_while(|line| *line != "files:").skip(1);
    let entries = section.take_while(|line| line.starts_with(' '));
    entries.filter_map(|line| Some(line.trim().rsplit_once(": sha256:")?.0.to_owned())).collect()
}

/// Reads text of at most `limit` bytes.
pub(crate) fn read_text(session: &Session, path: &Path, limit: u64) -> Result<String, Failure> {
    if session.os.stat(path).map_err(Failure::io(path))?.kind == Kind::Link {
        let help = "Put the file itself there: an experiment holds all that it is made of.";
        return Err(Failure::usage(format!("{} is a link", path.display())).help(help));
    }
    let bytes = session.os.read(path, limit).map_err(Failure::io(path))?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::usage(format!("{}: byte {at} is not UTF-8", path.display())).help("Save the file as UTF-8.")
    })
}

/// Loads an experiment; warnings are shown, errors returned.
pub(crate) fn load(session: &Session, given: &Path) -> Result<Loaded, Failure> {
    let (workspace, folder) = experiment_folder(session, given)?;
    let path = folder.join("experiment.yaml");
    let shown = path.strip_prefix(&workspace.root).unwrap_or(&path).display().to_string();
    let source = Source::new(&shown, &read_text(session, &path, FILE_LIMIT_BYTES as u64)?);
    let parsed = manifest::parse(&source);
    let Some(experiment) = parsed.experiment else { return Err(parsed.diagnostics.into()) };
    if !parsed.diagnostics.is_empty() && !any_error(&parsed.diagnostics) {
        super::show::diagnostics(session, &parsed.diagnostics);
    }
    let folder_name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if folder_name != experiment.name.value.as_str() {
        let message = format!("the experiment is called `{}`, its folder `{folder_name}`", experiment.name.value);
        let problem =
            crate::diagnostic::Diagnostic::error("manifest::folder", message).at(&source, experiment.name.span);
        return Err(vec![problem.help("Give both the same name.")].into());
    }
    let files = input_files(session, &folder, &experiment)?;
    Ok(Loaded { workspace, folder, source, experiment, files })
}

/// The largest file beside a manifest that is put into a job's folder, in bytes.
const INPUT_LIMIT_BYTES: u64 = 64 << 20;

/// Reads the files that workloads name; one that is not there is reported where it is named, one that lies outside the
/// folder is never read.
fn input_files(
    session: &Session,
    folder: &Path,
    experiment: &Experiment,
) -> Result<BTreeMap<String, Vec<u8>>, Failure> {
    let mut files = BTreeMap::new();
    for name in manifest::input_files(experiment) {
        let path = folder.join(&name);
        let Ok(real) = session.os.canonical(&path) else { continue };
        let is_plain = !name.is_empty() && name.split('/').all(|part| crate::name::Name::new(part).is_ok());
        if !is_plain || !real.starts_with(folder) {
            return Err(Failure::usage(format!("the file `{name}` lies outside the experiment's folder"))
                .help("Name it relative to the manifest, without `..`."));
        }
        files.insert(name, session.os.read(&real, INPUT_LIMIT_BYTES).map_err(Failure::io(&path))?);
    }
    Ok(files)
}

impl Loaded {
    /// The digests of the files beside the manifest.
    pub(crate) fn file_digests(&self) -> BTreeMap<String, Digest> {
        self.files.iter().map(|(name, bytes)| (name.clone(), Digest::of(bytes))).collect()
    }

    /// The cases under a profile.
    pub(crate) fn expand(&self, profile: Option<&str>) -> Result<Expansion, Failure> {
        let settings = plan::settings(&self.experiment, profile).ok_or_else(|| {
            let known = plan::profile_names(&self.experiment).join(", ");
            Failure::usage(format!("no profile is called `{}`", profile.unwrap_or_default()))
                .help(format!("There are: {known}."))
        })?;
        Ok(plan::expand(&self.experiment, &self.source, settings, &self.file_digests())?)
    }

    pub(crate) fn lock_path(&self) -> PathBuf {
        self.folder.join("experiment.lock.yaml")
    }

    /// The lock and its text.
    pub(crate) fn lock(&self, session: &Session) -> Result<(Lock, String), Failure> {
        let path = self.lock_path();
        let help = || format!("Run `benchpaper lock {}` first.", self.shown());
        if !is_there(&*session.os, &path).map_err(Failure::io(&path))? {
            return Err(Failure::usage(format!("{} is not there", path.display())).help(help()));
        }
        let text = read_text(session, &path, LOCK_LIMIT_BYTES)?;
        let shown = path.strip_prefix(&self.workspace.root).unwrap_or(&path).display().to_string();
        let lock = lock::parse(&Source::new(&shown, &text)).map_err(|problem| vec![problem])?;
        Ok((lock, text))
    }

    /// The plan of a profile; refused where the lock is of other cases.
    pub(crate) fn plan(&self, lock: &Lock, profile: Option<&str>) -> Result<Plan, Failure> {
        Ok(plan::plan(&self.experiment, lock, self.locked_expansion(lock, profile)?))
    }

    fn locked_expansion(&self, lock: &Lock, profile: Option<&str>) -> Result<Expansion, Failure> {
        let expansion = self.expand(profile)?;
        let name = expansion.settings.profile.clone();
        if lock.cases.get(&name) != Some(&plan::cases_pin(&expansion.cases)) {
            let message = format!("the lock was written for other cases of the profile `{name}`");
            return Err(Failure::usage(message).help(format!("Run `benchpaper lock {}` and commit it.", self.shown())));
        }
        Ok(expansion)
    }

    /// The experiment under a profile, for all that comes after the plan; refused where the lock is of other cases.
    pub(crate) fn resolved(&self, lock: Lock, profile: Option<&str>) -> Result<Resolved, Failure> {
        let expansion = self.locked_expansion(&lock, profile)?;
        Ok(Resolved::new(self.source.clone(), self.experiment.clone(), lock, expansion))
    }

    /// How results come about that are missing.
    pub(crate) fn way_to_results(&self) -> String {
        let (run, import) =
            (format!("`benchpaper run {}`", self.shown()), format!("`benchpaper import {} FILES`", self.shown()));
        let has_manual = self.experiment.workloads.iter().any(|(_, workload)| self.experiment.is_manual(workload));
        match (self.experiment.is_all_manual(), has_manual) {
            (true, _) => format!("{import} takes what people bring back"),
            (false, true) => format!("{run} measures, {import} takes what people bring back"),
            (false, false) => format!("{run} measures"),
        }
    }

    /// The folder as a person would type it.
    pub(crate) fn shown(&self) -> String {
        self.folder.strip_prefix(&self.workspace.root).unwrap_or(&self.folder).display().to_string()
    }

    /// The prose template, or the built-in one.
    pub(crate) fn prose(&self, session: &Session) -> Result<String, Failure> {
        let path = self.folder.join("paper").join("en.md");
        if is_there(&*session.os, &path).map_err(Failure::io(&path))? {
            return read_text(session, &path, TEMPLATE_LIMIT_BYTES);
        }
        Ok(crate::render::DEFAULT_TEMPLATE.to_owned())
    }

    /// Where the experiment stands in history; none outside a repository with a commit.
    pub(crate) fn revision(&self) -> Result<Option<Revision>, Failure> {
        match git::revision(&self.folder) {
            Ok(revision) => Ok(Some(revision)),
            Err(git::GitError::NoRepository(_) | git::GitError::NoCommit(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The record of the experiment and its results under a plan.
    pub(crate) fn results<'a>(&self, session: &'a Session, plan: &Plan) -> Result<Recorded<'a>, Failure> {
        let layout = self.workspace.layout();
        let mut reader = Reader::open(&*session.os, &layout)?;
        let history = history(&*session.os, &layout, &mut reader, &self.experiment.name.value)?;
        let results = results::collect(plan, &history, &reader, session.os.processors())?;
        Ok(Recorded { results, history, reader })
    }
}
