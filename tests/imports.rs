//! Results that somebody else made: from files of several tools to a paper that verifies, and all that can be wrong on the way.

use crate::laboratory::{Laboratory, Said};

/// Four tools that people run, each on two machines.
const FOUR_TOOLS: &str = r#"format: benchpaper/experiment@1
name: lab
title: Two machines
version: 1.0.0
authors: [{name: The tests}]
question: Which machine is faster?
execution: manual
environment: hardware
hosts:
  sut: {role: sut, access: none}
workloads:
  random: {tool: fio, engine: psync, rw: randread, block_size: 4 KiB, device: data}
  disk: {tool: crystaldiskmark, test: {factor: test}, direction: read, size: 50 MiB, passes: 1}
  network: {tool: iperf3}
  processor: {tool: sysbench, command: sysbench cpu run, steps: [Stop every other program.]}
arms:
  old: {steps: [Boot the old machine.]}
  new: {steps: [Boot the new machine.]}
matrix:
  factors: {workload: [random, network, processor], arm: [old, new]}
  also:
    - title: Disks
      factors: {workload: [disk], arm: [old, new], test: [SEQ Q32T1, RND 4KiB Q32T1]}
design: {replicates: 1, order: randomized, seed: 1}
imports:
  - {file: "cdm-{arm}-*.txt"}
treatment: [arm]
"#;

fn sample(name: &str) -> String {
    std::fs::read_to_string(format!("tests/outputs/{name}")).unwrap()
}

/// The manifest with a device for fio, and the folder of files that people brought back.
fn laboratory() -> Laboratory {
    let manifest = FOUR_TOOLS.replace("access: none}", "access: none, devices: {data: {size: 64 MiB}}}");
    let laboratory = Laboratory::with("lab", &manifest);
    let arms = [("old", ""), ("new", " ")];
    for (arm, space) in arms {
        let file = |workload: &str, ending: &str| format!("back/arm-{arm}_workload-{workload}_r1.{ending}");
        // the same bytes twice would be one result, so the second machine's differ by a space
        let bytes = |name: &str| format!("{}{space}", sample(name)).into_bytes();
        laboratory.write(&file("random", "json"), &bytes("fio/gen_json_randread.json"));
        laboratory.write(&file("network", "json"), &bytes("iperf3/gen_tcp.json"));
        laboratory.write(&file("processor", "txt"), &bytes("sysbench/gen_cpu.txt"));
        laboratory.write(&format!("back/cdm-{arm}-monday.txt"), &bytes("crystaldiskmark/v5_mib.txt"));
    }
    laboratory
}

#[test]
fn a_log_of_fio_is_read_by_its_name_when_it_is_imported_and_when_it_is_verified() {
    let manifest = r#"format: benchpaper/experiment@1
name: logs
title: Logs
version: 1.0.0
authors: [{name: The tests}]
question: Does a name travel with its file?
execution: manual
environment: hardware
hosts: {sut: {role: sut, access: none, devices: {data: {size: 64 MiB}}}}
workloads: {random: {tool: fio, engine: psync, rw: randread, block_size: 4 KiB, device: data}}
arms: {old: {steps: [Boot it.]}, new: {steps: [Boot it.]}}
matrix: {factors: {arm: [old, new]}}
design: {replicates: 1, order: randomized, seed: 1}
imports: [{file: "{arm}_iops.*.log"}]
treatment: [arm]
"#;
    let laboratory = Laboratory::with("logs", manifest);
    laboratory.write("back/old_iops.1.log", b"100, 40, 0, 0, 0\n200, 60, 0, 0, 0\n");
    laboratory.write("back/new_iops.1.log", b"100, 80, 0, 0, 0\n200, 90, 0, 0, 0\n");
    laboratory.expect(0, &["lock", "logs"]);
    laboratory.expect(0, &["import", "logs", "back", "--source", "a shelf"]);
    let results = laboratory.json(0, &["results", "logs"]);
    let iops = |row: &&serde_json::Value| row["metric"] == "iops";
    let values: Vec<f64> = results["results"]
        .as_array()
        .unwrap()
        .iter()
        .filter(iops)
        .map(|row| row["values"][0]["value"].as_f64().unwrap())
        .collect();
    assert_eq!(values, [50.0, 85.0], "{results:#}");
    laboratory.commit();
    laboratory.expect(0, &["publish", "logs"]);
    laboratory.expect(0, &["verify", "reports/logs/1.0.0"]);
}

#[test]
fn a_summary_of_many_outputs_counts_what_tools_report_of_the_whole() {
    let laboratory = Laboratory::new();
    laboratory.write("out/one.txt", sample("sysbench/gen_cpu.txt").as_bytes());
    let said = laboratory.expect(0, &["parse", "--summary", "out/one.txt"]);
    assert!(said.stdout.contains("events"), "{}", said.stdout);
}

#[test]
fn files_of_four_tools_become_a_paper_that_verifies() {
    let laboratory = laboratory();
    laboratory.write("back/notes.txt", b"we measured on Monday\n");
    laboratory.write("back/cdm-other-monday.txt", sample("crystaldiskmark/v3.txt").as_bytes());
    laboratory.write("back/copy.json", sample("iperf3/gen_tcp.json").as_bytes());
    laboratory.write("back/zz-more.json", sample("iperf3/gen_reverse.json").as_bytes());
    laboratory.expect(0, &["lock", "lab"]);
    let said = laboratory.json(3, &["import", "lab", "back", "--source", "the tests' own shelf"]);
    let rows = said["files"].as_array().unwrap();
    let of = |file: &str| rows.iter().filter(|row| row["file"] == file).collect::<Vec<_>>();
    assert_eq!(of("cdm-old-monday.txt").len(), 2, "{said:#}");
    assert!(rows.iter().filter(|row| row["outcome"] == "ok").count() == 10, "{said:#}");
    let reason = |file: &str| of(file)[0]["reason"].as_str().unwrap().to_owned();
    assert!(reason("notes.txt").contains("no tool's output"), "{said:#}");
    assert!(reason("cdm-other-monday.txt").contains("no case"), "{said:#}");
    assert!(reason("copy.json").contains("the same bytes"), "{said:#}");
    assert!(reason("zz-more.json").contains("from server"), "{said:#}");

    let results = laboratory.expect(0, &["results", "lab"]);
    assert!(results.stdout.contains("test=RND 4KiB Q32T1") && results.stdout.contains("1648"), "{}", results.stdout);
    laboratory.commit();
    laboratory.expect(0, &["publish", "lab"]);
    let paper = laboratory.read("reports/lab/1.0.0/paper.md");
    for words in ["Disks", "the tests' own shelf", "Not measured by this program", "notes.txt", "40000.0"] {
        assert!(paper.contains(words), "{words}: {paper}");
    }
    let verified = laboratory.json(0, &["verify", "reports/lab/1.0.0", "--strict"]);
    assert_eq!(verified["rendered_again"], "same");
    assert_eq!(verified["numbers"]["failed"], 0);
    laboratory.expect(0, &["store", "check"]);
    laboratory.expect(0, &["trace", "reports/lab/1.0.0", "40000.0"]);
    // a second time nothing is new
    let again = laboratory.json(3, &["import", "lab", "back"]);
    assert!(again["files"].as_array().unwrap().iter().all(|row| row["outcome"] != "ok"), "{again:#}");
    laboratory.expect(0, &["verify", "reports/lab/1.0.0"]);
}

#[test]
fn a_dry_run_records_nothing() {
    let laboratory = laboratory();
    laboratory.expect(0, &["lock", "lab"]);
    let said = laboratory.expect(0, &["import", "lab", "back", "--dry-run"]);
    assert!(said.stdout.contains("would be imported"), "{}", said.stdout);
    assert!(!laboratory.join("artifacts/runs").exists());
}

#[test]
fn the_run_sheet_says_what_to_do_and_where_to_save_it() {
    let laboratory = laboratory();
    laboratory.expect(0, &["lock", "lab"]);
    let sheet = laboratory.expect(0, &["plan", "lab", "--runsheet"]).stdout;
    for words in [
        "save  arm-old_workload-processor_r1.txt",
        "sysbench cpu run",
        "Stop every other program.",
        "do    Boot the new machine.",
        "fio --output-format=json job.fio",
        "rw=randread",
        "benchpaper import experiments/lab FOLDER",
    ] {
        assert!(sheet.contains(words), "{words}: {sheet}");
    }
    // two tests of one window are one file
    assert!(sheet.contains("arm-old_r1.txt   (answers 2 jobs)"), "{sheet}");
    laboratory.expect(0, &["plan", "lab", "--runsheet", "--out", "sheet.pdf"]);
    assert!(std::fs::read(laboratory.join("sheet.pdf")).unwrap().starts_with(b"%PDF"));
    // what the sheet names is what import takes, and then nothing is left to do
    laboratory.expect(0, &["import", "lab", "back"]);
    assert!(laboratory.expect(0, &["plan", "lab", "--runsheet"]).stdout.contains("nothing to do"));
    let run = laboratory.expect(0, &["run", "lab"]);
    assert!(run.stdout.contains("nothing to do"), "{run:?}");
}

#[test]
fn numbers_from_a_picture_keep_the_picture() {
    let manifest = r#"format: benchpaper/experiment@1
name: page
title: A page
version: 1.0.0
authors: [{name: The tests}]
question: What does the page say?
execution: manual
hosts: {sut: {role: sut, access: none}}
workloads:
  page:
    tool: table
    row: {Tiles: {factor: tiles}, Sharing: {factor: sharing}}
    read: {score: {column: Score, unit: "1"}, cpu_usage: {column: CPU (%), unit: "%"}}
matrix: {factors: {tiles: [8], sharing: [with, without]}}
design: {replicates: 1, order: randomized, seed: 1}
"#;
    let laboratory = Laboratory::with("page", manifest);
    laboratory.write("shot.png", b"\x89PNG not really");
    laboratory.write("numbers.csv", sample("table/tiles.csv").as_bytes());
    laboratory.expect(0, &["lock", "page"]);
    laboratory.expect(2, &["import", "page", "numbers.csv", "--transcribed-from", "missing.png"]);
    laboratory.expect(0, &["import", "page", "numbers.csv", "--transcribed-from", "shot.png"]);
    laboratory.commit();
    laboratory.expect(0, &["publish", "page"]);
    let paper = laboratory.read("reports/page/1.0.0/paper.md");
    assert!(paper.contains("copied by hand") && paper.contains("shot.png"), "{paper}");
    // digits stay as they were printed
    assert!(paper.contains("500.5") && paper.contains("480.0"), "{paper}");
    laboratory.expect(0, &["verify", "reports/page/1.0.0", "--strict"]);
    // the picture is evidence like any other: the store keeps it and misses it
    let checked = laboratory.json(0, &["store", "check"]);
    assert_eq!(checked["missing"].as_array().map(Vec::len), Some(0), "{checked:#}");
}

#[test]
fn failed_and_invalid_files_stay_in_the_record() {
    let laboratory = laboratory();
    laboratory.write("back/arm-new_workload-network_r1.json", sample("iperf3/gen_connrefused.json").as_bytes());
    laboratory.expect(0, &["lock", "lab"]);
    let said = laboratory.json(3, &["import", "lab", "back"]);
    assert!(said["files"].as_array().unwrap().iter().any(|row| row["outcome"] == "failed"), "{said:#}");
    laboratory.commit();
    laboratory.expect(3, &["publish", "lab"]);
    laboratory.expect(0, &["publish", "lab", "--draft"]);
    let paper = laboratory.read("reports/lab/draft/paper.md");
    assert!(paper.contains("unable to connect") && paper.contains("incomplete"), "{paper}");
}

#[test]
fn an_experiment_without_people_takes_no_files_and_a_machine_without_access_no_jobs() {
    let laboratory = Laboratory::with("echo", crate::laboratory::ECHO);
    laboratory.expect(0, &["lock", "echo"]);
    laboratory.write("x.json", sample("iperf3/gen_tcp.json").as_bytes());
    let said = laboratory.expect(2, &["import", "echo", "x.json"]);
    assert!(said.stderr.contains("execution: manual"), "{said:?}");
    let said = laboratory.expect(2, &["plan", "echo", "--runsheet"]);
    assert!(said.stderr.contains("execution: manual"), "{said:?}");
    let unreachable = FOUR_TOOLS.replace("execution: manual\n", "");
    let laboratory = Laboratory::with("lab", &unreachable);
    let said = laboratory.expect(2, &["check", "lab"]);
    assert!(said.stderr.contains("without access"), "{said:?}");
}

#[test]
fn a_tool_that_people_run_can_not_be_started() {
    let manifest = crate::laboratory::ECHO.replace(
        r#"{tool: command, argv: [printf, "took %s ms", "{n}"], read: {latency_mean: {regex: "took (\\S+) ms", unit: ms}}}"#,
        "{tool: vdbench, select: {rd: {factor: n}}}",
    );
    let said = Laboratory::with("echo", &manifest).expect(2, &["check", "echo"]);
    assert!(said.stderr.contains("run by a person"), "{said:?}");
}

#[test]
fn a_block_to_post_has_the_numbers_the_answers_and_the_digest() {
    let laboratory = Laboratory::new();
    laboratory.write("r.json", sample("fio/gen_json_randread.json").as_bytes());
    let text = laboratory.expect(0, &["post", "r.json"]).stdout;
    for words in [
        "11537 IOPS",
        "47.26 MB/s = 45.07 MiB/s",
        "mean 84.91 µs",
        "cache mode",
        "not recorded",
        "fio --bs=4k",
        "a run of 2.002 s",
        "sha256:7314dbf986dc13b000cfe747b5a9df963dea8a2c6fa36460de090126098f2d00",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(text.lines().count() <= 25, "{text}");
    let commit = laboratory.expect(0, &["post", "r.json", "--as", "commit"]).stdout;
    assert!(commit.is_ascii() && commit.lines().all(|line| line.len() <= 72), "{commit}");
    assert!(laboratory.expect(0, &["post", "r.json", "--as", "markdown"]).stdout.starts_with("```text\n"));
    laboratory.write("again.json", format!("{} ", sample("fio/gen_json_randread.json")).as_bytes());
    let two = laboratory.expect(0, &["post", "r.json", "again.json"]).stdout;
    assert!(two.contains("2 files") && two.contains(" – "), "{two}");
    laboratory.write("i.json", sample("iperf3/gen_tcp.json").as_bytes());
    laboratory.expect(2, &["post", "r.json", "i.json"]);
    laboratory.write("e.json", sample("fio/gen_json_errorlines_enospc.json").as_bytes());
    assert!(laboratory.expect(2, &["post", "e.json"]).stdout.contains("FAILED"));
}

#[test]
fn a_manifest_begins_from_a_job_file_or_an_output() {
    let laboratory = Laboratory::new();
    laboratory.write("job.fio", b"[global]\nioengine=libaio\ndirect=1\nruntime=5\nexec_prerun=true\n\n[rand]\nrw=randread\nbs=4k\niodepth=8\nsize=64m\n");
    let said = laboratory.expect(0, &["init", "jobs", "--from", "job.fio"]);
    assert!(said.stderr.contains("exec_prerun"), "{said:?}");
    laboratory.expect(0, &["check", "jobs"]);
    let manifest = laboratory.read("experiments/jobs/experiment.yaml");
    assert!(
        manifest.contains("iodepth: 8") && manifest.contains("runtime: 5 s") && manifest.contains("64 MiB"),
        "{manifest}"
    );
    for name in [
        "crystaldiskmark/v8.txt",
        "diskspd/mix.txt",
        "sysbench/oltp.txt",
        "table/tiles.csv",
        "vdbench/run.txt",
        "phoronix/fio.xml",
        "fio/gen_json_randread.json",
        "netperf/stream.txt",
        "iostat/three.json",
    ] {
        let experiment = name.split('/').next().unwrap().to_owned() + "-draft";
        laboratory.expect(
            0,
            &["init", &experiment, "--from", &format!("{}/tests/outputs/{name}", env!("CARGO_MANIFEST_DIR"))],
        );
        laboratory.expect(0, &["check", &experiment]);
    }
    laboratory.write("notes.txt", b"nothing\n");
    laboratory.expect(2, &["init", "none", "--from", "notes.txt"]);
    assert!(!laboratory.join("experiments/none").exists());
}

#[test]
fn an_inventory_of_saved_outputs_becomes_facts_with_their_bytes() {
    let laboratory = laboratory();
    laboratory.write(
        "experiments/lab/inventory/pveversion.txt",
        b"pve-manager/7.2-7/abcd0123 (running kernel: 5.15.1-1-pve)\n",
    );
    laboratory.write("experiments/lab/inventory/lscpu.txt", b"CPU op-mode(s): 64-bit\nCPU(s): 4\nModel name: X 1\nCore(s) per socket: 2\nSocket(s): 1\nThread(s) per core: 2\n");
    laboratory.write("experiments/lab/inventory/notes.txt", b"a fast one\n");
    let said: Said = laboratory.expect(1, &["inventory", "--from", "experiments/lab/inventory"]);
    assert!(said.stderr.contains("notes.txt: not understood") && said.stderr.contains("NIC firmware"), "{said:?}");
    let facts = said.stdout.split("    facts:\n").nth(1).unwrap();
    let facts: String = facts.lines().filter(|line| !line.starts_with('#')).map(|line| format!("{line}\n")).collect();
    let manifest = laboratory.read("experiments/lab/experiment.yaml").replace(
        "  sut: {role: sut, access: none, devices: {data: {size: 64 MiB}}}\n",
        &format!(
            "  sut:\n    role: sut\n    access: none\n    devices: {{data: {{size: 64 MiB}}}}\n    facts:\n{facts}"
        ),
    );
    laboratory.write("experiments/lab/experiment.yaml", manifest.as_bytes());
    laboratory.expect(0, &["check", "lab"]);
    laboratory.expect(0, &["lock", "lab"]);
    laboratory.expect(0, &["import", "lab", "back"]);
    laboratory.commit();
    laboratory.expect(0, &["publish", "lab"]);
    let paper = laboratory.read("reports/lab/1.0.0/paper.md");
    assert!(paper.contains("hypervisor.build") && paper.contains("abcd0123"), "{paper}");
    laboratory.expect(0, &["verify", "reports/lab/1.0.0", "--strict"]);
    // an output that is not the one that was read is no evidence
    laboratory.write("experiments/lab/inventory/lscpu.txt", b"CPU op-mode(s): 64-bit\n");
    let said = laboratory.expect(2, &["import", "lab", "back"]);
    assert!(said.stderr.contains("lscpu.txt"), "{said:?}");
}
