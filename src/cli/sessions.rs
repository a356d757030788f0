//! Sessions of the host (`replicate_unit: host-boot`): one call of `run` measures one of them, and the next begins when the
//! host was booted anew. This program boots no host; it refuses to take two sessions for two boots where there was one.

use super::failure::Failure;
use super::workspace::Loaded;
use crate::manifest::{HOST_BOOT, Sessions};
use crate::plan::{Plan, Reason};
use crate::store::event::Event;
use crate::store::history::History;

/// Where the sessions of an experiment are boots of its host.
fn of_host(loaded: &Loaded) -> Option<Sessions> {
    let is_host = loaded.experiment.design.replicate_unit.as_deref() == Some(HOST_BOOT);
    Sessions::of(&loaded.experiment).filter(|_| is_host && !loaded.experiment.is_all_manual())
}

/// The first session that has jobs to run, from 1.
fn next(planned: &Plan, reasons: &[Reason]) -> Option<u64> {
    let jobs = planned.jobs.iter().zip(reasons).filter(|(_, reason)| **reason == Reason::NotMeasured);
    jobs.filter_map(|(job, _)| job.session).min()
}

/// Leaves the jobs of later sessions for later.
pub(crate) fn only_next(loaded: &Loaded, planned: &Plan, reasons: Vec<Reason>) -> Vec<Reason> {
    let Some(next) = of_host(loaded).and_then(|_| next(planned, &reasons)) else { return reasons };
    let later = |(job, reason): (&crate::plan::Job, Reason)| match reason {
        Reason::NotMeasured if job.session != Some(next) => Reason::LaterSession,
        reason => reason,
    };
    planned.jobs.iter().zip(reasons).map(later).collect()
}

/// Refuses a session in the boot of another one. `boot` is that of the host now.
pub(crate) fn refuse_same_boot(
    loaded: &Loaded,
    (planned, reasons): (&Plan, &[Reason]),
    history: &History,
    boot: &str,
) -> Result<(), Failure> {
    let (Some(sessions), Some(next)) = (of_host(loaded), next(planned, reasons)) else { return Ok(()) };
    for (run, journal) in &history.runs {
        let of_session = |event: &Event| match event {
            Event::Finished(finished) => planned.jobs.iter().find(|job| job.key == finished.job)?.session,
            _ => None,
        };
        let other = journal.events().filter_map(of_session).find(|session| *session != next);
        let is_this_boot = journal.genesis().is_some_and(|genesis| genesis.boot == boot);
        if let Some(other) = other.filter(|_| is_this_boot) {
            let message =
                format!("session {next} needs the host booted anew: run {run} measured session {other} in this boot");
            let help = format!("Boot the host for {}, then run again.", named(&sessions, next));
            return Err(Failure::incomplete(message).help(help));
        }
    }
    Ok(())
}

/// What is said when a session is done and others are left.
pub(crate) fn what_is_left(loaded: &Loaded, planned: &Plan, reasons: &[Reason]) -> Option<String> {
    let sessions = of_host(loaded)?;
    let later = planned.jobs.iter().zip(reasons).filter(|(_, reason)| **reason == Reason::LaterSession);
    let next = later.filter_map(|(job, _)| job.session).min()?;
    Some(format!(
        "next is session {next} of {}: boot the host for {}, then run again",
        sessions.levels.len(),
        named(&sessions, next)
    ))
}

/// The level of a session, as `arm = pve`.
fn named(sessions: &Sessions, number: u64) -> String {
    let level = sessions.levels.get(number as usize - 1).map_or("", String::as_str);
    format!("{} = {level}", sessions.factor)
}
