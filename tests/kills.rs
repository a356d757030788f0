//! A runner killed at random moments: no result is lost, none is measured twice, no process is left.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use crate::laboratory::Laboratory;

const KILLS: usize = 100;
const JOBS: u64 = 1_000;

/// Numbers that are random enough for moments.
struct Moments(u64);

impl Moments {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

fn manifest() -> String {
    let levels: Vec<String> = (0..JOBS).map(|level| level.to_string()).collect();
    let argv = r#"[sh, -c, "setsid sleep 0.004; sleep 0.004; echo {n}"]"#;
    let read = r#"{value: {regex: "(\\d+)", unit: "1"}}"#;
    let head = "format: benchpaper/experiment@1\nname: kills\ntitle: Kills\nversion: 1.0.0\nauthors: [{name: T}]\nquestion: What is lost?\nhosts: {bench: {role: [controller, sut], access: local}}\n";
    let levels = levels.join(", ");
    format!(
        "{head}workloads:\n  say: {{tool: command, argv: {argv}, read: {read}}}\nmatrix: {{factors: {{n: [{levels}]}}}}\ndesign: {{replicates: 1, order: interleaved, seed: 7}}\n"
    )
}

#[test]
fn a_hundred_kills_lose_and_repeat_nothing() {
    let laboratory = Laboratory::with("kills", &manifest());
    laboratory.expect(0, &["lock", "kills"]);
    let mut moments = Moments(2026);
    for _ in 0..KILLS {
        let mut child =
            laboratory.command(&next(&laboratory)).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(moments.next(120)));
        child.kill().unwrap();
        let stderr = child.stderr.take().unwrap();
        assert!(!child.wait().unwrap().success(), "all jobs were done before the last kill");
        let _ = BufReader::new(stderr).lines().count();
        wait_until_nothing_is_left(laboratory.path());
    }
    laboratory.expect(0, &next(&laboratory));
    laboratory.expect(0, &["store", "check"]);
    let results = laboratory.json(0, &["results", "kills"]);
    let ok = |run: &serde_json::Value| run["outcomes"]["ok"].as_u64().unwrap_or(0);
    let all: u64 = results["runs"].as_array().unwrap().iter().map(ok).sum();
    assert_eq!((results["missing"].as_u64(), all), (Some(0), JOBS), "each job has exactly one usable result");
}

/// Resumes where a run was left open.
fn next(laboratory: &Laboratory) -> Vec<&'static str> {
    let has_open_run = laboratory.expect(0, &["store", "check"]).stdout.contains("open ");
    if has_open_run { vec!["run", "kills", "--resume"] } else { vec!["run", "kills"] }
}

/// The supervisor ends what a killed runner left, within a few seconds.
fn wait_until_nothing_is_left(folder: &Path) {
    let folder = folder.canonicalize().unwrap();
    let is_ours = |process: &Path| std::fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd.starts_with(&folder));
    for _ in 0..500 {
        let mut processes = std::fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
        if !processes.any(|process| is_ours(&process)) {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("a process is left after five seconds");
}
