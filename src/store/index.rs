//! The derived index: which jobs have a usable result. It makes "nothing to do" cheap and is never evidence.
//!
//! One JSON line (runs with the digest of their heads, experiments and remembered plans with their counts), then sorted
//! keys, 32 bytes each, then the digest of all before it. Whatever does not fit is built again from the journals.
//!
//! A remembered plan maps the digest of its inputs to the keys of its jobs, so that nothing need be parsed or expanded
//! to see that all of them are done.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::event::{Event, Outcome};
use super::{Layout, StoreError, read_journal};
use crate::digest::Digest;
use crate::name::{Name, RunId};
use crate::os::{self, Os};

const FORMAT: &str = "benchpaper/index@2";
const INDEX_LIMIT_BYTES: u64 = 1 << 30;

/// Which jobs of which experiment have a usable result.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Index {
    heads: BTreeMap<RunId, Digest>,
    done: BTreeMap<Name, Vec<Digest>>,
    plans: BTreeMap<Digest, Vec<Digest>>,
}

/// The most plans that are remembered; more of them are forgotten together.
const PLANS_MAX: usize = 16;

#[derive(Serialize, Deserialize)]
struct Top {
    format: String,
    heads: BTreeMap<RunId, Digest>,
    done: BTreeMap<Name, usize>,
    plans: BTreeMap<Digest, usize>,
}

impl Index {
    /// The keys of an experiment's jobs that have a usable result, sorted.
    pub fn done(&self, experiment: &Name) -> &[Digest] {
        self.done.get(experiment).map_or(&[], Vec::as_slice)
    }

    /// How many jobs a remembered plan has, where all of them have a usable result.
    pub fn complete(&self, experiment: &Name, inputs: &Digest) -> Option<usize> {
        let keys = self.plans.get(inputs)?;
        let mut done = self.done(experiment).iter();
        let is_done = keys.iter().all(|key| done.by_ref().any(|one| one == key));
        (is_done && !keys.is_empty()).then_some(keys.len())
    }
}

/// The index as it stands, built again where the runs have changed. Saving it may fail without harm.
pub fn load(os: &dyn Os, layout: &Layout) -> Result<Index, StoreError> {
    let heads = heads(os, layout)?;
    if heads.is_empty() {
        return Ok(Index::default());
    }
    if let Some(index) = read(os, layout).filter(|index| index.heads == heads) {
        return Ok(index);
    }
    let plans = read(os, layout).map(|index| index.plans).unwrap_or_default();
    let index = Index { plans, ..build(os, layout, heads)? };
    let _ = save(os, layout, &index);
    Ok(index)
}

/// Remembers the keys of a plan under the digest of its inputs.
pub fn remember(os: &dyn Os, layout: &Layout, inputs: Digest, mut keys: Vec<Digest>) -> Result<(), StoreError> {
    let mut index = load(os, layout)?;
    keys.sort_unstable();
    if index.plans.get(&inputs) == Some(&keys) {
        return Ok(());
    }
    if index.plans.len() >= PLANS_MAX {
        index.plans.clear();
    }
    index.plans.insert(inputs, keys);
    save(os, layout, &index)
}

fn heads(os: &dyn Os, layout: &Layout) -> Result<BTreeMap<RunId, Digest>, StoreError> {
    let mut heads = BTreeMap::new();
    for run in layout.run_ids(os)? {
        let path = layout.run(&run).join("head");
        let length = |name: &str| os.stat(&layout.run(&run).join(name)).map_or(u64::MAX, |stat| stat.length);
        let lengths = [length("journal.jsonl").to_be_bytes(), length("pack").to_be_bytes()].concat();
        let digest = os.read(&path, 4096).map_or_else(
            |error| Digest::of(error.to_string().as_bytes()),
            |bytes| Digest::of(&[bytes, lengths].concat()),
        );
        heads.insert(run, digest);
    }
    Ok(heads)
}

fn read(os: &dyn Os, layout: &Layout) -> Option<Index> {
    let bytes = os.read(&layout.index(), INDEX_LIMIT_BYTES).ok()?;
    let (body, digest) = bytes.split_at_checked(bytes.len().checked_sub(32)?)?;
    if Digest::of(body).as_bytes() != digest {
        return None;
    }
    let line_end = body.iter().position(|byte| *byte == b'\n')?;
    let top: Top = serde_json::from_slice(&body[..line_end]).ok().filter(|top: &Top| top.format == FORMAT)?;
    let mut keys =
        body[line_end + 1..].chunks_exact(32).filter_map(|key| Some(Digest::from_bytes(key.try_into().ok()?)));
    let done = top.done.into_iter().map(|(name, count)| (name, keys.by_ref().take(count).collect())).collect();
    let plans = top.plans.into_iter().map(|(inputs, count)| (inputs, keys.by_ref().take(count).collect())).collect();
    Some(Index { heads: top.heads, done, plans })
}

fn save(os: &dyn Os, layout: &Layout, index: &Index) -> Result<(), StoreError> {
    let done = index.done.iter().map(|(name, keys)| (name.clone(), keys.len())).collect();
    let plans = index.plans.iter().map(|(inputs, keys)| (*inputs, keys.len())).collect();
    let top = Top { format: FORMAT.to_owned(), heads: index.heads.clone(), done, plans };
    let mut bytes = serde_json::to_vec(&top)?;
    bytes.push(b'\n');
    for key in index.done.values().chain(index.plans.values()).flatten() {
        bytes.extend_from_slice(key.as_bytes());
    }
    let digest = Digest::of(&bytes);
    bytes.extend_from_slice(digest.as_bytes());
    let path = layout.index();
    os::write_atomically(os, &path, &bytes).map_err(StoreError::io(&path))
}

fn build(os: &dyn Os, layout: &Layout, heads: BTreeMap<RunId, Digest>) -> Result<Index, StoreError> {
    let mut usable: BTreeMap<Name, Attempts> = BTreeMap::new();
    let mut marked = Attempts::new();
    for run in heads.keys() {
        let journal = read_journal(os, layout, run)?;
        let Some(genesis) = journal.genesis() else { continue };
        let experiment = usable.entry(genesis.experiment.clone()).or_default();
        for event in journal.events() {
            match event {
                Event::Finished(finished) if finished.outcome == Outcome::Ok => {
                    experiment.insert((finished.job, finished.attempt));
                }
                Event::Marked { job, attempt, .. } => {
                    marked.insert((*job, *attempt));
                }
                _ => {}
            }
        }
    }
    let keys = |attempts: &Attempts| -> Vec<Digest> {
        let kept = attempts.difference(&marked).map(|(job, _)| *job);
        kept.collect::<BTreeSet<_>>().into_iter().collect()
    };
    let done = usable.iter().map(|(name, attempts)| (name.clone(), keys(attempts))).collect();
    Ok(Index { heads, done, plans: BTreeMap::new() })
}

/// Jobs and the numbers of their attempts.
type Attempts = BTreeSet<(Digest, u64)>;
