//! The runner: executes the jobs of a plan, one event stream for journal and terminal.
//!
//! `started` of a measuring job is durable before its process exists, and a job is reported done only when its end is
//! durable. Nothing is synced, hashed or parsed inside a measuring window: with one job at a time the store works
//! between windows.

mod guest;
mod inputs;
mod job;
mod prepare;
pub mod replay;
mod scratch;
mod steady;
pub mod supervisor;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::digest::Digest;
use crate::guest::Spec;
use crate::image::Image;
use crate::inventory::{self, Inventory};
use crate::lock::Lock;
use crate::manifest::Experiment;
use crate::measurement::{Metric, Reading};
use crate::name::RunId;
use crate::os::{Os, timestamp};
use crate::plan::{self, Case, Plan, Reason};
use crate::store::event::{Environment, Event, Finished, Genesis, JOURNAL_FORMAT, Moment, Origin, Outcome, Previous};
use crate::store::{Layout, NewRun, StoreError, Writer};
use crate::tool;

pub use guest::probe::probe;

use inputs::Inputs;
use job::Ended;

/// What a run needs.
pub struct Request<'a> {
    /// The machine.
    pub os: Rc<dyn Os>,
    /// The store.
    pub layout: &'a Layout,
    /// The manifest.
    pub experiment: &'a Experiment,
    /// The manifest's bytes.
    pub manifest: &'a [u8],
    /// The lock.
    pub lock: &'a Lock,
    /// The lock's bytes.
    pub lock_bytes: &'a [u8],
    /// What is to be measured.
    pub plan: &'a Plan,
    /// For each job of the plan, whether it runs.
    pub reasons: &'a [Reason],
    /// How many attempts each job has had.
    pub attempts: BTreeMap<Digest, u64>,
    /// The head of the run before.
    pub previous: Option<Previous>,
    /// The run to continue.
    pub resume: Option<RunId>,
    /// Differences between lock and machine that a person accepted.
    pub waivers: BTreeMap<String, String>,
    /// The commit of the inputs.
    pub commit: Option<String>,
    /// The facts of the machine now.
    pub inventory: Inventory,
    /// Where test files lie; a folder of the run's own is made in it.
    pub scratch: &'a Path,
    /// The files beside the manifest that workloads name.
    pub files: &'a BTreeMap<String, Vec<u8>>,
    /// What guests boot, where jobs run in guests.
    pub image: Option<GuestImage>,
    /// What exact replicates of a case must give, by role, as earlier runs gave it.
    pub exact: BTreeMap<Digest, BTreeMap<String, Digest>>,
    /// This program, which is started again as the supervisor; none where the caller ends processes itself.
    pub supervisor: Option<PathBuf>,
    /// The host-wide lock of whoever measures.
    pub measuring_lock: PathBuf,
}

/// The bytes that guests boot, checked against the lock.
pub struct GuestImage {
    /// As the lock has it.
    pub image: Image,
    /// The kernel, ELF.
    pub kernel: Vec<u8>,
    /// The archive of programs and drivers.
    pub initramfs: Vec<u8>,
    /// Programs of the image that the host may start as clients: name and bytes.
    pub client: Option<(String, Vec<u8>)>,
}

/// Who is told what happens. Everything is told only after it is durable, except that a job begins.
pub trait Observer {
    /// The run begins or goes on.
    fn begun(&mut self, run: &RunId, jobs: usize, expected_ns: u64);
    /// A job begins.
    fn started(&mut self, case: &Case, replicate: u64);
    /// A job's end is durable.
    fn finished(&mut self, finished: &Finished, case: &Case, headline: Option<(Metric, f64)>);
    /// Something to know.
    fn note(&mut self, text: &str);
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// The run.
    pub run: RunId,
    /// Jobs with a usable result.
    pub ok: u64,
    /// Jobs without.
    pub not_ok: u64,
    /// Whether it was interrupted, and can be continued.
    pub interrupted: Option<String>,
}

/// A run could not go on.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The machine failed.
    #[error("{what}: {error}")]
    Os {
        /// What was being done.
        what: String,
        /// What went wrong.
        error: std::io::Error,
    },
    /// Another run measures on this host.
    #[error("another run is measuring on this machine")]
    Measuring,
}

/// The environment that a manifest claims.
pub fn environment_of(experiment: &Experiment) -> Environment {
    plan::environment(experiment.environment())
}

/// Runs the jobs on a thread of its own runtime, to the end or until interrupted.
pub fn execute(request: Request<'_>, observer: &mut dyn Observer) -> Result<Summary, RunError> {
    let what = || "starting the runtime".to_owned();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| RunError::Os { what: what(), error })?;
    let local = tokio::task::LocalSet::new();
    local.block_on(&runtime, execute_async(request, observer))
}

async fn execute_async(request: Request<'_>, observer: &mut dyn Observer) -> Result<Summary, RunError> {
    let os = Rc::clone(&request.os);
    let is_measuring = request.plan.cases.iter().any(is_measuring_case);
    let mut random = [0; 16];
    os.random(&mut random).map_err(|error| RunError::Os { what: "reading random bytes".to_owned(), error })?;
    let mark = format!("BENCHPAPER_RUN={}", Digest::of(&random).hex());
    let lock = is_measuring.then_some(request.measuring_lock.as_path());
    let supervisor = supervisor::start(request.supervisor.as_deref(), &mark, lock)?;
    let mut writer = open_writer(&request, &*os)?;
    let outcome = Runner::new(&request, &mut writer, observer, mark).run().await;
    drop(supervisor);
    let summary = outcome?;
    if summary.interrupted.is_none() {
        writer.seal(summary.ok, summary.not_ok)?;
    }
    Ok(summary)
}

fn is_measuring_case(case: &Case) -> bool {
    tool::find(&case.tool).is_some_and(|tool| tool.is_measuring(&case.settings))
}

fn open_writer<'a>(request: &Request<'_>, os: &'a dyn Os) -> Result<Writer<'a>, RunError> {
    if let Some(run) = &request.resume {
        return Ok(Writer::resume(os, request.layout, run)?.0);
    }
    let genesis = |run: RunId, manifest: Digest, lock: Digest| Genesis {
        format: JOURNAL_FORMAT.to_owned(),
        run,
        experiment: request.plan.experiment.clone(),
        profile: request.plan.settings.profile.clone(),
        manifest,
        lock,
        previous: request.previous.clone(),
        program: concat!("benchpaper ", env!("CARGO_PKG_VERSION")).to_owned(),
        created: timestamp(os.now_ns()),
        boot: boot_id(os),
        environment: environment_of(request.experiment),
        waivers: request.waivers.clone(),
        commit: request.commit.clone(),
        origin: Origin::Measured,
        sources: vec![],
    };
    let new = NewRun { manifest: request.manifest, lock: request.lock_bytes, genesis: &genesis };
    Ok(Writer::begin(os, request.layout, &new)?)
}

/// The boot of the machine that this runs on; `unknown` where it does not say.
pub fn boot_id(os: &dyn Os) -> String {
    let read = os.read(Path::new("/proc/sys/kernel/random/boot_id"), 4096);
    read.map_or_else(|_| "unknown".to_owned(), |bytes| String::from_utf8_lossy(&bytes).trim().to_owned())
}

/// An end that is not durable yet: with its case and the value to show.
type Unreported = (Finished, usize, Option<(Metric, f64)>);

/// One run in progress.
struct Runner<'a, 'b, 'w> {
    request: &'a Request<'b>,
    os: Rc<dyn Os>,
    writer: &'a mut Writer<'w>,
    observer: &'a mut dyn Observer,
    mark: String,
    scratch: PathBuf,
    inputs: Inputs,
    boot: Option<guest::Boot>,
    /// Guests that are up in a slot, and the job that they ran last.
    kept: BTreeMap<usize, (guest::Guests, usize)>,
    exact: BTreeMap<Digest, BTreeMap<String, Digest>>,
    unreported: Vec<Unreported>,
    attempts: BTreeMap<Digest, u64>,
    clock: (i128, u64),
    ok: u64,
    not_ok: u64,
    failures_in_a_row: u64,
}

/// Why no more jobs are started.
enum Stop {
    Done,
    Because(String),
}

impl<'a, 'b, 'w> Runner<'a, 'b, 'w> {
    fn new(request: &'a Request<'b>, writer: &'a mut Writer<'w>, observer: &'a mut dyn Observer, mark: String) -> Self {
        let os = Rc::clone(&request.os);
        Self {
            scratch: request.scratch.join(writer.run().as_str()),
            clock: (os.now_ns(), os.monotonic_ns()),
            os,
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

    async fn run(mut self) -> Result<Summary, RunError> {
        let request = self.request;
        let wanted = |(_, reason): &(usize, &Reason)| **reason == Reason::NotMeasured;
        let jobs: Vec<usize> = request.reasons.iter().enumerate().filter(wanted).map(|(job, _)| job).collect();
        let expected = plan::duration(request.experiment, request.plan, request.reasons).expected_ns;
        self.observer.begun(self.writer.run(), jobs.len(), expected);
        let plan = self.writer.put(&serde_json::to_vec(request.plan).map_err(StoreError::from)?)?.digest;
        self.writer.record(&Event::Planned { plan, jobs: jobs.len() as u64 })?;
        self.facts(Moment::Start, &request.inventory)?;
        let programs = request.plan.programs();
        self.writer.commit()?;
        let concurrency = request.experiment.design.concurrency.as_ref().map_or(1, |one| one.value as usize);
        scratch::sweep(&*self.os, request.layout, request.scratch);
        scratch::prepare(&*self.os, &self.scratch, concurrency)?;
        let image =
            request.image.as_ref().map(|image| prepare::write_image(&*self.os, &self.scratch, concurrency, image));
        let files = image.transpose()?.unwrap_or_default();
        self.inputs = Inputs::watch(&*self.os, &programs, &files)
            .map_err(|error| RunError::Os { what: "hashing the programs".to_owned(), error })?;
        let mut signals = Signals::new()?;
        let stop = match self.precondition(&mut signals).await? {
            Some(reason) => Stop::Because(reason),
            None => self.jobs(&jobs, concurrency, &mut signals).await?,
        };
        self.finish(stop, &programs)
    }

    /// Facts at the end, drift, and what stands in the way of a seal.
    fn finish(mut self, stop: Stop, programs: &[String]) -> Result<Summary, RunError> {
        if !self.kept.is_empty() {
            self.kept.clear();
            supervisor::end_marked(&self.mark);
        }
        let request = self.request;
        let scope = inventory::Scope { os: &*self.os, scratch: request.scratch, programs };
        let now = inventory::collect(&scope);
        self.facts(Moment::End, &now)?;
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
        scratch::remove(&*self.os, &self.scratch);
        Ok(Summary { run: self.writer.run().clone(), ok: self.ok, not_ok: self.not_ok, interrupted })
    }

    fn facts(&mut self, moment: Moment, inventory: &Inventory) -> Result<(), RunError> {
        let facts = self.writer.put(&serde_json::to_vec(inventory).map_err(StoreError::from)?)?.digest;
        self.writer.record(&Event::Facts { moment, facts, objects: BTreeMap::new() })?;
        Ok(())
    }

    /// Makes all durable, then tells about it.
    fn commit(&mut self) -> Result<(), RunError> {
        self.writer.commit()?;
        for (finished, case, headline) in self.unreported.drain(..) {
            self.observer.finished(&finished, &self.request.plan.cases[case], headline);
        }
        Ok(())
    }

    fn slot(&self, slot: usize) -> PathBuf {
        self.scratch.join(format!("slot-{slot}"))
    }

    fn put_all(&mut self, ended: &Ended) -> Result<BTreeMap<String, crate::store::event::ObjectReference>, RunError> {
        let mut objects = BTreeMap::new();
        for (role, bytes) in &ended.objects {
            objects.insert(role.clone(), self.writer.put(bytes)?);
        }
        Ok(objects)
    }

    /// Keeps so many jobs going until none is left, a person interrupts, or too many fail.
    async fn jobs(&mut self, jobs: &[usize], concurrency: usize, signals: &mut Signals) -> Result<Stop, RunError> {
        let mut running = tokio::task::JoinSet::new();
        let mut free: Vec<usize> = (0..concurrency).rev().collect();
        let mut waiting: std::collections::VecDeque<(usize, u64)> = jobs.iter().map(|job| (*job, 0)).collect();
        let mut in_flight: BTreeMap<usize, usize> = BTreeMap::new();
        loop {
            while let Some(slot) = free.pop() {
                let Some((job, retries)) = waiting.pop_front() else {
                    free.push(slot);
                    break;
                };
                let future = self.start(job, slot)?;
                in_flight.insert(slot, job);
                running.spawn_local(async move { (job, retries, slot, future.await) });
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
                    return self.interrupt(in_flight, format!("interrupted by {name}"));
                }
            };
            let Some(Ok((job, retries, slot, attempt))) = joined else {
                return Ok(Stop::Because("a job's task was lost".to_owned()));
            };
            let job::Attempt { ended, guests } = attempt;
            self.kept.extend(guests.map(|guests| (slot, (guests, job))));
            free.push(slot);
            in_flight.remove(&slot);
            if ended.is_infrastructure && retries < self.retries_allowed() {
                waiting.push_front((job, retries + 1));
            }
            self.end(job, slot, ended)?;
            if self.failures_in_a_row >= self.stop_after() {
                running.abort_all();
                let reason = format!("{} failures in a row", self.failures_in_a_row);
                return self.interrupt(in_flight, reason);
            }
            if concurrency == 1 || self.writer.is_commit_due() {
                self.commit()?;
            }
            if concurrency == 1 && is_measuring_case(&self.request.plan.cases[self.request.plan.jobs[job].case]) {
                let kept: Vec<i32> = self.kept.values().flat_map(|(guests, _)| guests.processes()).collect();
                supervisor::end_strays(&self.mark, &kept);
            }
            if let Some(pause) = &self.request.experiment.design.pause {
                tokio::select! {
                    () = tokio::time::sleep(std::time::Duration::from_nanos(pause.base())) => {}
                    name = signals.next() => return self.interrupt(in_flight, format!("interrupted by {name}")),
                }
            }
        }
    }

    /// Ends what still runs; each such attempt is recorded as interrupted.
    fn interrupt(&mut self, in_flight: BTreeMap<usize, usize>, reason: String) -> Result<Stop, RunError> {
        supervisor::end_marked(&self.mark);
        for (slot, job) in in_flight {
            self.end(job, slot, Ended::failed(Outcome::Interrupted, reason.as_str()))?;
        }
        self.commit()?;
        Ok(Stop::Because(reason))
    }

    fn retries_allowed(&self) -> u64 {
        self.request.experiment.design.on_failure.as_ref().and_then(|policy| policy.retry).unwrap_or(0)
    }

    fn stop_after(&self) -> u64 {
        let policy = self.request.experiment.design.on_failure.as_ref();
        policy.and_then(|policy| policy.stop_after).unwrap_or(5).max(1)
    }

    /// Records that a job begins, durably where it measures, and returns what runs it.
    fn start(&mut self, job: usize, slot: usize) -> Result<impl Future<Output = job::Attempt> + 'static, RunError> {
        let request = self.request;
        let planned = request.plan.jobs[job];
        let case = request.plan.cases[planned.case].clone();
        let attempt = self.attempts.entry(planned.key).or_default();
        *attempt += 1;
        let attempt = *attempt;
        self.note_clock()?;
        let at_ns = self.os.now_ns().to_string();
        self.writer.record(&Event::Started { job: planned.key, attempt, at_ns })?;
        let files = job::files_of(&case, request.files);
        let guests = case.guest.clone().map(|spec| self.guests_for(&spec, job, slot));
        let work = job::Work::new(request.experiment, case, (self.slot(slot), files), &self.mark).in_guests(guests);
        if work.is_measuring() {
            self.commit()?;
        }
        self.observer.started(&request.plan.cases[planned.case], planned.replicate);
        Ok(job::run(Rc::clone(&self.os), work))
    }

    /// What a job in guests needs: guests that are up where they are the right ones.
    fn guests_for(&mut self, spec: &Spec, job: usize, slot: usize) -> job::InGuests {
        let jobs = &self.request.plan.jobs;
        let is_usable = |last: usize| {
            let is_case_enough = spec.reboot != "each-case" || jobs[last].case == jobs[job].case;
            is_case_enough && jobs[last].session == jobs[job].session
        };
        let running = self.kept.remove(&slot).map(|(guests, last)| (guests, is_usable(last)));
        let images: Vec<&String> = spec.disks.iter().filter_map(|disk| Some(&disk.image.as_ref()?.0)).collect();
        let files = self.request.files.iter().filter(|(name, _)| images.contains(name));
        job::InGuests {
            boot: self.boot.clone().unwrap_or_default(),
            fills: prepare::guest_fills(self.request.experiment, spec),
            files: files.map(|(name, bytes)| (name.clone(), bytes.clone())).collect(),
            boot_limit_ns: crate::guest::boot_limit_ns(self.request.experiment, spec.count),
            running,
        }
    }

    /// A wall clock that steps back against the monotonic one is recorded.
    fn note_clock(&mut self) -> Result<(), RunError> {
        const TOLERANCE_NS: i128 = 1_000_000_000;
        let (wall, monotonic) = (self.os.now_ns(), self.os.monotonic_ns());
        let expected = self.clock.0 + i128::from(monotonic.saturating_sub(self.clock.1));
        if wall + TOLERANCE_NS < expected {
            self.writer.record(&Event::Disturbed {
                what: format!("the clock stepped back by {} ms", (expected - wall) / 1_000_000),
            })?;
        }
        self.clock = (wall, monotonic);
        Ok(())
    }

    /// Records the end of a job.
    fn end(&mut self, job: usize, slot: usize, mut ended: Ended) -> Result<(), RunError> {
        let planned = self.request.plan.jobs[job];
        let case = &self.request.plan.cases[planned.case];
        if case.guest.is_none() {
            let is_input = |name: &str| self.request.files.keys().any(|file| file.split('/').next() == Some(name));
            scratch::collect(&*self.os, &self.slot(slot), (self.request.experiment, &is_input), &mut ended)?;
        }
        if ended.outcome == Outcome::Ok
            && let Some(changed) = self.inputs.changed(&*self.os)
        {
            ended.outcome = Outcome::Tainted;
            ended.reason = format!("`{changed}` changed while the job ran");
        }
        if case.guest.as_ref().is_some_and(Spec::is_exact) && ended.outcome == Outcome::Ok {
            self.compare_exact(case.digest, &mut ended);
        }
        let objects = self.put_all(&ended)?;
        let finished = Finished {
            job: planned.key,
            case: case.digest,
            replicate: planned.replicate,
            attempt: self.attempts.get(&planned.key).copied().unwrap_or(1),
            outcome: ended.outcome,
            reason: ended.reason.clone(),
            objects,
            duration_ns: ended.duration_ns,
            origin: Origin::Measured,
        };
        self.writer.record(&Event::Finished(Box::new(finished.clone())))?;
        let is_ok = ended.outcome == Outcome::Ok;
        self.failures_in_a_row = if is_ok { 0 } else { self.failures_in_a_row + 1 };
        if is_ok {
            self.ok += 1;
        } else {
            self.not_ok += 1;
        }
        self.unreported.push((finished, planned.case, ended.headline));
        Ok(())
    }
}

impl Runner<'_, '_, '_> {
    /// Exact replicates must be byte-identical: output and console of the first are what the others must give.
    fn compare_exact(&mut self, case: Digest, ended: &mut Ended) {
        let found = ended.objects.iter().filter(|(role, _)| EXACT_ROLES.contains(&role.as_str()));
        let found: BTreeMap<String, Digest> = found.map(|(role, bytes)| (role.clone(), Digest::of(bytes))).collect();
        let first = self.exact.entry(case).or_insert_with(|| found.clone());
        let differing: Vec<&str> = first
            .iter()
            .filter(|(role, digest)| found.get(*role) != Some(*digest))
            .map(|(role, _)| role.as_str())
            .collect();
        if !differing.is_empty() {
            ended.outcome = Outcome::Failed;
            ended.reason =
                format!("it should be byte-identical to the replicate before, and differs in {}", differing.join(", "));
            ended.is_infrastructure = false;
        }
    }
}

/// How the guests of a job were booted; jobs of one boot have the same object.
pub const BOOT_ROLE: &str = "guests/boot";

/// What must be byte-identical between exact replicates.
pub const EXACT_ROLES: &[&str] = &["stdout", "guest-1/console", "guest-1/facts"];

/// The signals that interrupt a run.
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hangup: tokio::signal::unix::Signal,
}

impl Signals {
    fn new() -> Result<Self, RunError> {
        use tokio::signal::unix::{SignalKind, signal};
        let open =
            |kind| signal(kind).map_err(|error| RunError::Os { what: "listening for signals".to_owned(), error });
        Ok(Self {
            interrupt: open(SignalKind::interrupt())?,
            terminate: open(SignalKind::terminate())?,
            hangup: open(SignalKind::hangup())?,
        })
    }

    async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.interrupt.recv() => "SIGINT",
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.hangup.recv() => "SIGHUP",
        }
    }
}

/// The value that a progress line shows: the first metric's total.
fn headline(tool: &dyn tool::Tool, settings: &serde_json::Value, reading: &Reading) -> Option<(Metric, f64)> {
    let metric = tool.metrics(settings).into_iter().next()?;
    let is_total = |one: &&crate::measurement::Measurement| one.labels.contains_key("aggregate");
    let found = reading.measurements.iter().filter(|one| one.metric == metric).find(is_total)?;
    Some((metric, found.value))
}
