//! Claims about an experiment of one's own: derived again from raw objects, tested on the bounds of intervals, followed down
//! to the commit, and run anew.

use benchpaper::audit::{Audit, Evidence, Verdict, audit};
use benchpaper::inventory::Inventory;
use benchpaper::measurement::Metric;
use benchpaper::results::{Results, rehearsal};
use benchpaper::source::Source;
use benchpaper::{claims, lock, manifest, plan};

use crate::laboratory::{ECHO, ECHO_NOISE, Laboratory};

const CLAIMS: &str = r#"format: benchpaper/claims@1
paper: {title: Echo, ours: true}
claims:
  - {id: number, text: It takes 4.50 ms, tokens: {time: 4.50 ms}, holds: "value('latency_mean', n='4.5') == time"}
  - {id: twice, text: Two takes at least 1.5 times, holds: "effect('latency_mean', n='2') >= 0.5"}
  - {id: rising, text: Everything takes longer, holds: "min(effects('latency_mean')) > 0"}
"#;

fn of(laboratory: &Laboratory, code: i32, claim: &str) -> (String, serde_json::Value) {
    let audit = laboratory.json(code, &["audit", "echo"]);
    let claims = audit["claims"].as_array().unwrap().clone();
    let one = claims.into_iter().find(|one| one["id"] == claim).unwrap();
    (one["verdict"].as_str().unwrap().to_owned(), one)
}

/// Eight replicates: what does not vary is tested by signs alone.
fn echo() -> String {
    ECHO.replace("replicates: 3", "replicates: 8")
}

fn with_claims(text: &str) -> Laboratory {
    let laboratory = Laboratory::with("echo", &echo());
    laboratory.write("experiments/echo/claims.yaml", text.as_bytes());
    laboratory.expect(0, &["lock", "echo"]);
    laboratory.commit();
    laboratory.expect(0, &["run", "echo"]);
    laboratory
}

#[test]
fn claims_are_derived_again_from_their_objects() {
    let laboratory = with_claims(CLAIMS);
    let (verdict, claim) = of(&laboratory, 0, "number");
    assert_eq!(verdict, "recomputed", "{claim}");
    let evidence = &claim["evidence"];
    assert_eq!(evidence["objects"], 1, "the replicates printed the same bytes");
    assert_eq!(evidence["numbers"][0]["name"], "latency_mean/n=4.5/median");
    assert_eq!(evidence["numbers"][0]["printed"].as_array().unwrap().len(), 0, "nothing is published yet");
    let commit = evidence["runs"][0]["commit"].as_str().unwrap();
    assert!(commit.ends_with("which holds both") && commit.len() > 40, "{commit}");
    assert_eq!(of(&laboratory, 0, "twice").0, "recomputed");
    assert_eq!(of(&laboratory, 0, "rising").0, "recomputed");
    laboratory.expect(0, &["publish", "echo"]);
    let printed = of(&laboratory, 0, "number").1["evidence"]["numbers"][0]["printed"].clone();
    assert!(printed[0].as_str().unwrap().contains("4.500 ms"), "{printed}");
    let said = laboratory.expect(0, &["audit", "echo", "--all"]);
    assert!(said.stdout.contains("objects: 3 read again") && said.stdout.contains("lock sha256:"), "{said:?}");

    laboratory.write("experiments/echo/claims.yaml", CLAIMS.replace("4.50 ms", "4.60 ms").as_bytes());
    let (verdict, claim) = of(&laboratory, 1, "number");
    assert_eq!(verdict, "contradicted");
    assert!(claim["why"].as_str().unwrap().contains("latency_mean/n=4.5/median is 4.5 ms"), "{claim}");
}

#[test]
fn a_claim_younger_than_the_first_result_is_said_to_be_so() {
    let laboratory = with_claims(CLAIMS);
    let harking = |laboratory: &Laboratory| -> Vec<(String, String)> {
        let audit = laboratory.json(0, &["audit", "echo"]);
        let checks = audit["checks"].as_array().unwrap().clone();
        let of_check = checks.iter().filter(|one| one["check"] == "harking");
        let word = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        of_check.map(|one| (word(&one["place"]["label"]), word(&one["verdict"]))).collect()
    };
    assert!(harking(&laboratory).iter().all(|(_, verdict)| verdict == "pass"));
    let later = CLAIMS.replace(">= 0.5", ">= 0.6")
        + "  - {id: new, text: Something new, holds: \"value('latency_mean', n='1') > value('latency_mean', n='1') - 1\"}\n"
        + "  - {id: seen, text: Seen afterwards, exploratory: true, holds: \"effect('latency_mean', n='2') > 0\"}\n";
    let later = later.replace(
        "value('latency_mean', n='1') > value('latency_mean', n='1') - 1",
        "effect('latency_mean', n='4.5') > 0",
    );
    laboratory.write("experiments/echo/claims.yaml", later.as_bytes());
    laboratory.commit();
    let found = harking(&laboratory);
    let verdict = |id: &str| found.iter().find(|(label, _)| label == id).unwrap().1.as_str();
    assert_eq!(["number", "twice", "new", "seen"].map(verdict), ["pass", "warn", "warn", "pass"]);
}

#[test]
fn a_damaged_object_leaves_what_rests_on_it_unsupported_and_nothing_else() {
    let manifest =
        echo().replace("printf, \"took %s ms\", \"{n}\"", "sh, -c, \"echo took {n} ms; head -c 70000 /dev/zero\"");
    let laboratory = Laboratory::with("echo", &manifest);
    laboratory.write("experiments/echo/claims.yaml", CLAIMS.as_bytes());
    laboratory.expect(0, &["lock", "echo"]);
    laboratory.commit();
    laboratory.expect(0, &["run", "echo"]);
    assert_eq!(of(&laboratory, 0, "number").0, "recomputed");
    // the object of n = 4.5 alone holds these bytes; all its replicates share it
    let results = laboratory.json(0, &["results", "echo"]);
    let row = results["results"].as_array().unwrap().iter().find(|row| row["case"]["n"] == "4.5").unwrap();
    let hex = row["values"][0]["object"].as_str().unwrap().trim_start_matches("sha256:").to_owned();
    let path = format!("artifacts/objects/sha256/{}/{hex}", &hex[..2]);
    let text = laboratory.read(&path).replace("4.5", "4.4");
    laboratory.write(&path, text.as_bytes());
    let (verdict, claim) = of(&laboratory, 1, "number");
    assert_eq!(verdict, "unsupported", "{claim}");
    assert!(claim["why"].as_str().unwrap().contains(&hex), "{claim}");
    assert_eq!(of(&laboratory, 1, "rising").0, "unsupported");
    let (verdict, claim) = of(&laboratory, 1, "twice");
    assert_eq!(verdict, "recomputed", "it rests on other objects: {claim}");
    laboratory.write(&path, text.replace("4.4", "4.5").as_bytes());
    assert_eq!(of(&laboratory, 0, "number").0, "recomputed");
}

#[test]
fn a_number_of_the_paper_that_the_record_does_not_give_is_no_evidence() {
    let laboratory = with_claims(CLAIMS);
    laboratory.expect(0, &["publish", "echo"]);
    let path = "reports/echo/1.0.0/cellmap.json";
    let forged = laboratory.read(path).replace("\"exact\":\"4500000\"", "\"exact\":\"4600000\"");
    laboratory.write(path, forged.as_bytes());
    let (verdict, claim) = of(&laboratory, 1, "number");
    assert_eq!(verdict, "unsupported");
    assert!(claim["why"].as_str().unwrap().contains("the record gives 4.5 ms"), "{claim}");
}

#[test]
fn what_was_not_measured_supports_nothing() {
    let laboratory = Laboratory::with("echo", ECHO);
    laboratory.write("experiments/echo/claims.yaml", CLAIMS.as_bytes());
    laboratory.expect(0, &["lock", "echo"]);
    for id in ["number", "twice", "rising"] {
        let (verdict, claim) = of(&laboratory, 1, id);
        assert_eq!(verdict, "unsupported", "{claim}");
        assert!(claim["why"].as_str().unwrap().contains("there is no result with latency_mean"), "{claim}");
    }
}

#[test]
fn names_that_are_not_there_are_refused_with_what_was_meant() {
    let laboratory = with_claims(CLAIMS);
    let why = |from: &str, to: &str| {
        laboratory.write("experiments/echo/claims.yaml", CLAIMS.replace(from, to).as_bytes());
        laboratory.expect(2, &["audit", "echo"]).stderr
    };
    let used = "value('latency_mean', n='4.5')";
    assert!(why(used, "value('latency_maen', n='4.5')").contains("did you mean `latency_mean`?"));
    assert!(why(used, "value('latency_mean', m='4.5')").contains("no factor is called `m`"));
    assert!(why(used, "value('latency_mean', n='9')").contains("it has `1`, `2`, `4.5`"));
    assert!(why(used, "value('latency_mean')").contains("3 cases have these levels"));
    assert!(why(used, "value('latency_mean', n='1', stat='mode')").contains("not one of median, mean, min and max"));
    let whose = CLAIMS.replace(", ours: true", "");
    laboratory.write("experiments/echo/claims.yaml", whose.as_bytes());
    let said = laboratory.expect(2, &["audit", "echo"]);
    assert!(said.stderr.contains("`ours: true`") && said.stderr.contains("claims.yaml:4"), "{said:?}");
}

#[test]
fn a_rerun_says_first_what_it_executes_and_leaves_the_record_alone() {
    // without A/A pairs, of which one in a hundred sets is found to differ by chance
    let manifest = echo()
        .replace(ECHO_NOISE, "")
        .replace("treatment: [n]", "treatment: [n]\nmetrics: {latency_mean: {margin: 3 %}}");
    let noisy =
        manifest.replace("printf, \"took %s ms\", \"{n}\"", "sh, -c, \"echo took {n}.00$(date +%N | cut -c6) ms\"");
    let laboratory = Laboratory::with("echo", &noisy.replace("4.5]", "4]"));
    let claims = CLAIMS
        .replace("4.50 ms", "4.50")
        .replace("== time", "> quantity('1 ms')")
        .replace("tokens: {time: 4.50}, ", "")
        .replace("n='4.5'", "n='4'");
    laboratory.write("experiments/echo/claims.yaml", claims.as_bytes());
    laboratory.expect(0, &["lock", "echo"]);
    laboratory.commit();
    laboratory.expect(0, &["run", "echo"]);
    let runs = || std::fs::read_dir(laboratory.join("artifacts/runs")).unwrap().count();
    let said = laboratory.expect(0, &["audit", "echo", "--rerun", "--format", "json"]);
    assert!(
        said.stderr.contains("rerun: 24 jobs") && said.stderr.contains("executes sh -c echo took 4.00"),
        "{said:?}"
    );
    let audit: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    let verdicts: Vec<&str> =
        audit["claims"].as_array().unwrap().iter().map(|one| one["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["reproduced"; 3], "{audit:#}");
    assert_eq!(runs(), 1, "the record of the experiment has one run");
    assert_eq!(std::fs::read_dir(laboratory.join("artifacts/reruns")).unwrap().count(), 1);
    laboratory.expect(2, &["audit", "--rerun", "nothing"]);
}

/// An experiment with two workloads of eight replicates whose values are given: baseline and treated.
fn judged(claims_text: &str, pairs: &[(&str, [f64; 8], [f64; 8])], rerun: Option<f64>) -> Audit {
    let cases: Vec<&str> = pairs.iter().map(|(name, ..)| *name).collect();
    let text = format!(
        "format: benchpaper/experiment@1\nname: given\ntitle: Given\nversion: 1.0.0\nauthors: [{{name: T}}]\nquestion: Is it more?\n\
         hosts: {{bench: {{role: [controller, sut], access: local}}}}\n\
         workloads:\n  say: {{tool: command, argv: [echo, \"{{arm}} {{load}}\"], read: {{iops: {{regex: \"(x)\", unit: 1/s}}}}}}\n\
         matrix: {{factors: {{arm: [old, new], load: [{}]}}}}\narms: {{old: {{why: a}}, new: {{why: b}}}}\n\
         design: {{replicates: 8, order: interleaved, seed: 7}}\ntreatment: [arm]\nmetrics: {{iops: {{margin: 3 %}}}}\n",
        cases.join(", ")
    );
    let text =
        text.replace("arms: {old: {why: a}, new: {why: b}}\n", "").replace("arm: [old, new]", "version: [old, new]");
    let text = text.replace("{arm} {load}", "{version} {load}").replace("treatment: [arm]", "treatment: [version]");
    let source = Source::new("experiment.yaml", &text);
    let parsed = manifest::parse(&source);
    let experiment = parsed.experiment.unwrap_or_else(|| panic!("{:?}", parsed.diagnostics));
    let settings = plan::settings(&experiment, None).unwrap();
    let expansion = plan::expand(&experiment, &source, settings, &Default::default()).unwrap();
    let locked = lock::resolve(&experiment, &Inventory::default(), Default::default(), Default::default());
    let planned = plan::plan(&experiment, &locked, expansion);
    let filled = |factor: f64| -> Results {
        let mut results = rehearsal(&planned);
        for case in &mut results.cases {
            let (_, old, new) = pairs.iter().find(|(name, ..)| case.case.factors["load"] == *name).unwrap();
            let values = if case.case.factors["version"] == "old" { old } else { new };
            let samples = case.metrics.iter_mut().find(|one| one.metric == Metric::new("iops")).unwrap();
            for (sample, value) in samples.samples.iter_mut().zip(values) {
                sample.value = value * factor;
            }
        }
        results
    };
    let results = filled(1.0);
    let again = rerun.map(filled);
    let evidence = Evidence { rerun: again.as_ref(), ..Evidence::of_results(&experiment, &planned, &results) };
    let text = format!("format: benchpaper/claims@1\npaper: {{title: Given, ours: true}}\nclaims:\n{claims_text}");
    let (loaded, found) = claims::parse(&Source::new("claims.yaml", &text), &|name| Err(name.to_owned()));
    audit(&loaded.unwrap_or_else(|| panic!("{found:?}")), Some(evidence))
}

const OLD: [f64; 8] = [100.0, 103.0, 98.0, 101.0, 99.0, 102.0, 97.0, 100.0];
/// About five percent more, by 3 to 7 percent: its interval is 1.035 to 1.063.
const MORE: [f64; 8] = [105.0, 107.0, 104.0, 107.0, 102.0, 109.0, 101.0, 105.0];
/// As likely more as less.
const SAME: [f64; 8] = [101.0, 102.0, 99.0, 99.0, 100.0, 101.0, 98.0, 99.0];

#[test]
fn differences_are_decided_on_the_bound_of_their_interval() {
    let verdict = |expression: &str| {
        let claims = format!("  - {{id: a, text: b, holds: \"{expression}\"}}\n");
        judged(&claims, &[("x", OLD, MORE), ("y", OLD, SAME)], None).claims[0].verdict
    };
    assert_eq!(verdict("effect('iops', load='x') > 0"), Verdict::Recomputed);
    assert_eq!(verdict("effect('iops', load='x') > 0.045"), Verdict::Unverifiable, "the interval holds 4.5 %");
    assert_eq!(verdict("effect('iops', load='x') > 0.2"), Verdict::Contradicted);
    assert_eq!(verdict("effect('iops', load='y') > 0"), Verdict::Unverifiable);
    assert_eq!(verdict("min(effects('iops')) > 0"), Verdict::Unverifiable, "one of the two is undecided");
    assert_eq!(
        verdict("abs(effect('iops', load='y')) < 0.05"),
        Verdict::Recomputed,
        "an equivalence is decided so too"
    );
    assert_eq!(verdict("estimate('iops', load='x', version='old') > quantity('90 1/s')"), Verdict::Recomputed);
}

#[test]
fn claims_of_one_file_are_one_family() {
    let slight: [f64; 8] = [101.5, 104.2, 99.8, 101.2, 101.3, 102.4, 98.9, 100.1];
    let one = "  - {id: slight, text: b, holds: \"effect('iops', load='x') > 0\"}\n";
    let alone = judged(one, &[("x", OLD, slight), ("y", OLD, SAME)], None);
    assert_eq!(alone.claims[0].verdict, Verdict::Recomputed, "{:#?}", alone.claims[0]);
    let more: String =
        (0..40).map(|n| format!("  - {{id: other-{n}, text: b, holds: \"effect('iops', load='y') > 0\"}}\n")).collect();
    let family = judged(&format!("{one}{more}"), &[("x", OLD, slight), ("y", OLD, SAME)], None);
    assert_eq!(family.claims[0].verdict, Verdict::Unverifiable, "{:#?}", family.claims[0]);
    assert!(family.claims[0].why.contains("adjusted for 41 claims"), "{}", family.claims[0].why);
}

#[test]
fn a_rerun_reproduces_within_the_margin_and_contradicts_outside_of_it() {
    let claims = "  - {id: a, text: b, holds: \"estimate('iops', load='x', version='old') > quantity('90 1/s')\"}\n";
    let verdict = |factor: f64| judged(claims, &[("x", OLD, MORE)], Some(factor)).claims[0].clone();
    assert_eq!(verdict(1.001).verdict, Verdict::Reproduced, "{}", verdict(1.001).why);
    let open = verdict(1.03);
    assert_eq!(open.verdict, Verdict::Recomputed, "an undecided rerun changes nothing: {}", open.why);
    assert!(open.why.contains("The rerun does not decide"), "{}", open.why);
    let still = verdict(1.2);
    assert_eq!(still.verdict, Verdict::Recomputed, "it holds with another number, too");
    assert!(still.why.contains("and it still holds"), "{}", still.why);
    assert_eq!(verdict(0.5).verdict, Verdict::Contradicted);
    let effect = "  - {id: a, text: b, holds: \"effect('iops', load='x') > 0\"}\n";
    let again = judged(effect, &[("x", OLD, MORE)], Some(1.5)).claims[0].clone();
    assert_eq!(again.verdict, Verdict::Reproduced, "a ratio does not move with the machine: {}", again.why);
}

#[test]
fn the_example_of_ones_own_paper_in_the_document_holds() {
    let document = std::fs::read_to_string("docs/claims.md").unwrap();
    let text = document.split("```yaml\n").nth(2).unwrap().split("```").next().unwrap();
    let laboratory = Laboratory::new();
    for folder in ["experiments/quickstart", "artifacts/runs", "reports/quickstart"] {
        crate::laboratory::copy(std::path::Path::new(folder), &laboratory.join(folder));
    }
    laboratory.write("experiments/quickstart/claims.yaml", text.as_bytes());
    // exit 1: what the paper owes and does not give is a finding
    let audit = laboratory.json(1, &["audit", "quickstart"]);
    let verdicts: Vec<&str> =
        audit["claims"].as_array().unwrap().iter().map(|one| one["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["recomputed"; 2], "{audit:#}");
}
