//! The whole chain on real processes.

use crate::laboratory::{ECHO, ECHO_ARGV, ECHO_NOISE, Laboratory};

#[test]
fn from_manifest_to_verified_paper() {
    let laboratory = Laboratory::measured("echo", ECHO);
    let results = laboratory.json(0, &["results", "echo"]);
    let rows = results["results"].as_array().unwrap();
    assert_eq!(rows.len(), 5, "three cases and two noise sides");
    let of = |level: &str| rows.iter().find(|row| row["case"]["n"] == level && row["noise"].is_null()).unwrap();
    assert_eq!(of("4.5")["median"], 4_500_000.0);
    assert_eq!(of("4.5")["n"], 3);
    assert_eq!(of("1")["interval"]["level"], 0.75);
    assert_eq!(results["attempts"], 19);
    let again = laboratory.expect(0, &["run", "echo"]);
    assert_eq!(again.stdout, "nothing to do: 19 of 19 jobs have a usable result\n");
    laboratory.expect(0, &["render", "echo"]);
    let report = laboratory.json(0, &["verify", "reports/echo/draft"]);
    assert_eq!(report["rendered_again"], "same");
    assert_eq!(report["failures"].as_array().unwrap().len(), 0);
    assert!(report["numbers"]["checked"].as_u64().unwrap() > 30);
    assert_eq!(report["objects"]["missing"], 0);
    let said = laboratory.expect(0, &["trace", "reports/echo/draft", "latency_mean/n=2/median"]);
    assert!(said.stdout.contains("exact 2000000 ÷ 1000000") && said.stdout.contains("regex:"), "{said:?}");
    let csv = laboratory.expect(0, &["results", "echo", "--csv"]).stdout;
    assert_eq!(csv.lines().count(), 20, "a head and a row a value");
}

#[test]
fn adding_replicates_and_levels_keeps_what_is_done() {
    let laboratory = Laboratory::measured("echo", ECHO);
    let more = ECHO
        .replace("[1, 2, 4.5]", "[1, 2, 4.5, 8]")
        .replace("replicates: 3", "replicates: 4")
        .replace("title: Echo", "# a comment\ntitle: Another");
    laboratory.write("experiments/echo/experiment.yaml", more.as_bytes());
    laboratory.expect(2, &["run", "echo"]);
    laboratory.expect(0, &["lock", "echo"]);
    let said = laboratory.expect(0, &["run", "echo"]);
    assert!(said.stdout.contains("7 ok, 0 not ok"), "three more replicates and a level of four: {said:?}");
}

#[test]
fn jobs_that_fail_are_kept_and_counted_and_never_become_zeros() {
    let manifest = ECHO
        .replace(ECHO_ARGV, "[sh, -c, 'test {n} = 2 && echo oops >&2 && exit 3; echo took {n} ms']")
        .replace(ECHO_NOISE, ", on_failure: {stop_after: 9}");
    let laboratory = Laboratory::with("echo", &manifest);
    laboratory.expect(0, &["lock", "echo"]);
    let said = laboratory.expect(3, &["run", "echo"]);
    assert!(said.stderr.contains("`sh` ended with code 3: oops"), "{said:?}");
    let results = laboratory.json(3, &["results", "echo"]);
    assert_eq!((results["missing"].as_u64(), results["not_ok"].as_array().map(Vec::len)), (Some(3), Some(3)));
    assert!(results["results"].as_array().unwrap().iter().all(|row| row["case"]["n"] != "2"));
    laboratory.expect(0, &["render", "echo"]);
    let paper = laboratory.read("reports/echo/draft/paper.md");
    assert!(paper.contains("this paper is incomplete") && paper.contains("ended with code 3: oops"), "{paper}");
    laboratory.commit();
    let said = laboratory.expect(3, &["publish", "echo"]);
    assert!(said.stderr.contains("3 of 9 jobs have no usable result"), "{said:?}");
}

#[test]
fn a_job_that_takes_too_long_is_ended_with_all_it_started() {
    let manifest = ECHO
        .replace(ECHO_ARGV, "[sh, -c, 'sleep 98{n} & sleep 98{n}']")
        .replace("[1, 2, 4.5]", "[7]")
        .replace("replicates: 3", "replicates: 1, time_limit: 200 ms")
        .replace(ECHO_NOISE, "");
    let laboratory = Laboratory::with("echo", &manifest);
    laboratory.expect(0, &["lock", "echo"]);
    let said = laboratory.expect(3, &["run", "echo"]);
    assert!(said.stderr.contains("timeout: not done after 200 ms"), "{said:?}");
    let left = std::process::Command::new("pgrep").args(["-f", "^sleep 987"]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&left.stdout), "");
}

#[test]
fn published_versions_never_change() {
    let laboratory = Laboratory::measured("echo", ECHO);
    laboratory.expect(2, &["publish", "echo"]);
    laboratory.commit();
    laboratory.expect(0, &["publish", "echo"]);
    laboratory.expect(0, &["publish", "echo"]);
    let said = laboratory.expect(0, &["verify", "--strict", "reports/echo/1.0.0"]);
    assert!(said.stdout.contains("the commit it names"), "{said:?}");
    let kept = laboratory.read("artifacts/.gitignore");
    assert!(kept.contains("/pack") && kept.contains("/journal.jsonl"), "{kept}");
    laboratory.write("experiments/echo/paper/en.md", b"# Results\n\n{{ results() }}\n");
    let said = laboratory.expect(2, &["publish", "echo"]);
    assert!(said.stderr.contains("not committed: experiments/echo/paper/en.md"), "{said:?}");
    laboratory.commit();
    let said = laboratory.expect(1, &["publish", "echo"]);
    assert!(said.stderr.contains("paper.pdf differs") && said.stderr.contains("raise `version`"), "{said:?}");
    laboratory.expect(0, &["publish", "echo", "--draft"]);
    laboratory.expect(0, &["verify", "--strict", "reports/echo/1.0.0"]);
}

#[test]
fn a_typed_number_is_refused_before_anything_is_measured() {
    let laboratory = Laboratory::with("echo", ECHO);
    laboratory.write("experiments/echo/paper/en.md", b"# Results\n\nIt is 38 % faster.\n\n{{ results() }}\n");
    let said = laboratory.expect(2, &["check", "echo"]);
    assert!(said.stderr.contains("the number `38` is typed by hand"), "{said:?}");
}

#[test]
fn a_machine_that_is_not_the_locked_one_is_refused_or_waived_with_a_reason() {
    let laboratory = Laboratory::with("echo", ECHO);
    laboratory.expect(0, &["lock", "echo"]);
    let lock = laboratory.read("experiments/echo/experiment.lock.yaml");
    let of_line = |line: &str| {
        if line.trim_start().starts_with("os.kernel:") {
            "  os.kernel: other\n".to_owned()
        } else {
            format!("{line}\n")
        }
    };
    laboratory.write("experiments/echo/experiment.lock.yaml", lock.lines().map(of_line).collect::<String>().as_bytes());
    laboratory.expect(1, &["lock", "echo", "--check"]);
    let said = laboratory.expect(2, &["run", "echo"]);
    assert!(said.stderr.contains("os.kernel: locked `other`"), "{said:?}");
    laboratory.expect(0, &["run", "echo", "--waive", "os.kernel=the kernel was patched"]);
    laboratory.expect(0, &["render", "echo"]);
    let paper = laboratory.read("reports/echo/draft/paper.md");
    assert!(paper.contains("the kernel was patched"), "{paper}");
}

#[test]
fn a_marked_attempt_is_measured_again_and_stays_in_the_record() {
    let laboratory = Laboratory::measured("echo", ECHO);
    let plan = laboratory.json(0, &["plan", "echo"]);
    let key = plan["jobs"][0]["key"].as_str().unwrap();
    laboratory
        .expect(0, &["mark", "echo", "--job", key, "--attempt", "1", "--reason", "the door was open", "--by", "T"]);
    let said = laboratory.expect(0, &["run", "echo"]);
    assert!(said.stdout.contains("1 ok"), "{said:?}");
    let results = laboratory.json(0, &["results", "echo"]);
    assert_eq!(results["attempts"], 20);
    assert!(results["not_ok"][0]["reason"].as_str().unwrap().contains("the door was open"));
}

#[test]
fn what_a_job_writes_is_kept_by_digest_and_a_seal_ends_a_run() {
    let manifest = ECHO
        .replace(
            ECHO_ARGV,
            "[sh, -c, 'mkdir d; echo {n} > d/out.txt; head -c 100000 /dev/zero > large; echo took {n} ms']",
        )
        .replace(ECHO_NOISE, "");
    let laboratory = Laboratory::measured("echo", &manifest);
    let journal = std::fs::read_to_string(laboratory.run_folder().join("journal.jsonl")).unwrap();
    assert!(journal.contains("\"file/d/out.txt\"") && journal.contains("\"file/large\""), "{journal}");
    assert!(journal.lines().rev().nth(1).unwrap().contains("\"type\":\"sealed\""));
    assert_eq!(
        std::fs::read_dir(laboratory.join("artifacts/objects/sha256")).unwrap().count(),
        1,
        "the large file, once"
    );
    assert!(!laboratory.join("artifacts/scratch").exists());
    laboratory.expect(2, &["run", "echo", "--resume"]);
    laboratory.expect(0, &["store", "check"]);
}

#[test]
fn a_program_that_changes_while_it_is_measured_taints_the_job() {
    let laboratory = Laboratory::new();
    let program = laboratory.join("program.sh");
    laboratory.write("program.sh", b"#!/bin/sh\necho '# more' >> \"$0\"\necho took 1 ms\n");
    let mut permissions = std::fs::metadata(&program).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o755);
    std::fs::set_permissions(&program, permissions).unwrap();
    let argv = format!("[\"{}\", \"{{n}}\"]", program.display());
    let manifest = ECHO
        .replace(ECHO_ARGV, &argv)
        .replace("[1, 2, 4.5]", "[1]")
        .replace("replicates: 3", "replicates: 1")
        .replace(ECHO_NOISE, "");
    laboratory.write("experiments/echo/experiment.yaml", manifest.as_bytes());
    laboratory.expect(0, &["lock", "echo"]);
    let said = laboratory.expect(3, &["run", "echo"]);
    assert!(said.stderr.contains("tainted") && said.stderr.contains("changed while the job ran"), "{said:?}");
}

#[test]
fn a_script_beside_the_manifest_is_pinned_and_put_into_the_job_s_folder() {
    let manifest = ECHO.replace(ECHO_ARGV, "[./say.sh, \"{n}\"], files: [say.sh]");
    let laboratory = Laboratory::with("echo", &manifest);
    let said = laboratory.expect(2, &["check", "echo"]);
    assert!(said.stderr.contains("no file `say.sh` lies beside the manifest"), "{said:?}");
    laboratory.write("experiments/echo/say.sh", b"#!/bin/sh\necho took $1 ms\n");
    laboratory.expect(0, &["lock", "echo"]);
    laboratory.expect(0, &["run", "echo"]);
    laboratory.expect(0, &["render", "echo"]);
    laboratory.expect(0, &["verify", "reports/echo/draft"]);
    laboratory.write("experiments/echo/say.sh", b"#!/bin/sh\necho took 7 ms\n");
    let said = laboratory.expect(2, &["run", "echo"]);
    assert!(said.stderr.contains("the lock was written for other cases"), "{said:?}");
    laboratory.expect(0, &["lock", "echo"]);
    let said = laboratory.expect(0, &["run", "echo"]);
    assert!(said.stdout.contains("19 ok"), "another script is another job: {said:?}");
    laboratory.write("experiments/echo/experiment.yaml", manifest.replace("say.sh]", "../../secret]").as_bytes());
    laboratory.write("secret", b"x");
    let said = laboratory.expect(2, &["check", "echo"]);
    assert!(said.stderr.contains("lies outside the experiment's folder"), "{said:?}");
}

#[test]
fn a_missing_program_gives_one_line_that_names_it() {
    let manifest = ECHO.replace(ECHO_ARGV, "[no-such-program, \"{n}\"]");
    let laboratory = Laboratory::with("echo", &manifest);
    let said = laboratory.expect(2, &["lock", "echo"]);
    assert_eq!(
        said.stderr,
        "error: not installed: no-such-program\n  help: On Debian and Ubuntu: `apt-get install --no-remove no-such-program`.\n"
    );
}

#[test]
fn an_interrupted_run_records_what_was_cut_off_and_goes_on() {
    let manifest = ECHO.replace(ECHO_ARGV, "[sh, -c, 'sleep 0.2; echo took {n} ms']").replace(ECHO_NOISE, "");
    let laboratory = Laboratory::with("echo", &manifest);
    laboratory.expect(0, &["lock", "echo"]);
    let mut command = laboratory.command(&["run", "echo"]);
    let child = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(500));
    std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let said = crate::laboratory::Said::from(child.wait_with_output().unwrap());
    assert_eq!(said.code, 3, "{said:?}");
    assert!(said.stderr.contains("interrupted by SIGINT") && said.stderr.contains("--resume"), "{said:?}");
    laboratory.expect(0, &["run", "echo", "--resume"]);
    let results = laboratory.json(0, &["results", "echo"]);
    assert_eq!(results["missing"], 0);
    assert_eq!(results["not_ok"][0]["outcome"], "interrupted");
    assert_eq!((results["attempts"].as_u64(), results["runs"][0]["recoveries"].as_u64()), (Some(10), Some(1)));
}

#[test]
fn a_file_name_that_is_no_text_fails_its_job_and_nothing_else() {
    let argv = r#"[sh, -c, 'test {n} = 2 && touch "$(printf "\377")"; echo took {n} ms']"#;
    let laboratory =
        Laboratory::with("echo", &ECHO.replace(ECHO_ARGV, argv).replace(ECHO_NOISE, ", on_failure: {stop_after: 9}"));
    laboratory.expect(0, &["lock", "echo"]);
    let said = laboratory.expect(3, &["run", "echo"]);
    assert!(said.stdout.contains("6 ok, 3 not ok") && said.stderr.contains("can not be kept"), "{said:?}");
    laboratory.expect(0, &["store", "check"]);
}

#[test]
fn a_pipe_in_place_of_a_file_keeps_nobody_waiting() {
    let laboratory = Laboratory::with("echo", ECHO);
    let path = laboratory.join("experiments/echo/experiment.yaml");
    std::fs::remove_file(&path).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    let said = laboratory.expect(2, &["check", "echo"]);
    assert!(said.stderr.contains("it is no regular file"), "{said:?}");
}

#[test]
fn two_runs_at_once_never_measure_the_same_job() {
    let manifest = ECHO.replace(ECHO_ARGV, "[sh, -c, 'sleep 0.3; echo took {n} ms']").replace(ECHO_NOISE, "");
    let laboratory = Laboratory::with("echo", &manifest);
    laboratory.expect(0, &["lock", "echo"]);
    let mut first = laboratory.command(&["run", "echo"]);
    let first = first.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(600));
    let said = laboratory.expect(3, &["run", "echo"]);
    assert!(said.stderr.contains("the experiment `echo` is in use by another process"), "{said:?}");
    assert!(first.wait_with_output().unwrap().status.success());
    assert_eq!(laboratory.json(0, &["results", "echo"])["attempts"], 9);
}

#[test]
fn a_recorded_run_is_told_again_as_it_was() {
    let laboratory = Laboratory::with("echo", ECHO);
    laboratory.expect(0, &["lock", "echo"]);
    let told = laboratory.expect(0, &["run", "echo"]).stderr;
    let run = laboratory.run_folder().file_name().unwrap().to_str().unwrap().to_owned();
    let again = laboratory.expect(0, &["run", "echo", "--replay", &run]).stderr;
    let ends = |text: &str| text.lines().filter(|line| line.starts_with('[')).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(ends(&told).len(), 19);
    assert_eq!(ends(&told), ends(&again));
    laboratory.expect(2, &["run", "echo", "--replay", "0"]);
}

#[test]
fn fio_measures_a_real_file() {
    let manifest = r#"format: benchpaper/experiment@1
name: disk
title: A real file
version: 1.0.0
authors: [{name: T}]
question: Does fio work here?
hosts: {bench: {role: [controller, sut], access: local, devices: {test: {size: 4 MiB}}}}
workloads: {reads: {tool: fio, rw: randrw, rwmixread: 70 %, block_size: 4 KiB, device: test}}
matrix: {factors: {}}
design:
  {replicates: 2, order: randomized, seed: 1, precondition: [{fill: {device: test}}], runtime: 600 ms,
   steady_state: {metric: iops, rounds: 2, range: 200 %, slope: 200 %, at_most: 3, otherwise: mark}}
"#;
    let laboratory = Laboratory::measured("disk", manifest);
    let results = laboratory.json(0, &["results", "disk"]);
    let metrics: Vec<&str> =
        results["results"].as_array().unwrap().iter().map(|row| row["metric"].as_str().unwrap()).collect();
    assert!(metrics.contains(&"iops") && metrics.contains(&"latency_mean"), "{metrics:?}");
    let journal = std::fs::read_to_string(laboratory.run_folder().join("journal.jsonl")).unwrap();
    assert!(
        journal.contains("fill test, pass 1 of 1")
            && journal.contains("\"round-2/stdout\"")
            && journal.contains("steady after 2 rounds")
    );
    laboratory.expect(0, &["render", "disk"]);
    laboratory.expect(0, &["verify", "reports/disk/draft"]);
}

#[test]
fn ratios_are_drawn_as_a_forest_and_as_a_map() {
    let manifest = ECHO
        .replace("\"{n}\"]", "\"{n}{m}{o}\"]")
        .replace("{n: [1, 2, 4.5]}", "{n: [1, 2], m: [3, 5], o: [7, 8]}")
        .replace("{n: 1}, pairs", "{n: 1, m: 3, o: 7}, pairs");
    let laboratory = Laboratory::with("echo", &manifest);
    let prose = |text: &str| laboratory.write("experiments/echo/paper/en.md", text.as_bytes());
    prose(
        "# Results\n\n{{ results() }}\n\n{{ forest(\"latency_mean\") }}\n\n{{ map(\"latency_mean\", x=\"m\", y=\"o\") }}\n",
    );
    laboratory.expect(0, &["lock", "echo"]);
    laboratory.expect(0, &["run", "echo"]);
    laboratory.expect(0, &["render", "echo"]);
    let forest = laboratory.read("reports/echo/draft/figures/latency_mean-forest.svg");
    assert_eq!(forest.matches("<circle").count(), 4, "{forest}");
    assert!(forest.contains("<title>Mean latency: ratio to n = 1</title>") && forest.contains(">2: 3 7<"), "{forest}");
    let map = laboratory.read("reports/echo/draft/figures/latency_mean-map.svg");
    assert_eq!(map.matches("<rect x=").count(), 4, "a cell for each pair of levels: {map}");
    let report = laboratory.json(0, &["verify", "reports/echo/draft"]);
    assert_eq!(report["rendered_again"], "same");
    prose("# Results\n\n{{ map(\"latency_mean\", x=\"n\", y=\"o\") }}\n");
    let said = laboratory.expect(2, &["check", "echo"]);
    assert!(said.stderr.contains("`n` is no factor besides the treatment"), "{said:?}");
}

#[test]
fn charts_run_along_numbers_and_are_the_same_in_both_papers() {
    let read = ["iops", "latency_mean", "latency_p50", "latency_p99", "latency_p99.9", "fairness"];
    let units = ["1/s", "ms", "ms", "ms", "ms", "1"];
    let rules =
        read.iter().zip(units).map(|(metric, unit)| format!("{metric}: {{regex: '{metric} (\\S+)', unit: {unit}}}"));
    let printed = "iops {guests}000 latency_mean {guests} latency_p50 {guests} latency_p99 {guests}0 latency_p99.9 {guests}00 fairness 0.5";
    let manifest = ECHO
        .replace(ECHO_NOISE, "")
        .replace(ECHO_ARGV, &format!("[echo, \"{printed}\", \"{{arm}}\"]"))
        .replace(
            r#"{latency_mean: {regex: "took (\\S+) ms", unit: ms}}"#,
            &format!("{{{}}}", rules.collect::<Vec<_>>().join(", ")),
        )
        .replace("workloads:", "arms: {one: {set: {}}, two: {set: {}}}\nworkloads:")
        .replace("{n: [1, 2, 4.5]}", "{arm: [one, two], guests: [1, 2, 4, 8]}")
        .replace("treatment: [n]", "treatment: [arm]");
    let laboratory = Laboratory::with("echo", &manifest);
    let prose = |text: &str| laboratory.write("experiments/echo/paper/en.md", text.as_bytes());
    prose(
        "# Results\n\n{{ results() }}\n\n{{ percentiles(\"latency\", guests=\"4\") }}\n\n{{ tradeoff(x=\"iops\", y=\"latency_p99\") }}\n",
    );
    laboratory.expect(0, &["check", "echo"]);
    laboratory.expect(0, &["lock", "echo"]);
    laboratory.expect(0, &["run", "echo"]);
    laboratory.expect(0, &["render", "echo"]);
    let figure = |name: &str| laboratory.read(&format!("reports/echo/draft/figures/{name}.svg"));
    let iops = figure("iops");
    assert_eq!(iops.matches("<polyline").count(), 2 + 2, "a line for each arm, and two in the legend: {iops}");
    assert!(iops.contains("guests (log scale)") && iops.contains(">one<") && iops.contains(">8<"), "{iops}");
    let dashes: std::collections::BTreeSet<&str> = iops
        .match_indices("stroke-dasharray=\"")
        .map(|(at, key)| iops[at + key.len()..].split('"').next().unwrap())
        .collect();
    assert_eq!(dashes.len(), 2, "told apart without colour");
    let fairness = figure("fairness");
    assert!(fairness.contains(">0.0<") && fairness.contains(">1.0<"), "a share has its whole axis: {fairness}");
    let tradeoff = figure("latency_mean-against-iops");
    assert!(tradeoff.contains("against IOPS, along guests") && tradeoff.contains("font-size=\"10\">1<"), "{tradeoff}");
    assert!(figure("latency_p99-against-iops").contains("<desc>"));
    let percentiles = figure("latency-percentiles-4");
    for wanted in [">50<", ">99<", ">99.9<", "(log scale)"] {
        assert!(percentiles.contains(wanted), "{wanted}: {percentiles}");
    }
    let page = laboratory.read("reports/echo/draft/paper.md");
    assert!(page.contains("](figures/latency-percentiles-4.svg)") && page.contains("Latency percentiles"), "{page}");
    assert_eq!(laboratory.json(0, &["verify", "reports/echo/draft"])["rendered_again"], "same");
    prose("# Results\n\n{{ percentiles(\"patience\") }}\n");
    let said = laboratory.expect(2, &["render", "echo"]);
    assert!(said.stderr.contains("no case has percentiles of `patience`"), "{said:?}");
}
