//! Outputs of real tools, in a folder named by `BENCHPAPER_CORPUS`: right values or a right refusal, and never a crash.

use std::path::Path;
use std::process::Command;

/// Values that were checked by hand.
const KNOWN: &[(&str, &str, f64)] = &[
    ("gen_json_randread.json", "iops", 11_537.46),
    ("gen_json_writeonly.json", "iops", 139_417.00),
    ("gen_31_json_seedjob.json", "iops", 9_753.56),
    ("gen_328_json_seedjob.json", "latency_mean", 760_518.0),
    ("gen_341_json_seedjob.json", "latency_mean", 723_795.0),
    ("gen_328_cs_ramp_allclients_lat_bug.json", "latency_mean", 194_044.0),
    ("gen_341_cs_ramp.json", "latency_mean", 193_652.0),
];

/// Files whose run failed.
const FAILED: &[&str] = &[
    "gen_json_errorlines_enospc.json",
    "gen_328_cs_one_client_enospc.json",
    "gen_341_errorlines.json",
    "gen_31_errorlines_in_output.json",
];

fn parse(file: &Path) -> (i32, serde_json::Value) {
    let arguments = ["parse", "--format", "json", "--tool", "fio"];
    let output = Command::new(crate::laboratory::program()).args(arguments).arg(file).output().unwrap();
    let code = output.status.code().unwrap_or_else(|| panic!("{}: ended by a signal", file.display()));
    (code, serde_json::from_slice(&output.stdout).unwrap_or_default())
}

#[test]
fn the_corpus_is_read_rightly_where_there_is_one() {
    let Ok(corpus) = std::env::var("BENCHPAPER_CORPUS") else {
        println!("BENCHPAPER_CORPUS is not set: no corpus was read");
        return;
    };
    let folder = Path::new(&corpus).join("fio");
    for (name, metric, value) in KNOWN {
        let (code, reading) = parse(&folder.join(name));
        assert_eq!(code, 0, "{name}: {reading}");
        let is_total = |one: &&serde_json::Value| one["metric"] == *metric && one["labels"]["aggregate"] == "true";
        let found =
            reading["measurements"].as_array().unwrap().iter().find(is_total).unwrap()["value"].as_f64().unwrap();
        assert!((found / value - 1.0).abs() < 0.001, "{name}: {found}, expected {value}");
    }
    for name in FAILED {
        let (code, reading) = parse(&folder.join(name));
        assert_eq!((code, reading["status"].as_str()), (2, Some("failed")), "{name}");
        assert_eq!(reading["measurements"].as_array().map(Vec::len), Some(0), "{name}");
    }
    for folder in std::fs::read_dir(&corpus).unwrap().flatten().filter(|entry| entry.path().is_dir()) {
        for file in std::fs::read_dir(folder.path()).unwrap().flatten() {
            let (code, _) = parse(&file.path());
            assert!((0..=2).contains(&code), "{}: {code}", file.path().display());
        }
    }
}
