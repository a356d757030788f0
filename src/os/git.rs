//! What git says of a folder, without checkout, filters, hooks or anybody's configuration.
#![expect(clippy::disallowed_methods, reason = "this is the door to the machine")]

use std::path::{Path, PathBuf};
use std::sync::Once;

use git2::{ConfigLevel, ErrorCode, Repository, RepositoryOpenFlags, StatusOptions};

/// Where a folder stands in history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    /// The newest commit that changed something below the folder, 40 hexadecimal digits.
    pub commit: String,
    /// The committer's time, seconds since the epoch.
    pub time_s: i64,
    /// Files under the folder that differ from the commit or are not in it, relative to the work tree, sorted.
    pub changed: Vec<String>,
}

/// Git could not be asked.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// The folder belongs to no repository.
    #[error("{} is in no git repository", .0.display())]
    NoRepository(PathBuf),
    /// The repository has no commit.
    #[error("the git repository of {} has no commit", .0.display())]
    NoCommit(PathBuf),
    /// Anything else libgit2 says.
    #[error("git: {0}")]
    Other(#[from] git2::Error),
}

static CONFIGURATION_HIDDEN: Once = Once::new();

fn open(folder: &Path) -> Result<Repository, GitError> {
    CONFIGURATION_HIDDEN.call_once(|| {
        for level in [ConfigLevel::ProgramData, ConfigLevel::System, ConfigLevel::XDG, ConfigLevel::Global] {
            // SAFETY: called once, before any repository is opened, and no other thread uses libgit2 meanwhile
            let hidden = unsafe { git2::opts::set_search_path(level, "/nonexistent") };
            debug_assert!(hidden.is_ok(), "the search path is settable");
        }
        // SAFETY: as above; a shared folder owned by another user is only read
        let _ = unsafe { git2::opts::set_verify_owner_validation(false) };
    });
    Repository::open_ext(folder, RepositoryOpenFlags::empty(), &[] as &[&std::ffi::OsStr]).map_err(|error| {
        if error.code() == ErrorCode::NotFound { GitError::NoRepository(folder.to_owned()) } else { error.into() }
    })
}

/// Where `folder` (canonical) stands: its commit and what differs from it below the folder.
pub fn revision(folder: &Path) -> Result<Revision, GitError> {
    let repository = open(folder)?;
    let head = repository.head().map_err(|error| match error.code() {
        ErrorCode::UnbornBranch | ErrorCode::NotFound => GitError::NoCommit(folder.to_owned()),
        _ => error.into(),
    })?;
    let commit = head.peel_to_commit()?;
    let work_tree = repository.workdir().ok_or_else(|| GitError::NoRepository(folder.to_owned()))?;
    let work_tree = work_tree.canonicalize().unwrap_or_else(|_| work_tree.to_owned());
    let below = folder.strip_prefix(&work_tree).map_err(|_| GitError::NoRepository(folder.to_owned()))?;
    let mut options = StatusOptions::new();
    options.include_untracked(true).recurse_untracked_dirs(true).no_refresh(true).disable_pathspec_match(true);
    if !below.as_os_str().is_empty() {
        options.pathspec(below);
    }
    let statuses = repository.statuses(Some(&mut options))?;
    let is_changed = |status: git2::Status| !(status - git2::Status::IGNORED).is_empty();
    let mut changed: Vec<String> = statuses
        .iter()
        .filter(|entry| is_changed(entry.status()))
        .map(|entry| String::from_utf8_lossy(entry.path_bytes()).into_owned())
        .collect();
    changed.sort();
    let commit = last_change(commit, below)?;
    Ok(Revision { commit: commit.id().to_string(), time_s: commit.time().seconds(), changed })
}

/// The most commits that are walked.
const COMMITS_MAX: usize = 100_000;

/// The newest commit, by first parents, whose tree differs from its parent's below a folder.
fn last_change<'a>(from: git2::Commit<'a>, below: &Path) -> Result<git2::Commit<'a>, GitError> {
    let entry = |commit: &git2::Commit<'_>| -> Result<Option<git2::Oid>, git2::Error> {
        let tree = commit.tree()?;
        if below.as_os_str().is_empty() {
            return Ok(Some(tree.id()));
        }
        match tree.get_path(below) {
            Ok(entry) => Ok(Some(entry.id())),
            Err(error) if error.code() == ErrorCode::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    };
    let mut commit = from;
    let mut here = entry(&commit)?;
    for _ in 0..COMMITS_MAX {
        let Ok(parent) = commit.parent(0) else { break };
        let there = entry(&parent)?;
        if there != here {
            break;
        }
        (commit, here) = (parent, there);
    }
    Ok(commit)
}

/// The bytes that a file (canonical) has in a commit; `None` where it is not in it.
pub fn file_at(file: &Path, commit: &str) -> Result<Option<Vec<u8>>, GitError> {
    let repository = open(file.parent().unwrap_or(file))?;
    let work_tree = repository.workdir().ok_or_else(|| GitError::NoRepository(file.to_owned()))?;
    let work_tree = work_tree.canonicalize().unwrap_or_else(|_| work_tree.to_owned());
    let below = file.strip_prefix(&work_tree).map_err(|_| GitError::NoRepository(file.to_owned()))?;
    let tree = repository.find_commit(git2::Oid::from_str(commit)?)?.tree()?;
    match tree.get_path(below) {
        Ok(entry) => Ok(entry.to_object(&repository)?.as_blob().map(|blob| blob.content().to_vec())),
        Err(error) if error.code() == ErrorCode::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Whether a text names a commit of the repository that a folder (canonical) lies in: `HEAD~3`, a tag, a digest.
pub fn is_revision(folder: &Path, text: &str) -> bool {
    let found = || -> Result<(), GitError> {
        open(folder)?.revparse_single(text)?.peel_to_commit()?;
        Ok(())
    };
    found().is_ok()
}

/// The bytes of a path, from the root of the repository that a folder (canonical) lies in, at a revision as git names them:
/// `HEAD~3`, a tag, a commit. `None` where the revision does not have the path.
pub fn at_revision(folder: &Path, revision: &str, path: &str) -> Result<Option<Vec<u8>>, GitError> {
    let repository = open(folder)?;
    let commit = repository.revparse_single(revision)?.peel_to_commit()?;
    match commit.tree()?.get_path(Path::new(path)) {
        Ok(entry) => Ok(entry.to_object(&repository)?.as_blob().map(|blob| blob.content().to_vec())),
        Err(error) if error.code() == ErrorCode::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Whether a commit holds a file with these bytes anywhere below `experiments`.
pub fn has_file(folder: &Path, commit: &str, bytes: &[u8]) -> bool {
    let found = || -> Result<bool, GitError> {
        let repository = open(&folder.canonicalize().map_err(|_| GitError::NoRepository(folder.to_owned()))?)?;
        let tree = repository.find_commit(git2::Oid::from_str(commit)?)?.tree()?;
        let blob = git2::Oid::hash_object(git2::ObjectType::Blob, bytes)?;
        let mut is_there = false;
        tree.walk(git2::TreeWalkMode::PreOrder, |_, entry| {
            is_there |= entry.id() == blob;
            if is_there { git2::TreeWalkResult::Abort } else { git2::TreeWalkResult::Ok }
        })
        .or_else(|error| if is_there { Ok(()) } else { Err(error) })?;
        Ok(is_there)
    };
    found().unwrap_or(false)
}
