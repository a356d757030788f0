//! Removes what nothing refers to: leftovers of interrupted writes, and objects of no journal.
//!
//! First a plan, then its execution. No run is ever removed. Nothing is deleted while anything is unreadable, for what
//! can not be read may be what refers to it.

use std::path::PathBuf;

use super::{Layout, StoreError, check};
use crate::os::{self, Os, Sharing};

/// What would be removed.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize)]
pub struct Plan {
    /// Files and folders, sorted.
    pub remove: Vec<PathBuf>,
    /// Why nothing may be removed.
    pub refused: Vec<String>,
}

/// What may go.
pub fn plan(os: &dyn Os, layout: &Layout) -> Result<Plan, StoreError> {
    let _shared = layout.lock(os, Sharing::Shared)?;
    plan_locked(os, layout)
}

fn plan_locked(os: &dyn Os, layout: &Layout) -> Result<Plan, StoreError> {
    let report = check::check_locked(os, layout)?;
    let runs = layout.runs();
    let has_runs = os::is_there(os, &runs).map_err(StoreError::io(&runs))?;
    if !report.failures.is_empty() || !report.missing.is_empty() || !has_runs {
        let missing = report.missing.iter().map(|object| format!("missing: {object}"));
        let no_runs = (!has_runs).then(|| format!("{} is missing", runs.display()));
        return Ok(Plan {
            remove: vec![],
            refused: report.failures.iter().cloned().chain(missing).chain(no_runs).collect(),
        });
    }
    let mut remove: Vec<PathBuf> = report.unreferenced.iter().map(PathBuf::from).collect();
    remove.extend(check::leftovers(os, layout)?);
    remove.sort();
    Ok(Plan { remove, refused: vec![] })
}

/// Makes the plan, alone with the store, and carries it out. Returns what was removed.
pub fn execute(os: &dyn Os, layout: &Layout) -> Result<Plan, StoreError> {
    let _alone = layout.lock(os, Sharing::Exclusive)?;
    let planned = plan_locked(os, layout)?;
    for path in &planned.remove {
        os::remove_tree(os, path).map_err(StoreError::io(path))?;
    }
    Ok(planned)
}
