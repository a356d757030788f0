//! A full check of a store: every journal, head, pack and object, and every reference between them.
//!
//! It trusts nothing derived and goes on after a failure, so that all of them are named.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::event::{Event, Previous};
use super::{Layout, Reader, StoreError, object};
use crate::digest::Digest;
use crate::name::RunId;
use crate::os::{Kind, Os, Sharing, TEMPORARY_PREFIX};

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize)]
pub struct Report {
    /// Runs whose journals were read.
    pub runs: u64,
    /// Runs without a seal: interrupted, or still running.
    pub unsealed: Vec<String>,
    /// Objects whose bytes were checked.
    pub objects: u64,
    /// Objects that a journal names and the store lacks.
    pub missing: Vec<String>,
    /// Damage, each with what and how it was found.
    pub failures: Vec<String>,
    /// Files that nothing refers to.
    pub unreferenced: Vec<String>,
}

/// Checks the whole store.
pub fn check(os: &dyn Os, layout: &Layout) -> Result<Report, StoreError> {
    let is_there = crate::os::is_there(os, layout.folder()).map_err(StoreError::io(layout.folder()))?;
    let _shared = if is_there { Some(layout.lock(os, Sharing::Shared)?) } else { None };
    check_locked(os, layout)
}

/// The same, for a caller that holds the store's lock.
pub(super) fn check_locked(os: &dyn Os, layout: &Layout) -> Result<Report, StoreError> {
    let mut report = Report::default();
    let mut referenced = BTreeSet::new();
    check_shape(os, layout, &mut report)?;
    let mut known = BTreeSet::new();
    let mut named: Vec<(Previous, RunId)> = vec![];
    let mut heads = BTreeSet::new();
    for run in layout.run_ids(os)? {
        known.insert(run.clone());
        let mut reader = Reader::unlocked(os, layout);
        let journal = match reader.load(&run) {
            Ok(journal) => journal,
            Err(error) => {
                report.failures.push(error.to_string());
                continue;
            }
        };
        report.runs += 1;
        let previous = journal.genesis().and_then(|genesis| genesis.previous.clone());
        named.extend(previous.map(|previous| (previous, run.clone())));
        heads.extend(journal.lines.iter().map(|line| (run.clone(), line.end, line.chain.hex())));
        if !journal.is_sealed {
            report.unsealed.push(run.to_string());
        }
        match reader.check_packed() {
            Ok(count) => report.objects += count,
            Err(error) => report.failures.push(error.to_string()),
        }
        for digest in journal.events().flat_map(references) {
            referenced.insert(digest);
            match reader.holds(&digest) {
                Ok(true) => {}
                Ok(false) => report.missing.push(format!("{digest} (run {run})")),
                Err(error) => report.failures.push(error.to_string()),
            }
        }
    }
    for (previous, run) in named {
        if !known.contains(&previous.run) {
            report.missing.push(format!("run {} (run {run} was begun after it)", previous.run));
        } else if !heads.contains(&(previous.run.clone(), previous.length, previous.chain.clone())) {
            report.failures.push(format!(
                "integrity failure: the journal of run {}: it is not the one that run {run} was begun after",
                previous.run
            ));
        }
    }
    check_loose(os, layout, &referenced, &mut report)?;
    report.failures.sort();
    report.failures.dedup();
    Ok(report)
}

/// No part of a store is a link, and the folder of runs holds runs only.
fn check_shape(os: &dyn Os, layout: &Layout, report: &mut Report) -> Result<(), StoreError> {
    let folders = [layout.folder().to_owned(), layout.runs(), layout.folder().join("objects"), layout.objects()];
    for folder in folders {
        if crate::os::is_there(os, &folder).map_err(StoreError::io(&folder))?
            && os.stat(&folder).map_err(StoreError::io(&folder))?.kind != Kind::Folder
        {
            report.failures.push(format!("integrity failure: {}: it is no folder", folder.display()));
        }
    }
    let runs = layout.runs();
    if !crate::os::is_there(os, &runs).map_err(StoreError::io(&runs))? {
        return Ok(());
    }
    for name in os.list(&runs).map_err(StoreError::io(&runs))? {
        let is_run =
            RunId::new(&name).is_ok() && os.stat(&runs.join(&name)).is_ok_and(|stat| stat.kind == Kind::Folder);
        if !is_run && !name.starts_with(TEMPORARY_PREFIX) {
            report.failures.push(format!("integrity failure: {}: it is no run", runs.join(&name).display()));
        }
    }
    Ok(())
}

/// The objects that an event names.
pub fn references(event: &Event) -> Vec<Digest> {
    match event {
        Event::Genesis(genesis) => vec![genesis.manifest, genesis.lock],
        Event::Planned { plan, .. } => vec![*plan],
        Event::Facts { facts, objects, .. } => {
            std::iter::once(*facts).chain(objects.values().map(|object| object.digest)).collect()
        }
        Event::Prepared { objects, .. } => objects.values().map(|object| object.digest).collect(),
        Event::Unmatched { object, .. } => vec![object.digest],
        Event::Finished(finished) => finished.objects.values().map(|object| object.digest).collect(),
        _ => vec![],
    }
}

fn check_loose(
    os: &dyn Os,
    layout: &Layout,
    referenced: &BTreeSet<Digest>,
    report: &mut Report,
) -> Result<(), StoreError> {
    let mut objects = vec![];
    for path in loose_files(os, layout)? {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if os.stat(&path).map_err(StoreError::io(&path))?.kind != Kind::File {
            report.failures.push(format!("integrity failure: {}: it is no file", path.display()));
            continue;
        }
        let Ok(digest) = Digest::from_hex(name) else {
            if is_leftover(name) {
                report.unreferenced.push(path.display().to_string());
            } else {
                report.failures.push(format!("integrity failure: {}: it is no object", path.display()));
            }
            continue;
        };
        if path != layout.object(&digest) {
            report.failures.push(format!("integrity failure: {}: it lies in the wrong folder", path.display()));
        }
        if !referenced.contains(&digest) {
            report.unreferenced.push(path.display().to_string());
        }
        objects.push((path, digest));
    }
    report.objects += objects.len() as u64;
    report.failures.extend(damaged(os, &objects));
    Ok(())
}

/// The objects without their digest, hashed on all processors.
fn damaged(os: &dyn Os, objects: &[(PathBuf, Digest)]) -> Vec<String> {
    let one = |(path, digest): &(PathBuf, Digest)| match object::is_intact(os, path, digest) {
        Ok(true) => None,
        Ok(false) => {
            Some(format!("integrity failure: {}: its bytes do not have the digest in its name", path.display()))
        }
        Err(error) => Some(format!("{}: {error}", path.display())),
    };
    let size = objects.len().div_ceil(os.processors().max(1)).max(1);
    std::thread::scope(|scope| {
        let hash = |part: &'_ [(PathBuf, Digest)]| part.iter().filter_map(one).collect::<Vec<String>>();
        let workers: Vec<_> = objects.chunks(size).map(|part| scope.spawn(move || hash(part))).collect();
        workers
            .into_iter()
            .flat_map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

/// Names that interrupted writes and replaced objects leave.
fn is_leftover(name: &str) -> bool {
    let is_damaged = name.split_once(".damaged-").is_some_and(|(digest, _)| Digest::from_hex(digest).is_ok());
    name.starts_with(TEMPORARY_PREFIX) || is_damaged
}

/// All files below the objects' folder and leftovers beside the runs, sorted.
pub(super) fn loose_files(os: &dyn Os, layout: &Layout) -> Result<Vec<PathBuf>, StoreError> {
    let mut found = vec![];
    let objects = layout.objects();
    if !crate::os::is_there(os, &objects).map_err(StoreError::io(&objects))? {
        return Ok(found);
    }
    for prefix in os.list(&objects).map_err(StoreError::io(&objects))? {
        let folder = objects.join(&prefix);
        if os.stat(&folder).map_err(StoreError::io(&folder))?.kind != Kind::Folder {
            found.push(folder);
            continue;
        }
        let names = os.list(&folder).map_err(StoreError::io(&folder))?;
        found.extend(names.into_iter().map(|name| folder.join(name)));
    }
    Ok(found)
}

/// Temporary folders and files that an interrupted run left beside the runs.
pub(super) fn leftovers(os: &dyn Os, layout: &Layout) -> Result<Vec<PathBuf>, StoreError> {
    let runs = layout.runs();
    let names = match os.list(&runs) {
        Ok(names) => names,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(vec![]),
        Err(error) => return Err(StoreError::Io { path: runs, error }),
    };
    Ok(names.iter().filter(|name| name.starts_with(TEMPORARY_PREFIX)).map(|name| runs.join(name)).collect())
}
