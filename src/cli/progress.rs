//! Progress of a run: a bar on a terminal, plain lines elsewhere.

use std::collections::BTreeMap;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::show;
use crate::diagnostic::printable;
use crate::measurement::Metric;
use crate::name::RunId;
use crate::plan::Case;
use crate::quantity::readable_duration;
use crate::run::Observer;
use crate::store::event::{Finished, Outcome};
use crate::words;

/// Shows a run to whoever watches.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    is_terminal: bool,
    jobs: usize,
    done: usize,
    failed: usize,
    left_ns: u64,
    earlier: BTreeMap<String, Vec<f64>>,
    is_quiet: bool,
}

impl Progress {
    /// On a terminal a bar is drawn.
    pub(crate) fn new(is_terminal: bool) -> Self {
        Self {
            bar: None,
            is_terminal,
            jobs: 0,
            done: 0,
            failed: 0,
            left_ns: 0,
            earlier: BTreeMap::new(),
            is_quiet: false,
        }
    }

    fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| show::note(text)),
            None => show::note(text),
        }
    }
}

impl Observer for Progress {
    fn begun(&mut self, run: &RunId, jobs: usize, expected_ns: u64) {
        (self.jobs, self.left_ns) = (jobs, expected_ns);
        self.is_quiet = jobs > 500;
        let time = if expected_ns > 0 { format!(", about {}", readable_duration(expected_ns)) } else { String::new() };
        show::note(&format!("run {run}: {jobs} jobs{time}"));
        if self.is_terminal {
            let bar = ProgressBar::with_draw_target(Some(jobs as u64), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template("{bar:24} {pos}/{len}  {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.enable_steady_tick(Duration::from_millis(500));
            self.bar = Some(bar);
        }
    }

    fn started(&mut self, case: &Case, replicate: u64) {
        if let Some(bar) = &self.bar {
            let left = readable_duration(self.left_ns);
            bar.set_message(printable(&format!("{left} left  {} #{replicate}", case.label())));
        }
    }

    fn finished(&mut self, finished: &Finished, case: &Case, headline: Option<(Metric, f64)>) {
        self.done += 1;
        self.left_ns = self.left_ns.saturating_sub(crate::plan::expected_duration_ns(case));
        if let Some(bar) = &self.bar {
            bar.set_position(self.done as u64);
        }
        let label = format!("{} #{}", case.label(), finished.replicate);
        if finished.outcome != Outcome::Ok {
            self.failed += 1;
            self.line(&format!(
                "[{}/{}] {label}: {}: {}",
                self.done,
                self.jobs,
                finished.outcome.word(),
                finished.reason
            ));
            return;
        }
        if self.is_quiet {
            if self.done.is_multiple_of(1_000) {
                self.line(&format!("[{}/{}] {} failed", self.done, self.jobs, self.failed));
            }
            return;
        }
        let shown = match headline {
            Some((metric, value)) => {
                let earlier = self.earlier.entry(case.label()).or_default();
                let before: Vec<String> = earlier.iter().rev().take(4).rev().map(|value| short(*value)).collect();
                let before =
                    if before.is_empty() { String::new() } else { format!("  (before: {})", before.join(", ")) };
                earlier.push(value);
                format!("{} {}{before}", metric.title(words::english()), short(value))
            }
            None => "ok".to_owned(),
        };
        self.line(&format!("[{}/{}] {label}: {shown}", self.done, self.jobs));
    }

    fn note(&mut self, text: &str) {
        self.line(text);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn short(value: f64) -> String {
    if value >= 1000.0 { format!("{value:.0}") } else { format!("{value:.3}") }
}
