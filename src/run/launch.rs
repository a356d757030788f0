//! One launch in a place: started, waited for within a limit, and what it left.

use std::path::Path;
use std::time::Duration;

use crate::attempt::{Object, Role};
use crate::measurement::Metric;
use crate::os::{Exit, Input, Os, Output};
use crate::place::{Launch, Place};
use crate::quantity::readable_duration;
use crate::store::event::Outcome;
use crate::tool::LaunchPlan;

/// How much a job may print each way, in bytes.
const PRINTED_BYTES_MAX: u64 = 256 << 20;

/// How an attempt ended, with all it left behind.
pub(super) struct Ended {
    pub(super) outcome: Outcome,
    pub(super) reason: String,
    pub(super) objects: Vec<Object>,
    pub(super) duration_ns: u64,
    /// Whether it is worth trying again: nothing was measured.
    pub(super) is_infrastructure: bool,
    /// The value that a progress line shows.
    pub(super) headline: Option<(Metric, f64)>,
}

impl Ended {
    /// Without having measured anything.
    pub(super) fn failed(outcome: Outcome, reason: impl Into<String>) -> Self {
        Self {
            outcome,
            reason: reason.into(),
            objects: vec![],
            duration_ns: 0,
            is_infrastructure: true,
            headline: None,
        }
    }

    fn of_output(output: Output, program: &str) -> Self {
        let (outcome, reason, is_infrastructure) = match output.exit {
            Exit::Code(0) => (Outcome::Ok, String::new(), false),
            Exit::Code(code) => {
                (Outcome::Failed, format!("{program} ended with code {code}{}", last_words(&output.stderr)), false)
            }
            Exit::Signal(signal) => {
                (Outcome::Failed, format!("{program} was ended by signal {signal}"), output.stdout.is_empty())
            }
        };
        let objects = vec![(Role::Stdout, output.stdout), (Role::Stderr, output.stderr)];
        Self { outcome, reason, objects, duration_ns: 0, is_infrastructure, headline: None }
    }
}

/// Where a launch is started, and how long it may take.
pub(super) struct Where<'a> {
    pub(super) place: &'a dyn Place,
    /// Whose clock tells how long it took.
    pub(super) controller: &'a dyn Os,
    pub(super) folder: &'a Path,
    pub(super) mark: &'a str,
    pub(super) limit_ns: u64,
    /// The number of the guest that the place is, for messages.
    pub(super) guest: Option<u64>,
}

/// Writes the files of a launch, starts it, and waits.
pub(super) async fn launch(plan: &LaunchPlan, at: &Where<'_>) -> Ended {
    let launch = Launch {
        argv: plan.argv.clone(),
        folder: at.folder.to_owned(),
        files: plan.files.clone(),
        mark: at.mark.to_owned(),
        input: Input::Null,
    };
    let named = format!("`{}`", plan.argv.first().map_or("", String::as_str));
    let started_ns = at.controller.monotonic_ns();
    let mut running = match at.place.start(&launch).await {
        Ok(running) => running,
        Err(error) => return Ended::failed(Outcome::Failed, format!("starting {named}: {error}")),
    };
    let waited = tokio::time::timeout(Duration::from_nanos(at.limit_ns), running.output(PRINTED_BYTES_MAX)).await;
    let duration_ns = at.controller.monotonic_ns().saturating_sub(started_ns);
    running.end().await;
    let ended = match waited {
        Ok(Ok(output)) => Ended::of_output(output, if at.guest.is_some() { "the program" } else { &named }),
        Ok(Err(error)) => Ended::failed(Outcome::Failed, error.to_string()),
        Err(_) => {
            let limit = readable_duration(at.limit_ns);
            let who = at.guest.map_or_else(String::new, |number| format!("guest {number} was "));
            let reason = format!("{who}not done after {limit}");
            Ended { is_infrastructure: false, ..Ended::failed(Outcome::Timeout, reason) }
        }
    };
    Ended { duration_ns, ..ended }
}

/// The last line of what a program said, made printable.
fn last_words(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let line = text.lines().map(str::trim).rfind(|line| !line.is_empty());
    let line = line.map(|line| crate::diagnostic::printable(&line.chars().take(200).collect::<String>()));
    line.map_or_else(String::new, |line| format!(": {line}"))
}
