//! `plan`: what would run, for how long, and what it can show.

use crate::cli::arguments::PlanArguments;
use crate::cli::failure::Failure;
use crate::cli::workspace::Loaded;
use crate::cli::{Session, page, sessions, show, workspace};
use crate::plan::{self, Comparing, Plan, Power, Reason, runsheet};
use crate::quantity::readable_duration;
use crate::store::index;
use crate::words::{self, Word};

pub(crate) fn run(session: &Session, arguments: &PlanArguments) -> Result<u8, Failure> {
    let loaded = workspace::load(session, &arguments.experiment.experiment)?;
    let (lock, _) = loaded.lock(session)?;
    let planned = loaded.plan(&lock, arguments.profile.as_deref())?;
    let index = index::load(&*session.os, &loaded.workspace.layout())?;
    let reasons = planned.reasons(index.done(&loaded.experiment.name.value), None);
    let reasons = sessions::only_next(&loaded, &planned, reasons);
    if arguments.runsheet {
        return run_sheet(session, arguments, &loaded, (&planned, &reasons));
    }
    let power = plan::power(&loaded.experiment, &planned);
    let wanted = reasons.iter().filter(|reason| **reason == Reason::NotMeasured).count();
    let time = plan::duration(&loaded.experiment, &planned, &reasons);
    if session.is_json {
        let jobs: Vec<_> = planned
            .jobs
            .iter()
            .zip(&reasons)
            .map(|(job, reason)| serde_json::json!({"key": job.key, "case": planned.cases[job.case].label(), "replicate": job.replicate, "session": job.session, "why": reason}))
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
        readable_duration(time.expected_ns)
    ));
    if time.most_ns > time.expected_ns {
        show::print(&format!("at most {} with every retry and round that is allowed", readable_duration(time.most_ns)));
    }
    let by_hand = reasons.iter().filter(|reason| **reason == Reason::ByHand).count();
    if by_hand > 0 {
        show::print(&format!("{by_hand} jobs wait for a person: `benchpaper plan {} --runsheet`", loaded.shown()));
    }
    if let Some(later) = sessions::what_is_left(&loaded, &planned, &reasons) {
        show::print(&format!("one session a boot of the host; {later}"));
    }
    show_power(&power);
    if arguments.why {
        show_jobs(&planned, &reasons);
    }
    Ok(0)
}

/// Every job with the reason why it runs or not.
fn show_jobs(planned: &Plan, reasons: &[Reason]) {
    let row = |(number, (job, reason)): (usize, (&plan::Job, &Reason))| {
        let why = match reason {
            Reason::NotMeasured => "runs: it has no usable result",
            Reason::Measured => "done: it has a usable result",
            Reason::NotSelected => "skipped: it was not asked for",
            Reason::LaterSession => "waits: the host is booted anew for its session",
            Reason::ByHand => "waits: a person runs it, and `import` takes what comes out",
        };
        let (key, label) = (job.key.short(), planned.cases[job.case].label());
        let session = job.session.map(|session| session.to_string());
        [
            vec![(number + 1).to_string(), key],
            session.into_iter().collect(),
            vec![label, job.replicate.to_string(), why.to_owned()],
        ]
        .concat()
    };
    let rows: Vec<Vec<String>> = planned.jobs.iter().zip(reasons).enumerate().map(row).collect();
    match planned.jobs.iter().any(|job| job.session.is_some()) {
        true => show::print(&show::table(&["", "job", "session", "case", "replicate", "why"], &rows, &[0, 2, 4])),
        false => show::print(&show::table(&["", "job", "case", "replicate", "why"], &rows, &[0, 3])),
    }
}

/// What a person does, as text, as data, or as a PDF.
fn run_sheet(
    session: &Session,
    arguments: &PlanArguments,
    loaded: &Loaded,
    (planned, reasons): (&Plan, &[Reason]),
) -> Result<u8, Failure> {
    let sheet = runsheet::of(&loaded.experiment, planned, reasons);
    if sheet.entries.is_empty() {
        let is_manual = planned.cases.iter().any(|case| case.manual.is_some());
        if !is_manual {
            let help = "Write `execution: manual` for the experiment or a workload.";
            return Err(Failure::usage("benchpaper runs every job of this experiment itself").help(help));
        }
        show::print("nothing to do: every job that a person runs has a usable result");
        return Ok(0);
    }
    let Some(path) = &arguments.out else {
        if session.is_json {
            show::print_json(&sheet)?;
        } else {
            show::print(&runsheet::text(&loaded.experiment, &sheet));
        }
        return Ok(0);
    };
    let now_s = i64::try_from(session.os.now_ns() / 1_000_000_000).unwrap_or(0);
    let date = crate::os::timestamp(session.os.now_ns()).chars().take(10).collect();
    let pdf = page::pdf(runsheet::document(&loaded.experiment, &sheet, date), now_s)?;
    crate::os::write_atomically(&*session.os, path, &pdf).map_err(Failure::io(path))?;
    show::print(&format!("{} ({} files to save)", path.display(), sheet.entries.len()));
    Ok(0)
}

fn show_power(power: &Power) {
    let Some(treatment) = &power.treatment else {
        show::print("nothing is compared: the manifest names no treatment");
        return;
    };
    let units = if power.analysis == Comparing::Sessions { Word::SessionsOfLevel } else { Word::Replicates };
    let units = words::english().text(units);
    show::print(&format!(
        "compares the levels of `{treatment}` ({}): {} comparisons a metric, {} {units}",
        words::english().text(power.analysis.word()),
        power.comparisons,
        power.replicates
    ));
    show::print(&format!(
        "the smallest p that a rank test can reach here is {:.4}, after Holm's correction {:.4}",
        power.smallest_p, power.smallest_p_adjusted
    ));
    if !power.can_show() {
        show::note(&format!(
            "warning: no difference could be significant at 0.05 by a rank test, whatever its size; that needs {} {}",
            power.replicates_needed,
            if power.analysis == Comparing::Sessions { "sessions of each level" } else { "replicates" }
        ));
    }
}
