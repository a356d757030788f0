//! `plan`: what would run, for how long, and what it can show.

use crate::cli::arguments::PlanArguments;
use crate::cli::failure::Failure;
use crate::cli::{Session, show, workspace};
use crate::plan::{self, Power, Reason};
use crate::quantity::humane_duration;
use crate::store::index;

pub(crate) fn run(session: &Session, arguments: &PlanArguments) -> Result<u8, Failure> {
    let loaded = workspace::load(session, &arguments.experiment.experiment)?;
    let (lock, _) = loaded.lock(session)?;
    let planned = loaded.plan(&lock, arguments.profile.as_deref())?;
    let index = index::load(&*session.os, &loaded.workspace.layout())?;
    let reasons = planned.reasons(index.done(&loaded.experiment.name.value), None);
    let power = plan::power(&loaded.experiment, &planned);
    let wanted = reasons.iter().filter(|reason| **reason == Reason::NotMeasured).count();
    let time = plan::duration(&loaded.experiment, &planned, &reasons);
    if session.is_json {
        let jobs: Vec<_> = planned
            .jobs
            .iter()
            .zip(&reasons)
            .map(|(job, reason)| serde_json::json!({"key": job.key, "case": planned.cases[job.case].label(), "replicate": job.replicate, "why": reason}))
            .collect();
        show::print_json(
            &serde_json::json!({"jobs": jobs, "to_run": wanted, "expected_ns": time.expected_ns.to_string(), "most_ns": time.most_ns.to_string(), "power": power}),
        )?;
        return Ok(0);
    }
    show::print(&format!(
        "{} cases, {} jobs, {wanted} to run, about {}",
        planned.cases.len(),
        planned.jobs.len(),
        humane_duration(time.expected_ns)
    ));
    if time.most_ns > time.expected_ns {
        show::print(&format!("at most {} with every retry and round that is allowed", humane_duration(time.most_ns)));
    }
    show_power(&power);
    if arguments.why {
        let rows: Vec<Vec<String>> = planned
            .jobs
            .iter()
            .zip(&reasons)
            .enumerate()
            .map(|(number, (job, reason))| {
                let why = match reason {
                    Reason::NotMeasured => "runs: it has no usable result",
                    Reason::Measured => "done: it has a usable result",
                    Reason::NotSelected => "skipped: it was not asked for",
                };
                vec![
                    (number + 1).to_string(),
                    job.key.short(),
                    planned.cases[job.case].label(),
                    job.replicate.to_string(),
                    why.to_owned(),
                ]
            })
            .collect();
        show::print(&show::table(&["", "job", "case", "replicate", "why"], &rows, &[0, 3]));
    }
    Ok(0)
}

fn show_power(power: &Power) {
    let Some(treatment) = &power.treatment else {
        show::print("nothing is compared: the manifest names no treatment");
        return;
    };
    show::print(&format!(
        "compares the levels of `{treatment}` ({}): {} comparisons a metric, {} replicates",
        power.analysis, power.comparisons, power.replicates
    ));
    show::print(&format!(
        "the smallest p that this design can reach is {:.4}, after Holm's correction {:.4}",
        power.smallest_p, power.smallest_p_adjusted
    ));
    if !power.can_show() {
        show::note(&format!(
            "warning: no difference could be significant at 0.05 by a rank test, whatever its size; that needs {} replicates",
            power.replicates_needed
        ));
    }
}
