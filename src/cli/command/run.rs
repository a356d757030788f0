//! `run`: measures what the manifest says.

use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::sync::Arc;

use crate::attempt::{Role, exact_roles};
use crate::cli::arguments::RunArguments;
use crate::cli::failure::Failure;
use crate::cli::host::{boot_id, facts, host_of, refuse_missing_programs, refuse_too_little_room};
use crate::cli::progress::Progress;
use crate::cli::workspace::Loaded;
use crate::cli::{Session, image, sessions, show, workspace};
use crate::digest::Digest;
use crate::guest::Spec;
use crate::inventory::Inventory;
use crate::lock::{self, Lock};
use crate::plan::{self, Plan, Reason};
use crate::run::{self, Interrupts, Request, Summary};
use crate::store::event::{Event, Outcome};
use crate::store::history::{History, history};
use crate::store::{Reader, index};

pub(crate) fn run(session: &Session, arguments: &RunArguments) -> Result<u8, Failure> {
    let profile = arguments.profile.as_deref();
    if let Some(run) = &arguments.replay {
        return replay(session, arguments, run);
    }
    if !arguments.resume
        && arguments.only.is_none()
        && let Some(jobs) = workspace::known_complete(session, &arguments.experiment.experiment, profile)?
    {
        nothing_to_do(session, (jobs, jobs));
        return Ok(0);
    }
    let loaded = workspace::load(session, &arguments.experiment.experiment)?;
    let (lock, lock_text) = loaded.lock(session)?;
    let planned = loaded.plan(&lock, profile)?;
    let layout = loaded.workspace.layout();
    // whoever runs an experiment decides alone what is still to be measured
    let _alone = layout.lock_experiment(&*session.os, &loaded.experiment.name.value)?;
    let index = index::load(&*session.os, &layout)?;
    let reasons = planned.reasons(index.done(&loaded.experiment.name.value), arguments.only.as_deref());
    let reasons = sessions::only_next(&loaded, &planned, reasons);
    let is_selected = |only: &String| planned.cases.iter().any(|case| case.label().contains(only.as_str()));
    if arguments.only.as_ref().is_some_and(|only| !is_selected(only)) {
        return Err(
            Failure::usage("no case has this text in its label").help("`benchpaper plan --why` prints the labels.")
        );
    }
    if !reasons.contains(&Reason::NotMeasured) && !arguments.resume {
        remember(session, &loaded, profile, &planned);
        let measured = reasons.iter().filter(|reason| **reason == Reason::Measured).count();
        nothing_to_do(session, (measured, reasons.len()));
        let by_hand = reasons.iter().filter(|reason| **reason == Reason::ByHand).count();
        if by_hand > 0 {
            let sheet = format!("`benchpaper plan {} --runsheet`", loaded.shown());
            show::note(&format!("{by_hand} jobs are run by a person: {sheet} prints what to do"));
        }
        return Ok(0);
    }
    refuse_missing_programs(session, &loaded, &planned.programs())?;
    let summary = measure(session, arguments, &loaded, (&lock, &lock_text), (&planned, &reasons))?;
    remember(session, &loaded, profile, &planned);
    report(session, &loaded, (&planned, &reasons), &summary)
}

/// Runs the jobs that are to run, with progress.
pub(crate) fn measure(
    session: &Session,
    arguments: &RunArguments,
    loaded: &Loaded,
    (lock, lock_text): (&Lock, &str),
    (planned, reasons): (&Plan, &[Reason]),
) -> Result<Summary, Failure> {
    let layout = loaded.workspace.layout();
    let inventory = facts(session, loaded, &planned.programs())?;
    let waivers = check_machine(loaded, lock, &inventory, &arguments.waivers)?;
    image::check_servers(loaded, &planned.cases)?;
    image::check_hypervisor(loaded, &planned.cases, &inventory)?;
    let mut reader = Reader::open(&*session.os, &layout)?;
    let history = history(&*session.os, &layout, &mut reader, &loaded.experiment.name.value)?;
    drop(reader);
    let boot = boot_id(session, loaded)?;
    sessions::refuse_other_boots(loaded, (planned, reasons), &history, &boot)?;
    let resume = if arguments.resume { Some(open_run((&history, &boot), loaded, lock_text, planned)?) } else { None };
    let revision = loaded.revision()?.filter(|revision| revision.changed.is_empty());
    let scratch = arguments.scratch.clone().unwrap_or_else(|| layout.folder().join("scratch"));
    let scratch = absolute(session, scratch)?;
    refuse_too_little_room(session, loaded, planned, &scratch)?;
    refuse_too_little_memory(planned, &inventory)?;
    image::check_disks(loaded)?;
    let image = image::load(session, loaded, lock)?;
    let request = Request {
        controller: Arc::clone(&session.os),
        host: host_of(session, loaded)?,
        layout: &layout,
        experiment: &loaded.experiment,
        manifest: loaded.source.text().as_bytes(),
        lock,
        lock_bytes: lock_text.as_bytes(),
        plan: planned,
        reasons,
        attempts: history.attempts(),
        previous: history.newest_head(),
        resume,
        waivers,
        commit: revision.map(|revision| revision.commit),
        inventory,
        scratch: &scratch,
        files: &loaded.files,
        image,
        exact: exact_digests(&history, planned),
        supervisor: Some(session.os.own_program().map_err(Failure::io(std::path::Path::new("benchpaper")))?),
        measuring_lock: measuring_lock(session),
        interrupts: Interrupts::Signals,
    };
    let mut progress = Progress::new(std::io::stderr().is_terminal());
    Ok(run::execute(request, &mut progress)?)
}

/// Tells a recorded run again, as plain lines.
fn replay(session: &Session, arguments: &RunArguments, run: &str) -> Result<u8, Failure> {
    let loaded = workspace::load(session, &arguments.experiment.experiment)?;
    let layout = loaded.workspace.layout();
    let mut reader = Reader::open(&*session.os, &layout)?;
    let history = history(&*session.os, &layout, &mut reader, &loaded.experiment.name.value)?;
    let Some((_, journal)) = history.runs.iter().find(|(id, _)| id.as_str() == run) else {
        let known: Vec<&str> = history.runs.iter().map(|(id, _)| id.as_str()).collect();
        return Err(
            Failure::usage(format!("no run is called `{run}`")).help(format!("There are: {}.", known.join(", ")))
        );
    };
    run::replay::replay(journal, &reader, &mut Progress::new(false))?;
    Ok(0)
}

/// Guests that do not fit into memory would measure the swap, or be ended.
fn refuse_too_little_memory(planned: &Plan, inventory: &Inventory) -> Result<(), Failure> {
    let one = |guest: &Spec| guest.count.saturating_mul(guest.memory_bytes + guest.hypervisor().overhead_bytes());
    let needed = planned.cases.iter().filter_map(|case| case.guest.as_ref()).map(one).max().unwrap_or(0) >> 20;
    let size = inventory.value("memory.size").and_then(|size| size.strip_suffix(" MiB")?.parse::<u64>().ok());
    match size {
        Some(size) if needed > size => {
            let message = format!("the guests take up to {needed} MiB of memory, this machine has {size} MiB");
            Err(Failure::usage(message).help("Use fewer guests, or give each less memory."))
        }
        _ => Ok(()),
    }
}

/// What exact replicates gave in earlier runs, by case and role; of jobs that are still the plan's.
fn exact_digests(history: &History, planned: &Plan) -> BTreeMap<Digest, BTreeMap<Role, Digest>> {
    let is_exact = |job: &plan::Job| planned.cases[job.case].guest.as_ref().is_some_and(Spec::is_exact);
    let keys: std::collections::BTreeSet<Digest> =
        planned.jobs.iter().filter(|job| is_exact(job)).map(|job| job.key).collect();
    let mut found = BTreeMap::new();
    for event in history.runs.iter().flat_map(|(_, journal)| journal.events()) {
        if let Event::Finished(finished) = event
            && finished.outcome == Outcome::Ok
            && keys.contains(&finished.job)
        {
            let roles = finished.objects.iter().map(|(role, object)| (Role::parse(role), object.digest));
            let digests = roles.filter(|(role, _)| exact_roles().contains(role)).collect();
            found.entry(finished.case).or_insert(digests);
        }
    }
    found
}

fn absolute(session: &Session, path: PathBuf) -> Result<PathBuf, Failure> {
    if path.is_absolute() {
        return Ok(path);
    }
    let here = session.os.current_folder().map_err(Failure::io(std::path::Path::new(".")))?;
    Ok(here.join(path))
}

/// The lock that whoever measures on this host holds.
fn measuring_lock(session: &Session) -> PathBuf {
    let named = session.os.variable("BENCHPAPER_MEASURING_LOCK").map(PathBuf::from);
    named.unwrap_or_else(|| PathBuf::from("/tmp/benchpaper-measuring.lock"))
}

/// Remembers the plan, so that the next call need not make it. The index is derived: failing to save it is no harm.
fn remember(session: &Session, loaded: &Loaded, profile: Option<&str>, planned: &Plan) {
    if let Some(inputs) = workspace::inputs_digest(session, &loaded.folder, profile) {
        let keys = planned.jobs.iter().map(|job| job.key).collect();
        let _ = index::remember(&*session.os, &loaded.workspace.layout(), inputs, keys);
    }
}

fn nothing_to_do(session: &Session, (measured, jobs): (usize, usize)) {
    if session.is_json {
        show::print(&serde_json::json!({"run": null, "ok": 0, "not_ok": 0, "measured": measured}).to_string());
    } else {
        show::print(&format!("nothing to do: {measured} of {jobs} jobs have a usable result"));
    }
}

/// What the manifest requires must hold; where lock and machine differ, every difference must be waived with a reason.
fn check_machine(
    loaded: &Loaded,
    lock: &Lock,
    inventory: &Inventory,
    waivers: &[String],
) -> Result<BTreeMap<String, String>, Failure> {
    let missing = lock::check_requirements(&loaded.experiment, inventory, &loaded.source);
    if !missing.is_empty() {
        return Err(missing.into());
    }
    let mut accepted = BTreeMap::new();
    for waiver in waivers {
        match waiver.split_once('=') {
            Some((fact, reason)) if !fact.trim().is_empty() && !reason.trim().is_empty() => {
                accepted.insert(fact.trim().to_owned(), reason.trim().to_owned());
            }
            _ => return Err(Failure::usage(format!("`--waive {waiver}` is not `FACT=REASON`"))),
        }
    }
    let differing = lock::differences(lock, inventory);
    let refused: Vec<String> = differing
        .iter()
        .filter(|one| !accepted.contains_key(&one.fact))
        .map(|one| format!("  {}: locked `{}`, found `{}`", one.fact, one.locked, one.found))
        .collect();
    if !refused.is_empty() {
        let message = format!("this machine is not the locked one:\n{}", refused.join("\n"));
        let help = format!(
            "`benchpaper lock {}` pins this machine; `--waive FACT=REASON` accepts one difference, and the paper prints it.",
            loaded.shown()
        );
        return Err(Failure::usage(message).help(help));
    }
    accepted.retain(|fact, _| differing.iter().any(|one| one.fact == *fact));
    Ok(accepted)
}

/// The newest interrupted run, which must be of the same manifest, lock and profile.
fn open_run(
    (history, boot): (&History, &str),
    loaded: &Loaded,
    lock_text: &str,
    planned: &Plan,
) -> Result<crate::name::RunId, Failure> {
    let Some((run, journal)) = history.newest_open() else {
        return Err(Failure::usage("there is no interrupted run").help("Leave `--resume` away."));
    };
    sessions::refuse_resume(loaded, journal, boot)?;
    let genesis = journal.genesis();
    let is_same = genesis.is_some_and(|genesis| {
        genesis.manifest == Digest::of(loaded.source.text().as_bytes())
            && genesis.lock == Digest::of(lock_text.as_bytes())
            && genesis.profile == planned.settings.profile
    });
    if is_same {
        return Ok(run.clone());
    }
    let message = format!("the interrupted run {run} is of another manifest, lock or profile");
    Err(Failure::usage(message).help("Leave `--resume` away: what was measured is not measured again."))
}

fn report(
    session: &Session,
    loaded: &Loaded,
    (planned, reasons): (&Plan, &[Reason]),
    summary: &Summary,
) -> Result<u8, Failure> {
    if session.is_json {
        show::print_json(
            &serde_json::json!({"run": summary.run, "ok": summary.ok, "not_ok": summary.not_ok, "interrupted": summary.interrupted}),
        )?;
    }
    if let Some(reason) = &summary.interrupted {
        show::note(&format!("run {} stopped: {reason}", summary.run));
        show::note(&format!("continue it with `benchpaper run {} --resume`", loaded.shown()));
        return Ok(3);
    }
    if !session.is_json {
        show::print(&format!("run {}: {} ok, {} not ok", summary.run, summary.ok, summary.not_ok));
    }
    let left = sessions::what_is_left(loaded, planned, reasons);
    if let Some(left) = &left {
        show::note(left);
    }
    Ok(if summary.not_ok == 0 && left.is_none() { 0 } else { 3 })
}
