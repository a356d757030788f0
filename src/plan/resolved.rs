//! An experiment as everything after the plan looks at it: manifest, lock and plan, made once and handed on.

use super::{Expansion, Plan, expand, plan, settings};
use crate::diagnostic::Diagnostic;
use crate::lock::{self, Lock};
use crate::manifest::Experiment;
use crate::source::Source;

/// A manifest and its lock, and what follows from them under a profile.
#[derive(Debug, Clone)]
pub struct Resolved {
    /// The text of the manifest.
    pub source: Source,
    /// What it says.
    pub experiment: Experiment,
    /// The lock.
    pub lock: Lock,
    /// All that is to be measured.
    pub plan: Plan,
    /// Combinations that were left out: what, and why.
    pub excluded: Vec<(String, String)>,
}

impl Resolved {
    /// Of the texts of a manifest and its lock, or all that is wrong with them.
    pub fn of_texts(source: Source, lock: &str, profile: &str) -> Result<Self, Vec<Diagnostic>> {
        let parsed = crate::manifest::parse(&source);
        let Some(experiment) = parsed.experiment else { return Err(parsed.diagnostics) };
        let lock = lock::parse(&Source::new("experiment.lock.yaml", lock)).map_err(|problem| vec![problem])?;
        let settings = settings(&experiment, Some(profile))
            .ok_or_else(|| vec![Diagnostic::error("plan::profile", format!("no profile is called `{profile}`"))])?;
        let expansion = expand(&experiment, &source, settings, &lock.files)?;
        Ok(Self::new(source, experiment, lock, expansion))
    }

    /// Of parts that were read already; the expansion is that of the manifest under a profile.
    pub fn new(source: Source, experiment: Experiment, lock: Lock, mut expansion: Expansion) -> Self {
        let excluded = std::mem::take(&mut expansion.excluded);
        let plan = plan(&experiment, &lock, expansion);
        Self { source, experiment, lock, plan, excluded }
    }
}
