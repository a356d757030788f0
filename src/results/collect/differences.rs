//! What nobody declared: facts in which runs differ, guests that were not as asked for, other orders.

use super::super::RunRecord;
use super::{Chosen, OfJob};
use crate::attempt::{GuestRole, Role, exact_roles};
use crate::digest::Digest;
use crate::inventory::Inventory;
use crate::plan::Plan;
use crate::store::event::{Event, Moment};
use crate::store::history::History;
use crate::store::{Reader, StoreError};
use std::collections::{BTreeMap, BTreeSet};

/// Guests that were not what their case asks for, and exact replicates that are not the same bytes. The runner lets
/// neither pass; a record that holds them was not written by it.
pub(super) fn guest_differences(
    plan: &Plan,
    jobs: &[OfJob<'_>],
    reader: &Reader<'_>,
) -> Result<Vec<String>, StoreError> {
    let mut found = vec![];
    let mut first: BTreeMap<(usize, Role), Digest> = BTreeMap::new();
    for OfJob { case, replicate, chosen } in jobs {
        let (Some(spec), Some(chosen)) = (&plan.cases[*case].guest, chosen) else { continue };
        let label = plan.cases[*case].label();
        for number in 1..=spec.count {
            let role = Role::guest(number, GuestRole::Facts).to_string();
            let facts = match chosen.finished.objects.get(&role) {
                Some(object) => reader.get(&object.digest)?.into_owned(),
                None => vec![],
            };
            let facts = crate::guest::facts::parse(&String::from_utf8_lossy(&facts));
            let wrong = crate::guest::facts::mismatches(spec, &BTreeMap::new(), &facts);
            found.extend(wrong.into_iter().map(|wrong| format!("{label} #{replicate}, guest {number}: {wrong}")));
        }
        for role in exact_roles().into_iter().filter(|_| spec.is_exact()) {
            let Some(object) = chosen.finished.objects.get(&role.to_string()) else { continue };
            if *first.entry((*case, role.clone())).or_insert(object.digest) != object.digest {
                found.push(format!("{label} #{replicate}: its {role} is not that of the first replicate"));
            }
        }
    }
    Ok(found)
}

/// What guests said of themselves in the attempts that count.
pub(super) fn guest_facts(
    jobs: &[OfJob<'_>],
    reader: &Reader<'_>,
) -> Result<BTreeMap<String, BTreeMap<String, u64>>, StoreError> {
    let mut found: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
    for chosen in jobs.iter().filter_map(|job| job.chosen) {
        let is_facts = |role: &str| matches!(Role::parse(role), Role::Guest { part: GuestRole::Facts, .. });
        for (_, object) in chosen.finished.objects.iter().filter(|(role, _)| is_facts(role)) {
            let bytes = reader.get(&object.digest)?;
            for (path, value) in crate::guest::facts::parse(&String::from_utf8_lossy(&bytes)) {
                *found.entry(path).or_default().entry(value).or_default() += 1;
            }
        }
    }
    Ok(found)
}

/// The facts at the start of each run.
pub(super) fn inventories(history: &History, reader: &Reader<'_>) -> Result<BTreeMap<usize, Inventory>, StoreError> {
    let mut found = BTreeMap::new();
    for (number, (_, journal)) in history.runs.iter().enumerate() {
        let at_start = journal.events().find_map(|event| match event {
            Event::Facts { moment: Moment::Start, facts, .. } => Some(*facts),
            _ => None,
        });
        if let Some(digest) = at_start {
            found.insert(number, serde_json::from_slice(&reader.get(&digest)?)?);
        }
    }
    Ok(found)
}

/// What is said of a run whose plan had its jobs in another order.
pub(super) const OTHER_ORDER: &str = "its jobs were run in another order than that which the manifest gives now";

/// The orders in which jobs were planned.
pub(super) struct Orders<'a> {
    pub(super) plan: &'a Plan,
    pub(super) history: &'a History,
    pub(super) chosen: &'a BTreeMap<Digest, Chosen<'a>>,
    pub(super) reader: &'a Reader<'a>,
}

impl Orders<'_> {
    /// Remarks which of the runs that gave values ran their jobs in another order than that of the plan.
    pub(super) fn note(&self, used: &[usize], runs: &mut [RunRecord]) -> Result<(), StoreError> {
        for run in used {
            if self.is_another(*run)? {
                runs[*run].remarks.push(OTHER_ORDER.to_owned());
            }
        }
        Ok(())
    }

    /// Whether the jobs that count of a run were planned in another order than that of the plan: by another seed, with other levels
    /// or replicates in between, or by another rule.
    fn is_another(&self, run: usize) -> Result<bool, StoreError> {
        let Self { plan, history, chosen, reader } = self;
        let Some((_, journal)) = history.runs.get(run) else { return Ok(false) };
        let planned = journal.events().find_map(|event| match event {
            Event::Planned { plan, .. } => Some(*plan),
            _ => None,
        });
        let Some(planned) = planned else { return Ok(false) };
        // a record that was thinned out for a paper may lack what no number rests on
        if !reader.holds(&planned)? {
            return Ok(false);
        }
        let Ok(then) = serde_json::from_slice::<Plan>(&reader.get(&planned)?) else { return Ok(false) };
        let is_of_run =
            |key: &Digest| chosen.get(key).is_some_and(|one| one.run == run && one.finished.origin.is_measured());
        let then: Vec<Digest> = then.jobs.iter().map(|job| job.key).filter(|key| is_of_run(key)).collect();
        let known: BTreeSet<Digest> = then.iter().copied().collect();
        let now: Vec<Digest> = plan.jobs.iter().map(|job| job.key).filter(|key| known.contains(key)).collect();
        let kept: BTreeSet<Digest> = now.iter().copied().collect();
        Ok(then.into_iter().filter(|key| kept.contains(key)).ne(now))
    }
}

/// The facts in which runs that gave values differ from the first of them; each run keeps its own.
pub(super) fn hidden_differences(
    used: &[usize],
    inventories: &BTreeMap<usize, Inventory>,
    runs: &mut [RunRecord],
) -> Vec<String> {
    let mut known = used.iter().filter_map(|run| Some((*run, inventories.get(run)?)));
    let Some((_, first)) = known.next() else { return vec![] };
    for (run, inventory) in known {
        runs[run].differs = inventory.changes_since(first);
    }
    let all: BTreeSet<&String> = runs.iter().flat_map(|run| &run.differs).collect();
    all.into_iter().cloned().collect()
}
