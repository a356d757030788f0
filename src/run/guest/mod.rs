//! Guests brought up for a job: made, booted, asked for their facts, used, and always torn down.
//!
//! A guest that hangs, panics or never gets ready fails its attempt, with its console kept, and the run goes on. What a
//! guest says of itself is compared with what was asked for before anything is measured in it. Dropping [`Guests`] ends
//! the hypervisors; what a killed runner leaves is ended by the supervisor, for all carry the run's mark.

mod channel;
mod disk;
pub(super) mod probe;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use super::job::{self, Ended};
use crate::guest::facts::{self, Facts};
use crate::guest::{Spec, qemu, script};
use crate::image::cpio;
use crate::os::{self, Child, Exit, Input, Launch, Os};
use crate::store::event::Outcome;
use crate::tool::{self, LaunchPlan, Topology};

use channel::{Broken, Channel};

/// The most of a console that is kept, in bytes.
const CONSOLE_BYTES_MAX: u64 = 16 << 20;
/// The most that a guest may say of itself, in bytes.
const FACTS_BYTES_MAX: usize = 1 << 20;
/// The largest log of a client that is kept, in bytes.
const LOG_BYTES_MAX: u64 = 256 << 20;
/// How often a console's length is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How long a guest that has done its work may take to power off.
const POWER_OFF_LIMIT: Duration = Duration::from_secs(30);

/// What guests boot, in the run's scratch folder.
#[derive(Clone, Default)]
pub(super) struct Boot {
    /// The archive that ours is appended to.
    pub(super) initramfs: Rc<Vec<u8>>,
    /// Facts that the image's lock pins.
    pub(super) pinned: Rc<Facts>,
    /// The programs of the image whose versions are asked for.
    pub(super) programs: Rc<Vec<String>>,
    /// A program of the image that the host starts too, as the client of servers in guests: name and bytes.
    pub(super) client: Rc<Option<(String, Vec<u8>)>>,
}

/// What is brought up.
pub(super) struct Order<'a> {
    pub(super) spec: &'a Spec,
    pub(super) boot: &'a Boot,
    /// The slot's folder; the kernel lies beside it.
    pub(super) folder: &'a Path,
    pub(super) mark: &'a str,
    pub(super) topology: &'a Topology,
    /// How long guests may take to be ready.
    pub(super) boot_limit_ns: u64,
    /// Launches before the first job: name and launch, for each device that is filled.
    pub(super) fills: &'a [(String, LaunchPlan)],
    /// The files beside the manifest that disks begin as.
    pub(super) files: &'a [(String, Vec<u8>)],
}

/// Running guests.
pub(super) struct Guests {
    os: Rc<dyn Os>,
    spec: Spec,
    folder: PathBuf,
    mark: String,
    server: Option<Vec<String>>,
    /// The hypervisors' arguments, for the record.
    arguments: Vec<Vec<String>>,
    /// How they were booted, which also tells this boot from any other.
    boot: Vec<u8>,
    guests: Vec<Running>,
}

struct Running {
    number: u64,
    child: Child,
    channel: Channel,
    port: u16,
    facts: Vec<u8>,
    os: Rc<dyn Os>,
    console: PathBuf,
    console_seen: u64,
}

/// What went wrong while guests were brought up or used.
pub(super) struct Failed {
    pub(super) outcome: Outcome,
    pub(super) reason: String,
    pub(super) is_infrastructure: bool,
}

impl Failed {
    fn new(reason: impl Into<String>) -> Self {
        Self { outcome: Outcome::Failed, reason: reason.into(), is_infrastructure: true }
    }
}

impl Guests {
    /// Whether a job can use them as they are: the same guests, with the same server in them.
    pub(super) fn fits(&self, spec: &Spec, topology: &Topology) -> bool {
        self.spec == *spec && self.server == server_of(topology)
    }

    /// How they were booted, and what they said of themselves; each job in them rests on it.
    pub(super) fn facts(&self) -> Vec<(String, Vec<u8>)> {
        let facts = self.guests.iter().map(|guest| (format!("guest-{}/facts", guest.number), guest.facts.clone()));
        std::iter::once((super::BOOT_ROLE.to_owned(), self.boot.clone())).chain(facts).collect()
    }

    /// The processes that must not be taken for strays.
    pub(super) fn processes(&self) -> Vec<i32> {
        self.guests.iter().filter_map(|guest| guest.child.group()).collect()
    }

    /// Makes disks, starts the hypervisors and waits until all guests are ready and are what was asked for.
    pub(super) async fn bring_up(
        os: &Rc<dyn Os>,
        order: &Order<'_>,
    ) -> (Self, Vec<(String, Vec<u8>)>, Result<(), Failed>) {
        let mut guests = Self {
            os: Rc::clone(os),
            spec: order.spec.clone(),
            folder: order.folder.to_owned(),
            mark: order.mark.to_owned(),
            server: server_of(order.topology),
            arguments: vec![],
            boot: vec![],
            guests: vec![],
        };
        let mut objects = vec![];
        let started_ns = os.monotonic_ns();
        let started = guests.start(order, &mut objects);
        let ended = match started {
            Ok(()) => guests.wait_until_ready(order, started_ns, &mut objects).await,
            Err(failed) => Err(failed),
        };
        (guests, objects, ended)
    }

    fn start(&mut self, order: &Order<'_>, objects: &mut Vec<(String, Vec<u8>)>) -> Result<(), Failed> {
        let os = Rc::clone(&self.os);
        for path in os.entries(&self.folder).unwrap_or_default() {
            if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("guest-")) {
                let removed = os.remove_all(&path);
                removed.map_err(|error| Failed::new(format!("clearing {}: {error}", path.display())))?;
            }
        }
        let commands = order.spec.is_exact().then(|| exact_commands(order)).transpose()?;
        let ours = script::files(order.spec, &setup(order), commands.as_deref());
        let ours = cpio::archive(ours.into_iter().map(|(path, bytes)| cpio::File::program(&path, bytes)).collect());
        let link = match order.topology {
            Topology::Between { .. } => Some(free_port(&*os)?),
            _ => None,
        };
        for number in 1..=order.spec.count {
            let folder = self.folder.join(format!("guest-{number}"));
            let failed = |error: std::io::Error| Failed::new(format!("{}: {error}", folder.display()));
            os::create_folders(&*os, &folder).map_err(failed)?;
            if number == 1 {
                let path = self.folder.join(qemu::INITRAMFS_FILE);
                let _ = os.remove_file(&path);
                os.create_file(&path)
                    .and_then(|mut file| file.append(&order.boot.initramfs).and_then(|()| file.append(&ours)))
                    .map_err(failed)?;
            }
            let variables = job::variables(&self.mark);
            let source = disk::Source { files: order.files, variables: &variables };
            let real = |disk: &&crate::guest::DiskSpec| disk.controller != "memory";
            for disk in order.spec.disks.iter().filter(real) {
                let recorded = disk::make(&*os, &folder, disk, &source).map_err(Failed::new)?;
                let role = format!("guest-{number}/disk-{}", disk.name);
                objects.extend(recorded.map(|text| (role, text.into_bytes())));
            }
            let mut port = free_port(&*os)?;
            while self.guests.iter().any(|guest| guest.port == port) {
                port = free_port(&*os)?;
            }
            let is_served = matches!(order.topology, Topology::Served { .. });
            let place = qemu::Place {
                number,
                port: is_served.then_some((port, tool::SERVER_PORT)),
                link: link.map(|port| qemu::Link { port, is_listening: number == 1 }),
            };
            let argv = qemu::argv(order.spec, &place);
            self.arguments.push(argv.clone());
            let console = folder.join(qemu::CONSOLE_FILE);
            let launch = Launch { argv, folder, variables, input: Input::Pipe };
            let spawned = os.spawn(&launch);
            let mut child = spawned.map_err(|error| Failed::new(format!("starting `{}`: {error}", qemu::PROGRAM)))?;
            let pipes = child.pipes().ok_or_else(|| Failed::new("a hypervisor without pipes"))?;
            let channel = Channel::new(pipes);
            let (facts, os) = (vec![], Rc::clone(&os));
            self.guests.push(Running { number, child, channel, port, facts, os, console, console_seen: 0 });
            if let Some(port) = link.filter(|_| number == 1) {
                wait_until_listening(&*self.os, port)?;
            }
        }
        Ok(())
    }

    async fn wait_until_ready(
        &mut self,
        order: &Order<'_>,
        started_ns: u64,
        objects: &mut Vec<(String, Vec<u8>)>,
    ) -> Result<(), Failed> {
        let limit = Duration::from_nanos(order.boot_limit_ns);
        let count = order.spec.count;
        let waits = self.guests.iter_mut().map(|guest| async move {
            match tokio::time::timeout(limit, guest.ready()).await {
                Ok(ended) => ended,
                Err(_) => {
                    let limit = crate::quantity::humane_duration(limit.as_nanos() as u64);
                    let which = if count == 1 { "the guest".to_owned() } else { format!("guest {}", guest.number) };
                    Err(Failed::new(format!("{which} was not ready after {limit}")))
                }
            }
        });
        for ended in join_all(waits).await {
            ended?;
        }
        let ready_ns = self.os.monotonic_ns().saturating_sub(started_ns).to_string();
        let boot = serde_json::json!({"ready_ns": ready_ns, "arguments": self.arguments});
        self.boot = boot.to_string().into_bytes();
        objects.extend(self.facts());
        self.check_facts(order)?;
        if order.spec.is_exact() { Ok(()) } else { self.fill(order, objects).await }
    }

    /// A guest that is not the one asked for is not measured.
    fn check_facts(&self, order: &Order<'_>) -> Result<(), Failed> {
        for guest in &self.guests {
            let found = facts::parse(&String::from_utf8_lossy(&guest.facts));
            let mut wrong = facts::mismatches(order.spec, &order.boot.pinned, &found);
            let wanted = match order.topology {
                Topology::Alone(_) => None,
                Topology::Between { .. } if guest.number > 1 => Some("reached"),
                Topology::Between { .. } | Topology::Served { .. } => Some("listening"),
            };
            let state = found.get("server.state").map_or("not started", String::as_str);
            if let Some(wanted) = wanted.filter(|wanted| *wanted != state) {
                wrong.push(format!("its server is not {wanted}: {state}"));
            }
            if !wrong.is_empty() {
                let reason = format!("guest {} is not the one asked for: {}", guest.number, wrong.join("; "));
                return Err(Failed { outcome: Outcome::Failed, reason, is_infrastructure: false });
            }
        }
        Ok(())
    }

    /// Writes the devices of fresh guests, in all of them at once.
    async fn fill(&mut self, order: &Order<'_>, objects: &mut Vec<(String, Vec<u8>)>) -> Result<(), Failed> {
        for (name, fill) in order.fills {
            let limit = Duration::from_nanos(job::FILL_LIMIT_NS);
            let commands = script::launch(&fill.argv, &fill.files);
            let fills = self.guests.iter_mut().map(|guest| guest.perform(&commands, limit));
            for (number, done) in (1..).zip(join_all(fills).await) {
                let (sections, code) = done?;
                let done = Ended::of_guest(sections);
                let words = done.last_words();
                let named = done.objects.into_iter();
                objects.extend(named.map(|(role, bytes)| (format!("guest-{number}/{name}/{role}"), bytes)));
                if code != 0 {
                    return Err(Failed::new(format!("guest {number}: {name} ended with code {code}{words}")));
                }
            }
        }
        Ok(())
    }

    /// Runs one launch of a job in them.
    pub(super) async fn launch(&mut self, topology: &Topology, limit_ns: u64) -> Ended {
        let (os, limit) = (Rc::clone(&self.os), Duration::from_nanos(limit_ns));
        let started_ns = os.monotonic_ns();
        let done = match topology {
            Topology::Alone(_) if self.spec.is_exact() => self.guests[0].sections(limit).await,
            Topology::Alone(plan) => {
                let commands = script::launch(&plan.argv, &plan.files);
                self.guests[0].perform(&commands, limit).await
            }
            Topology::Between { client, .. } => {
                let plan = client(&script::address(1));
                let commands = script::launch(&plan.argv, &plan.files);
                self.guests[1].perform(&commands, limit).await
            }
            Topology::Served { client, .. } => return self.ask_servers(&**client, limit_ns).await,
        };
        let mut ended = match done {
            Ok((sections, 0)) => Ended { outcome: Outcome::Ok, ..Ended::of_guest(sections) },
            Ok((sections, code)) => {
                let mut ended = Ended::of_guest(sections);
                ended.reason = format!("the program ended with code {code}{}", ended.last_words());
                ended
            }
            Err(failed) => {
                Ended { is_infrastructure: failed.is_infrastructure, ..Ended::failed(failed.outcome, failed.reason) }
            }
        };
        ended.duration_ns = os.monotonic_ns().saturating_sub(started_ns);
        ended
    }

    /// Starts the client on the host, in a folder of its own, and takes what it wrote.
    async fn ask_servers(&mut self, client: &dyn Fn(&[u16]) -> LaunchPlan, limit_ns: u64) -> Ended {
        let os = Rc::clone(&self.os);
        let folder = self.folder.join("client");
        let ports: Vec<u16> = self.guests.iter().map(|guest| guest.port).collect();
        let plan = client(&ports);
        let prepared = (|| {
            if os::is_there(&*os, &folder)? {
                os.remove_all(&folder)?;
            }
            os::create_folders(&*os, &folder)
        })();
        if let Err(error) = prepared {
            return Ended::failed(Outcome::Failed, format!("{}: {error}", folder.display()));
        }
        let mut clocks = BTreeMap::new();
        for guest in &mut self.guests {
            match guest.clock_offset_ns(&*os).await {
                Ok(offset_ns) => clocks.insert(guest.number.to_string(), offset_ns.to_string()),
                Err(failed) => return Ended::failed(failed.outcome, failed.reason),
            };
        }
        let mut ended = job::launch(&*os, &plan, &folder, &self.mark, limit_ns).await;
        let inputs: Vec<&String> = plan.files.iter().map(|(name, _)| name).collect();
        for name in os.list(&folder).unwrap_or_default().iter().filter(|name| !inputs.contains(name)) {
            match os.read(&folder.join(name), LOG_BYTES_MAX) {
                Ok(bytes) => ended.objects.push((format!("file/{name}"), bytes)),
                Err(error) => {
                    (ended.outcome, ended.reason) = (Outcome::Failed, format!("`{name}` can not be kept: {error}"));
                }
            }
        }
        let clocks = serde_json::to_vec(&clocks).unwrap_or_default();
        ended.objects.push((format!("file/{}", tool::CLOCKS_FILE), clocks));
        ended
    }

    /// After an exact job: the guest powers off by itself, and its console is whole.
    pub(super) async fn power_off(&mut self) {
        for guest in &mut self.guests {
            let _ = tokio::time::timeout(POWER_OFF_LIMIT, guest.child.ended()).await;
        }
    }

    /// What the consoles said since the last look, and what the hypervisors complained of.
    pub(super) async fn consoles(&mut self) -> Vec<(String, Vec<u8>)> {
        let mut objects = vec![];
        for guest in &mut self.guests {
            let bytes = self.os.read_range(&guest.console, guest.console_seen, CONSOLE_BYTES_MAX).unwrap_or_default();
            guest.console_seen += bytes.len() as u64;
            objects.push((format!("guest-{}/console", guest.number), bytes));
        }
        objects
    }

    /// Ends all hypervisors and removes what they had, but for their folder.
    pub(super) async fn tear_down(mut self) {
        for guest in &mut self.guests {
            if let Some(group) = guest.child.group() {
                os::kill_group(group);
            }
            let _ = guest.child.ended().await;
        }
        for number in 1..=self.spec.count {
            let _ = self.os.remove_all(&self.folder.join(format!("guest-{number}")));
        }
    }
}

impl Running {
    /// Waits for the facts.
    async fn ready(&mut self) -> Result<(), Failed> {
        loop {
            match self.channel.section().await {
                Ok((_, bytes)) if bytes.len() > FACTS_BYTES_MAX => {
                    return Err(Failed::new(format!("guest {} says too much of itself", self.number)));
                }
                Ok((name, bytes)) if name == script::FACTS => {
                    self.facts = bytes;
                    return Ok(());
                }
                Ok(_) => {}
                Err(broken) => return Err(self.broken(broken).await),
            }
        }
    }

    /// Sends commands and takes what comes back.
    async fn perform(&mut self, commands: &str, limit: Duration) -> Result<(channel::Sections, i32), Failed> {
        self.talk(Some(commands), limit).await
    }

    async fn sections(&mut self, limit: Duration) -> Result<(channel::Sections, i32), Failed> {
        self.talk(None, limit).await
    }

    /// One exchange within a time limit, and while the console does not overflow.
    async fn talk(&mut self, commands: Option<&str>, limit: Duration) -> Result<(channel::Sections, i32), Failed> {
        let (number, console, os) = (self.number, self.console.clone(), Rc::clone(&self.os));
        let channel = &mut self.channel;
        let exchange = async {
            if let Some(commands) = commands {
                channel.send(commands).await?;
            }
            channel.sections().await
        };
        let watch = async {
            while os.stat(&console).is_ok_and(|stat| stat.length <= CONSOLE_BYTES_MAX) {
                tokio::time::sleep(LOOK_EVERY).await;
            }
        };
        let done = tokio::select! {
            biased;
            done = tokio::time::timeout(limit, exchange) => done,
            () = watch => return Err(Failed::new(format!("guest {number} prints too much to its console"))),
        };
        match done {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(broken)) => Err(self.broken(broken).await),
            Err(_) => {
                let limit = crate::quantity::humane_duration(limit.as_nanos() as u64);
                let reason = format!("guest {number} was not done after {limit}");
                Err(Failed { outcome: Outcome::Timeout, reason, is_infrastructure: false })
            }
        }
    }

    /// What is added to the guest's clock to have the host's; the asking takes a moment, of which half is taken.
    async fn clock_offset_ns(&mut self, os: &dyn Os) -> Result<i128, Failed> {
        const ASK_LIMIT: Duration = Duration::from_secs(60);
        let before = os.now_ns();
        let (sections, _) = self.perform(script::CLOCK, ASK_LIMIT).await?;
        let after = os.now_ns();
        let text = sections.iter().find(|(name, _)| name == "clock").map(|(_, bytes)| String::from_utf8_lossy(bytes));
        let numbers: Vec<i128> =
            text.as_deref().unwrap_or_default().split_whitespace().filter_map(|word| word.parse().ok()).collect();
        match numbers.as_slice() {
            [seconds, microseconds] => Ok((before + after) / 2 - seconds * 1_000_000_000 - microseconds * 1_000),
            _ => Err(Failed::new(format!("guest {} does not tell its time", self.number))),
        }
    }

    /// The last line of the console, where there is one.
    fn last_of_console(&self) -> String {
        const TAIL_BYTES: u64 = 4096;
        let length = self.os.stat(&self.console).map_or(0, |stat| stat.length);
        let tail = self.os.read_range(&self.console, length.saturating_sub(TAIL_BYTES), TAIL_BYTES).unwrap_or_default();
        let tail = String::from_utf8_lossy(&tail).into_owned();
        let line = tail.lines().map(str::trim).rfind(|line| !line.is_empty() && !line.starts_with("Rebooting"));
        line.map_or_else(String::new, |line| {
            format!("; its console ends with `{}`", crate::diagnostic::printable(line))
        })
    }

    /// Why the channel broke: what the hypervisor said, or how it ended.
    async fn broken(&mut self, broken: Broken) -> Failed {
        if let Broken::Garbled(what) = broken {
            return Failed::new(format!("guest {} sent {what}", self.number));
        }
        let complaints = self.channel.complaints().await;
        let exit = self.child.ended().await;
        let text = String::from_utf8_lossy(&complaints);
        let line = text.lines().rfind(|line| !line.trim().is_empty()).map(|line| line.trim().to_owned());
        let how = match (line, exit) {
            (Some(line), _) => crate::diagnostic::printable(&line),
            (None, Ok(Exit::Code(code))) => format!("it ended with code {code}{}", self.last_of_console()),
            (None, Ok(Exit::Signal(signal))) => format!("it was ended by signal {signal}"),
            (None, Err(error)) => error.to_string(),
        };
        Failed::new(format!("guest {} is gone: {how}", self.number))
    }
}

fn server_of(topology: &Topology) -> Option<Vec<String>> {
    match topology {
        Topology::Alone(_) => None,
        Topology::Served { server, .. } | Topology::Between { server, .. } => Some(server.clone()),
    }
}

/// What a guest does after its drivers are loaded: versions, servers, cables.
fn setup(order: &Order<'_>) -> String {
    let programs: Vec<&str> = order.boot.programs.iter().map(String::as_str).collect();
    let mut text = facts::ask_versions(&programs);
    match order.topology {
        Topology::Alone(_) => {}
        Topology::Served { server, .. } => text.push_str(&script::serve_outside(server, tool::SERVER_PORT)),
        Topology::Between { server, .. } => text.push_str(&script::link(order.spec, server, tool::SERVER_PORT)),
    }
    text
}

/// The commands that lie in an exact guest's initramfs.
fn exact_commands(order: &Order<'_>) -> Result<String, Failed> {
    let Topology::Alone(plan) = order.topology else {
        return Err(Failed::new("an exact guest runs alone"));
    };
    let mut text = String::new();
    for (_, fill) in order.fills {
        for (name, bytes) in &fill.files {
            text.push_str(&script::put_file(name, bytes));
        }
        text.push_str(&script::or_end(&fill.argv));
    }
    text.push_str(&script::launch(&plan.argv, &plan.files));
    Ok(text)
}

/// The cable's other end must not be plugged in before somebody listens: QEMU tries once. Asked of the kernel, for a
/// connection made to find out would be taken for the other guest's.
fn wait_until_listening(os: &dyn Os, port: u16) -> Result<(), Failed> {
    const LISTENING: &str = " 00000000:0000 0A ";
    let wanted = format!("0100007F:{port:04X}{LISTENING}");
    for _ in 0..500 {
        // such files have no length, so they are read in parts
        let table = os.read_range(Path::new("/proc/net/tcp"), 0, 4 << 20).unwrap_or_default();
        if String::from_utf8_lossy(&table).contains(&wanted) {
            return Ok(());
        }
        os::supervision::rest(Duration::from_millis(10));
    }
    Err(Failed::new("the first guest's end of the cable does not listen"))
}

fn free_port(os: &dyn Os) -> Result<u16, Failed> {
    os.free_port().map_err(|error| Failed::new(format!("no port of 127.0.0.1 is free: {error}")))
}

/// Waits for all, in one task.
async fn join_all<T>(futures: impl Iterator<Item = impl Future<Output = T>>) -> Vec<T> {
    let mut open: Vec<_> = futures.map(|future| (Box::pin(future), None)).collect();
    std::future::poll_fn(|context| {
        let mut is_done = true;
        for (future, value) in &mut open {
            if value.is_none() {
                match future.as_mut().poll(context) {
                    std::task::Poll::Ready(found) => *value = Some(found),
                    std::task::Poll::Pending => is_done = false,
                }
            }
        }
        if is_done { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    open.into_iter().filter_map(|(_, value)| value).collect()
}
