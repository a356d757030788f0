//! What a run writes down: how jobs ended, clocks that step back, and what the machine was at the end.

use std::collections::BTreeMap;

use super::launch::Ended;
use super::runner::{Runner, Stop, Unreported};
use super::{RunError, Summary, scratch};
use crate::attempt::{Object, Role, Start, exact_roles};
use crate::digest::Digest;
use crate::guest::Spec;
use crate::inventory;
use crate::store::StoreError;
use crate::store::event::{Event, Finished, Moment, ObjectReference, Origin, Outcome};

impl Runner<'_, '_, '_> {
    /// Facts at the end, drift, and what stands in the way of a seal.
    pub(super) async fn finish(mut self, stop: Stop, programs: &[inventory::Program]) -> Result<Summary, RunError> {
        if !self.kept.is_empty() {
            self.kept.clear();
            self.host.end_all(&self.mark, &[]).await;
        }
        let request = self.request;
        let now = self.host.facts(request.scratch, programs).await;
        let now = now.map_err(RunError::while_doing("reading the facts of the machine"))?;
        Start::record_facts(self.writer, Moment::End, &now, BTreeMap::new())?;
        let changes = now.changes_since(&request.inventory);
        if !changes.is_empty() {
            self.observer.note(&format!("the machine changed during the run: {}", changes.join("; ")));
            self.writer.record(&Event::Drift { changes })?;
        }
        let interrupted = match stop {
            Stop::Done => None,
            Stop::Because(reason) => {
                self.writer.record(&Event::Interrupted { reason: reason.clone() })?;
                Some(reason)
            }
        };
        self.commit()?;
        scratch::remove(&*self.host, &self.scratch).await;
        Ok(Summary { run: self.writer.run().clone(), ok: self.ok, not_ok: self.not_ok, interrupted })
    }

    pub(super) fn put_all(&mut self, objects: &[Object]) -> Result<BTreeMap<String, ObjectReference>, StoreError> {
        let mut stored = BTreeMap::new();
        for (role, bytes) in objects {
            stored.insert(role.to_string(), self.writer.put(bytes)?);
        }
        Ok(stored)
    }

    /// A wall clock that steps back against the monotonic one is recorded.
    pub(super) async fn note_clock(&mut self) -> Result<(), RunError> {
        const TOLERANCE_NS: i128 = 1_000_000_000;
        let Ok(now) = self.host.clock().await else { return Ok(()) };
        if let Some(before) = self.clock.replace(now)
            && let Some((from, to)) = before.monotonic_ns.zip(now.monotonic_ns)
        {
            let expected = before.wall_ns + i128::from(to.saturating_sub(from));
            if now.wall_ns + TOLERANCE_NS < expected {
                let what = format!("the clock stepped back by {} ms", (expected - now.wall_ns) / 1_000_000);
                self.writer.record(&Event::Disturbed { what })?;
            }
        }
        Ok(())
    }

    /// Records the end of a job.
    pub(super) async fn end(&mut self, job: usize, slot: usize, mut ended: Ended) -> Result<(), RunError> {
        let planned = self.request.plan.jobs[job];
        let case = self.case_of(job);
        if case.guest.is_none() {
            let is_input = |name: &str| self.request.files.keys().any(|file| file.split('/').next() == Some(name));
            let leftovers = scratch::Leftovers { experiment: self.request.experiment, is_input: &is_input };
            scratch::collect(&*self.host, &scratch::slot(&self.scratch, slot), &leftovers, &mut ended).await?;
        }
        if ended.outcome == Outcome::Ok
            && let Some(changed) = self.inputs.changed(&*self.host).await
        {
            ended.outcome = Outcome::Tainted;
            ended.reason = format!("`{changed}` changed while the job ran");
        }
        if case.guest.as_ref().is_some_and(Spec::is_exact) && ended.outcome == Outcome::Ok {
            self.compare_exact(case.digest, &mut ended);
        }
        let finished = Finished {
            job: planned.key,
            case: case.digest,
            replicate: planned.replicate,
            attempt: self.attempts.get(&planned.key).copied().unwrap_or(1),
            outcome: ended.outcome,
            reason: ended.reason.clone(),
            objects: self.put_all(&ended.objects)?,
            duration_ns: ended.duration_ns,
            origin: Origin::Measured,
            name: None,
        };
        self.writer.record(&Event::Finished(Box::new(finished.clone())))?;
        if ended.outcome == Outcome::Ok {
            self.ok += 1;
            self.failures_in_a_row = 0;
        } else {
            self.not_ok += 1;
            self.failures_in_a_row += 1;
        }
        self.unreported.push(Unreported { finished, case: planned.case, headline: ended.headline });
        Ok(())
    }

    /// Exact replicates must be byte-identical: output, console and facts of the first are what the others must give.
    fn compare_exact(&mut self, case: Digest, ended: &mut Ended) {
        let found = ended.objects.iter().filter(|(role, _)| exact_roles().contains(role));
        let found: BTreeMap<Role, Digest> = found.map(|(role, bytes)| (role.clone(), Digest::of(bytes))).collect();
        let first = self.exact.entry(case).or_insert_with(|| found.clone());
        let differing = first.iter().filter(|(role, digest)| found.get(*role) != Some(*digest));
        let differing: Vec<String> = differing.map(|(role, _)| role.to_string()).collect();
        if !differing.is_empty() {
            ended.outcome = Outcome::Failed;
            ended.reason =
                format!("it should be byte-identical to the replicate before, and differs in {}", differing.join(", "));
            ended.is_infrastructure = false;
        }
    }
}
