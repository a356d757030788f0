//! All runs of one experiment, in the order they were begun.
//!
//! Each genesis names the head of the run before it; that chain gives the order, never a clock. Runs that name the same
//! predecessor (two copies of a store went on apart) are ordered by id. A predecessor that is gone, or whose journal is not
//! the one that was named, is no history: the record is incomplete, or damaged.

use std::collections::{BTreeMap, BTreeSet};

use super::event::{Event, Previous};
use super::{Journal, Layout, Reader, StoreError};
use crate::digest::Digest;
use crate::name::{Name, RunId};
use crate::os::Files;

/// The runs of an experiment.
pub struct History {
    /// In order, with their journals.
    pub runs: Vec<(RunId, Journal)>,
}

/// Reads the journals of all runs and keeps those of one experiment; their small objects become known to the reader.
pub fn history(
    files: &dyn Files,
    layout: &Layout,
    reader: &mut Reader<'_>,
    experiment: &Name,
) -> Result<History, StoreError> {
    let mut found = BTreeMap::new();
    for run in layout.run_ids(files)? {
        let journal = super::read_journal(files, layout, &run)?;
        if journal.genesis().is_some_and(|genesis| genesis.experiment == *experiment) {
            let journal = reader.load(&run)?;
            found.insert(run, journal);
        }
    }
    for (run, journal) in &found {
        check_predecessor(run, journal, &found)?;
    }
    Ok(History { runs: in_order(found) })
}

/// The run before must be there, and its chain must hold what was its head.
fn check_predecessor(run: &RunId, journal: &Journal, found: &BTreeMap<RunId, Journal>) -> Result<(), StoreError> {
    let Some(previous) = journal.genesis().and_then(|genesis| genesis.previous.as_ref()) else { return Ok(()) };
    let Some(before) = found.get(&previous.run) else {
        return Err(StoreError::RunMissing { run: previous.run.clone(), named_by: run.clone() });
    };
    let is_on_chain = |line: &super::Line| line.end == previous.length && line.chain.hex() == previous.chain;
    if before.lines.iter().any(is_on_chain) {
        return Ok(());
    }
    let detail = format!("it is not the journal that run {run} was begun after");
    Err(StoreError::integrity(format!("the journal of run {}", previous.run), detail))
}

/// The part of a journal up to a chain and length; `None` where they are not on it.
pub fn cut(journal: &Journal, chain: &str, length: u64) -> Option<Journal> {
    let at = journal.lines.iter().position(|line| line.end == length && line.chain.hex() == chain)?;
    let lines = journal.lines[..=at].to_vec();
    let is_sealed = lines.iter().rev().nth(1).is_some_and(|line| matches!(line.event, Event::Sealed { .. }));
    let chain = lines.last().map_or(journal.chain, |line| line.chain);
    Some(Journal { lines, length, chain, tail: vec![], pack_bytes: journal.pack_bytes, is_sealed })
}

/// Predecessors first; among those that may come next, the least id.
fn in_order(mut found: BTreeMap<RunId, Journal>) -> Vec<(RunId, Journal)> {
    let mut ordered: Vec<(RunId, Journal)> = vec![];
    let mut placed: BTreeSet<RunId> = BTreeSet::new();
    while !found.is_empty() {
        let is_ready = |(_, journal): &(&RunId, &Journal)| {
            let previous = journal.genesis().and_then(|genesis| genesis.previous.as_ref());
            previous.is_none_or(|previous| placed.contains(&previous.run) || !found.contains_key(&previous.run))
        };
        let next = found.iter().find(is_ready).or_else(|| found.iter().next()).map(|(run, _)| run.clone());
        let Some((run, journal)) = next.and_then(|run| found.remove_entry(&run)) else { break };
        placed.insert(run.clone());
        ordered.push((run, journal));
    }
    ordered
}

impl History {
    /// How many attempts each job has had.
    pub fn attempts(&self) -> BTreeMap<Digest, u64> {
        let mut attempts = BTreeMap::new();
        for event in self.runs.iter().flat_map(|(_, journal)| journal.events()) {
            if let Event::Started { job, attempt, .. } = event {
                let most: &mut u64 = attempts.entry(*job).or_default();
                *most = (*most).max(*attempt);
            }
        }
        attempts
    }

    /// The head of the newest run, for the next one's genesis.
    pub fn newest_head(&self) -> Option<Previous> {
        let (run, journal) = self.runs.last()?;
        Some(Previous { run: run.clone(), chain: journal.chain.hex(), length: journal.length })
    }

    /// The newest run that was not sealed.
    pub fn newest_open(&self) -> Option<&(RunId, Journal)> {
        self.runs.iter().rev().find(|(_, journal)| !journal.is_sealed)
    }
}
