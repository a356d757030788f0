//! Every changing operation of the machine fails, is torn, or is the last, one after the other.
//!
//! Whatever strikes: nothing that was reported done is lost, nothing is half-written, and the work can be done again.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use benchpaper::digest::Digest;
use benchpaper::inventory::Inventory;
use benchpaper::lock::{self, Lock};
use benchpaper::manifest::{self, Experiment};
use benchpaper::measurement::Metric;
use benchpaper::name::RunId;
use benchpaper::os::{self, Fault, Faulty, Machine, Os};
use benchpaper::place::Local;
use benchpaper::plan::{self, Case, Plan};
use benchpaper::publish;
use benchpaper::run::{self, Observer, Request};
use benchpaper::source::Source;
use benchpaper::store::event::{Event, Finished, Outcome};
use benchpaper::store::history::history;
use benchpaper::store::{Layout, Reader, check, index, prune};

const MANIFEST: &str = r#"format: benchpaper/experiment@1
name: faults
title: Faults
version: 1.0.0
authors: [{name: T}]
question: What is lost?
hosts: {bench: {role: [controller, sut], access: local}}
workloads:
  say: {tool: command, argv: [sh, -c, "head -c 70000 /dev/zero > large-{n}; echo {n}"], read: {value: {regex: "(\\d+)", unit: "1"}}}
matrix: {factors: {n: [1, 2]}}
design: {replicates: 1, order: interleaved, seed: 7}
"#;

struct Inputs {
    experiment: Experiment,
    lock: Lock,
    plan: Plan,
}

fn inputs() -> Inputs {
    let source = Source::new("experiment.yaml", MANIFEST);
    let experiment = manifest::parse(&source).experiment.unwrap();
    let settings = plan::settings(&experiment, None).unwrap();
    let expansion = plan::expand(&experiment, &source, settings, &Default::default()).unwrap();
    let cases = [("default".to_owned(), plan::cases_pin(&expansion.cases))].into();
    let lock = lock::resolve(&experiment, &Inventory::default(), Default::default(), cases);
    let plan = plan::plan(&experiment, &lock, expansion);
    Inputs { experiment, lock, plan }
}

/// Notes which jobs were reported done.
#[derive(Default)]
struct Reported(RefCell<BTreeSet<Digest>>);

impl Observer for Reported {
    fn begun(&mut self, _: &RunId, _: usize, _: u64) {}

    fn started(&mut self, _: &Case, _: u64) {}

    fn finished(&mut self, finished: &Finished, _: &Case, _: Option<(Metric, f64)>) {
        if finished.outcome == Outcome::Ok {
            self.0.borrow_mut().insert(finished.job);
        }
    }

    fn note(&mut self, _: &str) {}
}

/// Runs what is not done yet; resumes where a run was left open.
fn run_once(os: &Arc<dyn Os>, folder: &Path, inputs: &Inputs, reported: &mut Reported) -> Result<(), String> {
    let layout = Layout::new(&folder.join("artifacts"));
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let lock_text = lock::to_yaml(&inputs.lock)?;
    os::write_atomically(&**os, &folder.join("experiment.lock.yaml"), lock_text.as_bytes())
        .map_err(|error| text(&error))?;
    let name = &inputs.experiment.name.value;
    let index = index::load(&**os, &layout).map_err(|error| text(&error))?;
    let reasons = inputs.plan.reasons(index.done(name), None);
    let mut reader = Reader::open(&**os, &layout).map_err(|error| text(&error))?;
    let history = history(&**os, &layout, &mut reader, name).map_err(|error| text(&error))?;
    drop(reader);
    let request = Request {
        controller: Arc::clone(os),
        host: Rc::new(Local::new(os)),
        layout: &layout,
        experiment: &inputs.experiment,
        manifest: MANIFEST.as_bytes(),
        lock: &inputs.lock,
        lock_bytes: lock_text.as_bytes(),
        plan: &inputs.plan,
        reasons: &reasons,
        attempts: history.attempts(),
        image: None,
        exact: Default::default(),
        previous: history.newest_head(),
        resume: history.newest_open().map(|(run, _)| run.clone()),
        waivers: Default::default(),
        commit: None,
        inventory: Inventory::default(),
        scratch: &folder.join("scratch"),
        files: &Default::default(),
        supervisor: None,
        measuring_lock: folder.join("measuring.lock"),
        interrupts: run::Interrupts::Signals,
    };
    run::execute(request, reported).map(|_| ()).map_err(|error| text(&error))
}

/// Publishes some files, and prunes.
fn publish_and_prune(os: &dyn Os, folder: &Path) -> Result<(), String> {
    let files = [("paper.md".to_owned(), b"# words".to_vec()), ("figures/a.svg".to_owned(), b"<svg/>".to_vec())];
    publish::freeze(os, &folder.join("reports/faults/1.0.0"), &files).map_err(|error| error.to_string())?;
    prune::execute(os, &Layout::new(&folder.join("artifacts"))).map(|_| ()).map_err(|error| error.to_string())
}

/// The jobs with a usable result in the record; the record must be sound.
fn recorded(folder: &Path, inputs: &Inputs, case: &str) -> BTreeSet<Digest> {
    let layout = Layout::new(&folder.join("artifacts"));
    let report = check::check(&Machine, &layout).unwrap();
    assert!(report.failures.is_empty() && report.missing.is_empty(), "{case}: {report:?}");
    let mut reader = Reader::open(&Machine, &layout).unwrap();
    let history = history(&Machine, &layout, &mut reader, &inputs.experiment.name.value).unwrap();
    let mut jobs = BTreeSet::new();
    for event in history.runs.iter().flat_map(|(_, journal)| journal.events()) {
        if let Event::Finished(finished) = event
            && finished.outcome == Outcome::Ok
        {
            jobs.insert(finished.job);
        }
    }
    jobs
}

/// One life with a fault, then one without; the changing operations of the first.
fn survives(fault: Fault, nth: u64, inputs: &Inputs) -> u64 {
    let case = format!("{fault:?} at {nth}");
    let folder = tempfile::tempdir().unwrap();
    let faulty = Faulty::new(fault, nth);
    let os: Arc<dyn Os> = Arc::new(faulty.clone());
    let mut reported = Reported::default();
    let first =
        run_once(&os, folder.path(), inputs, &mut reported).and_then(|()| publish_and_prune(&*os, folder.path()));
    let operations = faulty.operations();
    if fault == Fault::Stop && operations >= nth {
        assert!(first.is_err(), "{case}: the machine stopped, and nobody noticed");
    }
    let kept = recorded(folder.path(), inputs, &case);
    assert!(reported.0.borrow().is_subset(&kept), "{case}: reported done, not in the record");
    let real: Arc<dyn Os> = Arc::new(Machine);
    run_once(&real, folder.path(), inputs, &mut reported).unwrap_or_else(|error| panic!("{case}: {error}"));
    publish_and_prune(&*real, folder.path()).unwrap_or_else(|error| panic!("{case}: {error}"));
    let kept = recorded(folder.path(), inputs, &case);
    assert_eq!(kept.len(), inputs.plan.jobs.len(), "{case}: {first:?}");
    let figure = std::fs::read(folder.path().join("reports/faults/1.0.0/figures/a.svg")).unwrap();
    assert_eq!(figure, b"<svg/>");
    operations
}

#[test]
fn nothing_reported_is_lost_whatever_operation_fails_or_is_the_last() {
    let inputs = inputs();
    let most = survives(Fault::Fail, u64::MAX, &inputs);
    assert!(most > 60, "only {most} operations were seen");
    for fault in [Fault::Fail, Fault::Tear, Fault::Stop] {
        for nth in 1..=most {
            survives(fault, nth, &inputs);
        }
    }
}
