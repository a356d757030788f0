//! Manifests that are wrong: every problem at once, each with its place and a way out, and bombs are refused.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::laboratory::{ECHO, Laboratory, program};

fn problems(text: &str) -> String {
    let laboratory = Laboratory::with("wrong", text);
    let found = laboratory.json(2, &["check", "wrong"]);
    let one = |one: &Value| {
        let place = &one["place"];
        format!(
            "{}:{} {} {}",
            place["line"],
            place["column"],
            one["code"].as_str().unwrap(),
            one["help"].as_str().unwrap_or("")
        )
    };
    found["diagnostics"].as_array().unwrap().iter().map(one).collect::<Vec<_>>().join("\n")
}

#[test]
fn five_mistakes_give_five_diagnostics() {
    let text = r#"format: benchpaper/experiment@1
name: wrong
title: Five mistakes
version: 1.0.0
authors: [{name: T}]
question: How many?
hosts: {bench: {role: [controller, sut], access: locl, devices: {test: {size: 64}}}}
workloads:
  one: {tool: fio, rw: randread, block_size: 4 KiB, device: test}
matrix:
  factors: {depth: [1, 2]}
  exclude: [{depth: 2}]
design: {replicats: 2, order: interleaved, seed: 1, seed: 2}
"#;
    insta::assert_snapshot!(problems(text), @r"
    7:50 manifest::word Did you mean `local`? Known: `local`, `none`.
    7:79 manifest::unit-missing Write a number and one of the units `B`, `KiB`, `MiB`, `GiB`, `TiB`, `kB`, `MB`, `GB`, `TB`.
    12:13 manifest::exclude-without-reason Add `reason: …`: cells that are left out without one look chosen.
    13:9 manifest::missing-key Add `replicates: …`.
    13:10 manifest::unknown-key Did you mean `replicates`?
    13:53 yaml::duplicate-key Keep one of the two.
    ");
}

#[test]
fn what_tools_and_plans_find_comes_together_too() {
    let text = r#"format: benchpaper/experiment@1
name: wrong
title: More mistakes
version: 1.0.0
authors: [{name: T}]
question: How many?
hosts: {bench: {role: [controller, sut], access: local, devices: {test: {size: 64 MiB}}}}
workloads:
  one: {tool: fio, rw: randraed, block_size: 4096, iodepht: 4, device: tset, options: {exec_prerun: reboot}, numjobs: {factor: jobz}}
matrix: {factors: {depth: [1, 2], jobs: [1]}}
design: {replicates: 2, order: interleaved, seed: 1}
"#;
    insta::assert_snapshot!(problems(text), @r"
    9:24 manifest::word Did you mean `randread`? Known: `read`, `write`, `randread`, `randwrite`, `rw`, `readwrite`, `randrw`, `trim`, `randtrim`.
    9:46 manifest::unit-missing Write a number and one of the units `B`, `KiB`, `MiB`, `GiB`, `TiB`, `kB`, `MB`, `GB`, `TB`.
    9:52 manifest::unknown-key Did you mean `iodepth`?
    9:72 manifest::unknown-reference Did you mean `test`?
    9:88 fio::option Options that execute, load or open something are not passed on.
    9:119 plan::unknown-factor Did you mean `jobs`?
    10:20 plan::unused-factor Write `{factor: depth}` as the value of a setting.
    10:35 plan::unused-factor Write `{factor: jobs}` as the value of a setting.
    ");
}

#[test]
fn people_are_shown_file_line_snippet_and_a_way_out() {
    let laboratory = Laboratory::with("echo", &ECHO.replace("seed: 7", "sede: 7"));
    let said = laboratory.expect(2, &["check", "echo"]);
    insta::assert_snapshot!(said.stderr, @r"
    manifest::missing-key

      x the key `seed` is missing
        ,-[experiments/echo/experiment.yaml:11:9]
     10 | matrix: {factors: {n: [1, 2, 4.5]}}
     11 | design: {replicates: 3, order: interleaved, sede: 7, noise: {case: {n: 1}, pairs: 5}}
        :         |
        :         `-- here
     12 | treatment: [n]
        `----
      help: Add `seed: …`.
    manifest::unknown-key

      x the key `sede` is unknown here
        ,-[experiments/echo/experiment.yaml:11:45]
     10 | matrix: {factors: {n: [1, 2, 4.5]}}
     11 | design: {replicates: 3, order: interleaved, sede: 7, noise: {case: {n: 1}, pairs: 5}}
        :                                             ^^|^
        :                                               `-- here
     12 | treatment: [n]
        `----
      help: Did you mean `seed`?
    2 errors, 0 warnings
    ");
}

#[test]
fn a_yaml_bomb_is_refused_quickly() {
    let mut aliases = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for level in 1..30 {
        let before = level - 1;
        aliases.push_str(&format!("a{level}: &a{level} [{}]\n", vec![format!("*a{before}"); 9].join(", ")));
    }
    let deep = format!("a: {}", "[".repeat(1_000_000));
    let wide = format!("a: [{}]", "1, ".repeat(1_000_000));
    let large = format!("a: {}", "x".repeat(5 << 20));
    for (name, bomb) in [("aliases", aliases), ("deep", deep), ("wide", wide), ("large", large)] {
        let laboratory = Laboratory::with("bomb", &bomb);
        // 100 MB for data (the program and its libraries are mapped besides), and one second of processor time
        let limited = format!("ulimit -d 100000; ulimit -t 1; exec {} check bomb", program());
        let output =
            std::process::Command::new("sh").args(["-c", &limited]).current_dir(laboratory.path()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{name}: {output:?}");
    }
}

/// A manifest as plain data.
fn read(manifest: &str) -> Value {
    let options = serde_saphyr::options! { strict_booleans: true };
    serde_saphyr::from_str_with_options(manifest, options).unwrap()
}

/// The parts of JSON Schema that ours uses.
fn fits(schema: &Value, value: &Value, at: &str) -> Vec<String> {
    let mut wrong = vec![];
    if let Some(options) = schema["anyOf"].as_array() {
        if !options.iter().any(|option| fits(option, value, at).is_empty()) {
            wrong.push(format!("{at}: no option fits"));
        }
        return wrong;
    }
    if let Some(words) = schema["enum"].as_array()
        && !words.contains(value)
    {
        wrong.push(format!("{at}: {value} is not one of {words:?}"));
    }
    let is_type = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        other => panic!("{other}"),
    };
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => vec![],
    };
    if !types.is_empty() && !types.iter().any(|one| is_type(one)) {
        wrong.push(format!("{at}: {value} is no {types:?}"));
        return wrong;
    }
    for required in schema["required"].as_array().into_iter().flatten() {
        if value.get(required.as_str().unwrap()).is_none() {
            wrong.push(format!("{at}: {required} is missing"));
        }
    }
    for (key, inner) in value.as_object().into_iter().flatten() {
        match (schema["properties"].get(key), &schema["additionalProperties"]) {
            (Some(known), _) => wrong.extend(fits(known, inner, &format!("{at}/{key}"))),
            (None, Value::Bool(false)) => wrong.push(format!("{at}: {key} is unknown")),
            (None, Value::Object(_)) => {
                wrong.extend(fits(&schema["additionalProperties"], inner, &format!("{at}/{key}")))
            }
            _ => {}
        }
    }
    for inner in value.as_array().into_iter().flatten() {
        wrong.extend(fits(&schema["items"], inner, &format!("{at}[]")));
    }
    wrong
}

#[test]
fn a_good_manifest_is_not_complained_about_and_its_schema_accepts_it() {
    let laboratory = Laboratory::with("echo", ECHO);
    let said = laboratory.expect(0, &["check", "echo"]);
    assert_eq!(said.stderr, "");
    let text = laboratory.expect(0, &["schema"]).stdout;
    let schema: Value = serde_json::from_str(&text).unwrap();
    for manifest in [ECHO.to_owned(), std::fs::read_to_string("experiments/quickstart/experiment.yaml").unwrap()] {
        let value = read(&manifest);
        assert_eq!(fits(&schema, &value, ""), Vec::<String>::new());
    }
    let mut value = read(ECHO);
    value["colour"] = "red".into();
    value["design"]["order"] = "alphabetical".into();
    assert_eq!(fits(&schema, &value, "").len(), 2);
    assert_eq!(
        std::fs::read_to_string("schema/experiment.json").unwrap(),
        text,
        "`benchpaper schema > schema/experiment.json`"
    );
}

#[test]
fn a_new_experiment_can_be_checked_at_once() {
    let laboratory = Laboratory::new();
    laboratory.expect(0, &["init", "mine"]);
    let said = laboratory.expect(0, &["check", "experiments/mine"]);
    assert_eq!(said.stderr, "");
    laboratory.expect(2, &["init", "mine"]);
    laboratory.expect(2, &["init", "../mine"]);
    let said = laboratory.expect(2, &["check", "mien"]);
    assert!(said.stderr.contains("experiments/mine"), "{said:?}");
}

#[test]
fn prose_is_tried_before_anything_is_measured_and_prints_only_what_functions_return() {
    let laboratory = Laboratory::with("echo", ECHO);
    let cases = [
        ("# R\n{{ foo() }}\n", "foo"),
        ("# R\n{{ value('latency_mean', n='7') }}\n", "0 cases have these levels"),
        ("# R\n{{ value('iops', n='1') }}\n", "no result has the metric `iops`"),
        ("# R\n{{ 999999 }}\n", "nothing else"),
        ("# R\n{{ 'ninety' ~ 42 }}\n", "nothing else"),
        ("# R\n{% set v = value %}424242 {{ v('latency_mean', n='1') }}\n", "`424242` is typed by hand"),
        ("# R\n{{ value('latency_mean', n='1') }} &#x39;&#x39;\n", "`99` is typed by hand"),
        // nothing can be drawn of these before anything is measured, and the rule holds all the same
        ("# R\n{{ forest('latency_mean') }} 38 % more\n", "`38` is typed by hand"),
        ("# R\n{{ map ('latency_mean', x='n', y='n') }} 38 % more\n", "`38` is typed by hand"),
        ("# R\n{{ tradeoff(x='latency_mean', y='latency_mean') }} 38 % more\n", "`38` is typed by hand"),
        ("# R\n{% set f = percentiles %}{{ f('latency') }} 38 % more\n", "`38` is typed by hand"),
        ("# R\n{% for f in [forest] %}{{ f('latency_mean') }}{% endfor %} 38 % more\n", "`38` is typed by hand"),
        ("# R\n{{ value('latency_mean', n='1') + 1 }}\n", "unsupported types"),
        ("no heading\n", "no heading"),
    ];
    for (prose, expected) in cases {
        laboratory.write("experiments/echo/paper/en.md", prose.as_bytes());
        let said = laboratory.expect(2, &["check", "echo"]);
        assert!(said.stderr.contains(expected), "{prose:?}: {said:?}");
    }
    let deep = format!("# R\n{{{{ {}1 }}}}\n", "1+".repeat(40_000));
    laboratory.write("experiments/echo/paper/en.md", deep.as_bytes());
    laboratory.expect(2, &["check", "echo"]);
    let wide = "# R\n{% for a in 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' %}{% for c in 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' %}{% for d in 'aaaaaaaaaa' %}{{ results() }}{% endfor %}{% endfor %}{% endfor %}\n";
    laboratory.write("experiments/echo/paper/en.md", wide.as_bytes());
    let started = Instant::now();
    laboratory.expect(2, &["check", "echo"]);
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    std::fs::remove_file(laboratory.join("experiments/echo/paper/en.md")).unwrap();
    std::os::unix::fs::symlink("/etc/hostname", laboratory.join("experiments/echo/paper/en.md")).unwrap();
    let said = laboratory.expect(2, &["check", "echo"]);
    assert!(said.stderr.contains("is a link"), "{said:?}");
}

#[test]
fn a_metric_that_nothing_measures_and_a_time_without_end_are_refused() {
    let text = ECHO.replace("treatment: [n]", "treatment: [n]\nmetrics: {latency_maen: {better: lower}}");
    assert_eq!(
        problems(&text.replace("name: echo", "name: wrong")),
        "13:11 plan::unknown-metric Did you mean `latency_mean`?"
    );
    let text = ECHO.replace("name: echo", "name: wrong").replace("seed: 7", "seed: 7, time_limit: 9000000000 s");
    assert!(problems(&text).contains("manifest::quantity"));
}
