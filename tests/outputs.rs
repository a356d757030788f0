//! Outputs of tools: each gives its right values or its right refusal, whatever is done to it it never crashes, and each
//! tool has at least four.
//!
//! The files in `tests/outputs` were printed by the tools, or written in their formats with numbers of our own.
//! `EXPECTED.csv` says what each must give; it was not made by this program.

use std::collections::BTreeMap;
use std::path::Path;

use benchpaper::inventory::saved;
use benchpaper::measurement::{Measurement, Reading, Status};
use benchpaper::tool::{self, Outputs};

/// All samples: name within the folder, and bytes.
pub(crate) fn samples() -> Vec<(String, Vec<u8>)> {
    let mut found = vec![];
    for folder in std::fs::read_dir("tests/outputs").unwrap().flatten().filter(|entry| entry.path().is_dir()) {
        for file in std::fs::read_dir(folder.path()).unwrap().flatten() {
            let name = format!("{}/{}", folder.file_name().to_str().unwrap(), file.file_name().to_str().unwrap());
            found.push((name, std::fs::read(file.path()).unwrap()));
        }
    }
    found.sort();
    found
}

fn read(name: &str, bytes: &[u8]) -> Reading {
    let decoded = tool::decode(bytes);
    let tool = tool::recognise(&decoded).unwrap_or_else(|| panic!("{name}: no tool recognises it"));
    assert_eq!(tool.name(), name.split('/').next().unwrap(), "{name}");
    tool.parse(Outputs::named(bytes, name.rsplit('/').next().unwrap()))
}

/// Whether a value is the one that a row of the table means: `total`, `any`, or its labels.
fn is_meant(one: &Measurement, of: &str) -> bool {
    match of {
        "any" => true,
        "total" => one.labels.is_result(),
        labels => {
            let has = |label: &str, value: &str| one.labels.get(label).is_some_and(|found| found == value);
            // labels hold spaces, so each begins where a word has a sign of equality in it
            let mut pairs: Vec<(String, String)> = vec![];
            for word in labels.split(' ') {
                match word.split_once('=') {
                    Some((label, value)) => pairs.push((label.to_owned(), value.to_owned())),
                    None => pairs.last_mut().unwrap().1.push_str(&format!(" {word}")),
                }
            }
            pairs.iter().all(|(label, value)| has(label, value))
        }
    }
}

#[test]
fn every_output_gives_its_right_values_or_its_right_refusal() {
    let mut table = csv::Reader::from_path("tests/outputs/EXPECTED.csv").unwrap();
    let mut expected: BTreeMap<String, Vec<Vec<String>>> = BTreeMap::new();
    for row in table.records() {
        let row: Vec<String> = row.unwrap().iter().map(str::to_owned).collect();
        expected.entry(row[0].clone()).or_default().push(row);
    }
    for (name, bytes) in samples() {
        let Some(rows) = expected.remove(&name) else { continue };
        let reading = read(&name, &bytes);
        let (status, has_error) = (reading.status, !reading.reason().is_empty());
        for row in rows {
            let wanted = match row[1].as_str() {
                "ok" | "ok!" => Status::Ok,
                "invalid" => Status::Invalid,
                _ => Status::Failed,
            };
            assert_eq!(status, wanted, "{name}: {:?}", reading.diagnostics);
            assert_eq!(has_error, row[1] != "ok", "{name}: {:?}", reading.diagnostics);
            assert_eq!(reading.measurements.is_empty(), wanted == Status::Failed, "{name}");
            if row[3].is_empty() {
                continue;
            }
            let value: f64 = row[4].parse().unwrap();
            let found = reading.measurements.iter().find(|one| one.metric.as_str() == row[3] && is_meant(one, &row[2]));
            let found = found.unwrap_or_else(|| panic!("{name}: no {} of {}: {reading:#?}", row[3], row[2])).value;
            assert!(
                (found - value).abs() <= 0.0005 * value.abs(),
                "{name}: {} of {} is {found}, not {value}",
                row[3],
                row[2]
            );
        }
    }
    assert!(expected.is_empty(), "these files are gone: {expected:?}");
}

#[test]
fn every_tool_that_reads_outputs_has_at_least_four() {
    let samples = samples();
    for tool in tool::TOOLS.iter().filter(|tool| tool.name() != "command") {
        let count = samples.iter().filter(|(name, _)| name.starts_with(&format!("{}/", tool.name()))).count();
        assert!(count >= 4, "{} has {count}", tool.name());
    }
}

/// Everything that is done with a stranger's file. What it prints does not matter, only that it ends.
pub(crate) fn exercise(bytes: &[u8], name: &str) {
    let decoded = tool::decode(bytes);
    let recognised = tool::recognise(&decoded);
    let _ = saved::read(&[(name.to_owned(), bytes.to_vec())]);
    for tool in recognised.into_iter().chain(tool::find(name.split('/').next().unwrap_or_default())) {
        let outputs = Outputs::named(bytes, name.rsplit('/').next().unwrap_or_default());
        let reading = tool.parse(outputs);
        if reading.status == Status::Failed {
            assert!(reading.measurements.is_empty(), "{name}: values of a failed output");
            assert!(!reading.reason().is_empty(), "{name}: it failed without a reason");
        }
        assert!(reading.measurements.iter().all(|one| one.value.is_finite()), "{name}: a value that is none");
        let _ = (tool.answers(outputs), tool.draft(&decoded));
    }
}

#[test]
fn cut_at_every_byte_no_output_is_taken_for_whole() {
    for (name, bytes) in samples() {
        let whole = read(&name, &bytes);
        // long files are cut at every 97th byte
        let step = if bytes.len() > 8_000 { 97 } else { 1 };
        for end in (0..bytes.len()).step_by(step) {
            exercise(&bytes[..end], &name);
        }
        // a document that ends before its end is damaged; a text may lose words that say nothing
        let is_document = matches!(bytes.trim_ascii_start().first(), Some(b'{' | b'<'));
        if is_document && whole.status == Status::Ok {
            let end = bytes.len() - bytes.trim_ascii_end().len();
            let cut = &bytes[..bytes.len() - end - 1];
            assert_eq!(read(&name, cut).status, Status::Failed, "{name} without its last byte");
        }
    }
}

#[test]
fn changed_at_every_byte_no_output_breaks_the_reader() {
    for (name, bytes) in samples().into_iter().filter(|(_, bytes)| bytes.len() < 3_000) {
        let mut changed = bytes.clone();
        for at in 0..bytes.len() {
            for other in [0, b'9', b'-', b'"', 0xff] {
                changed[at] = other;
                exercise(&changed, &name);
            }
            changed[at] = bytes[at];
        }
    }
}

#[test]
fn repeated_swapped_and_joined_no_output_breaks_the_reader() {
    let samples = samples();
    for (number, (name, bytes)) in samples.iter().enumerate() {
        let (_, other) = &samples[(number * 7 + 3) % samples.len()];
        let half = bytes.len() / 2;
        exercise(&[bytes.as_slice(), bytes].concat(), name);
        exercise(&[&bytes[half..], &bytes[..half]].concat(), name);
        exercise(&[&bytes[..half], other.as_slice(), &bytes[half..]].concat(), name);
        let mut lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
        lines.reverse();
        exercise(&lines.concat(), name);
    }
}

/// Hostile shapes: each would cost time or memory out of proportion if it were believed.
#[test]
fn hostile_shapes_end_soon() {
    let shapes: Vec<Vec<u8>> = vec![
        b"{".repeat(200_000),
        b"[".repeat(200_000),
        b"{\"a\":".repeat(100_000),
        b"<a>".repeat(100_000),
        [b"<Results><TimeSpan>".as_slice(), &b"<Thread>".repeat(50_000)].concat(),
        [b"{\"fio version\":\"fio-3.33\",\"jobs\":".as_slice(), &b"[".repeat(100_000)].concat(),
        b"CrystalDiskMark 8.0.0\n[Read]\n"
            .iter()
            .copied()
            .chain(b"SEQ 1MiB (Q= 8, T= 1): 1.0 MB/s\n".repeat(20_000))
            .collect(),
        b"sysbench 1.0.20 (using LuaJIT)\n".repeat(20_000),
        b"x TEST from a to b\n".repeat(20_000),
        b"10:00:00 Starting RD=rd1; I/O rate: 1\n".repeat(20_000),
        b"a,IOPS\n".iter().copied().chain(b"\"".iter().copied()).chain(b",1\n".repeat(50_000)).collect(),
        b"1, 2, 0, 4096\n".repeat(50_000),
        b"\xff\xfe".iter().copied().chain([0xd8; 100_000]).collect(),
        b"> ".repeat(100_000),
        [
            b"{\"sysstat\":{\"hosts\":[{\"statistics\":[".as_slice(),
            &b"{\"cpu-load\":[{\"cpu\":\"all\",\"usr\":1e308,\"idle\":1e308}]},".repeat(5_000),
            b"{}]}]}}",
        ]
        .concat(),
    ];
    for (number, shape) in shapes.iter().enumerate() {
        let begun = std::time::Instant::now();
        exercise(shape, "fio/x_bw.1.log");
        assert!(begun.elapsed().as_secs() < 10, "shape {number} took {:?}", begun.elapsed());
    }
}

#[test]
fn quoting_and_other_encodings_change_no_value() {
    let values = |name: &str| {
        let bytes = std::fs::read(Path::new("tests/outputs").join(name)).unwrap();
        let reading = read(name, &bytes);
        reading.measurements.iter().map(|one| (one.metric.to_string(), one.value)).collect::<Vec<_>>()
    };
    let plain = values("crystaldiskmark/v8.txt");
    assert_eq!(plain, values("crystaldiskmark/v8_utf16.txt"));
    assert_eq!(plain, values("crystaldiskmark/v8_quoted.md"));
}
