//! The host of an experiment, asked before anything runs: its facts, programs, boot and room.

use std::future::Future;
use std::path::Path;
use std::rc::Rc;

use super::Session;
use super::failure::Failure;
use super::workspace::Loaded;
use crate::guest::Spec;
use crate::guest::hypervisor::HYPERVISORS;
use crate::import;
use crate::inventory::Inventory;
use crate::place::{self, Host};
use crate::plan::{self, Plan};

/// The place of the system under test, as its access in the manifest says.
pub(crate) fn host_of(session: &Session, loaded: &Loaded) -> Result<Rc<dyn Host>, Failure> {
    let word = loaded.experiment.sut().map_or("local", |host| host.access.value.word());
    let access = place::access(word).ok_or_else(|| Failure::usage(format!("no access is called `{word}`")))?;
    (access.open)(&session.os).map_err(Failure::incomplete)
}

/// Waits for the answer of a place.
pub(crate) fn answer<T>(question: impl Future<Output = T>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::incomplete(format!("starting the runtime: {error}")))?;
    Ok(runtime.block_on(question))
}

/// The facts of the host, as jobs of the experiment see them.
pub(crate) fn facts(session: &Session, loaded: &Loaded, programs: &[String]) -> Result<Inventory, Failure> {
    if loaded.experiment.is_all_manual() {
        // nothing of this machine matters: people measure on another
        return Ok(import::facts(&loaded.experiment));
    }
    let host = host_of(session, loaded)?;
    let scratch = loaded.workspace.root.join("artifacts");
    let programs = plan::inspected(programs);
    answer(host.facts(&scratch, &programs))?
        .map_err(|error| Failure::incomplete(format!("reading the facts of the machine: {error}")))
}

/// The boot that the host is in.
pub(crate) fn boot_id(session: &Session, loaded: &Loaded) -> Result<String, Failure> {
    answer(host_of(session, loaded)?.boot_id())
}

/// A missing program gives one clear line that names the package.
pub(crate) fn refuse_missing_programs(session: &Session, loaded: &Loaded, programs: &[String]) -> Result<(), Failure> {
    let mut missing = vec![];
    for program in programs {
        let found = answer(host_of(session, loaded)?.find_program(program))?;
        if !matches!(found, Ok(Some(_))) {
            missing.push(program.as_str());
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    let of_hypervisors: Vec<_> = HYPERVISORS.iter().flat_map(|one| one.programs()).collect();
    let package = |program: &&str| {
        let known = of_hypervisors.iter().find(|one| one.name == *program);
        known.map_or_else(|| (*program).to_owned(), |one| one.package.to_owned())
    };
    let packages: Vec<String> = missing.iter().map(package).collect();
    let help = format!("On Debian and Ubuntu: `apt-get install --no-remove {}`.", packages.join(" "));
    Err(Failure::usage(format!("not installed: {}", missing.join(", "))).help(help))
}

/// Disks that do not fit into their folder would end a run in its middle.
pub(crate) fn refuse_too_little_room(
    session: &Session,
    loaded: &Loaded,
    planned: &Plan,
    scratch: &Path,
) -> Result<(), Failure> {
    let slots = loaded.experiment.design.concurrency.as_ref().map_or(1, |one| one.value);
    let devices = loaded
        .experiment
        .sut()
        .map(|host| host.devices.iter().map(|(_, device)| device.size.value.base()).sum::<u64>());
    let of_guests = planned.cases.iter().filter_map(|case| case.guest.as_ref()).map(Spec::host_bytes).max();
    let needed = (devices.unwrap_or(0) + of_guests.unwrap_or(0)).saturating_mul(slots);
    let host = host_of(session, loaded)?;
    let Some(free) = answer(free_bytes(&*host, scratch))? else { return Ok(()) };
    if needed <= free {
        return Ok(());
    }
    let mib = |bytes: u64| bytes >> 20;
    let message = format!("the disks take {} MiB, {} has {} MiB free", mib(needed), scratch.display(), mib(free));
    Err(Failure::usage(message).help("Make them smaller, or name another folder with `--scratch`."))
}

/// What is free under a folder that may not be there yet; none where that cannot be known.
async fn free_bytes(host: &dyn Host, folder: &Path) -> Option<u64> {
    for path in folder.ancestors() {
        if place::is_there(host, path).await.unwrap_or(false) {
            return host.free_bytes(path).await.ok();
        }
    }
    None
}
