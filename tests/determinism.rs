//! The same input gives the same bytes, whatever surrounds it.

use crate::laboratory::{ECHO, Laboratory, copy};

#[test]
fn folder_time_zone_and_locale_leave_no_trace() {
    let here = Laboratory::measured("echo", ECHO);
    here.commit();
    here.expect(0, &["publish", "echo"]);
    let there = Laboratory::new();
    copy(here.path(), there.path());
    std::fs::remove_dir_all(there.join("reports")).unwrap();
    let mut command = there.command(&["publish", "echo"]);
    command
        .env("TZ", "Pacific/Kiritimati")
        .env("LC_ALL", "tr_TR.UTF-8")
        .env("LANG", "tr_TR.UTF-8")
        .env("HOME", "/nonexistent");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    for file in ["paper.pdf", "paper.md", "cellmap.json", "figures/latency_mean.svg"] {
        let path = format!("reports/echo/1.0.0/{file}");
        assert!(std::fs::read(here.join(&path)).unwrap() == std::fs::read(there.join(&path)).unwrap(), "{file}");
    }
}

#[test]
fn the_order_of_jobs_is_that_of_the_seed() {
    let labels = |manifest: &str| {
        let laboratory = Laboratory::with("echo", manifest);
        laboratory.expect(0, &["lock", "echo"]);
        let plan = laboratory.json(0, &["plan", "echo"]);
        let label = |job: &serde_json::Value| format!("{} {}", job["case"].as_str().unwrap(), job["replicate"]);
        plan["jobs"].as_array().unwrap().iter().map(label).collect::<Vec<_>>()
    };
    let first = labels(ECHO);
    assert_eq!(first, labels(ECHO));
    assert_ne!(first, labels(&ECHO.replace("seed: 7", "seed: 8")));
    let replicates: Vec<u64> = first.iter().map(|label| label.rsplit(' ').next().unwrap().parse().unwrap()).collect();
    assert!(replicates.is_sorted(), "interleaved: a replicate visits every case before the next begins: {first:?}");
}
