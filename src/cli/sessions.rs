//! Sessions of the host (`replicate_unit: host-boot`): one call of `run` measures one of them, and the next begins when the
//! host was booted anew. This program boots no host; it refuses to take two sessions for two boots where there was one.

use std::collections::BTreeMap;

use super::failure::Failure;
use super::workspace::Loaded;
use crate::digest::Digest;
use crate::manifest::{HOST_BOOT, Sessions};
use crate::plan::{Job, Plan, Reason};
use crate::store::Journal;
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
    let later = |(job, reason): (&Job, Reason)| match reason {
        Reason::NotMeasured if job.session != Some(next) => Reason::LaterSession,
        reason => reason,
    };
    planned.jobs.iter().zip(reasons).map(later).collect()
}

/// Refuses sessions that would not be one boot each: several at once, one in the boot of another, or the rest of one that was
/// begun in another boot. `boot` is that of the host now.
pub(crate) fn refuse_other_boots(
    loaded: &Loaded,
    (planned, reasons): (&Plan, &[Reason]),
    history: &History,
    boot: &str,
) -> Result<(), Failure> {
    let (Some(sessions), Some(next)) = (of_host(loaded), next(planned, reasons)) else { return Ok(()) };
    let set_up = format!("Boot the host for {}, then run again.", named(&sessions, next));
    let jobs = planned.jobs.iter().zip(reasons);
    if jobs.clone().any(|(job, reason)| *reason == Reason::NotMeasured && job.session != Some(next)) {
        let message = "several sessions of the host can not be measured at once: each needs a boot";
        return Err(Failure::incomplete(message).help("`benchpaper run` measures one of them, and says which is next."));
    }
    let measured: BTreeMap<Digest, u64> = jobs
        .filter(|(_, reason)| **reason == Reason::Measured)
        .filter_map(|(job, _)| Some((job.key, job.session?)))
        .collect();
    for (run, journal) in &history.runs {
        let finished = journal.events().filter_map(|event| match event {
            Event::Finished(finished) => measured.get(&finished.job).copied(),
            _ => None,
        });
        let is_this_boot = journal.genesis().is_some_and(|genesis| genesis.boot == boot);
        match conflict(finished, next, is_this_boot) {
            Some(other) if is_this_boot => {
                let message = format!(
                    "session {next} needs the host booted anew: run {run} measured session {other} in this boot"
                );
                return Err(Failure::incomplete(message).help(set_up));
            }
            Some(_) => {
                let message =
                    format!("session {next} was begun in another boot, by run {run}: it would not be one boot");
                let help = format!("`benchpaper mark` its attempts invalid, so that it is measured anew. {set_up}");
                return Err(Failure::incomplete(message).help(help));
            }
            None => {}
        }
    }
    Ok(())
}

/// The session among those of a run that the next one can not stand beside: another one in this boot, or itself in another.
fn conflict(mut measured: impl Iterator<Item = u64>, next: u64, is_this_boot: bool) -> Option<u64> {
    measured.find(|session| (*session == next) != is_this_boot)
}

/// Refuses to continue a run that was begun in another boot.
pub(crate) fn refuse_resume(loaded: &Loaded, journal: &Journal, boot: &str) -> Result<(), Failure> {
    let is_this_boot = journal.genesis().is_some_and(|genesis| genesis.boot == boot);
    if of_host(loaded).is_none() || is_this_boot {
        return Ok(());
    }
    Err(Failure::incomplete("the host was booted since the run was begun, and a session is one boot")
        .help("Leave `--resume` away."))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_one_boot_and_a_boot_is_one_session() {
        let conflict = |measured: &[u64], is_this_boot| conflict(measured.iter().copied(), 2, is_this_boot);
        assert_eq!([conflict(&[2, 2], true), conflict(&[], true)], [None; 2], "the rest of it, in its boot");
        assert_eq!(conflict(&[1, 2], true), Some(1), "another one was measured in this boot");
        assert_eq!(conflict(&[1, 3], false), None, "others have boots of their own");
        assert_eq!(conflict(&[1, 2], false), Some(2), "a part of it was measured in another boot");
    }
}
