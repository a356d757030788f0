//! What is done before the first job: devices of the host filled, images for guests written.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::guest::Boot;
use super::{GuestImage, RunError, Runner, Signals, job, supervisor};
use crate::guest::{Spec, qemu};
use crate::manifest::Experiment;
use crate::os::Os;
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
pub(super) fn write_image(
    os: &dyn Os,
    scratch: &Path,
    slots: usize,
    image: &GuestImage,
) -> Result<Vec<PathBuf>, RunError> {
    let write = |path: PathBuf, bytes: &[u8]| -> Result<PathBuf, RunError> {
        let written = os.create_file(&path).and_then(|mut file| file.append(bytes));
        written.map_err(|error| RunError::Os { what: format!("writing {}", path.display()), error })?;
        Ok(path)
    };
    let mut files = vec![write(scratch.join(qemu::KERNEL_FILE), &image.kernel)?];
    for (slot, (name, bytes)) in (0..slots).flat_map(|slot| image.client.as_ref().map(|client| (slot, client))) {
        let path = write(scratch.join(format!("slot-{slot}")).join(name), bytes)?;
        let made = os.make_executable(&path);
        made.map_err(|error| RunError::Os { what: format!("making {} executable", path.display()), error })?;
        files.push(path);
    }
    Ok(files)
}

/// The launches that fill devices of fresh guests, by name.
pub(super) fn guest_fills(experiment: &Experiment, spec: &Spec) -> Vec<(String, LaunchPlan)> {
    let devices = spec.devices();
    let steps = experiment.design.precondition.iter().map(|step| &step.fill);
    let one = |(fill, pass): (&crate::manifest::Fill, u64)| {
        let device = fill.device.value.as_str();
        let launch = tool::find("fio")?.fill(device, *devices.get(device)?)?;
        Some((format!("fill-{device}-{pass}"), launch))
    };
    steps.flat_map(|fill| (1..=fill.passes.unwrap_or(1)).map(move |pass| (fill, pass))).filter_map(one).collect()
}

impl Runner<'_, '_, '_> {
    /// Fills devices as the manifest says; the reason where that failed.
    pub(super) async fn precondition(&mut self, signals: &mut Signals) -> Result<Option<String>, RunError> {
        let request = self.request;
        for step in &request.experiment.design.precondition {
            let fill = &step.fill;
            let device = fill.device.value.as_str();
            let Some(bytes) = request.experiment.device_bytes(device) else { continue };
            let passes = fill.passes.unwrap_or(1);
            for pass in 1..=passes {
                let what = format!("fill {device}, pass {pass} of {passes}");
                self.observer.note(&what);
                let launch = tool::find("fio").and_then(|tool| tool.fill(device, bytes));
                let Some(launch) = launch else { return Ok(Some(format!("{what}: no tool can do it"))) };
                let (os, slot) = (Rc::clone(&self.os), self.slot(0));
                let ended = tokio::select! {
                    biased;
                    ended = job::launch(&*os, &launch, &slot, &self.mark, job::FILL_LIMIT_NS) => ended,
                    name = signals.next() => {
                        supervisor::end_marked(&self.mark);
                        return Ok(Some(format!("interrupted by {name}")));
                    }
                };
                let objects = self.put_all(&ended)?;
                let (outcome, reason, duration_ns) = (ended.outcome, ended.reason.clone(), ended.duration_ns);
                self.writer.record(&Event::Prepared {
                    what: what.clone(),
                    outcome,
                    reason: reason.clone(),
                    objects,
                    duration_ns,
                })?;
                self.writer.commit()?;
                if outcome != Outcome::Ok {
                    return Ok(Some(format!("{what}: {reason}")));
                }
            }
        }
        Ok(None)
    }
}
