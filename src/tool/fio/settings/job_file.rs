//! A workload as fio's own job file.

use super::super::super::Timing;
use super::Settings;
use std::fmt::Write as _;

/// The job file. The device lies in the folder that fio starts in, so the same settings give the same bytes anywhere.
pub(in crate::tool::fio) fn job_file(settings: &Settings, timing: Timing) -> String {
    sections("job", settings, timing)
}

/// The job file of one of several guests. Every 100 ms its rate is logged, so that totals can be taken over the time in
/// which all guests were active; times are those of the guest's clock.
pub(in crate::tool::fio) fn guest_file(settings: &Settings, timing: Timing, number: usize) -> String {
    let name = format!("guest-{number}");
    let mut file = sections(&name, settings, timing);
    let _ = write!(
        file,
        "write_iops_log={name}\nwrite_bw_log={name}\nlog_avg_msec={}\nlog_unix_epoch=1\n",
        super::super::window::LOG_INTERVAL_MS
    );
    file
}

pub(super) fn sections(name: &str, settings: &Settings, timing: Timing) -> String {
    let mut file = format!("[{name}]\n");
    let mut add = |key: &str, value: &dyn std::fmt::Display| {
        let _ = writeln!(file, "{key}={value}");
    };
    add("filename", &settings.device);
    add("ioengine", &settings.engine);
    add("direct", &u8::from(settings.direct));
    add("rw", &settings.rw);
    if let Some(percent) = settings.rwmixread_percent {
        add("rwmixread", &percent);
    }
    add("bs", &settings.block_size_bytes);
    add("size", &settings.working_set_bytes);
    add("numjobs", &settings.numjobs);
    add("iodepth", &settings.iodepth);
    add("group_reporting", &1);
    if timing.runtime_ns > 0 {
        add("time_based", &1);
        add("runtime", &format!("{}us", timing.runtime_ns / 1_000));
    }
    if timing.ramp_time_ns > 0 {
        add("ramp_time", &format!("{}us", timing.ramp_time_ns / 1_000));
    }
    for (key, value) in &settings.options {
        add(key, value);
    }
    file
}

/// Writes a device once, from start to end.
pub(in crate::tool::fio) fn fill_file(device: &str, bytes: u64) -> String {
    format!(
        "[fill]\nfilename={device}\nioengine=psync\nrw=write\nbs=1048576\nsize={bytes}\nend_fsync=1\nrefill_buffers=1\n"
    )
}
