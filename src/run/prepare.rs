//! What is done before the first job: devices of the host filled, images for guests written.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::guest::Boot;
use super::job::FILL_LIMIT_NS;
use super::launch::{Where, launch};
use super::runner::Runner;
use super::signals::Signals;
use super::{GuestImage, RunError, scratch};
use crate::guest::Spec;
use crate::guest::hypervisor::KERNEL_FILE;
use crate::manifest::{Experiment, Fill};
use crate::place::Host;
use crate::store::event::{Event, Outcome};
use crate::tool::{self, LaunchPlan};

/// What guests boot, for their runner.
pub(super) fn boot(image: &GuestImage) -> Boot {
    let mut pinned = BTreeMap::new();
    if !image.image.kernel_release.is_empty() {
        pinned.insert("kernel.release".to_owned(), image.image.kernel_release.clone());
    }
    if let Some(fio) = image.image.programs.get("fio") {
        pinned.insert("tool.fio.version".to_owned(), format!("fio-{}", fio.version));
    }
    Boot {
        initramfs: Rc::new(image.initramfs.clone()),
        pinned: Rc::new(pinned),
        programs: Rc::new(image.image.programs.keys().cloned().collect()),
        client: Rc::new(image.client.clone()),
    }
}

/// Writes the kernel, and in each slot the client. Returns the files that must not change.
pub(super) async fn write_image(
    host: &dyn Host,
    folder: &Path,
    slots: usize,
    image: &GuestImage,
) -> Result<Vec<PathBuf>, RunError> {
    let failed = |what: &str, path: &Path| RunError::while_doing(format!("{what} {}", path.display()));
    let kernel = folder.join(KERNEL_FILE);
    host.put(&kernel, &image.kernel).await.map_err(failed("writing", &kernel))?;
    let mut files = vec![kernel];
    for (number, (name, bytes)) in (0..slots).flat_map(|slot| image.client.as_ref().map(|client| (slot, client))) {
        let path = scratch::slot(folder, number).join(name);
        host.put(&path, bytes).await.map_err(failed("writing", &path))?;
        host.make_executable(&path).await.map_err(failed("making executable", &path))?;
        files.push(path);
    }
    Ok(files)
}

/// The launches that fill devices of fresh guests, by name.
pub(super) fn guest_fills(experiment: &Experiment, spec: &Spec) -> Vec<(String, LaunchPlan)> {
    let devices = spec.devices();
    let steps = experiment.design.precondition.iter().map(|step| &step.fill);
    let one = |(fill, pass): (&Fill, u64)| {
        let device = fill.device.value.as_str();
        let launch = tool::fill(device, *devices.get(device)?)?;
        Some((format!("fill-{device}-{pass}"), launch))
    };
    steps.flat_map(|fill| (1..=fill.passes.unwrap_or(1)).map(move |pass| (fill, pass))).filter_map(one).collect()
}

impl Runner<'_, '_, '_> {
    /// Fills devices as the manifest says; the reason where that failed.
    pub(super) async fn precondition(&mut self, signals: &mut Signals) -> Result<Option<String>, RunError> {
        let experiment = self.request.experiment;
        for step in &experiment.design.precondition {
            let Some(bytes) = experiment.device_bytes(step.fill.device.value.as_str()) else { continue };
            let passes = step.fill.passes.unwrap_or(1);
            for pass in 1..=passes {
                let what = format!("fill {}, pass {pass} of {passes}", step.fill.device.value);
                if let Some(reason) = self.fill(&step.fill, bytes, &what, signals).await? {
                    return Ok(Some(reason));
                }
            }
        }
        Ok(None)
    }

    /// Writes a device once from start to end.
    async fn fill(
        &mut self,
        fill: &Fill,
        bytes: u64,
        what: &str,
        signals: &mut Signals,
    ) -> Result<Option<String>, RunError> {
        self.observer.note(what);
        let Some(plan) = tool::fill(fill.device.value.as_str(), bytes) else {
            return Ok(Some(format!("{what}: no tool can do it")));
        };
        let (host, folder) = (Rc::clone(&self.host), scratch::slot(&self.scratch, 0));
        let at = Where {
            place: &*host,
            controller: &*self.controller,
            folder: &folder,
            mark: &self.mark,
            limit_ns: FILL_LIMIT_NS,
            guest: None,
        };
        let ended = tokio::select! {
            biased;
            ended = launch(&plan, &at) => ended,
            name = signals.next() => {
                host.end_all(&self.mark, &[]).await;
                return Ok(Some(format!("interrupted by {name}")));
            }
        };
        let objects = self.put_all(&ended.objects)?;
        let (outcome, reason, duration_ns) = (ended.outcome, ended.reason, ended.duration_ns);
        let what = what.to_owned();
        self.writer.record(&Event::Prepared {
            what: what.clone(),
            outcome,
            reason: reason.clone(),
            objects,
            duration_ns,
        })?;
        self.writer.commit()?;
        Ok((outcome != Outcome::Ok).then(|| format!("{what}: {reason}")))
    }
}
