//! The whole runner in a place in memory: no process is started.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;

use super::{GuestImage, Interrupts, Observer, Request, Summary, execute};
use crate::digest::Digest;
use crate::image::Image;
use crate::inventory::Inventory;
use crate::lock::{self, Lock};
use crate::manifest::{self, Experiment};
use crate::measurement::Metric;
use crate::name::RunId;
use crate::os::{Exit, Machine, Os as _};
use crate::place::{Answer, Launch, Memory};
use crate::plan::{self, Case, Plan};
use crate::source::Source;
use crate::store::Layout;
use crate::store::event::{Finished, Outcome};

/// Two cases on the machine itself.
const ON_HOST: &str = r#"format: benchpaper/experiment@1
name: memory
title: In memory
version: 1.0.0
authors: [{name: The tests}]
question: Does the runner need a process?
hosts: {bench: {role: [controller, sut], access: local}}
workloads:
  say: {tool: command, argv: [say, "{n}"], read: {value: {regex: "(\\d+)", unit: "1"}}}
matrix: {factors: {n: [1, 2]}}
design: {replicates: 1, order: interleaved, seed: 7}
"#;

/// Two cases in guests of a hypervisor that exists in tests only, both at once.
const IN_GUESTS: &str = r#"format: benchpaper/experiment@1
name: guests
title: Guests in memory
version: 1.0.0
authors: [{name: The tests}]
question: Does anything but its file know a hypervisor?
hosts: {bench: {role: [controller, sut], access: local}}
hypervisors: {tiny: {product: Tiny, accelerator: tcg}}
guests:
  linux:
    hypervisor: tiny
    memory: 64 MiB
    kernel: {debian: linux-image-cloud-amd64}
    disks: {data: {size: 1 MiB, controller: virtio-blk}}
workloads:
  say: {tool: command, argv: [say, "{n}"], read: {value: {regex: "(\\d+)", unit: "1"}}}
matrix: {factors: {n: [1, 2]}}
design: {replicates: 1, order: interleaved, seed: 7, concurrency: 2, time_limit: 300 ms}
"#;

struct Inputs {
    manifest: &'static str,
    experiment: Experiment,
    lock: Lock,
    plan: Plan,
}

fn inputs(manifest: &'static str) -> Inputs {
    let source = Source::new("experiment.yaml", manifest);
    let parsed = manifest::parse(&source);
    let experiment = parsed.experiment.unwrap_or_else(|| panic!("{:?}", parsed.diagnostics));
    let settings = plan::settings(&experiment, None).unwrap();
    let expansion = plan::expand(&experiment, &source, settings, &BTreeMap::new()).unwrap();
    let cases = [("default".to_owned(), plan::cases_pin(&expansion.cases))].into();
    let lock = lock::resolve(&experiment, &Inventory::default(), BTreeMap::new(), cases);
    let plan = plan::plan(&experiment, &lock, expansion);
    Inputs { manifest, experiment, lock, plan }
}

/// Keeps how jobs ended.
#[derive(Default)]
struct Ends(Vec<(Outcome, String, Option<f64>)>);

impl Observer for Ends {
    fn begun(&mut self, _: &RunId, _: usize, _: u64) {}

    fn started(&mut self, _: &Case, _: u64) {}

    fn finished(&mut self, finished: &Finished, _: &Case, headline: Option<(Metric, f64)>) {
        self.0.push((finished.outcome, finished.reason.clone(), headline.map(|(_, value)| value)));
    }

    fn note(&mut self, _: &str) {}
}

/// Runs all jobs of a manifest in a place in memory.
fn run(inputs: &Inputs, place: &Memory, interrupts: Interrupts) -> (Summary, Ends) {
    let folder = tempfile::tempdir().unwrap();
    let layout = Layout::new(&folder.path().join("artifacts"));
    let is_in_guests = inputs.experiment.guest().is_some();
    let image = Image {
        recipe: Digest::of(b""),
        kernel: Digest::of(b""),
        kernel_release: String::new(),
        initramfs: Digest::of(b""),
        packages: vec![],
        programs: BTreeMap::new(),
        compiler: None,
    };
    let request = Request {
        controller: Arc::new(Machine),
        host: Rc::new(place.clone()),
        layout: &layout,
        experiment: &inputs.experiment,
        manifest: inputs.manifest.as_bytes(),
        lock: &inputs.lock,
        lock_bytes: b"lock",
        plan: &inputs.plan,
        reasons: &inputs.plan.reasons(&[], None),
        attempts: BTreeMap::new(),
        previous: None,
        resume: None,
        waivers: BTreeMap::new(),
        commit: None,
        inventory: Inventory::default(),
        scratch: Path::new("/scratch"),
        files: &BTreeMap::new(),
        image: is_in_guests.then(|| GuestImage { image, kernel: vec![1], initramfs: vec![2], client: None }),
        exact: BTreeMap::new(),
        supervisor: None,
        measuring_lock: folder.path().join("measuring.lock"),
        interrupts,
    };
    let mut ends = Ends::default();
    let summary = execute(request, &mut ends).unwrap();
    (summary, ends)
}

/// What a guest sends: its facts, and then the answer to a launch.
fn guest(answer: &str) -> Answer {
    let facts = "cpu.count=1\ndisk.data.driver=virtio_blk\ndisk.data.size=1048576 B\n";
    let section = |name: &str, text: &str| format!("\nbenchpaper {name} {}\n{text}", text.len());
    Answer::of(&format!("{}{answer}", section("facts", facts)))
}

/// The slot that something is started in.
fn is_of_slot(launch: &Launch, number: usize) -> bool {
    launch.folder.starts_with(format!("slot-{number}"))
        || launch.folder.iter().any(|part| part == format!("slot-{number}").as_str())
}

#[test]
fn jobs_end_as_their_program_does() {
    let place = Memory::new(|launch| match launch.argv[1].as_str() {
        "1" => Ok(Answer { files: vec![("log/a".to_owned(), b"x".to_vec())], ..Answer::of("17") }),
        _ => Ok(Answer { exit: Exit::Code(3), stderr: b"no\n".to_vec(), ..Answer::of("") }),
    });
    let inputs = inputs(ON_HOST);
    let (summary, mut ends) = run(&inputs, &place, Interrupts::Signals);
    ends.0.sort_by_key(|end| end.0);
    assert_eq!((summary.ok, summary.not_ok), (1, 1));
    assert_eq!(ends.0[0], (Outcome::Ok, String::new(), Some(17.0)));
    assert_eq!((ends.0[1].0, ends.0[1].1.as_str()), (Outcome::Failed, "`say` ended with code 3: no"));
    assert_eq!((place.started().len(), place.running()), (2, 0));
}

#[test]
fn a_program_that_can_not_be_started_or_written_for_fails_its_attempt_and_no_other() {
    let place = Memory::new(|launch| match launch.argv[1].as_str() {
        "1" => Ok(Answer::of("1")),
        _ => Err(io::Error::other("no such program")),
    });
    let (summary, _) = run(&inputs(ON_HOST), &place, Interrupts::Signals);
    assert_eq!((summary.ok, summary.not_ok), (1, 1));
    // the place fails at each of its operations in turn: the run ends with an error, or says which job failed
    for nth in 1..=place.operations() {
        let place = Memory::new(|_| Ok(Answer::of("1"))).failing(nth);
        let folder = tempfile::tempdir().unwrap();
        let inputs = inputs(ON_HOST);
        let outcome =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(&inputs, &place, Interrupts::Signals)));
        assert!(outcome.map_or(true, |(summary, _)| summary.ok + summary.not_ok == 2), "operation {nth}");
        drop(folder);
    }
}

#[test]
fn guests_of_a_hypervisor_that_nothing_else_knows_are_booted_and_measured() {
    let place = Memory::new(|launch| {
        Ok(match launch.argv[0].as_str() {
            "tiny-vm" => guest("\nbenchpaper stdout 2\n42\nbenchpaper stderr 0\n\nbenchpaper end 0\n")
                .after(Duration::from_secs(60)),
            _ => Answer::of(""),
        })
    });
    let inputs = inputs(IN_GUESTS);
    let (summary, ends) = run(&inputs, &place, Interrupts::Signals);
    assert_eq!(summary.ok, 2, "{:?}", ends.0);
    assert_eq!(ends.0[0].2, Some(42.0));
    assert!(place.started().iter().any(|argv| argv.join(" ") == "tiny-vm 1/1"), "{:?}", place.started());
    assert_eq!(place.running(), 0, "all hypervisors were ended");
    assert_eq!(inputs.plan.programs(), ["tiny-disk", "tiny-vm"]);
    let spec = inputs.plan.cases[0].guest.clone().unwrap();
    assert!(serde_json::to_string(&spec).unwrap().contains(r#""product":"Tiny""#), "it is part of what is hashed");
}

#[test]
fn a_slow_image_tool_holds_up_neither_a_signal_nor_the_limit_of_another_slot() {
    let place = Memory::new(|launch| {
        Ok(match launch.argv[0].as_str() {
            // ready, and silent then
            "tiny-vm" => guest("").after(Duration::from_secs(60)),
            _ if is_of_slot(launch, 0) => Answer::of("").after(Duration::from_secs(60)),
            _ => Answer::of(""),
        })
    });
    let (words, interrupts) = mpsc::unbounded_channel();
    let sender = std::thread::spawn(move || {
        #[expect(clippy::disallowed_methods, reason = "a signal comes from outside the runner and its timers")]
        std::thread::sleep(Duration::from_millis(1_500));
        words.send("SIGTEST".to_owned())
    });
    let started_ns = Machine.monotonic_ns();
    let (summary, ends) = run(&inputs(IN_GUESTS), &place, Interrupts::Words(interrupts));
    let took_s = (Machine.monotonic_ns() - started_ns) / 1_000_000_000;
    assert!(took_s < 10, "{took_s} s");
    assert_eq!(summary.interrupted.as_deref(), Some("interrupted by SIGTEST"));
    let outcomes: Vec<Outcome> = ends.0.iter().map(|end| end.0).collect();
    assert_eq!(outcomes, [Outcome::Timeout, Outcome::Interrupted], "{:?}", ends.0);
    assert!(ends.0[0].1.contains("not done after 300 ms"), "{}", ends.0[0].1);
    assert_eq!(place.running(), 0);
    sender.join().unwrap().unwrap();
}
