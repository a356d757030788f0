//! Guests brought up for a job: made, booted, asked for their facts, used, and always torn down.
//!
//! A guest that hangs, panics or never gets ready fails its attempt, with its console kept, and the run goes on. What a
//! guest says of itself is compared with what was asked for before anything is measured in it. Dropping [`Guests`] ends
//! the hypervisors; what a killed runner leaves is ended by the supervisor, for all carry the run's mark.

mod bring_up;
mod channel;
mod conversation;
mod disk;
mod place;
pub(super) mod probe;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use super::launch::{Ended, Where, launch};
use crate::attempt::{GuestRole, Object, Role};
use crate::guest::facts::Facts;
use crate::guest::{Spec, script};
use crate::os::Os;
use crate::place::{Host, Place};
use crate::store::event::Outcome;
use crate::tool::{self, LaunchPlan, Topology};

use place::Guest;

/// The largest log of a client that is kept, in bytes.
const LOG_BYTES_MAX: u64 = 256 << 20;
/// How long a guest that has done its work may take to power off.
const POWER_OFF_LIMIT: Duration = Duration::from_secs(30);

/// What guests boot.
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

/// Which guests are brought up, and where.
pub(super) struct BootRequest<'a> {
    pub(super) host: &'a Rc<dyn Host>,
    pub(super) controller: &'a dyn Os,
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

/// What came of a request: guests, ready or not, what was found on the way, and what went wrong.
pub(super) struct BroughtUp {
    pub(super) guests: Guests,
    pub(super) objects: Vec<Object>,
    pub(super) ended: Result<(), GuestError>,
}

/// Running guests.
pub(super) struct Guests {
    host: Rc<dyn Host>,
    spec: Spec,
    folder: PathBuf,
    mark: String,
    server: Option<Vec<String>>,
    /// The hypervisors' arguments, for the record.
    arguments: Vec<Vec<String>>,
    /// How they were booted, which also tells this boot from any other.
    boot: Vec<u8>,
    guests: Vec<Guest>,
}

/// What went wrong while guests were brought up or used.
#[derive(Debug, thiserror::Error)]
#[error("{reason}")]
pub(super) struct GuestError {
    pub(super) outcome: Outcome,
    pub(super) reason: String,
    pub(super) is_infrastructure: bool,
}

impl GuestError {
    fn new(reason: impl Into<String>) -> Self {
        Self { outcome: Outcome::Failed, reason: reason.into(), is_infrastructure: true }
    }
}

/// The name of a guest's own folder, which is below that of the slot.
fn guest_folder(number: u64) -> String {
    format!("guest-{number}")
}

fn server_of(topology: &Topology) -> Option<Vec<String>> {
    match topology {
        Topology::Alone(_) => None,
        Topology::Served { server, .. } | Topology::Between { server, .. } => Some(server.clone()),
    }
}

impl Guests {
    /// Whether a job can use them as they are: the same guests, with the same server in them.
    pub(super) fn fits(&self, spec: &Spec, topology: &Topology) -> bool {
        self.spec == *spec && self.server == server_of(topology)
    }

    /// How they were booted, and what they said of themselves; each job in them rests on it.
    pub(super) async fn facts(&self) -> Vec<Object> {
        let mut objects = vec![(Role::Boot, self.boot.clone())];
        for guest in &self.guests {
            objects.push((Role::guest(guest.number(), GuestRole::Facts), guest.facts_as_sent().await));
        }
        objects
    }

    /// The processes that must not be taken for strays.
    pub(super) fn processes(&self) -> Vec<i32> {
        self.guests.iter().filter_map(Guest::group).collect()
    }

    /// Runs one launch of a job in them.
    pub(super) async fn launch(&mut self, topology: &Topology, controller: &dyn Os, limit_ns: u64) -> Ended {
        let (guest, plan) = match topology {
            Topology::Alone(plan) => (&self.guests[0], plan.clone()),
            Topology::Between { client, .. } => (&self.guests[1], client(&script::address(1))),
            Topology::Served { client, .. } => return self.ask_servers(&**client, controller, limit_ns).await,
        };
        let at = Where {
            place: guest,
            controller,
            folder: Path::new(""),
            mark: &self.mark,
            limit_ns,
            guest: Some(guest.number()),
        };
        launch(&plan, &at).await
    }

    /// Starts the client on the host, in a folder of its own, and takes what it wrote.
    async fn ask_servers(
        &mut self,
        client: &dyn Fn(&[u16]) -> LaunchPlan,
        controller: &dyn Os,
        limit_ns: u64,
    ) -> Ended {
        let folder = self.folder.join("client");
        let ports: Vec<u16> = self.guests.iter().map(Guest::port).collect();
        let plan = client(&ports);
        let prepared = match self.host.remove(&folder).await {
            Ok(()) => self.host.create_folder(&folder).await,
            failed => failed,
        };
        if let Err(error) = prepared {
            return Ended::failed(Outcome::Failed, format!("{}: {error}", folder.display()));
        }
        let clocks = match self.clock_offsets().await {
            Ok(clocks) => clocks,
            Err(reason) => return Ended::failed(Outcome::Failed, reason),
        };
        let (host, mark) = (Rc::clone(&self.host), self.mark.as_str());
        let at = Where { place: &*host as &dyn Place, controller, folder: &folder, mark, limit_ns, guest: None };
        let mut ended = launch(&plan, &at).await;
        self.take_logs(&folder, &plan, &mut ended).await;
        let clocks = serde_json::to_vec(&clocks).unwrap_or_default();
        ended.objects.push((Role::File(tool::CLOCKS_FILE.to_owned()), clocks));
        ended
    }

    /// What the client wrote.
    async fn take_logs(&self, folder: &Path, plan: &LaunchPlan, ended: &mut Ended) {
        for path in self.host.entries(folder).await.unwrap_or_default() {
            let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
            if plan.files.iter().any(|(input, _)| input == name) {
                continue;
            }
            match self.host.take(&path, LOG_BYTES_MAX).await {
                Ok(bytes) => ended.objects.push((Role::File(name.to_owned()), bytes)),
                Err(error) => {
                    (ended.outcome, ended.reason) = (Outcome::Failed, format!("`{name}` can not be kept: {error}"));
                }
            }
        }
    }

    /// What is added to each guest's clock to have the host's, in nanoseconds, by the guest's number; the asking takes a
    /// moment, of which half is taken.
    async fn clock_offsets(&self) -> Result<BTreeMap<String, String>, String> {
        let mut clocks = BTreeMap::new();
        let text = |error: std::io::Error| error.to_string();
        for guest in &self.guests {
            let before = self.host.clock().await.map_err(text)?.wall_ns;
            let guests = guest.clock().await.map_err(text)?.wall_ns;
            let after = self.host.clock().await.map_err(text)?.wall_ns;
            clocks.insert(guest.number().to_string(), ((before + after) / 2 - guests).to_string());
        }
        Ok(clocks)
    }

    /// After an exact job: the guest powers off by itself, and its console is whole.
    pub(super) async fn power_off(&mut self) {
        for guest in &self.guests {
            let _ = tokio::time::timeout(POWER_OFF_LIMIT, guest.ended()).await;
        }
    }

    /// What the consoles said since the last look.
    pub(super) async fn consoles(&mut self) -> Vec<Object> {
        let mut objects = vec![];
        for guest in &self.guests {
            objects.push((Role::guest(guest.number(), GuestRole::Console), guest.console().await));
        }
        objects
    }

    /// Ends all hypervisors and removes what they had, but for their folder.
    pub(super) async fn tear_down(self) {
        for guest in &self.guests {
            guest.end().await;
        }
        for number in 1..=self.spec.count {
            let _ = self.host.remove(&self.folder.join(guest_folder(number))).await;
        }
    }
}
