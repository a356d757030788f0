//! The scratch folder of a run: one folder a slot, in which devices lie and jobs write.

use std::path::Path;

use super::RunError;
use super::job::Ended;
use crate::manifest::Experiment;
use crate::os::{self, Kind, Os};
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
        os::remove_tree(os, folder).map_err(failed("clearing", folder))?;
    }
    for slot in 0..slots {
        let path = folder.join(format!("slot-{slot}"));
        os::create_folders(os, &path).map_err(failed("making", &path))?;
    }
    Ok(())
}

/// Removes the folder of a run that has ended; a leftover is no harm.
pub(super) fn remove(os: &dyn Os, folder: &Path) {
    let _ = os::remove_tree(os, folder);
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
    for name in os.list(slot).map_err(failed("listing", slot))? {
        if is_input(&name) {
            let path = slot.join(&name);
            os::remove_tree(os, &path).map_err(failed("removing", &path))?;
        } else if experiment.device_bytes(&name).is_none() {
            take(os, &slot.join(&name), &name, ended)?;
        }
    }
    Ok(())
}

fn take(os: &dyn Os, path: &Path, name: &str, ended: &mut Ended) -> Result<(), RunError> {
    let stat = os.stat(path).map_err(failed("looking at", path))?;
    match stat.kind {
        Kind::Folder => {
            for inner in os.list(path).map_err(failed("listing", path))? {
                take(os, &path.join(&inner), &format!("{name}/{inner}"), ended)?;
            }
            os.remove_folder(path).map_err(failed("removing", path))
        }
        Kind::File if stat.length <= KEPT_FILE_BYTES_MAX => {
            let bytes = os.read(path, KEPT_FILE_BYTES_MAX).map_err(failed("reading", path))?;
            ended.objects.push((format!("file/{name}"), bytes));
            os.remove_file(path).map_err(failed("removing", path))
        }
        _ => {
            ended.outcome = Outcome::Failed;
            ended.reason = format!("`{name}` is no file of at most {KEPT_FILE_BYTES_MAX} bytes and can not be kept");
            os.remove_file(path).map_err(failed("removing", path))
        }
    }
}
