//! One attempt of one job: its guests where it has any, rounds until it is steady, and the launch that counts.

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use super::guest::{Boot, BootRequest, BroughtUp, Guests};
use super::launch::{Ended, Where, launch};
use super::steady::Window;
use crate::attempt::{Object, Output, Role, headline};
use crate::manifest::guest::Reboot;
use crate::manifest::{Experiment, Otherwise, SteadyState};
use crate::measurement::{Metric, Reading, Status};
use crate::os::Os;
use crate::place::Host;
use crate::plan::Case;
use crate::store::event::Outcome;
use crate::tool::{LaunchPlan, Topology};

/// How long a fill may take.
pub(super) const FILL_LIMIT_NS: u64 = 6 * 3_600_000_000_000;
/// How long a job without a run time may take, where the manifest does not say.
const UNTIMED_LIMIT_NS: u64 = 3_600_000_000_000;
/// What a timed job may take on top of its times: layout of its files, and starting.
const TIMED_EXTRA_NS: u64 = 120_000_000_000;

/// The folder of a slot, and the files beside the manifest that a case uses.
pub(super) struct Slot {
    pub(super) folder: PathBuf,
    pub(super) files: Vec<(String, Vec<u8>)>,
}

/// What an attempt needs; owned, for it runs as a task.
pub(super) struct Work {
    pub(super) controller: Arc<dyn Os>,
    pub(super) host: Rc<dyn Host>,
    pub(super) case: Case,
    pub(super) slot: Slot,
    pub(super) mark: String,
    pub(super) limit_ns: u64,
    pub(super) steady: Option<SteadyState>,
    pub(super) guests: Option<InGuests>,
}

/// What an attempt in guests needs besides.
pub(super) struct InGuests {
    pub(super) boot: Boot,
    /// Launches that fill devices, by name.
    pub(super) fills: Vec<(String, LaunchPlan)>,
    /// The files beside the manifest that disks begin as.
    pub(super) files: Vec<(String, Vec<u8>)>,
    /// How long guests may take to be ready.
    pub(super) boot_limit_ns: u64,
    /// Guests that are up from the job before, and whether this job may run in them.
    pub(super) running: Option<(Guests, bool)>,
}

/// An attempt that has ended, and the guests that are kept for the next.
pub(super) struct Attempt {
    pub(super) ended: Ended,
    pub(super) guests: Option<Guests>,
}

impl From<Ended> for Attempt {
    fn from(ended: Ended) -> Self {
        Self { ended, guests: None }
    }
}

/// How long an attempt may take, in nanoseconds.
pub(super) fn limit_ns(experiment: &Experiment, case: &Case) -> u64 {
    let timed = case.timing.ramp_time_ns + case.timing.runtime_ns;
    let default = if timed == 0 { UNTIMED_LIMIT_NS } else { timed * 2 + TIMED_EXTRA_NS };
    experiment.design.time_limit.as_ref().map_or(default, |limit| limit.base())
}

/// Runs an attempt to its end.
pub(super) async fn run(mut work: Work) -> Attempt {
    let Some(runnable) = work.case.work() else {
        return Ended::failed(Outcome::Failed, "the tool is not known").into();
    };
    if let Some(spec) = &work.case.guest {
        let topology = match runnable.launches(work.case.timing, spec.count) {
            Ok(topology) => topology,
            Err(reason) => return Ended::failed(Outcome::Failed, reason).into(),
        };
        let Some(needs) = work.guests.take() else {
            return Ended::failed(Outcome::Failed, "no guests").into();
        };
        let topology = with_client(with_files(topology, &work.slot.files), &needs.boot, &work.slot.folder);
        return run_in_guests(&work, &topology, needs).await;
    }
    match runnable.launch(work.case.timing) {
        Ok(plan) => {
            let plan = LaunchPlan { files: [plan.files, work.slot.files.clone()].concat(), ..plan };
            measure(&work, Target::Host(plan)).await.into()
        }
        Err(reason) => Ended::failed(Outcome::Failed, reason).into(),
    }
}

/// What a launch of a job is started in.
enum Target<'a> {
    Host(LaunchPlan),
    Guests { guests: &'a mut Guests, topology: &'a Topology },
}

impl Target<'_> {
    async fn launch(&mut self, work: &Work) -> Ended {
        match self {
            Self::Host(plan) => {
                let at = Where {
                    place: &*work.host,
                    controller: &*work.controller,
                    folder: &work.slot.folder,
                    mark: &work.mark,
                    limit_ns: work.limit_ns,
                    guest: None,
                };
                launch(plan, &at).await
            }
            Self::Guests { guests, topology } => guests.launch(topology, &*work.controller, work.limit_ns).await,
        }
    }
}

/// Brings guests up where those of the job before are not the right ones, and tears them down where they are not kept.
async fn run_in_guests(work: &Work, topology: &Topology, mut needs: InGuests) -> Attempt {
    let Some(spec) = &work.case.guest else { return Ended::failed(Outcome::Failed, "no guests").into() };
    let started_ns = work.controller.monotonic_ns();
    let kept = match needs.running.take() {
        Some((guests, true)) if guests.fits(spec, topology) => Some(guests),
        Some((others, _)) => {
            others.tear_down().await;
            None
        }
        None => None,
    };
    let (mut guests, objects) = match kept {
        Some(guests) => {
            let facts = guests.facts().await;
            (guests, facts)
        }
        None => match bring_up(work, topology, &needs).await {
            Ok(up) => up,
            Err(ended) => {
                let duration_ns = work.controller.monotonic_ns().saturating_sub(started_ns);
                return Ended { duration_ns, ..*ended }.into();
            }
        },
    };
    let mut ended = measure(work, Target::Guests { guests: &mut guests, topology }).await;
    ended.duration_ns = work.controller.monotonic_ns().saturating_sub(started_ns);
    if spec.is_exact() {
        guests.power_off().await;
    }
    ended.objects.extend(objects);
    ended.objects.extend(guests.consoles().await);
    if spec.reboot != Reboot::EachJob && ended.outcome == Outcome::Ok {
        return Attempt { ended, guests: Some(guests) };
    }
    guests.tear_down().await;
    ended.into()
}

/// Fresh guests and what was found on the way, or how the attempt ended without them.
async fn bring_up(work: &Work, topology: &Topology, needs: &InGuests) -> Result<(Guests, Vec<Object>), Box<Ended>> {
    let Some(spec) = &work.case.guest else { return Err(Box::new(Ended::failed(Outcome::Failed, "no guests"))) };
    let request = BootRequest {
        host: &work.host,
        controller: &*work.controller,
        spec,
        boot: &needs.boot,
        folder: &work.slot.folder,
        mark: &work.mark,
        topology,
        boot_limit_ns: needs.boot_limit_ns,
        fills: &needs.fills,
        files: &needs.files,
    };
    let BroughtUp { mut guests, mut objects, ended } = Guests::bring_up(&request).await;
    let Err(failed) = ended else { return Ok((guests, objects)) };
    objects.extend(guests.consoles().await);
    guests.tear_down().await;
    let is_infrastructure = failed.is_infrastructure;
    Err(Box::new(Ended { is_infrastructure, objects, ..Ended::failed(failed.outcome, failed.reason) }))
}

/// Adds the files beside the manifest to a launch.
fn with_files(topology: Topology, files: &[(String, Vec<u8>)]) -> Topology {
    match topology {
        Topology::Alone(plan) => Topology::Alone(LaunchPlan { files: [plan.files, files.to_vec()].concat(), ..plan }),
        other => other,
    }
}

/// A client outside is the same program as the servers in the guests: fio's protocol differs between versions. It lies
/// in the slot's folder.
fn with_client(topology: Topology, boot: &Boot, folder: &Path) -> Topology {
    let Topology::Served { server, client } = topology else { return topology };
    let Some((name, _)) = &*boot.client else { return Topology::Served { server, client } };
    let (name, path) = (name.clone(), folder.join(name).display().to_string());
    let client = Box::new(move |ports: &[u16]| {
        let mut plan = client(ports);
        if plan.argv.first() == Some(&name) {
            plan.argv[0].clone_from(&path);
        }
        plan
    });
    Topology::Served { server, client }
}

/// Runs rounds until the metric is steady, then the launch that counts.
async fn measure(work: &Work, mut target: Target<'_>) -> Ended {
    let mut rounds = vec![];
    let mut remark = String::new();
    if let Some(steady) = &work.steady {
        match settle(work, &mut target, steady).await {
            Rounds::Done(objects, text) => (rounds, remark) = (objects, text),
            Rounds::Failed(ended) => return *ended,
        }
    }
    let mut ended = target.launch(work).await;
    judge(&work.case, &mut ended);
    ended.objects.extend(rounds);
    if ended.outcome == Outcome::Ok && !remark.is_empty() {
        ended.reason = if ended.reason.is_empty() { remark } else { format!("{remark}; {}", ended.reason) };
    }
    ended
}

/// What came of the rounds before the launch that counts.
enum Rounds {
    /// Their objects, and a remark on them.
    Done(Vec<Object>, String),
    Failed(Box<Ended>),
}

/// Runs rounds until the metric is steady or there have been enough.
async fn settle(work: &Work, target: &mut Target<'_>, steady: &SteadyState) -> Rounds {
    let mut window = Window::new(steady);
    let mut objects = vec![];
    for round in 1..=steady.at_most.value {
        let mut ended = target.launch(work).await;
        let reading = judge(&work.case, &mut ended);
        let of_round = |role| Role::Round { number: round, role: Box::new(role) };
        objects.extend(ended.objects.drain(..).map(|(role, bytes)| (of_round(role), bytes)));
        let metric = Metric::new(steady.metric.value.as_str());
        let value = reading.as_ref().and_then(|reading| reading.result(&metric)).map(|one| one.value);
        let Some(value) = value.filter(|_| ended.outcome == Outcome::Ok) else {
            ended.objects = objects;
            if ended.outcome == Outcome::Ok {
                ended.outcome = Outcome::Invalid;
                ended.reason = format!("round {round} has no `{metric}`");
            }
            return Rounds::Failed(Box::new(ended));
        };
        if window.push(value) {
            return Rounds::Done(objects, format!("steady after {round} rounds"));
        }
    }
    let text = format!("not steady after {} rounds", steady.at_most.value);
    if steady.otherwise == Otherwise::Mark {
        return Rounds::Done(objects, text);
    }
    let mut ended = Ended::failed(Outcome::Invalid, text);
    (ended.objects, ended.is_infrastructure) = (objects, false);
    Rounds::Failed(Box::new(ended))
}

/// What the tool says of an output decides whether a process that ended well measured something.
fn judge(case: &Case, ended: &mut Ended) -> Option<Reading> {
    if ended.outcome != Outcome::Ok {
        return None;
    }
    let reading = Output::of_objects(case, &ended.objects).read(case)?;
    match reading.status {
        Status::Ok => ended.headline = headline(case, &reading),
        Status::Invalid => (ended.outcome, ended.reason) = (Outcome::Invalid, reading.reason()),
        Status::Failed => (ended.outcome, ended.reason) = (Outcome::Failed, reading.reason()),
    }
    Some(reading)
}
