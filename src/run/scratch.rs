//! The scratch folder of a run: one folder a slot, in which devices lie and jobs write.

use std::path::Path;

use super::RunError;
use super::job::Ended;
use crate::manifest::Experiment;
use crate::name::RunId;
use crate::os::{self, Kind, Os, Sharing};
use crate::store::Layout;
use crate::store::event::Outcome;

/// The largest file of a job that is kept, in bytes.
const KEPT_FILE_BYTES_MAX: u64 = 256 << 20;

fn failed(what: &str, path: &Path) -> impl FnOnce(std::io::Error) -> RunError {
    let what = format!("{what} {}", path.display());
    move |error| RunError::Os { what, error }
}

/// Makes the folders; what an interrupted run left there is removed first.
pub(super) fn prepare(os: &dyn Os, folder: &Path, slots: usize) -> Result<(), RunError> {
    if os::is_there(os, folder).map_err(failed("looking at", folder))? {
        os.remove_all(folder).map_err(failed("clearing", folder))?;
    }
    for slot in 0..slots {
        let path = folder.join(format!("slot-{slot}"));
        os::create_folders(os, &path).map_err(failed("making", &path))?;
    }
    Ok(())
}

/// Removes what killed runs left: folders of runs that nobody holds any more. Others are running.
pub(super) fn sweep(os: &dyn Os, layout: &Layout, scratch: &Path) {
    for path in os.entries(scratch).unwrap_or_default() {
        let run = path.file_name().and_then(|name| name.to_str()).and_then(|name| RunId::new(name).ok());
        let Some(run) = run else { continue };
        if os.lock(&layout.run(&run).join("lock"), Sharing::Exclusive).is_ok() {
            let _ = os.remove_all(&path);
        }
    }
}

/// Removes the folder of a run that has ended; a leftover is no harm.
pub(super) fn remove(os: &dyn Os, folder: &Path) {
    let _ = os.remove_all(folder);
    if let Some(parent) = folder.parent() {
        let _ = os.remove_folder(parent);
    }
}

/// Takes what a job wrote, but for the devices, and leaves the slot empty for the next.
pub(super) fn collect(
    os: &dyn Os,
    slot: &Path,
    (experiment, is_input): (&Experiment, &dyn Fn(&str) -> bool),
    ended: &mut Ended,
) -> Result<(), RunError> {
    for path in os.entries(slot).map_err(failed("listing", slot))? {
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            refuse(os, &path, ended)?;
            continue;
        };
        let name = name.to_owned();
        if is_input(&name) {
            os::remove_tree(os, &path).map_err(failed("removing", &path))?;
        } else if experiment.device_bytes(&name).is_none() {
            take(os, &path, &name, ended)?;
        }
    }
    Ok(())
}

/// What can not be kept fails the attempt, and goes.
fn refuse(os: &dyn Os, path: &Path, ended: &mut Ended) -> Result<(), RunError> {
    ended.outcome = Outcome::Failed;
    ended.reason = format!(
        "`{}` can not be kept: its name is not UTF-8, or it is no file of at most {KEPT_FILE_BYTES_MAX} bytes",
        path.display()
    );
    let is_folder = os.stat(path).is_ok_and(|stat| stat.kind == Kind::Folder);
    let removed = if is_folder { os.remove_all(path) } else { os.remove_file(path) };
    removed.map_err(failed("removing", path))
}

fn take(os: &dyn Os, path: &Path, name: &str, ended: &mut Ended) -> Result<(), RunError> {
    let stat = os.stat(path).map_err(failed("looking at", path))?;
    match stat.kind {
        Kind::Folder => {
            for inner in os.entries(path).map_err(failed("listing", path))? {
                match inner.file_name().and_then(|name| name.to_str()) {
                    Some(inner_name) => take(os, &inner, &format!("{name}/{inner_name}"), ended)?,
                    None => refuse(os, &inner, ended)?,
                }
            }
            os.remove_folder(path).map_err(failed("removing", path))
        }
        Kind::File if stat.length <= KEPT_FILE_BYTES_MAX => {
            let bytes = os.read(path, KEPT_FILE_BYTES_MAX).map_err(failed("reading", path))?;
            ended.objects.push((format!("file/{name}"), bytes));
            os.remove_file(path).map_err(failed("removing", path))
        }
        _ => refuse(os, path, ended),
    }
}
