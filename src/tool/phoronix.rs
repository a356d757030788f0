//! Phoronix Test Suite: its composite XML.
//!
//! Results of one test are told apart by their scale. The `MB/s` of its fio test are 2^20 bytes, which is checked where
//! IOPS and block size stand beside it. A result whose every run failed has no value, and no value is not zero.

use std::sync::Arc;

use super::{Answers, Outputs, Question, Tool, metrics, text};
use crate::law;
use crate::measurement::{Labels, Metric, Printed, Reading, Status};
use crate::unit::Unit;
use crate::xml::{self, Element};

/// Phoronix Test Suite.
pub(super) struct Phoronix;

/// The newest version that was tried.
const TESTED_NEWEST: (u64, u64) = (10, 8);

impl Tool for Phoronix {
    fn name(&self) -> &'static str {
        "phoronix"
    }

    fn recognises(&self, bytes: &[u8]) -> bool {
        text::holds(text::head(bytes), "<PhoronixTestSuite>")
    }

    fn extension(&self) -> &'static str {
        "xml"
    }

    fn parse(&self, outputs: Outputs<'_>) -> Reading {
        read(&text::decode(outputs.stdout)).close()
    }

    fn answers(&self, outputs: Outputs<'_>) -> Answers {
        let Ok(root) = xml::parse(&text::decode(outputs.stdout)) else { return Answers::new() };
        let result = root.child("Result");
        let of = |name: &str| result.and_then(|result| result.value(name)).map(str::to_owned);
        let system = root.child("System");
        let part = |list: &str, key: &str| {
            let list = system?.value(list)?;
            let found = list.split(", ").find_map(|item| item.strip_prefix(key)?.strip_prefix(": "));
            found.map(str::to_owned)
        };
        let described = of("Description").unwrap_or_default();
        let option = |key: &str| {
            described.split(" - ").find_map(|item| item.strip_prefix(key)?.strip_prefix(": ")).map(str::to_owned)
        };
        let command = of("Identifier").map(|name| format!("{name} {}", of("Arguments").unwrap_or_default()));
        let entry = result.and_then(|result| result.child("Data")).and_then(|data| data.child("Entry"));
        let runs = entry
            .and_then(|entry| entry.value("RawString"))
            .map(|raw| format!("{} runs: {raw}", raw.split(':').count()));
        let pairs = [
            (Question::Command, command),
            (Question::Direct, option("Direct")),
            (Question::BlockSize, option("Block Size")),
            (Question::Access, option("Type")),
            (Question::Concurrency, option("Job Count").map(|jobs| format!("{jobs} jobs"))),
            (Question::Target, option("Disk Target")),
            (Question::Passes, runs),
            (Question::Processor, part("Hardware", "Processor")),
            (Question::Memory, part("Hardware", "Memory")),
            (Question::Drive, part("Hardware", "Disk")),
            (Question::Storage, part("Software", "File-System")),
            (
                Question::System,
                part("Software", "OS").zip(part("Software", "Kernel")).map(|(os, kernel)| format!("{os}, {kernel}")),
            ),
            (Question::Hypervisor, part("Software", "System Layer")),
            (Question::Date, root.child("Generated").and_then(|one| one.value("LastModified")).map(str::to_owned)),
        ];
        pairs.into_iter().filter_map(|(question, value)| Some((question, value?))).collect()
    }

    fn metrics(&self) -> Vec<Metric> {
        metrics(&["iops", "bandwidth", "transactions", "latency_mean", "duration", "score"])
    }
}

fn read(bytes: &[u8]) -> Reading {
    let mut reading = Reading::new("phoronix");
    let root = match xml::parse(bytes) {
        Ok(root) if root.name == "PhoronixTestSuite" => root,
        Ok(root) => {
            reading.fail("phoronix::xml", format!("its root is `{}`", root.name));
            return reading;
        }
        Err(error) => {
            reading.fail("phoronix::xml", format!("the XML is cut or damaged: {error}"));
            return reading;
        }
    };
    let client = root.child("Generated").and_then(|one| one.value("TestClient")).unwrap_or_default();
    let version = client.rsplit([' ', '/']).next().unwrap_or_default();
    reading.tool_version = version.trim_start_matches('v').to_owned();
    reading.check_version("phoronix::version", TESTED_NEWEST);
    let results: Vec<(usize, &Element)> = root.all("Result").collect();
    let mut errors = vec![];
    for (number, result) in &results {
        let entries = result.child("Data").into_iter().flat_map(|data| data.all("Entry"));
        let entries: Vec<(usize, &Element)> = entries.collect();
        if entries.is_empty() {
            errors.push(format!("/Result/{number}: it has no entry"));
        }
        for (at, entry) in entries.iter().copied() {
            let place = format!("/PhoronixTestSuite/Result/{number}/Data/Entry/{at}/Value");
            match entry.value("Value") {
                Some(value) => {
                    measure(result, &Printing { entry, value, has_siblings: entries.len() > 1 }, place, &mut reading)
                }
                None => errors.push(format!("`{}` has no value: {}", title(result), why(entry))),
            }
        }
    }
    if reading.measurements.is_empty() {
        errors.push("no result has a value".to_owned());
    }
    // one test that failed says nothing of another, so their numbers stay
    let is_all = reading.measurements.is_empty();
    errors.into_iter().for_each(|error| reading.fail("phoronix::error", error));
    if !is_all {
        reading.status = Status::Ok;
    }
    check_products(&results, &mut reading);
    reading
}

fn title(result: &Element) -> &str {
    result.value("Description").or_else(|| result.value("Identifier")).unwrap_or("a result")
}

/// The error that an entry keeps.
fn why(entry: &Element) -> String {
    let json = entry.value("JSON").and_then(|text| serde_json::from_str::<serde_json::Value>(text).ok());
    let error = json.as_ref().and_then(|json| json.get("error")?.as_str());
    error.unwrap_or("it does not say why").to_owned()
}

/// What a scale counts.
fn scale(result: &Element) -> (String, Unit) {
    let scale = result.value("Scale").unwrap_or_default();
    let is_fio = result.value("Identifier").is_some_and(|name| name.contains("/fio"));
    let unit = |symbol: &str| Unit::parse(symbol).unwrap_or(Unit::ONE);
    let is_latency = title(result).to_ascii_lowercase().contains("latency");
    let (metric, unit) = match scale {
        "IOPS" => ("iops", Unit::PER_SECOND),
        "TPS" => ("transactions", Unit::PER_SECOND),
        "MB/s" if is_fio => ("bandwidth", unit("MiB/s")),
        "MB/s" => ("bandwidth", unit("MB/s")),
        "MiB/s" => ("bandwidth", unit("MiB/s")),
        "GB/s" => ("bandwidth", unit("GB/s")),
        "ms" | "us" | "Seconds" | "ns" => {
            let symbol = if scale == "Seconds" { "s" } else { scale };
            (if is_latency { "latency_mean" } else { "duration" }, unit(symbol))
        }
        other if other.ends_with("/s") || other.ends_with("/sec") => {
            let name = other.trim_end_matches("ec").trim_end_matches("/s");
            return (format!("{}_rate", slug(name)), Unit::PER_SECOND);
        }
        other if other.is_empty() || other == "Score" => ("score", Unit::ONE),
        other => return (slug(other), Unit::ONE),
    };
    (metric.to_owned(), unit)
}

fn slug(text: &str) -> String {
    let letter = |one: char| if one.is_alphanumeric() { one.to_ascii_lowercase() } else { '_' };
    text.trim().chars().map(letter).collect()
}

/// What an entry printed.
struct Printing<'a> {
    entry: &'a Element,
    value: &'a str,
    /// Whether the result has several entries.
    has_siblings: bool,
}

fn measure(result: &Element, printing: &Printing<'_>, place: String, reading: &mut Reading) {
    let Printing { entry, value, has_siblings } = *printing;
    let (metric, unit) = scale(result);
    let mut labels = Labels::new();
    for (label, name) in [("test", "Identifier"), ("description", "Description"), ("scale", "Scale")] {
        labels.extend(result.value(name).map(|value| (label.to_owned(), value.to_owned())));
    }
    if has_siblings {
        labels.extend(entry.value("Identifier").map(|name| ("system".to_owned(), name.to_owned())));
    }
    if reading.measure_printed(&Arc::new(labels), Printed { metric: &metric, text: value, unit }, place).is_none() {
        reading.invalidate("phoronix::value", format!("`{}`: `{value}` is no number", title(result)));
    }
    if metric == "bandwidth" && result.value("Scale") == Some("MB/s") {
        let is_fio = unit.symbol() == "MiB/s";
        let message = if is_fio {
            "MB/s of the fio test are read as MiB/s, which they are".to_owned()
        } else {
            "whether a MB is 10^6 or 2^20 bytes is not said; 10^6 is taken".to_owned()
        };
        if !reading.diagnostics.iter().any(|one| one.message == message) {
            reading.warn("phoronix::megabytes", message);
        }
    }
    let runs: Vec<f64> =
        entry.value("RawString").unwrap_or_default().split(':').filter_map(|run| run.parse().ok()).collect();
    let mean = runs.iter().sum::<f64>() / runs.len() as f64;
    if let (Ok(value), true) = (value.parse::<f64>(), runs.len() > 1)
        && (mean - value).abs() > 0.01 * value.abs()
    {
        reading.warn("phoronix::mean", format!("`{}`: {value} is not the mean of its runs, {mean:.3}", title(result)));
    }
}

/// IOPS and MB/s of one description must fit its block size.
fn check_products(results: &[(usize, &Element)], reading: &mut Reading) {
    let number = |result: &Element| {
        let entry = result.child("Data")?.child("Entry")?;
        entry.value("Value")?.parse::<f64>().ok()
    };
    let of_scale =
        |scale: &'static str| results.iter().map(|(_, one)| *one).filter(move |one| one.value("Scale") == Some(scale));
    for rates in of_scale("MB/s").filter(|one| one.value("Identifier").is_some_and(|name| name.contains("/fio"))) {
        let partner = of_scale("IOPS").find(|one| one.value("Description") == rates.value("Description"));
        let (Some(iops), Some(megabytes)) = (partner.and_then(number), number(rates)) else { continue };
        let Some(block) = block_size(title(rates)) else { continue };
        if !law::is_bandwidth_consistent(megabytes * 1_048_576.0, iops, block) {
            let message = format!("`{}`: {iops} IOPS × {block} B is not {megabytes} MiB/s", title(rates));
            reading.invalidate("phoronix::bandwidth", message);
        }
    }
}

/// `Block Size: 4KB` of a description, which are KiB.
fn block_size(description: &str) -> Option<f64> {
    let text = description.split(" - ").find_map(|item| item.strip_prefix("Block Size: "))?;
    let (number, unit) = text::number(text)?;
    let scale = match unit {
        "KB" => 1024.0,
        "MB" => 1_048_576.0,
        _ => return None,
    };
    Some(number.parse::<f64>().ok()? * scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(test: &str, scale: &str, value: &str, raw: &str) -> String {
        format!(
            "<Result><Identifier>{test}</Identifier><Description>Type: Random Read - Block Size: 4KB</Description><Scale>{scale}</Scale><Data><Entry><Identifier>x</Identifier><Value>{value}</Value><RawString>{raw}</RawString><JSON>{{\"error\":\"it quit\"}}</JSON></Entry></Data></Result>"
        )
    }

    fn file(results: &str) -> String {
        format!(
            "<?xml version=\"1.0\"?><!-- <Result><Scale>no</Scale></Result> --><PhoronixTestSuite><Generated><TestClient>Phoronix Test Suite v10.8.4</TestClient></Generated>{results}</PhoronixTestSuite>"
        )
    }

    #[test]
    fn two_scales_of_one_test_are_two_metrics() {
        let text = file(
            &[result("pts/fio-2.1.0", "MB/s", "39.06", ""), result("pts/fio-2.1.0", "IOPS", "10000", "")].concat(),
        );
        let reading = read(text.as_bytes());
        assert_eq!(
            (reading.status, reading.tool_version.as_str()),
            (Status::Ok, "10.8.4"),
            "{:?}",
            reading.diagnostics
        );
        let values: Vec<(&str, f64)> =
            reading.measurements.iter().map(|one| (one.metric.as_str(), one.value)).collect();
        assert_eq!(values, [("bandwidth", 39.06 * 1_048_576.0), ("iops", 10_000.0)]);
        let wrong =
            file(&[result("pts/fio-2.1.0", "MB/s", "80", ""), result("pts/fio-2.1.0", "IOPS", "10000", "")].concat());
        assert_eq!(read(wrong.as_bytes()).status, Status::Invalid);
    }

    #[test]
    fn a_failed_test_has_no_value_and_takes_no_other_with_it() {
        let both =
            read(file(&[result("pts/a", "runs/s", "20.5", "20.5"), result("pts/b", "", "", "")].concat()).as_bytes());
        assert_eq!((both.status, both.measurements.len()), (Status::Ok, 1));
        assert_eq!((both.measurements[0].metric.as_str(), both.measurements[0].unit), ("runs_rate", "1/s"));
        assert!(both.reason().contains("it quit"), "{}", both.reason());
        assert_eq!(read(file(&result("pts/b", "", "", "")).as_bytes()).status, Status::Failed);
    }

    #[test]
    fn a_mean_that_its_runs_do_not_have_and_a_cut_are_said() {
        let reading = read(file(&result("pts/a", "Seconds", "9", "1:2:3")).as_bytes());
        assert!(reading.diagnostics.iter().any(|one| one.code == "phoronix::mean"));
        assert_eq!((reading.measurements[0].metric.as_str(), reading.measurements[0].value), ("duration", 9e9));
        let whole = file(&result("pts/a", "Seconds", "9", ""));
        assert_eq!(read(&whole.as_bytes()[..whole.len() - 10]).status, Status::Failed);
    }
}
