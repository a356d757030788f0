//! Replay: a recorded run told again to an observer, event by event, as it was told when it ran.

use super::Observer;
use crate::attempt::{Output, headline};
use crate::measurement::{Metric, Status};
use crate::plan::{Case, Plan};
use crate::store::event::{Event, Finished};
use crate::store::{Journal, Reader, StoreError};

/// Tells a journal again. Nothing is executed; values are read from the raw objects.
pub fn replay(journal: &Journal, reader: &Reader<'_>, observer: &mut dyn Observer) -> Result<(), StoreError> {
    let Some(plan) = planned(journal, reader)? else { return Ok(()) };
    for event in journal.events() {
        match event {
            Event::Planned { jobs, .. } => {
                if let Some(genesis) = journal.genesis() {
                    observer.begun(&genesis.run, *jobs as usize, 0);
                }
            }
            Event::Prepared { what, .. } => observer.note(what),
            Event::Started { job, .. } => {
                if let Some(job) = plan.jobs.iter().find(|one| one.key == *job) {
                    observer.started(&plan.cases[job.case], job.replicate);
                }
            }
            Event::Finished(finished) => {
                if let Some(case) = plan.cases.iter().find(|case| case.digest == finished.case) {
                    observer.finished(finished, case, value(finished, case, reader)?);
                }
            }
            Event::Unmatched { name, reason, .. } => observer.note(&format!("{name} was not used: {reason}")),
            Event::Marked { reason, by, attempt, .. } => {
                observer.note(&format!("attempt {attempt} marked by {by}: {reason}"))
            }
            Event::Drift { changes } => observer.note(&format!("the machine changed: {}", changes.join("; "))),
            Event::Disturbed { what } => observer.note(what),
            Event::Recovered { .. } => observer.note("the run was continued"),
            Event::Interrupted { reason } => observer.note(&format!("the run stopped: {reason}")),
            Event::Sealed { ok, not_ok } => observer.note(&format!("sealed: {ok} ok, {not_ok} not ok")),
            Event::Genesis(_) | Event::Facts { .. } | Event::Commit { .. } => {}
        }
    }
    Ok(())
}

/// The newest plan of a run.
fn planned(journal: &Journal, reader: &Reader<'_>) -> Result<Option<Plan>, StoreError> {
    let plans = journal.events().filter_map(|event| match event {
        Event::Planned { plan, .. } => Some(*plan),
        _ => None,
    });
    plans.last().map(|digest| Ok(serde_json::from_slice(&reader.get(&digest)?)?)).transpose()
}

/// The value that a progress line showed.
fn value(finished: &Finished, case: &Case, reader: &Reader<'_>) -> Result<Option<(Metric, f64)>, StoreError> {
    let output = Output::of_finished(case, finished, reader)?;
    let reading = output.and_then(|output| output.read(case)).filter(|reading| reading.status == Status::Ok);
    Ok(reading.and_then(|reading| headline(case, &reading)))
}
