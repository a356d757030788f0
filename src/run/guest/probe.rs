//! Whether an accelerator works: by booting a guest. A device file that opens, and even a virtual machine that can be made,
//! says nothing: guests may still abort or stay silent.

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use super::{BootRequest, BroughtUp, Guests};
use crate::guest::Spec;
use crate::os::Os;
use crate::place::Host;
use crate::run::{GuestImage, RunError, mark, prepare, scratch, supervisor};
use crate::tool::{LaunchPlan, Topology};

/// How long a guest with hardware virtualisation may take to be ready.
const LIMIT_NS: u64 = 60_000_000_000;

/// What a guest is booted with to see whether it can be.
pub struct Probe<'a> {
    /// This machine.
    pub controller: Arc<dyn Os>,
    /// Where it is booted.
    pub host: Rc<dyn Host>,
    /// What it boots.
    pub image: &'a GuestImage,
    /// How it is started; without disks.
    pub spec: &'a Spec,
    /// A folder that is made for it, and removed.
    pub folder: PathBuf,
    /// This program, which is started again as the supervisor.
    pub program: PathBuf,
}

/// Boots one guest without disks; `Err` of the inner result says how it failed.
pub fn probe(probe: &Probe<'_>) -> Result<Result<(), String>, RunError> {
    let mark = mark(&*probe.controller)?;
    let supervision = supervisor::start(Some(&probe.program), &mark, None)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(RunError::while_doing("starting the runtime"))?;
    let host = Rc::clone(&probe.host);
    let ended = runtime.block_on(boot(probe, &host, &mark));
    drop(supervision);
    let _ = probe.controller.remove_all(&probe.folder);
    ended
}

async fn boot(probe: &Probe<'_>, host: &Rc<dyn Host>, mark: &str) -> Result<Result<(), String>, RunError> {
    let slot = scratch::slot(Path::new(&probe.folder), 0);
    let making = RunError::while_doing(format!("making {}", slot.display()));
    host.create_folder(&slot).await.map_err(making)?;
    prepare::write_image(&**host, &probe.folder, 1, probe.image).await?;
    let alone = Spec { count: 1, disks: vec![], volumes: vec![], network: None, ..probe.spec.clone() };
    let topology = Topology::Alone(LaunchPlan { argv: vec![], files: vec![] });
    let request = BootRequest {
        host,
        controller: &*probe.controller,
        spec: &alone,
        boot: &prepare::boot(probe.image),
        folder: &slot,
        mark,
        topology: &topology,
        boot_limit_ns: LIMIT_NS,
        fills: &[],
        files: &[],
    };
    let BroughtUp { guests, ended, .. } = Guests::bring_up(&request).await;
    guests.tear_down().await;
    Ok(ended.map_err(|failed| failed.reason))
}
