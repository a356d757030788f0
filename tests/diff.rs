//! Diffs: what was pinned otherwise, what came out otherwise, and what may be concluded, on real repositories.

use crate::laboratory::{ECHO, ECHO_NOISE, Laboratory};

/// A command whose value is given by a setting, with some spread that follows from the replicate's own process.
fn manifest(base: &str, runtime: &str) -> String {
    ECHO.replace(
        "printf, \"took %s ms\", \"{n}\"",
        &format!("sh, -c, \"echo took {base}{{n}}.$(date +%N | cut -c1-3) ms {runtime}\""),
    )
    .replace("[1, 2, 4.5]", "[1, 2]")
    .replace("replicates: 3", "replicates: 8")
    .replace(ECHO_NOISE, "")
    .replace("treatment: [n]", "treatment: [n]\nmetrics: {latency_mean: {better: lower, margin: 30 %}}")
}

fn measured(laboratory: &Laboratory, text: &str) {
    laboratory.write("experiments/echo/experiment.yaml", text.as_bytes());
    laboratory.expect(0, &["lock", "echo"]);
    laboratory.commit();
    laboratory.expect(0, &["run", "echo"]);
}

fn verdicts(diff: &serde_json::Value) -> Vec<&str> {
    diff["results"].as_array().unwrap().iter().map(|row| row["verdict"].as_str().unwrap()).collect()
}

#[test]
fn one_factor_may_be_credited_and_two_are_confounded() {
    let laboratory = Laboratory::with("echo", &manifest("10", "a"));
    measured(&laboratory, &manifest("10", "a"));
    // nothing but prose
    let retitled = manifest("10", "a").replace("question: Does", "question: Still, does");
    measured(&laboratory, &retitled);
    let diff = laboratory.json(0, &["diff", "HEAD~1:experiments/echo", "echo"]);
    assert_eq!(diff["confounded"], false);
    assert_eq!(diff["factors"][0]["kind"], "prose");
    assert_eq!(verdicts(&diff), ["equivalent"; 2], "the same raw objects: {diff:#}");

    measured(&laboratory, &manifest("30", "a"));
    let diff = laboratory.json(1, &["diff", "HEAD~1:experiments/echo", "echo"]);
    assert_eq!(diff["confounded"], false, "{diff:#}");
    assert_eq!(diff["causes"], serde_json::json!(["workloads.say.argv"]));
    assert_eq!(verdicts(&diff), ["regressed"; 2], "{diff:#}");
    let row = &diff["results"][0];
    assert!(row["p_adjusted"].as_f64().unwrap() < 0.05 && row["ratio"]["low"].as_f64().unwrap() > 2.0, "{row:#}");
    assert!(row["ratio"]["level"].as_f64().unwrap() >= 0.95);
    let back = laboratory.json(1, &["diff", "echo", "HEAD~1:experiments/echo"]);
    assert_eq!(verdicts(&back), ["improved"; 2]);

    let two = manifest("30", "b").replace("order: interleaved", "order: interleaved, pause: 1 ms");
    measured(&laboratory, &two);
    let diff = laboratory.json(1, &["diff", "HEAD~1:experiments/echo", "echo"]);
    assert_eq!(diff["confounded"], true);
    assert_eq!(diff["causes"], serde_json::json!(["design.pause", "workloads.say.argv"]));
    let said = laboratory.expect(1, &["diff", "HEAD~1:experiments/echo", "echo", "--isolate", "apart"]);
    assert!(said.stdout.contains("Confounded by design.pause, workloads.say.argv"), "{said:?}");
    let isolated = laboratory.read("apart/echo-isolated-1/experiment.yaml");
    assert!(isolated.contains("pause") && isolated.contains("ms a"), "one cause alone is changed: {isolated}");
    std::fs::create_dir_all(laboratory.join("experiments/echo-isolated-1")).unwrap();
    laboratory.write("experiments/echo-isolated-1/experiment.yaml", isolated.as_bytes());
    laboratory.expect(0, &["check", "echo-isolated-1"]);
}

#[test]
fn a_run_a_rerun_and_a_published_version_are_sides() {
    let laboratory = Laboratory::with("echo", &manifest("10", "a"));
    measured(&laboratory, &manifest("10", "a"));
    let run = laboratory.run_folder();
    let run = run.to_str().unwrap();
    let diff = laboratory.json(0, &["diff", run, "echo"]);
    assert_eq!(verdicts(&diff), ["equivalent"; 2]);
    laboratory.expect(0, &["publish", "echo"]);
    assert_eq!(
        verdicts(&laboratory.json(0, &["diff", "echo@1.0.0", "reports/echo/1.0.0/paper.pdf"])),
        ["equivalent"; 2]
    );
    laboratory.write(
        "experiments/echo/claims.yaml",
        b"format: benchpaper/claims@1\npaper: {title: x, ours: true}\nclaims: []\n",
    );
    laboratory.say(&["audit", "echo", "--rerun"]);
    let rerun = std::fs::read_dir(laboratory.join("artifacts/reruns")).unwrap().next().unwrap().unwrap().path();
    let diff = laboratory.json(0, &["diff", "echo", rerun.to_str().unwrap()]);
    assert_eq!(verdicts(&diff), ["equivalent"; 2], "nothing but noise, within the margin: {diff:#}");
    assert_ne!(diff["results"][0]["why"], "the same raw objects", "it was measured again");
    let markdown = laboratory.expect(0, &["diff", "echo", rerun.to_str().unwrap(), "--format", "markdown"]).stdout;
    assert!(markdown.contains("| Case | Metric |") && markdown.contains("equivalent"), "{markdown}");
}

#[test]
fn renames_reordered_lists_and_other_units_are_no_difference() {
    let laboratory = Laboratory::with("echo", &manifest("10", "a"));
    measured(&laboratory, &manifest("10", "a"));
    let same = manifest("10", "a").replace("  say:", "  tell:").replace("treatment: [n]", "treatment: [ n ]");
    laboratory.write("experiments/echo/experiment.yaml", same.as_bytes());
    laboratory.expect(0, &["lock", "echo"]);
    let diff = laboratory.json(0, &["diff", "HEAD:experiments/echo", "echo"]);
    let kinds: Vec<&str> =
        diff["factors"].as_array().unwrap().iter().map(|one| one["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["renamed"], "{diff:#}");
    assert!(diff["b"].as_str().unwrap().contains("not committed"));
}

#[test]
fn cases_that_one_side_has_are_named_and_never_compared() {
    let laboratory = Laboratory::with("echo", &manifest("10", "a"));
    measured(&laboratory, &manifest("10", "a"));
    measured(&laboratory, &manifest("10", "a").replace("n: [1, 2]", "n: [2, 3]"));
    let diff = laboratory.json(1, &["diff", "HEAD~1:experiments/echo", "echo"]);
    let mut found = verdicts(&diff);
    found.sort_unstable();
    assert_eq!(found, ["added", "equivalent", "removed"], "{diff:#}");
    assert_eq!(diff["confounded"], false, "levels decide which cases there are, not what comes out of them");
}

#[test]
fn sides_that_are_not_there_are_refused_with_the_way_out() {
    let laboratory = Laboratory::with("echo", &manifest("10", "a"));
    measured(&laboratory, &manifest("10", "a"));
    laboratory.write("README.md", b"words");
    for store in ["kept/a/runs", "kept/b/runs"] {
        std::fs::create_dir_all(laboratory.join(store)).unwrap();
    }
    for (side, said) in [
        ("HEAD~9:experiments/echo", "HEAD~9"),
        ("HEAD:experiments/ecko", "has no experiments/ecko/experiment.yaml"),
        ("nothing", "REVISION:experiments/NAME"),
        ("README.md", "README.md is a file, and no PDF"),
        ("kept", "Name one: kept/a, kept/b."),
        ("echo@7.0.0", "NAME@VERSION"),
    ] {
        let found = laboratory.expect(2, &["diff", side, "echo"]);
        assert!(found.stderr.contains(said), "{side}: {found:?}");
    }
    laboratory.expect(2, &["diff", "echo"]);
}

#[test]
fn a_bare_revision_is_of_the_experiment_of_the_other_side() {
    let laboratory = Laboratory::with("echo", &manifest("10", "a"));
    measured(&laboratory, &manifest("10", "a"));
    laboratory.git(&["tag", "before"]);
    measured(&laboratory, &manifest("30", "a"));
    for side in ["HEAD~1", "before"] {
        let diff = laboratory.json(1, &["diff", side, "echo"]);
        assert_eq!(verdicts(&diff), ["regressed"; 2], "{side}: {diff:#}");
    }
    // of one experiment alone there is no doubt
    assert_eq!(verdicts(&laboratory.json(1, &["diff", "before", "HEAD"])), ["regressed"; 2]);
    laboratory.write(
        "experiments/other/experiment.yaml",
        manifest("10", "a").replace("name: echo", "name: other").as_bytes(),
    );
    let said = laboratory.expect(2, &["diff", "before", "HEAD"]);
    assert!(said.stderr.contains("Write `before:experiments/NAME`; there are: echo, other."), "{said:?}");
}

#[test]
fn a_bundle_is_a_side_and_is_read_without_being_unpacked() {
    let laboratory = Laboratory::with("echo", &manifest("10", "a"));
    measured(&laboratory, &manifest("10", "a"));
    let said = laboratory.expect(0, &["export", "echo", "--out", "before.tar"]);
    assert!(said.stdout.starts_with("before.tar (1 runs, "), "{said:?}");
    laboratory.expect(0, &["export", "echo", "--out", "again.tar"]);
    let bytes = |name: &str| std::fs::read(laboratory.join(name)).unwrap();
    assert_eq!(bytes("before.tar"), bytes("again.tar"), "the same runs give the same bytes");
    assert_eq!(verdicts(&laboratory.json(0, &["diff", "before.tar", "echo"])), ["equivalent"; 2]);
    measured(&laboratory, &manifest("30", "a"));
    assert_eq!(verdicts(&laboratory.json(1, &["diff", "before.tar", "echo"])), ["regressed"; 2]);
    // a stranger's: what does not belong into one, what is damaged, what is no archive
    let said = laboratory.expect(2, &["export", "echo", "--out", "before.tar"]);
    assert!(said.stderr.contains("before.tar is there already"), "{said:?}");
    let packed = std::process::Command::new("tar")
        .args(["cf", "whole.tar", "experiments"])
        .current_dir(laboratory.path())
        .status();
    assert!(packed.unwrap().success());
    let said = laboratory.expect(4, &["diff", "whole.tar", "echo"]);
    assert!(said.stderr.contains("does not belong into one"), "{said:?}");
    let mut damaged = bytes("before.tar");
    let place = damaged.windows(4).position(|bytes| bytes == b"took").unwrap();
    damaged[place] ^= 1;
    laboratory.write("damaged.tar", &damaged);
    laboratory.expect(4, &["diff", "damaged.tar", "echo"]);
    assert!(!laboratory.join("runs").exists() && !laboratory.join("objects").exists());
}

#[test]
fn a_terminal_of_100_columns_and_a_pull_request_hold_a_diff_of_long_names() {
    let text = |base: &str| {
        let long = "a-level-whose-name-is-so-long-that-no-column-holds-it-in-one-line";
        manifest(base, "{kind}").replace("{n: [1, 2]}", &format!("{{n: [1, 2, 3], kind: [{long}, {long}-too, short]}}"))
    };
    let laboratory = Laboratory::with("echo", &text("10"));
    measured(&laboratory, &text("10"));
    measured(&laboratory, &text("30"));
    let said = laboratory.expect(1, &["diff", "HEAD~1", "echo", "--out", "delta"]);
    let widest = said.stdout.lines().max_by_key(|line| line.chars().count()).unwrap();
    assert!(widest.chars().count() <= 100, "{widest}");
    assert!(said.stdout.contains("too"), "nothing is cut: {}", said.stdout);
    let (page, map) = (laboratory.read("delta/diff.md"), laboratory.read("delta/figures/latency_mean.svg"));
    assert!(page.contains("](figures/latency_mean.svg)") && page.contains("against HEAD"), "{page}");
    assert!(map.contains("<title>") && map.contains("<desc>") && map.contains(">short<"), "{map}");
    assert_eq!(map.matches("<rect").count(), 1 + 9, "a sheet and a cell for each pair of levels: {map}");
    let again = laboratory.expect(2, &["diff", "HEAD~1", "echo", "--out", "delta"]);
    assert!(again.stderr.contains("delta/diff.md is there already"), "{again:?}");
}

#[test]
fn margins_that_differ_are_said() {
    let laboratory = Laboratory::with("echo", &manifest("10", "a"));
    measured(&laboratory, &manifest("10", "a"));
    measured(&laboratory, &manifest("10", "a").replace("margin: 30 %", "margin: 60 %"));
    let diff = laboratory.json(1, &["diff", "HEAD~1:experiments/echo", "echo"]);
    let caveats: Vec<&str> = diff["caveats"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
    assert_eq!(caveats, ["latency_mean has another margin or direction on each side: the second's are used"]);
    assert_eq!(diff["factors"][0]["kind"], "analysis");
}

#[test]
fn many_sides_are_a_series() {
    let laboratory = Laboratory::with("echo", &manifest("10", "a"));
    for number in 0..11 {
        let base = if number < 5 { "10" } else { "40" };
        measured(&laboratory, &manifest(base, &format!("v{number}")).replace("replicates: 8", "replicates: 2"));
    }
    let sides: Vec<String> = (0..11).rev().map(|back| format!("HEAD~{back}:experiments/echo")).collect();
    let mut arguments = vec!["diff"];
    arguments.extend(sides.iter().map(String::as_str));
    let series = laboratory.json(1, &arguments);
    assert_eq!(series[0]["medians"].as_array().unwrap().len(), 11);
    assert_eq!(series[0]["change"], "HEAD~5:experiments/echo", "{series:#}");
    arguments.truncate(5);
    let few = laboratory.expect(0, &arguments);
    assert!(few.stdout.contains("10 are needed"), "{few:?}");
}
