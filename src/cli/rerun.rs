//! A rerun for an audit: the plan once more, recorded apart from the experiment's own record.

use super::arguments::{AuditArguments, ExperimentArguments, RunArguments};
use super::command::run;
use super::evidence::Gathered;
use super::failure::Failure;
use super::host::refuse_missing_programs;
use super::workspace::{Loaded, Workspace, load};
use super::{Session, show};
use crate::os;
use crate::plan::{self, Plan, Reason};
use crate::results::Results;

/// The most commands that are listed before they are executed.
const COMMANDS_MAX: usize = 20;

/// Says what it will execute, runs it, and reads what came out.
pub(crate) fn rerun(session: &Session, arguments: &AuditArguments, known: &Gathered) -> Result<Results, Failure> {
    let own = &known.loaded;
    let reasons: Vec<Reason> = known.plan.reasons(&[], None);
    if !reasons.contains(&Reason::NotMeasured) {
        return Err(Failure::usage("people run every job of this experiment: there is nothing to run anew")
            .help("`benchpaper plan --runsheet` prints what to do, and `import` takes what comes out."));
    }
    let stamp: String = os::timestamp(session.os.now_ns()).chars().filter(char::is_ascii_alphanumeric).collect();
    let name = own.experiment.name.value.as_str();
    let folder = own.workspace.artifacts().join("reruns").join(format!("{name}-{stamp}"));
    announce(session, known, &reasons, &folder.display().to_string());
    let workspace = Workspace { root: own.workspace.root.clone(), rerun: Some(folder) };
    let loaded = Loaded { workspace, ..load(session, &own.folder)? };
    let run_arguments = RunArguments {
        experiment: ExperimentArguments { experiment: own.folder.clone() },
        profile: arguments.profile.clone(),
        resume: false,
        replay: None,
        only: None,
        waivers: arguments.waivers.clone(),
        scratch: None,
    };
    refuse_missing_programs(session, &loaded, &known.plan.programs())?;
    let summary =
        run::measure(session, &run_arguments, &loaded, (&known.lock, &known.lock_text), (&known.plan, &reasons))?;
    if let Some(reason) = summary.interrupted {
        return Err(Failure::incomplete(format!("the rerun stopped: {reason}")));
    }
    let results = loaded.results(session, &known.plan)?.results;
    Ok(results)
}

/// What will be executed, before it is.
fn announce(session: &Session, known: &Gathered, reasons: &[Reason], folder: &str) {
    let plan = &known.plan;
    let count = reasons.iter().filter(|reason| **reason == Reason::NotMeasured).count();
    let duration = plan::duration(&known.loaded.experiment, plan, reasons);
    let minutes = duration.expected_ns as f64 / 60e9;
    show::note(&format!("rerun: {count} jobs on this machine, about {minutes:.1} min, recorded in {folder}"));
    for program in plan.programs() {
        let path = session.os.find_program(&program);
        let path = path.map_or_else(|| "not installed".to_owned(), |path| path.display().to_string());
        show::note(&format!("  program  {program} ({path})"));
    }
    let commands = commands(plan);
    for command in commands.iter().take(COMMANDS_MAX) {
        show::note(&format!("  executes {command}"));
    }
    if commands.len() > COMMANDS_MAX {
        show::note(&format!("  and {} more commands: `benchpaper plan` lists the jobs", commands.len() - COMMANDS_MAX));
    }
    for step in &known.loaded.experiment.design.precondition {
        show::note(&format!("  writes   the whole of {}", step.fill.device.value));
    }
}

/// The command lines that its jobs start, each once.
fn commands(plan: &Plan) -> Vec<String> {
    let mut found: Vec<String> = vec![];
    for case in plan.cases.iter().filter(|case| case.manual.is_none()) {
        let launch = case.work().map(|work| work.launch(case.timing));
        let Some(Ok(launch)) = launch else { continue };
        let place = if case.guest.is_some() { " in guests" } else { "" };
        let command = format!("{}{place}", launch.argv.join(" "));
        if !found.contains(&command) {
            found.push(command);
        }
    }
    found
}
