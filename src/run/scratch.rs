//! The scratch folder of a run: one folder a slot, in which devices lie and jobs write.

use std::io;
use std::path::{Path, PathBuf};

use super::RunError;
use super::launch::Ended;
use crate::attempt::Role;
use crate::manifest::Experiment;
use crate::name::RunId;
use crate::os::{Kind, Os, Sharing};
use crate::place::{self, Host};
use crate::store::Layout;
use crate::store::event::Outcome;

/// The largest file of a job that is kept, in bytes.
const KEPT_FILE_BYTES_MAX: u64 = 256 << 20;

fn failed(what: &str, path: &Path) -> impl FnOnce(io::Error) -> RunError {
    RunError::while_doing(format!("{what} {}", path.display()))
}

/// The folder of a slot.
pub(super) fn slot(scratch: &Path, number: usize) -> PathBuf {
    scratch.join(format!("slot-{number}"))
}

/// Makes the folders; what an interrupted run left there is removed first.
pub(super) async fn prepare(host: &dyn Host, folder: &Path, slots: usize) -> Result<(), RunError> {
    host.remove(folder).await.map_err(failed("clearing", folder))?;
    for number in 0..slots {
        let path = slot(folder, number);
        host.create_folder(&path).await.map_err(failed("making", &path))?;
    }
    Ok(())
}

/// Removes what killed runs left: folders of runs that nobody holds any more. Others are running.
pub(super) async fn sweep(controller: &dyn Os, layout: &Layout, (host, scratch): (&dyn Host, &Path)) {
    for path in host.entries(scratch).await.unwrap_or_default() {
        let run = path.file_name().and_then(|name| name.to_str()).and_then(|name| RunId::new(name).ok());
        let Some(run) = run else { continue };
        if controller.lock(&layout.run(&run).join("lock"), Sharing::Exclusive).is_ok() {
            let _ = host.remove(&path).await;
        }
    }
}

/// Removes the folder of a run that has ended, and the one above where nothing else is in it; a leftover is no harm.
pub(super) async fn remove(host: &dyn Host, folder: &Path) {
    let _ = host.remove(folder).await;
    if let Some(parent) = folder.parent()
        && host.entries(parent).await.is_ok_and(|rest| rest.is_empty())
    {
        let _ = host.remove(parent).await;
    }
}

/// What a job wrote, and what of it is no output.
pub(super) struct Leftovers<'a> {
    pub(super) experiment: &'a Experiment,
    /// Whether the first part of a name is that of a file that was put there.
    pub(super) is_input: &'a dyn Fn(&str) -> bool,
}

/// Takes what a job wrote, but for the devices, and leaves the slot empty for the next.
pub(super) async fn collect(
    host: &dyn Host,
    slot: &Path,
    leftovers: &Leftovers<'_>,
    ended: &mut Ended,
) -> Result<(), RunError> {
    for path in host.entries(slot).await.map_err(failed("listing", slot))? {
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            refuse(host, &path, ended).await?;
            continue;
        };
        if (leftovers.is_input)(name) {
            host.remove(&path).await.map_err(failed("removing", &path))?;
        } else if leftovers.experiment.device_bytes(name).is_none() {
            let name = name.to_owned();
            take_all(host, (path, name), ended).await?;
        }
    }
    Ok(())
}

/// What can not be kept fails the attempt, and goes.
async fn refuse(host: &dyn Host, path: &Path, ended: &mut Ended) -> Result<(), RunError> {
    ended.outcome = Outcome::Failed;
    ended.reason = format!(
        "`{}` can not be kept: its name is not UTF-8, or it is no file of at most {KEPT_FILE_BYTES_MAX} bytes",
        path.display()
    );
    host.remove(path).await.map_err(failed("removing", path))
}

/// Takes a file, or all files of a folder, and removes what it took.
async fn take_all(host: &dyn Host, first: (PathBuf, String), ended: &mut Ended) -> Result<(), RunError> {
    let root = first.0.clone();
    let mut open = vec![first];
    while let Some((path, name)) = open.pop() {
        let stat = host.stat(&path).await.map_err(failed("looking at", &path))?;
        if stat.kind == Kind::Folder {
            let mut inside = vec![];
            for inner in host.entries(&path).await.map_err(failed("listing", &path))? {
                match inner.file_name().and_then(|name| name.to_str()) {
                    Some(inner_name) => inside.push((inner.clone(), format!("{name}/{inner_name}"))),
                    None => refuse(host, &inner, ended).await?,
                }
            }
            open.extend(inside.into_iter().rev());
        } else if stat.kind == Kind::File && stat.length <= KEPT_FILE_BYTES_MAX {
            let bytes = host.take(&path, KEPT_FILE_BYTES_MAX).await.map_err(failed("reading", &path))?;
            ended.objects.push((Role::File(name), bytes));
            host.remove(&path).await.map_err(failed("removing", &path))?;
        } else {
            refuse(host, &path, ended).await?;
        }
    }
    if place::is_folder(host, &root).await {
        host.remove(&root).await.map_err(failed("removing", &root))?;
    }
    Ok(())
}
