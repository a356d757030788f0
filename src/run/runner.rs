//! The runner: keeps so many jobs going until none is left, a person interrupts, or too many fail.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use super::guest::{Boot, Guests};
use super::inputs::Inputs;
use super::job::{self, InGuests, Slot, Work};
use super::launch::Ended;
use super::signals::Signals;
use super::{Observer, Request, RunError, Summary, is_measuring, prepare, scratch};
use crate::attempt::{Role, Start};
use crate::digest::Digest;
use crate::guest::Spec;
use crate::manifest::guest::Reboot;
use crate::measurement::Metric;
use crate::os::Os;
use crate::place::{Clock, Host};
use crate::plan::{self, Case, Reason};
use crate::store::event::{Event, Finished, Moment};
use crate::store::{StoreError, Writer};

/// An end that is not durable yet: with its case and the value to show.
pub(super) struct Unreported {
    pub(super) finished: Finished,
    pub(super) case: usize,
    pub(super) headline: Option<(Metric, f64)>,
}

/// One run in progress.
pub(super) struct Runner<'a, 'b, 'w> {
    pub(super) request: &'a Request<'b>,
    pub(super) controller: Arc<dyn Os>,
    pub(super) host: Rc<dyn Host>,
    pub(super) writer: &'a mut Writer<'w>,
    pub(super) observer: &'a mut dyn Observer,
    pub(super) mark: String,
    pub(super) scratch: PathBuf,
    pub(super) inputs: Inputs,
    pub(super) boot: Option<Boot>,
    /// Guests that are up in a slot, and the job that they ran last.
    pub(super) kept: BTreeMap<usize, (Guests, usize)>,
    pub(super) exact: BTreeMap<Digest, BTreeMap<Role, Digest>>,
    pub(super) unreported: Vec<Unreported>,
    pub(super) attempts: BTreeMap<Digest, u64>,
    pub(super) clock: Option<Clock>,
    pub(super) ok: u64,
    pub(super) not_ok: u64,
    pub(super) failures_in_a_row: u64,
}

/// Why no more jobs are started.
pub(super) enum Stop {
    Done,
    Because(String),
}

/// A job that waits for a slot, and how often it was tried in vain.
struct Waiting {
    job: usize,
    retries: u64,
}

/// A task that has ended.
struct Done {
    job: usize,
    retries: u64,
    slot: usize,
    attempt: job::Attempt,
}

impl<'a, 'b, 'w> Runner<'a, 'b, 'w> {
    pub(super) fn new(
        request: &'a Request<'b>,
        writer: &'a mut Writer<'w>,
        observer: &'a mut dyn Observer,
        mark: String,
    ) -> Self {
        Self {
            scratch: request.scratch.join(writer.run().as_str()),
            clock: None,
            controller: Arc::clone(&request.controller),
            host: Rc::clone(&request.host),
            writer,
            observer,
            mark,
            inputs: Inputs::default(),
            boot: request.image.as_ref().map(prepare::boot),
            kept: BTreeMap::new(),
            exact: request.exact.clone(),
            unreported: vec![],
            attempts: request.attempts.clone(),
            request,
            ok: 0,
            not_ok: 0,
            failures_in_a_row: 0,
        }
    }

    pub(super) async fn run(mut self, mut signals: Signals) -> Result<Summary, RunError> {
        let request = self.request;
        let wanted = |(_, reason): &(usize, &Reason)| **reason == Reason::NotMeasured;
        let jobs: Vec<usize> = request.reasons.iter().enumerate().filter(wanted).map(|(job, _)| job).collect();
        let expected = plan::duration(request.experiment, request.plan, request.reasons).expected_ns;
        self.observer.begun(self.writer.run(), jobs.len(), expected);
        Start::record_plan(self.writer, request.plan, jobs.len())?;
        Start::record_facts(self.writer, Moment::Start, &request.inventory, BTreeMap::new())?;
        let programs = request.plan.programs();
        self.writer.commit()?;
        let concurrency = request.experiment.design.concurrency.as_ref().map_or(1, |one| one.value as usize);
        scratch::sweep(&*self.controller, request.layout, (&*self.host, request.scratch)).await;
        scratch::prepare(&*self.host, &self.scratch, concurrency).await?;
        let mut files = vec![];
        if let Some(image) = &request.image {
            files = prepare::write_image(&*self.host, &self.scratch, concurrency, image).await?;
        }
        self.inputs = Inputs::watch(&*self.host, &programs, &files)
            .await
            .map_err(RunError::while_doing("hashing the programs"))?;
        self.clock = self.host.clock().await.ok();
        let stop = match self.precondition(&mut signals).await? {
            Some(reason) => Stop::Because(reason),
            None => self.jobs(&jobs, concurrency, &mut signals).await?,
        };
        self.finish(stop, &plan::inspected(&programs)).await
    }

    async fn jobs(&mut self, jobs: &[usize], concurrency: usize, signals: &mut Signals) -> Result<Stop, RunError> {
        let mut running = tokio::task::JoinSet::new();
        let mut free: Vec<usize> = (0..concurrency).rev().collect();
        let mut waiting: VecDeque<Waiting> = jobs.iter().map(|job| Waiting { job: *job, retries: 0 }).collect();
        let mut in_flight: BTreeMap<usize, usize> = BTreeMap::new();
        loop {
            while let Some(slot) = free.pop() {
                let Some(Waiting { job, retries }) = waiting.pop_front() else {
                    free.push(slot);
                    break;
                };
                let future = self.start(job, slot).await?;
                in_flight.insert(slot, job);
                running.spawn_local(async move { Done { job, retries, slot, attempt: future.await } });
            }
            if running.is_empty() {
                self.commit()?;
                return Ok(Stop::Done);
            }
            let joined = tokio::select! {
                biased;
                joined = running.join_next() => joined,
                name = signals.next() => {
                    running.abort_all();
                    return self.interrupt(in_flight, format!("interrupted by {name}")).await;
                }
            };
            let Some(Ok(done)) = joined else {
                return Ok(Stop::Because("a job's task was lost".to_owned()));
            };
            let Done { job, retries, slot, attempt: job::Attempt { ended, guests } } = done;
            self.kept.extend(guests.map(|guests| (slot, (guests, job))));
            free.push(slot);
            in_flight.remove(&slot);
            if ended.is_infrastructure && retries < self.retries_allowed() {
                waiting.push_front(Waiting { job, retries: retries + 1 });
            }
            self.end(job, slot, ended).await?;
            if self.failures_in_a_row >= self.stop_after() {
                running.abort_all();
                let reason = format!("{} failures in a row", self.failures_in_a_row);
                return self.interrupt(in_flight, reason).await;
            }
            if let Some(name) = self.between_jobs(job, concurrency, signals).await? {
                return self.interrupt(in_flight, format!("interrupted by {name}")).await;
            }
        }
    }

    /// Between two jobs: makes durable what ended, ends what a job left behind, and pauses. Returns what interrupts.
    async fn between_jobs(
        &mut self,
        job: usize,
        concurrency: usize,
        signals: &mut Signals,
    ) -> Result<Option<String>, RunError> {
        if concurrency == 1 || self.writer.is_commit_due() {
            self.commit()?;
        }
        if concurrency == 1 && is_measuring(self.case_of(job)) {
            let kept: Vec<i32> = self.kept.values().flat_map(|(guests, _)| guests.processes()).collect();
            self.host.end_all(&self.mark, &kept).await;
        }
        let Some(pause) = &self.request.experiment.design.pause else { return Ok(None) };
        tokio::select! {
            () = tokio::time::sleep(Duration::from_nanos(pause.base())) => Ok(None),
            name = signals.next() => Ok(Some(name)),
        }
    }

    /// Ends what still runs; each such attempt is recorded as interrupted.
    async fn interrupt(&mut self, in_flight: BTreeMap<usize, usize>, reason: String) -> Result<Stop, RunError> {
        self.host.end_all(&self.mark, &[]).await;
        for (slot, job) in in_flight {
            let ended = Ended::failed(crate::store::event::Outcome::Interrupted, reason.as_str());
            self.end(job, slot, ended).await?;
        }
        self.commit()?;
        Ok(Stop::Because(reason))
    }

    pub(super) fn case_of(&self, job: usize) -> &'a Case {
        let plan = self.request.plan;
        &plan.cases[plan.jobs[job].case]
    }

    fn retries_allowed(&self) -> u64 {
        self.request.experiment.design.on_failure.as_ref().and_then(|policy| policy.retry).unwrap_or(0)
    }

    fn stop_after(&self) -> u64 {
        let policy = self.request.experiment.design.on_failure.as_ref();
        policy.and_then(|policy| policy.stop_after).unwrap_or(5).max(1)
    }

    /// Records that a job begins, durably where it measures, and returns what runs it.
    async fn start(
        &mut self,
        job: usize,
        slot: usize,
    ) -> Result<impl Future<Output = job::Attempt> + 'static, RunError> {
        let request = self.request;
        let planned = request.plan.jobs[job];
        let case = self.case_of(job);
        let attempt = self.attempts.entry(planned.key).or_default();
        *attempt += 1;
        let attempt = *attempt;
        self.note_clock().await?;
        let at_ns = self.controller.now_ns().to_string();
        self.writer.record(&Event::Started { job: planned.key, attempt, at_ns })?;
        let guests = case.guest.as_ref().map(|spec| self.guests_for(spec, job, slot));
        let work = Work {
            controller: Arc::clone(&self.controller),
            host: Rc::clone(&self.host),
            case: case.clone(),
            slot: Slot { folder: scratch::slot(&self.scratch, slot), files: files_of(case, request) },
            mark: self.mark.clone(),
            limit_ns: job::limit_ns(request.experiment, case),
            steady: request.experiment.design.steady_state.clone(),
            guests,
        };
        if is_measuring(case) {
            self.commit()?;
        }
        self.observer.started(case, planned.replicate);
        Ok(job::run(work))
    }

    /// What a job in guests needs: guests that are up where they are the right ones.
    fn guests_for(&mut self, spec: &Spec, job: usize, slot: usize) -> InGuests {
        let jobs = &self.request.plan.jobs;
        let is_usable = |last: usize| {
            let is_case_enough = spec.reboot != Reboot::EachCase || jobs[last].case == jobs[job].case;
            is_case_enough && jobs[last].session == jobs[job].session
        };
        let running = self.kept.remove(&slot).map(|(guests, last)| (guests, is_usable(last)));
        let images: Vec<&String> = spec.disks.iter().filter_map(|disk| Some(&disk.image.as_ref()?.0)).collect();
        let files = self.request.files.iter().filter(|(name, _)| images.contains(name));
        InGuests {
            boot: self.boot.clone().unwrap_or_default(),
            fills: prepare::guest_fills(self.request.experiment, spec),
            files: files.map(|(name, bytes)| (name.clone(), bytes.clone())).collect(),
            boot_limit_ns: crate::guest::boot_limit_ns(self.request.experiment, spec.count),
            running,
        }
    }

    /// Makes all durable, then tells about it.
    pub(super) fn commit(&mut self) -> Result<(), StoreError> {
        self.writer.commit()?;
        for one in self.unreported.drain(..) {
            self.observer.finished(&one.finished, &self.request.plan.cases[one.case], one.headline);
        }
        Ok(())
    }
}

/// The files beside the manifest that a case uses.
fn files_of(case: &Case, request: &Request<'_>) -> Vec<(String, Vec<u8>)> {
    let names = case.work().map(|work| work.input_files()).unwrap_or_default();
    names.into_iter().filter_map(|name| Some((name.clone(), request.files.get(&name)?.clone()))).collect()
}
