//! One attempt of one job: start, wait within a limit, read what came out.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use crate::manifest::{Experiment, Otherwise, SteadyState};
use crate::measurement::{Metric, Reading, Status};
use crate::os::{Exit, Input, Launch, Os, Output, kill_group};
use crate::plan::Case;
use crate::store::event::Outcome;
use crate::tool::{self, LaunchPlan, Outputs, Tool, Topology};

use super::guest::{Boot, Guests, Order};
use super::steady::Window;

/// How long a fill may take.
pub(super) const FILL_LIMIT_NS: u64 = 6 * 3_600_000_000_000;
/// How long a job without a run time may take, where the manifest does not say.
const UNTIMED_LIMIT_NS: u64 = 3_600_000_000_000;
/// What a timed job may take on top of its times: layout of its files, and starting.
const TIMED_EXTRA_NS: u64 = 120_000_000_000;
/// How much a job may print each way.
const PRINTED_BYTES_MAX: u64 = 256 << 20;

/// How an attempt ended, with all it left behind.
pub(super) struct Ended {
    pub(super) outcome: Outcome,
    pub(super) reason: String,
    pub(super) objects: Vec<(String, Vec<u8>)>,
    pub(super) duration_ns: u64,
    /// Whether it is worth trying again: nothing was measured.
    pub(super) is_infrastructure: bool,
    pub(super) headline: Option<(Metric, f64)>,
}

impl Ended {
    /// A launch in a guest that came to its end; not ok until somebody says so.
    pub(super) fn of_guest(objects: Vec<(String, Vec<u8>)>) -> Self {
        Self { objects, is_infrastructure: false, ..Self::failed(Outcome::Failed, "") }
    }

    /// Without guests that are kept.
    fn alone(self) -> Attempt {
        Attempt { ended: self, guests: None }
    }

    /// The last line that it complained.
    pub(super) fn last_words(&self) -> String {
        self.objects.iter().find(|(role, _)| role == "stderr").map_or_else(String::new, |(_, bytes)| last_words(bytes))
    }

    pub(super) fn failed(outcome: Outcome, reason: impl Into<String>) -> Self {
        Self {
            outcome,
            reason: reason.into(),
            objects: vec![],
            duration_ns: 0,
            is_infrastructure: true,
            headline: None,
        }
    }
}

/// What an attempt needs; owned, for it runs as a task.
pub(super) struct Work {
    case: Case,
    tool: Option<&'static dyn Tool>,
    folder: PathBuf,
    files: Vec<(String, Vec<u8>)>,
    mark: String,
    limit_ns: u64,
    steady: Option<SteadyState>,
    guests: Option<InGuests>,
}

/// What an attempt in guests needs besides.
pub(super) struct InGuests {
    pub(super) boot: Boot,
    /// Launches that fill devices, by name.
    pub(super) fills: Vec<(String, LaunchPlan)>,
    /// All files beside the manifest, for disks begin as some.
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

impl Work {
    pub(super) fn new(
        experiment: &Experiment,
        case: Case,
        (folder, files): (PathBuf, Vec<(String, Vec<u8>)>),
        mark: &str,
    ) -> Self {
        let timed = case.timing.ramp_time_ns + case.timing.runtime_ns;
        let default = if timed == 0 { UNTIMED_LIMIT_NS } else { timed * 2 + TIMED_EXTRA_NS };
        let limit_ns = experiment.design.time_limit.as_ref().map_or(default, |limit| limit.base());
        let steady = experiment.design.steady_state.clone();
        let (tool, mark) = (tool::find(&case.tool), mark.to_owned());
        Self { tool, case, folder, files, mark, limit_ns, steady, guests: None }
    }

    pub(super) fn in_guests(self, guests: Option<InGuests>) -> Self {
        Self { guests, ..self }
    }

    pub(super) fn is_measuring(&self) -> bool {
        self.tool.is_some_and(|tool| tool.is_measuring(&self.case.settings))
    }
}

/// The files beside the manifest that a case uses.
pub(super) fn files_of(case: &Case, files: &BTreeMap<String, Vec<u8>>) -> Vec<(String, Vec<u8>)> {
    let names = tool::find(&case.tool).map(|tool| tool.input_files(&case.settings)).unwrap_or_default();
    names.into_iter().filter_map(|name| Some((name.clone(), files.get(&name)?.clone()))).collect()
}

/// How a launch of a job is started: on the host, or in guests that are up.
enum Launcher<'a> {
    Host { os: &'a dyn Os, plan: LaunchPlan },
    Guests { guests: &'a mut Guests, topology: &'a Topology },
}

impl Launcher<'_> {
    async fn launch(&mut self, work: &Work) -> Ended {
        match self {
            Self::Host { os, plan } => launch(*os, plan, &work.folder, &work.mark, work.limit_ns).await,
            Self::Guests { guests, topology } => guests.launch(topology, work.limit_ns).await,
        }
    }
}

/// Runs an attempt to its end.
pub(super) async fn run(os: Rc<dyn Os>, mut work: Work) -> Attempt {
    let Some(tool) = work.tool else { return Ended::failed(Outcome::Failed, "the tool is not known").alone() };
    if let Some(guests) = work.guests.take() {
        return run_in_guests(&os, &work, tool, guests).await;
    }
    match tool.launch(&work.case.settings, work.case.timing) {
        Ok(plan) => {
            let plan = LaunchPlan { files: [plan.files, work.files.clone()].concat(), ..plan };
            measure(&work, tool, Launcher::Host { os: &*os, plan }).await.alone()
        }
        Err(reason) => Ended::failed(Outcome::Failed, reason).alone(),
    }
}

/// Brings guests up where those of the job before are not the right ones, and tears them down where they are not kept.
async fn run_in_guests(os: &Rc<dyn Os>, work: &Work, tool: &dyn Tool, mut needs: InGuests) -> Attempt {
    let Some(spec) = &work.case.guest else { return Ended::failed(Outcome::Failed, "no guests").alone() };
    let topology = match tool.launches(&work.case.settings, work.case.timing, spec.count) {
        Ok(topology) => with_client(with_files(topology, &work.files), &needs.boot, &work.folder),
        Err(reason) => return Ended::failed(Outcome::Failed, reason).alone(),
    };
    let topology = &topology;
    let started_ns = os.monotonic_ns();
    let mut objects = vec![];
    let kept = match needs.running.take() {
        Some((guests, true)) if guests.fits(spec, topology) => {
            objects.extend(guests.facts());
            Some(guests)
        }
        Some((others, _)) => {
            others.tear_down().await;
            None
        }
        None => None,
    };
    let mut guests = match kept {
        Some(guests) => guests,
        None => {
            let order = Order {
                spec,
                boot: &needs.boot,
                folder: &work.folder,
                mark: &work.mark,
                topology,
                boot_limit_ns: needs.boot_limit_ns,
                fills: &needs.fills,
                files: &needs.files,
            };
            let (mut guests, found, up) = Guests::bring_up(os, &order).await;
            objects = found;
            if let Err(failed) = up {
                objects.extend(guests.consoles().await);
                guests.tear_down().await;
                let is_infrastructure = failed.is_infrastructure;
                let ended = Ended { is_infrastructure, objects, ..Ended::failed(failed.outcome, failed.reason) };
                return Ended { duration_ns: os.monotonic_ns().saturating_sub(started_ns), ..ended }.alone();
            }
            guests
        }
    };
    let mut ended = measure(work, tool, Launcher::Guests { guests: &mut guests, topology }).await;
    ended.duration_ns = os.monotonic_ns().saturating_sub(started_ns);
    if spec.is_exact() {
        guests.power_off().await;
    }
    ended.objects.extend(objects);
    ended.objects.extend(guests.consoles().await);
    let is_kept = spec.reboot != "each-job" && ended.outcome == Outcome::Ok;
    if is_kept {
        return Attempt { ended, guests: Some(guests) };
    }
    guests.tear_down().await;
    ended.alone()
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
async fn measure(work: &Work, tool: &dyn Tool, mut launcher: Launcher<'_>) -> Ended {
    let mut rounds = vec![];
    let mut remark = String::new();
    if let Some(steady) = &work.steady {
        match settle(work, tool, &mut launcher, steady).await {
            Settled::Steady(objects, text) => (rounds, remark) = (objects, text),
            Settled::Failed(ended) => return *ended,
        }
    }
    let mut ended = launcher.launch(work).await;
    judge(tool, &work.case, &mut ended);
    ended.objects.extend(rounds);
    if ended.outcome == Outcome::Ok && !remark.is_empty() {
        ended.reason = if ended.reason.is_empty() { remark } else { format!("{remark}; {}", ended.reason) };
    }
    ended
}

enum Settled {
    Steady(Vec<(String, Vec<u8>)>, String),
    Failed(Box<Ended>),
}

/// Runs rounds until the metric is steady or there have been enough.
async fn settle(work: &Work, tool: &dyn Tool, launcher: &mut Launcher<'_>, steady: &SteadyState) -> Settled {
    let mut window = Window::new(steady);
    let mut objects = vec![];
    for round in 1..=steady.at_most.value {
        let mut ended = launcher.launch(work).await;
        let reading = judge(tool, &work.case, &mut ended);
        objects.extend(ended.objects.drain(..).map(|(role, bytes)| (format!("round-{round}/{role}"), bytes)));
        let metric = steady.metric.value.as_str();
        let value = reading.as_ref().and_then(|reading| total(reading, metric));
        let Some(value) = value.filter(|_| ended.outcome == Outcome::Ok) else {
            ended.objects = objects;
            if ended.outcome == Outcome::Ok {
                ended.outcome = Outcome::Invalid;
                ended.reason = format!("round {round} has no `{metric}`");
            }
            return Settled::Failed(Box::new(ended));
        };
        if window.push(value) {
            return Settled::Steady(objects, format!("steady after {round} rounds"));
        }
    }
    let text = format!("not steady after {} rounds", steady.at_most.value);
    if steady.otherwise == Otherwise::Mark {
        return Settled::Steady(objects, text);
    }
    let mut ended = Ended::failed(Outcome::Invalid, text);
    (ended.objects, ended.is_infrastructure) = (objects, false);
    Settled::Failed(Box::new(ended))
}

fn total(reading: &Reading, metric: &str) -> Option<f64> {
    let is_total =
        |one: &&crate::measurement::Measurement| one.metric.as_str() == metric && one.labels.get("aggregate").is_some();
    reading.measurements.iter().find(is_total).map(|one| one.value)
}

/// What the tool says of an output decides whether a process that ended well measured something.
fn judge(tool: &dyn Tool, case: &Case, ended: &mut Ended) -> Option<Reading> {
    if ended.outcome != Outcome::Ok {
        return None;
    }
    let bytes = |role: &str| ended.objects.iter().find(|(one, _)| one == role).map_or(&[] as &[u8], |(_, bytes)| bytes);
    let files = ended.objects.iter().filter_map(|(role, bytes)| Some((role.strip_prefix("file/")?, bytes)));
    let files = files.filter(|(name, _)| tool.reads_file(name)).map(|(name, bytes)| (name.to_owned(), bytes.clone()));
    let files: BTreeMap<String, Vec<u8>> = files.collect();
    let outputs = Outputs { stdout: bytes("stdout"), stderr: bytes("stderr"), files: &files, name: "" };
    let reading = tool.read(Some(&case.settings), outputs);
    match reading.status {
        Status::Ok => ended.headline = super::headline(tool, &case.settings, &reading),
        Status::Invalid => (ended.outcome, ended.reason) = (Outcome::Invalid, reading.reason()),
        Status::Failed => (ended.outcome, ended.reason) = (Outcome::Failed, reading.reason()),
    }
    Some(reading)
}

/// Writes the files of a launch, starts it, and waits.
pub(super) async fn launch(os: &dyn Os, plan: &LaunchPlan, folder: &Path, mark: &str, limit_ns: u64) -> Ended {
    for (name, bytes) in &plan.files {
        let path = folder.join(name);
        if let Err(error) = put_file(os, &path, bytes) {
            return Ended::failed(Outcome::Failed, format!("writing {}: {error}", path.display()));
        }
    }
    let launch =
        Launch { argv: plan.argv.clone(), folder: folder.to_owned(), variables: variables(mark), input: Input::Null };
    let started_ns = os.monotonic_ns();
    let mut child = match os.spawn(&launch) {
        Ok(child) => child,
        Err(error) => return Ended::failed(Outcome::Failed, format!("starting `{}`: {error}", plan.argv[0])),
    };
    let group = child.group();
    let waited = tokio::time::timeout(Duration::from_nanos(limit_ns), child.wait(PRINTED_BYTES_MAX)).await;
    let duration_ns = os.monotonic_ns().saturating_sub(started_ns);
    if let Some(group) = group {
        kill_group(group);
    }
    let mut ended = match waited {
        Ok(Ok(output)) => of_output(output, &plan.argv[0]),
        Ok(Err(error)) => Ended::failed(Outcome::Failed, error.to_string()),
        Err(_) => {
            let limit = crate::quantity::humane_duration(limit_ns);
            Ended { is_infrastructure: false, ..Ended::failed(Outcome::Timeout, format!("not done after {limit}")) }
        }
    };
    ended.duration_ns = duration_ns;
    ended
}

/// The variables that mark a process as one of the run's.
pub(super) fn variables(mark: &str) -> Vec<(String, String)> {
    let (name, value) = mark.split_once('=').unwrap_or((mark, ""));
    vec![(name.to_owned(), value.to_owned())]
}

/// Writes a file anew; one that begins with `#!` may be executed.
fn put_file(os: &dyn Os, path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if let Some(parent) = path.parent() {
        crate::os::create_folders(os, parent)?;
    }
    let _ = os.remove_file(path);
    os.create_file(path)?.append(bytes)?;
    if bytes.starts_with(b"#!") { os.make_executable(path) } else { Ok(()) }
}

fn of_output(output: Output, program: &str) -> Ended {
    let (outcome, reason, is_infrastructure) = match output.exit {
        Exit::Code(0) => (Outcome::Ok, String::new(), false),
        Exit::Code(code) => {
            (Outcome::Failed, format!("`{program}` ended with code {code}{}", last_words(&output.stderr)), false)
        }
        Exit::Signal(signal) => {
            (Outcome::Failed, format!("`{program}` was ended by signal {signal}"), output.stdout.is_empty())
        }
    };
    let objects = vec![("stdout".to_owned(), output.stdout), ("stderr".to_owned(), output.stderr)];
    Ended { outcome, reason, objects, duration_ns: 0, is_infrastructure, headline: None }
}

/// The last line of what a program said, made printable.
fn last_words(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let line = text.lines().map(str::trim).rfind(|line| !line.is_empty());
    let line = line.map(|line| crate::diagnostic::printable(&line.chars().take(200).collect::<String>()));
    line.map_or_else(String::new, |line| format!(": {line}"))
}
