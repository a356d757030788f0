//! From a request to guests that are ready, and are what was asked for.

use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use futures_util::future::join_all;

use super::conversation::Conversation;
use super::place::Guest;
use super::{BootRequest, BroughtUp, GuestError, Guests, disk, guest_folder, server_of};
use crate::attempt::{GuestRole, Object, Role};
use crate::guest::hypervisor::{CONSOLE_FILE, Cabling, INITRAMFS_FILE, Link};
use crate::guest::{facts, script};
use crate::image::cpio;
use crate::manifest::guest::Controller;
use crate::os::Input;
use crate::place::Launch;
use crate::quantity::readable_duration;
use crate::run::job::FILL_LIMIT_NS;
use crate::run::launch::{Where, launch};
use crate::store::event::Outcome;
use crate::tool::{self, Topology};

impl Guests {
    /// Makes disks, starts the hypervisors and waits until all guests are ready and are what was asked for. What was
    /// found on the way is recorded also where it failed.
    pub(in crate::run) async fn bring_up(request: &BootRequest<'_>) -> BroughtUp {
        let mut guests = Self {
            host: Rc::clone(request.host),
            spec: request.spec.clone(),
            folder: request.folder.to_owned(),
            mark: request.mark.to_owned(),
            server: server_of(request.topology),
            arguments: vec![],
            boot: vec![],
            guests: vec![],
        };
        let mut objects = vec![];
        let started_ns = request.controller.monotonic_ns();
        let ended = match guests.start(request, &mut objects).await {
            Ok(()) => guests.wait_until_ready(request, started_ns, &mut objects).await,
            Err(failed) => Err(failed),
        };
        BroughtUp { guests, objects, ended }
    }

    async fn start(&mut self, request: &BootRequest<'_>, objects: &mut Vec<Object>) -> Result<(), GuestError> {
        self.clear().await?;
        self.write_initramfs(request).await?;
        let link = match request.topology {
            Topology::Between { .. } => Some(self.free_port().await?),
            _ => None,
        };
        for number in 1..=request.spec.count {
            let folder = self.folder.join(guest_folder(number));
            self.make_disks(request, (number, &folder), objects).await?;
            let mut port = self.free_port().await?;
            while self.guests.iter().any(|guest| guest.port() == port) {
                port = self.free_port().await?;
            }
            let is_served = matches!(request.topology, Topology::Served { .. });
            let cabling = Cabling {
                number,
                port: is_served.then_some((port, tool::SERVER_PORT)),
                link: link.map(|port| Link { port, is_listening: number == 1 }),
            };
            self.start_one(request, cabling, (folder, port)).await?;
            if let Some(port) = link.filter(|_| number == 1) {
                self.wait_until_listening(port).await?;
            }
        }
        Ok(())
    }

    /// Removes what guests before left in the slot.
    async fn clear(&self) -> Result<(), GuestError> {
        for path in self.host.entries(&self.folder).await.unwrap_or_default() {
            if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("guest-")) {
                let removed = self.host.remove(&path).await;
                removed.map_err(|error| GuestError::new(format!("clearing {}: {error}", path.display())))?;
            }
        }
        Ok(())
    }

    /// The archive that all guests of the slot boot: the image's, and ours appended to it.
    async fn write_initramfs(&self, request: &BootRequest<'_>) -> Result<(), GuestError> {
        let commands = request.spec.is_exact().then(|| exact_commands(request)).transpose()?;
        let ours = script::files(request.spec, &setup(request), commands.as_deref());
        let ours = cpio::archive(ours.into_iter().map(|(path, bytes)| cpio::File::program(&path, bytes)).collect());
        let path = self.folder.join(INITRAMFS_FILE);
        let written = match self.host.put(&path, &request.boot.initramfs).await {
            Ok(()) => self.host.append(&path, &ours).await,
            failed => failed,
        };
        written.map_err(|error| GuestError::new(format!("{}: {error}", path.display())))
    }

    async fn make_disks(
        &self,
        request: &BootRequest<'_>,
        (number, folder): (u64, &PathBuf),
        objects: &mut Vec<Object>,
    ) -> Result<(), GuestError> {
        let made = self.host.create_folder(folder).await;
        made.map_err(|error| GuestError::new(format!("{}: {error}", folder.display())))?;
        let maker = disk::Maker {
            host: &*self.host,
            hypervisor: request.spec.hypervisor(),
            folder,
            mark: request.mark,
            files: request.files,
        };
        for disk in request.spec.disks.iter().filter(|disk| disk.controller != Controller::Memory) {
            let recorded = maker.make(disk).await.map_err(GuestError::new)?;
            let role = Role::guest(number, GuestRole::Disk(disk.name.clone()));
            objects.extend(recorded.map(|text| (role, text.into_bytes())));
        }
        Ok(())
    }

    async fn start_one(
        &mut self,
        request: &BootRequest<'_>,
        cabling: Cabling,
        (folder, port): (PathBuf, u16),
    ) -> Result<(), GuestError> {
        let argv = request.spec.hypervisor().argv(request.spec, &cabling);
        self.arguments.push(argv.clone());
        let (console, program) = (folder.join(CONSOLE_FILE), argv.first().cloned().unwrap_or_default());
        let launch = Launch { argv, folder, files: vec![], mark: self.mark.clone(), input: Input::Pipe };
        let spawned = self.host.start(&launch).await;
        let process = spawned.map_err(|error| GuestError::new(format!("starting `{program}`: {error}")))?;
        let conversation = Conversation::begin(cabling.number, &self.host, process, console)?;
        self.guests.push(Guest::new(conversation, port, request.spec.is_exact()));
        Ok(())
    }

    /// The cable's other end must not be plugged in before somebody listens: the hypervisor tries once. Asked of the
    /// kernel, for a connection made to find out would be taken for the other guest's.
    async fn wait_until_listening(&self, port: u16) -> Result<(), GuestError> {
        const LOOKS: usize = 500;
        const PAUSE: Duration = Duration::from_millis(10);
        for _ in 0..LOOKS {
            if self.host.is_listening(port).await.unwrap_or(false) {
                return Ok(());
            }
            tokio::time::sleep(PAUSE).await;
        }
        Err(GuestError::new("the first guest's end of the cable does not listen"))
    }

    async fn free_port(&self) -> Result<u16, GuestError> {
        let port = self.host.free_port().await;
        port.map_err(|error| GuestError::new(format!("no port of 127.0.0.1 is free: {error}")))
    }

    async fn wait_until_ready(
        &mut self,
        request: &BootRequest<'_>,
        started_ns: u64,
        objects: &mut Vec<Object>,
    ) -> Result<(), GuestError> {
        let limit = Duration::from_nanos(request.boot_limit_ns);
        let count = request.spec.count;
        let waits = self.guests.iter().map(|guest| async move {
            match tokio::time::timeout(limit, guest.ready()).await {
                Ok(ended) => ended,
                Err(_) => {
                    let limit = readable_duration(request.boot_limit_ns);
                    let which = if count == 1 { "the guest".to_owned() } else { format!("guest {}", guest.number()) };
                    Err(GuestError::new(format!("{which} was not ready after {limit}")))
                }
            }
        });
        for ended in join_all(waits).await {
            ended?;
        }
        let ready_ns = request.controller.monotonic_ns().saturating_sub(started_ns).to_string();
        let boot = serde_json::json!({"ready_ns": ready_ns, "arguments": self.arguments});
        self.boot = boot.to_string().into_bytes();
        objects.extend(self.facts().await);
        self.check_facts(request).await?;
        if request.spec.is_exact() { Ok(()) } else { self.fill(request, objects).await }
    }

    /// A guest that is not the one asked for is not measured.
    async fn check_facts(&self, request: &BootRequest<'_>) -> Result<(), GuestError> {
        for guest in &self.guests {
            let found = facts::parse(&String::from_utf8_lossy(&guest.facts_as_sent().await));
            let mut wrong = facts::mismatches(request.spec, &request.boot.pinned, &found);
            let wanted = match request.topology {
                Topology::Alone(_) => None,
                Topology::Between { .. } if guest.number() > 1 => Some("reached"),
                Topology::Between { .. } | Topology::Served { .. } => Some("listening"),
            };
            let state = found.get("server.state").map_or("not started", String::as_str);
            if let Some(wanted) = wanted.filter(|wanted| *wanted != state) {
                wrong.push(format!("its server is not {wanted}: {state}"));
            }
            if !wrong.is_empty() {
                let reason = format!("guest {} is not the one asked for: {}", guest.number(), wrong.join("; "));
                return Err(GuestError { outcome: Outcome::Failed, reason, is_infrastructure: false });
            }
        }
        Ok(())
    }

    /// Writes the devices of fresh guests, in all of them at once.
    async fn fill(&self, request: &BootRequest<'_>, objects: &mut Vec<Object>) -> Result<(), GuestError> {
        for (name, fill) in request.fills {
            let fills = self.guests.iter().map(|guest| async move {
                let at = Where {
                    place: guest,
                    controller: request.controller,
                    folder: std::path::Path::new(""),
                    mark: &self.mark,
                    limit_ns: FILL_LIMIT_NS,
                    guest: Some(guest.number()),
                };
                (guest.number(), launch(fill, &at).await)
            });
            for (number, done) in join_all(fills).await {
                let step = |role| GuestRole::Step { name: name.clone(), role: Box::new(role) };
                let named = done.objects.into_iter().map(|(role, bytes)| (Role::guest(number, step(role)), bytes));
                objects.extend(named);
                if done.outcome != Outcome::Ok {
                    let reason = format!("guest {number}: {name}: {}", done.reason);
                    return Err(GuestError { outcome: done.outcome, reason, is_infrastructure: true });
                }
            }
        }
        Ok(())
    }
}

/// What a guest does after its drivers are loaded: versions, servers, cables.
fn setup(request: &BootRequest<'_>) -> String {
    let programs: Vec<&str> = request.boot.programs.iter().map(String::as_str).collect();
    let mut text = facts::ask_versions(&programs);
    match request.topology {
        Topology::Alone(_) => {}
        Topology::Served { server, .. } => text.push_str(&script::serve_outside(server, tool::SERVER_PORT)),
        Topology::Between { server, .. } => text.push_str(&script::link(request.spec, server, tool::SERVER_PORT)),
    }
    text
}

/// The commands that lie in an exact guest's initramfs.
fn exact_commands(request: &BootRequest<'_>) -> Result<String, GuestError> {
    let Topology::Alone(plan) = request.topology else {
        return Err(GuestError::new("an exact guest runs alone"));
    };
    let mut text = String::new();
    for (_, fill) in request.fills {
        for (name, bytes) in &fill.files {
            text.push_str(&script::put_file(name, bytes));
        }
        text.push_str(&script::or_end(&fill.argv));
    }
    text.push_str(&script::launch(&plan.argv, &plan.files));
    Ok(text)
}
