//! Whether an accelerator works: by booting a guest. A device file that opens, and even a virtual machine that can be made,
//! says nothing: guests may still abort or stay silent.

use std::path::Path;
use std::rc::Rc;

use super::{Guests, Order};
use crate::guest::Spec;
use crate::os::{self, Os};
use crate::run::{GuestImage, RunError, prepare, supervisor};
use crate::tool::{LaunchPlan, Topology};

/// How long a guest with hardware virtualisation may take to be ready.
const LIMIT_NS: u64 = 60_000_000_000;

/// Boots one guest without disks; `Err` of the inner result says how it failed.
pub fn probe(
    os: Rc<dyn Os>,
    image: &GuestImage,
    spec: &Spec,
    (folder, program): (&Path, &Path),
) -> Result<Result<(), String>, RunError> {
    let failed = |what: &str| {
        let what = format!("{what} {}", folder.display());
        move |error| RunError::Os { what, error }
    };
    let slot = folder.join("slot-0");
    os::create_folders(&*os, &slot).map_err(failed("making"))?;
    prepare::write_image(&*os, folder, 1, image)?;
    let mut random = [0; 16];
    os.random(&mut random).map_err(failed("reading random bytes for"))?;
    let mark = format!("BENCHPAPER_RUN={}", crate::digest::Digest::of(&random).hex());
    let supervision = supervisor::start(Some(program), &mark, None)?;
    let alone = Spec { count: 1, disks: vec![], volumes: vec![], network: None, ..spec.clone() };
    let topology = Topology::Alone(LaunchPlan { argv: vec![], files: vec![] });
    let order = Order {
        spec: &alone,
        boot: &prepare::boot(image),
        folder: &slot,
        mark: &mark,
        topology: &topology,
        boot_limit_ns: LIMIT_NS,
        fills: &[],
        files: &[],
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| RunError::Os { what: "starting the runtime".to_owned(), error })?;
    let ended = runtime.block_on(async {
        let (guests, _, up) = Guests::bring_up(&os, &order).await;
        guests.tear_down().await;
        up.map_err(|failed| failed.reason)
    });
    drop(supervision);
    let _ = os.remove_all(folder);
    Ok(ended)
}
