//! Audits: verdicts of five published papers reached by computing, a digit that matters changed in each, every check with a
//! case that passes and one that does not, and honest papers that are never called wrong.

use std::path::Path;

use benchpaper::audit::{Audit, CHECKS, Finding, Outcome, audit};
use benchpaper::claims;
use benchpaper::source::Source;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng as _;

use crate::honest::honest;

/// Audits a text; tables are read from a folder, with a digit changed where that is wanted.
fn audited(text: &str, folder: &str, change: Option<(&str, &str)>) -> Audit {
    let changed = |text: String| match change {
        Some((from, to)) => text.replacen(from, to, 1),
        None => text,
    };
    let read = |name: &str| {
        let text = std::fs::read_to_string(Path::new(folder).join(name)).map_err(|error| error.to_string())?;
        Ok(changed(text).into_bytes())
    };
    let (loaded, found) = claims::parse(&Source::new("claims.yaml", &changed(text.to_owned())), &read);
    audit(&loaded.unwrap_or_else(|| panic!("{:?}", found.iter().map(|one| &one.message).collect::<Vec<_>>())), None)
}

fn paper(name: &str, change: Option<(&str, &str)>) -> Audit {
    let folder = format!("experiments/{name}");
    audited(&std::fs::read_to_string(format!("{folder}/claims.yaml")).unwrap(), &folder, change)
}

fn verdict(audit: &Audit, claim: &str) -> String {
    audit.claims.iter().find(|one| one.id == claim).unwrap().verdict.word().to_owned()
}

/// What people who checked the five papers by hand found.
const BY_HAND: &[(&str, &[(&str, &str)])] = &[
    (
        "nvme-tcp-hypervisors",
        &[
            ("tests-won", "contradicted"),
            ("suite-duration", "consistent"),
            ("bandwidth-gain", "consistent"),
            ("gain-vs-latency", "consistent"),
            ("mean-gain", "unverifiable"),
            ("single-case-gain", "unverifiable"),
            ("overcommit", "consistent"),
            ("queue-total", "qualified"),
            ("pcie-bound", "consistent"),
            ("nic-count", "inconsistent"),
        ],
    ),
    ("zfs-vs-lvm", &[("rate-vs-iops", "consistent"), ("lvm-faster", "consistent")]),
    (
        "virtual-controllers",
        &[
            ("rate-vs-iops", "qualified"),
            ("little", "consistent"),
            ("nvme-best", "contradicted"),
            ("pvscsi-cpu", "contradicted"),
        ],
    ),
    (
        "image-formats",
        &[("ssd-table", "consistent"), ("nested-rows", "inconsistent"), ("main-results", "unverifiable")],
    ),
    (
        "sriov-consolidation",
        &[
            ("more-tiles", "consistent"),
            ("cpu-growth", "qualified"),
            ("guests", "consistent"),
            ("memory", "consistent"),
            ("off-exceeds-cpu", "qualified"),
        ],
    ),
];

#[test]
fn the_five_papers_get_the_verdicts_that_people_found_by_hand() {
    for (name, claims) in BY_HAND {
        let audit = paper(name, None);
        let found: Vec<(&str, &str)> = audit.claims.iter().map(|one| (one.id.as_str(), one.verdict.word())).collect();
        for wanted in *claims {
            assert!(found.contains(wanted), "{name}: {wanted:?} in {found:?}");
        }
    }
    let failed = |name: &str, check: &str| {
        let audit = paper(name, None);
        audit.checks.iter().filter(|one| one.check == check && one.verdict == Outcome::Fail).count()
    };
    assert_eq!((failed("zfs-vs-lvm", "P1"), failed("zfs-vs-lvm", "P8"), failed("zfs-vs-lvm", "U3")), (3, 2, 2));
    let nested = paper("image-formats", None);
    let repair = nested.claims.iter().flat_map(|one| &one.checks).find_map(|one| one.repair.clone()).unwrap();
    assert!(repair.contains("3526 in place of 3226"), "{repair}");
}

#[test]
fn one_printed_digit_that_matters_moves_a_verdict_in_each_paper() {
    let changes = [
        ("nvme-tcp-hypervisors", ("esxi: 9.3 GB/s", "esxi: 8.3 GB/s"), ("bandwidth-gain", "inconsistent")),
        ("nvme-tcp-hypervisors", ("tests: \"57\"", "tests: \"56\""), ("tests-won", "consistent")),
        ("zfs-vs-lvm", ("20.564, 5020.5", "20.564, 5120.5"), ("rate-vs-iops", "inconsistent")),
        (
            "zfs-vs-lvm",
            ("lvm, writeback, SEQ Q1T1 write, 268.878", "lvm, writeback, SEQ Q1T1 write, 168.878"),
            ("lvm-faster", "contradicted"),
        ),
        (
            "virtual-controllers",
            ("nvme,file,48929.05,3058.07", "nvme,file,58929.05,3683.07"),
            ("nvme-best", "consistent"),
        ),
        ("virtual-controllers", ("78210.16,611.02,1.633", "78210.16,611.02,1.833"), ("little", "inconsistent")),
        ("image-formats", ("186|17|4134", "186|18|4134"), ("ssd-table", "inconsistent")),
        ("image-formats", ("14.4, 3226", "14.4, 3526"), ("nested-rows", "qualified")),
        ("sriov-consolidation", ("8,without,778,100,66.23", "8,without,778,100,56.23"), ("cpu-growth", "contradicted")),
        ("sriov-consolidation", ("guests: \"60\"", "guests: \"66\""), ("guests", "contradicted")),
    ];
    for (name, (from, to), (claim, wanted)) in changes {
        assert_ne!(verdict(&paper(name, None), claim), wanted, "{name} {claim}");
        if name == "image-formats" && from.starts_with("186") {
            let text = std::fs::read_to_string("experiments/image-formats/claims.yaml").unwrap();
            let text = text.replacen("186174134184", "186184134184", 1);
            assert_eq!(verdict(&audited(&text, "experiments/image-formats", Some((from, to))), claim), wanted);
        } else {
            assert_eq!(verdict(&paper(name, Some((from, to))), claim), wanted, "{name} {claim}");
        }
    }
}

type Cells = &'static [(&'static str, &'static str)];

/// For each check a row that passes and one that does not; `=` marks a fact in words.
const CASES: &[(&str, Cells, Cells)] = include!("checks.in");

/// A claims file with one row.
fn row_of(cells: Cells) -> String {
    let unit_of = |role: &str| match claims::role::dim_of(role).map(|dim| (dim.bytes, dim.seconds)) {
        Some((1, -1)) => "B/s",
        Some((1, 0)) => "B",
        Some((0, 1)) => "s",
        Some((0, -1)) => "1/s",
        _ => "1",
    };
    let is_fact = |(name, _): &&(&str, &str)| name.starts_with('=');
    let columns = cells.iter().filter(|cell| !is_fact(cell));
    let shapes: Vec<String> = columns
        .clone()
        .enumerate()
        .map(|(at, (role, _))| format!("c{at}: {{role: {role}, unit: \"{}\"}}", unit_of(role)))
        .collect();
    let row: Vec<String> = columns.map(|(_, token)| format!("\"{token}\"")).collect();
    let facts: Vec<String> =
        cells.iter().filter(is_fact).map(|(name, value)| format!("{}: {value}", &name[1..])).collect();
    let table = format!(
        "tables:\n  t:\n    columns: {{{}}}\n    rows: [[{}]]\n    facts: [{{set: {{{}}}}}]\n",
        shapes.join(", "),
        row.join(", "),
        facts.join(", ")
    );
    let table = if row.is_empty() { String::new() } else { table };
    let context = if row.is_empty() { format!("context: {{{}}}\n", facts.join(", ")) } else { String::new() };
    format!("format: benchpaper/claims@1\npaper: {{title: x}}\n{context}{table}claims: []\n")
}

#[test]
fn every_check_of_a_row_has_a_case_that_passes_and_one_that_does_not() {
    let mut wrong: Vec<String> = vec![];
    for (id, passing, failing) in CASES {
        let of = |cells: Cells| {
            let audit = audited(&row_of(cells), ".", None);
            let of_check = audit.checks.into_iter().filter(|one| one.check == *id);
            // what passes only under an assumption does not pass
            let outcome = |one: &Finding| if one.assumption.is_some() { Outcome::Warn } else { one.verdict };
            of_check.map(|one| (outcome(&one), one.detail)).collect::<Vec<_>>()
        };
        let passed = of(passing);
        if !passed.iter().all(|(verdict, _)| *verdict == Outcome::Pass) {
            wrong.push(format!("{id} should pass: {passed:?}"));
        }
        let failed = of(failing);
        if !failed.iter().any(|(verdict, _)| *verdict >= Outcome::Warn) {
            wrong.push(format!("{id} should not pass: {failed:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// IOPS, latency and depth: one that saturates, one that gains more than its depth, one that still grows.
const LADDER: &[&str] = &[
    "tables: {t: {columns: {iops: {role: iops, unit: 1/s}, latency_mean: {role: latency_mean, unit: ms}, n: {role: outstanding, exact: true}}, rows: [[\"12500\", \"0.080\", \"1\"], [\"100000\", \"0.320\", \"32\"], [\"101000\", \"0.633\", \"64\"]]}}",
    "tables: {t: {columns: {iops: {role: iops, unit: 1/s}, latency_mean: {role: latency_mean, unit: ms}, n: {role: outstanding, exact: true}}, rows: [[\"12500\", \"0.080\", \"1\"], [\"560000\", \"0.057\", \"32\"]]}}",
    "tables: {t: {columns: {iops: {role: iops, unit: 1/s}, latency_mean: {role: latency_mean, unit: ms}, n: {role: outstanding, exact: true}}, rows: [[\"12500\", \"0.080\", \"1\"], [\"24000\", \"0.083\", \"2\"]]}}",
];

/// A paper that passes and one that does not, for checks that look at more than one row.
const PAPERS: &[(&str, &str, &str)] = include!("papers.in");

#[test]
fn every_check_of_a_paper_has_one_that_passes_and_one_that_does_not() {
    let of = |id: &str, body: &str| {
        let claims = if body.contains("claims:") { "" } else { "\nclaims: []" };
        let text = format!("format: benchpaper/claims@1\npaper: {{title: x}}\n{body}{claims}\n");
        let audit = audited(&text, ".", None);
        audit.checks.into_iter().filter(|one| one.check == id).map(|one| (one.verdict, one.detail)).collect::<Vec<_>>()
    };
    let mut wrong: Vec<String> = vec![];
    for (id, passing, failing) in PAPERS {
        let passed = of(id, passing);
        let is_silent = *id == "missing-platform";
        let is_passing = passed.iter().all(|(verdict, _)| *verdict == Outcome::Pass) && !passed.is_empty();
        if !is_silent && !is_passing {
            wrong.push(format!("{id} should pass: {passed:?}"));
        }
        let failed = of(id, failing);
        if !failed.iter().any(|(verdict, _)| matches!(verdict, Outcome::Warn | Outcome::Fail)) {
            wrong.push(format!("{id} should not pass: {failed:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    for id in CHECKS.iter().map(|check| check.card().id) {
        let has_case = CASES.iter().any(|(one, ..)| *one == id) || PAPERS.iter().any(|(one, ..)| *one == id);
        // what lies in the git history is tested with a repository
        assert!(has_case || ["G15", "harking"].contains(&id), "{id} has no case");
    }
}

#[test]
fn every_check_explains_itself_and_is_known_by_one_id() {
    let mut ids: Vec<&str> = CHECKS.iter().map(|check| check.card().id).collect();
    ids.sort_unstable();
    let count = ids.len();
    ids.dedup();
    assert_eq!(ids.len(), count);
    for card in CHECKS.iter().map(|check| check.card()) {
        assert!(card.explain.len() > 40 && card.explain.ends_with('.'), "{}", card.id);
        for role in card.needs {
            let is_word = claims::role::WORDS.iter().any(|(name, _)| name == role);
            assert!(is_word || claims::role::dim_of(role).is_some(), "{}: {role}", card.id);
        }
    }
    let files = |folder: &str| {
        std::fs::read_dir(folder).unwrap().filter(|file| file.as_ref().unwrap().path().is_file()).count()
    };
    let files = files("src/audit/check") - 1 + files("src/audit/check/crime") - 1;
    assert_eq!(files, count, "a file of src/audit/check is missing from its table");
}

#[test]
fn honest_papers_are_never_called_wrong() {
    let mut random = ChaCha20Rng::seed_from_u64(7);
    for number in 0..300 {
        let text = honest(&mut random, None);
        let audit = audited(&text, ".", None);
        assert!(!audit.has_findings(), "{number}: {:#?}\n{text}", audit.claims);
    }
}

#[test]
fn tables_and_claims_that_name_what_is_not_there_are_refused_with_the_place() {
    let good = row_of(&[("iops", "100 1/s"), ("block_size", "4 KiB")]);
    let refused = |from: &str, to: &str| {
        let text = good.replacen(from, to, 1);
        assert_ne!(text, good, "{from}");
        let (loaded, found) = claims::parse(&Source::new("claims.yaml", &text), &|name| Err(format!("no {name}")));
        assert!(loaded.is_none() && found.iter().all(|one| one.place.is_some()), "{found:?}");
        found.iter().map(|one| format!("{}: {}", one.code, one.message)).collect::<Vec<_>>().join("; ")
    };
    assert!(refused("role: iops", "role: ops").contains("claims::role"));
    assert!(refused("unit: \"1/s\"", "unit: \"furlong\"").contains("claims::unit"));
    assert!(refused("\"100 1/s\"", "\"fast\"").contains("claims::cell"));
    assert!(refused("\"100 1/s\"", "\"1,5 1/s\"").contains("no separator of thousands"));
    assert!(refused("\"4 KiB\"", "\"4 ms\"").contains("not a size"));
    assert!(refused("rows: [[", "rows: [[1, ").contains("3 cells"));
    assert!(refused("claims: []", "claims: [{id: a, text: b, holds: \"(\"}]").contains("claims::expression"));
    assert!(
        refused("claims: []", "claims: [{id: a, text: b, checks: [{check: U1, table: u}]}]").contains("claims::table")
    );
    assert!(refused("claims: []", "claims: [{id: a, text: b}]").contains("claims::empty"));
    assert!(refused("rows: [[\"100 1/s\", \"4 KiB\"]]", "file: ../secret.csv").contains("no ../secret.csv"));
}

#[test]
fn the_example_of_the_document_is_read_and_judged() {
    let document = std::fs::read_to_string("docs/claims.md").unwrap();
    let (_, rest) = document.split_once("```yaml\n").unwrap();
    let text = rest.split_once("```").unwrap().0.replace("    columns:\n", "    columns:\n      arm: {}\n");
    let csv = "arm,Load,IOPS,MB/s,Latency\nold,database,10010,82.0,12.71\nnew,database,13810,113.1,9.21\n";
    let (loaded, found) = claims::parse(&Source::new("claims.yaml", &text), &|_| Ok(csv.as_bytes().to_vec()));
    assert!(found.is_empty(), "{found:?}");
    let audit = audit(&loaded.unwrap(), None);
    let verdicts: Vec<&str> = audit.claims.iter().map(|one| one.verdict.word()).collect();
    assert_eq!(verdicts, ["consistent", "consistent"], "{:#?}", audit.claims);
}

#[test]
fn the_schema_of_claims_is_the_one_in_the_repository() {
    let written = std::fs::read_to_string("schema/claims.json").unwrap();
    let made = serde_json::to_string_pretty(&claims::schema()).unwrap();
    assert!(written.trim_end() == made, "`benchpaper schema claims > schema/claims.json`");
}

#[test]
fn sarif_has_what_its_version_asks_for() {
    let text = std::fs::read_to_string("experiments/zfs-vs-lvm/claims.yaml").unwrap();
    let (loaded, _) = claims::parse(&Source::new("a b/claims.yaml", &text), &|name| Err(name.to_owned()));
    let loaded = loaded.unwrap();
    let log = benchpaper::audit::sarif(&audit(&loaded, None), &loaded.source);
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let rules: Vec<&str> =
        run["tool"]["driver"]["rules"].as_array().unwrap().iter().map(|rule| rule["id"].as_str().unwrap()).collect();
    let results = run["results"].as_array().unwrap();
    assert!(!results.is_empty());
    for result in results {
        assert!(rules.contains(&result["ruleId"].as_str().unwrap()));
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().unwrap()));
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "a%20b/claims.yaml");
        assert!(place["region"]["startLine"].as_u64().unwrap() >= 1);
    }
}
