//! The runner: executes the jobs of a plan, one event stream for journal and terminal.
//!
//! `started` of a measuring job is durable before its process exists, and a job is reported done only when its end is
//! durable. Nothing is synced, hashed or parsed inside a measuring window: with one job at a time the store works
//! between windows.

mod guest;
mod inputs;
mod job;
mod launch;
mod prepare;
mod record;
pub mod replay;
mod runner;
mod scratch;
mod signals;
mod steady;
pub mod supervisor;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use crate::attempt::{Role, Start};
use crate::digest::Digest;
use crate::image::Image;
use crate::inventory::Inventory;
use crate::lock::Lock;
use crate::manifest::Experiment;
use crate::measurement::Metric;
use crate::name::RunId;
use crate::os::Os;
use crate::place::Host;
use crate::plan::{Case, Plan, Reason};
use crate::store::event::{Finished, Origin, Previous};
use crate::store::{Layout, StoreError, Writer};

pub use guest::probe::{Probe, probe};
pub use signals::Interrupts;

use runner::Runner;
use signals::Signals;

/// What a run needs.
pub struct Request<'a> {
    /// The machine that journal and store lie on.
    pub controller: Arc<dyn Os>,
    /// The place where jobs run, or guests are brought up.
    pub host: Rc<dyn Host>,
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
    /// The facts of the place now.
    pub inventory: Inventory,
    /// Where test files lie; a folder of the run's own is made in it.
    pub scratch: &'a Path,
    /// The files beside the manifest that workloads name.
    pub files: &'a BTreeMap<String, Vec<u8>>,
    /// What guests boot, where jobs run in guests.
    pub image: Option<GuestImage>,
    /// What exact replicates of a case must give, by role, as earlier runs gave it.
    pub exact: BTreeMap<Digest, BTreeMap<Role, Digest>>,
    /// This program, which is started again as the supervisor; none where the caller ends processes itself.
    pub supervisor: Option<PathBuf>,
    /// The host-wide lock of whoever measures.
    pub measuring_lock: PathBuf,
    /// What may interrupt it.
    pub interrupts: Interrupts,
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

impl RunError {
    /// An error of the machine, with what was being done.
    fn while_doing(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let what = what.into();
        move |error| Self::Os { what, error }
    }
}

/// Runs the jobs on a thread of its own runtime, to the end or until interrupted.
pub fn execute(request: Request<'_>, observer: &mut dyn Observer) -> Result<Summary, RunError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(RunError::while_doing("starting the runtime"))?;
    let local = tokio::task::LocalSet::new();
    local.block_on(&runtime, execute_async(request, observer))
}

async fn execute_async(mut request: Request<'_>, observer: &mut dyn Observer) -> Result<Summary, RunError> {
    let controller = Arc::clone(&request.controller);
    let mark = mark(&*controller)?;
    let signals = Signals::new(std::mem::take(&mut request.interrupts))?;
    let lock = request.plan.cases.iter().any(is_measuring).then_some(request.measuring_lock.as_path());
    let supervisor = supervisor::start(request.supervisor.as_deref(), &mark, lock)?;
    let mut writer = open_writer(&request, &*controller).await?;
    let outcome = Runner::new(&request, &mut writer, observer, mark).run(signals).await;
    drop(supervisor);
    let summary = outcome?;
    if summary.interrupted.is_none() {
        writer.seal(summary.ok, summary.not_ok)?;
    }
    Ok(summary)
}

/// A variable that nobody else has: what carries it in its environment belongs to this run.
fn mark(controller: &dyn Os) -> Result<String, RunError> {
    let mut random = [0; 16];
    controller.random(&mut random).map_err(RunError::while_doing("reading random bytes"))?;
    Ok(format!("BENCHPAPER_RUN={}", Digest::of(&random).hex()))
}

fn is_measuring(case: &Case) -> bool {
    case.work().is_some_and(|work| work.is_measuring())
}

async fn open_writer<'a>(request: &Request<'_>, controller: &'a dyn Os) -> Result<Writer<'a>, RunError> {
    if let Some(run) = &request.resume {
        return Ok(Writer::resume(controller, request.layout, run)?.0);
    }
    let start = Start {
        plan: request.plan,
        manifest: request.manifest,
        lock: request.lock_bytes,
        previous: request.previous.clone(),
        boot: request.host.boot_id().await,
        environment: request.experiment.environment(),
        waivers: request.waivers.clone(),
        commit: request.commit.clone(),
        origin: Origin::Measured,
        sources: vec![],
    };
    Ok(start.begin(controller, request.layout)?)
}

#[cfg(test)]
mod tests;
