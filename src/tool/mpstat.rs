//! mpstat: the JSON of sysstat (`-o JSON`). Values are means over the intervals; CPU `all`, or `-1` in older versions, is the
//! whole machine.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;

use super::documents::{self, Codes};
use super::{Answers, Outputs, Question, Tool, metrics, text};
use crate::measurement::{Labels, Metric, Reading, Role};

/// mpstat.
pub(super) struct Mpstat;

const CODES: Codes = Codes { json: "mpstat::json", around: "mpstat::text-around", documents: "mpstat::documents" };

/// The columns that become metrics.
const COLUMNS: &[(&str, &str)] = &[
    ("cpu_user", "usr"),
    ("cpu_system", "sys"),
    ("cpu_iowait", "iowait"),
    ("cpu_steal", "steal"),
    ("cpu_idle", "idle"),
];

impl Tool for Mpstat {
    fn name(&self) -> &'static str {
        "mpstat"
    }

    fn is_of_storage(&self) -> bool {
        false
    }

    fn recognises(&self, bytes: &[u8]) -> bool {
        let head = text::head(bytes);
        let is_json = text::holds(head, "\"sysstat\"") && !text::holds(head, "\"avg-cpu\"");
        is_json || is_table(head)
    }

    fn extension(&self) -> &'static str {
        "json"
    }

    fn parse(&self, outputs: Outputs<'_>) -> Reading {
        read(&text::decode(outputs.stdout)).close()
    }

    fn answers(&self, outputs: Outputs<'_>) -> Answers {
        host_answers(&text::decode(outputs.stdout))
    }

    fn metrics(&self) -> Vec<Metric> {
        metrics(&["cpu_usage", "cpu_user", "cpu_system", "cpu_iowait", "cpu_steal", "cpu_idle"])
    }
}

/// The table for people, whose form depends on the language and on the options.
fn is_table(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let is_first = text.lines().next().is_some_and(|line| line.contains(" CPU)") && line.contains('('));
    is_first && text.contains(" CPU ")
}

/// What sysstat prints around every report.
#[derive(Deserialize)]
pub(super) struct Document {
    pub(super) sysstat: Sysstat,
}

/// The machines of a document.
#[derive(Deserialize)]
pub(super) struct Sysstat {
    pub(super) hosts: Vec<Host>,
}

/// One machine and its reports.
#[derive(Deserialize)]
pub(super) struct Host {
    #[serde(default)]
    pub(super) sysname: String,
    #[serde(default)]
    pub(super) release: String,
    #[serde(default)]
    pub(super) machine: String,
    #[serde(default, rename = "number-of-cpus")]
    pub(super) cpus: u64,
    #[serde(default)]
    pub(super) date: String,
    #[serde(default)]
    pub(super) statistics: Vec<Statistics>,
}

/// One interval.
#[derive(Deserialize)]
pub(super) struct Statistics {
    #[serde(default, rename = "cpu-load")]
    cpus: Vec<Row>,
    #[serde(default, rename = "node-load")]
    nodes: Vec<Row>,
    #[serde(default, rename = "avg-cpu")]
    pub(super) average: Option<BTreeMap<String, f64>>,
    #[serde(default, rename = "disk")]
    pub(super) disks: Vec<Row>,
}

/// A row of numbers with the words that name it.
#[derive(Deserialize)]
pub(super) struct Row(pub(super) BTreeMap<String, serde_json::Value>);

impl Row {
    pub(super) fn number(&self, key: &str) -> Option<f64> {
        self.0.get(key)?.as_f64()
    }

    pub(super) fn word(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.as_str()
    }
}

/// What a report says of the machine, its name left out.
pub(super) fn host_answers(bytes: &[u8]) -> Answers {
    let document = serde_json::from_slice::<Document>(bytes).ok();
    let Some(host) = document.and_then(|document| document.sysstat.hosts.into_iter().next()) else {
        return Answers::new();
    };
    Answers::from([
        (Question::System, format!("{} {} {}", host.sysname, host.release, host.machine)),
        (Question::Processor, format!("{} logical", host.cpus)),
        (Question::Date, host.date),
        (Question::Duration, format!("{} intervals", host.statistics.len())),
    ])
}

fn read(bytes: &[u8]) -> Reading {
    let mut reading = Reading::new("mpstat");
    if is_table(text::head(bytes)) {
        reading.fail("mpstat::table", "its table for people is not read; use `mpstat -o JSON`");
        return reading;
    }
    let Some(document) = documents::last::<Document>(bytes, &CODES, &mut reading) else { return reading };
    let mut intervals = 0;
    let several = document.sysstat.hosts.len() > 1;
    for (number, host) in document.sysstat.hosts.iter().enumerate() {
        let at = format!("/sysstat/hosts/{number}/statistics/*");
        let before = reading.measurements.len();
        let rows = host.statistics.iter().flat_map(|one| &one.cpus);
        let cpus = measure(rows.map(|row| (row.word("cpu"), row)), ("cpu", &format!("{at}/cpu-load")), &mut reading);
        let rows = host.statistics.iter().flat_map(|one| &one.nodes).filter(|_| cpus == 0);
        let nodes =
            measure(rows.map(|row| (row.word("node"), row)), ("node", &format!("{at}/node-load")), &mut reading);
        intervals += cpus + nodes;
        // several machines have no total
        for one in reading.measurements.iter_mut().skip(before).filter(|_| several) {
            let mut labels = (*one.labels).clone();
            labels.role = Role::Row;
            labels.insert("host".to_owned(), (number + 1).to_string());
            one.labels = Arc::new(labels);
        }
    }
    if intervals == 0 {
        reading.fail("mpstat::no-results", "it holds no interval");
    }
    reading
}

/// Means over the intervals of each processor or node; returns how many rows there were.
fn measure<'a>(
    rows: impl Iterator<Item = (Option<&'a str>, &'a Row)>,
    (label, at): (&str, &str),
    reading: &mut Reading,
) -> usize {
    let mut sums: BTreeMap<String, Vec<(f64, usize)>> = BTreeMap::new();
    let mut count = 0;
    for (name, row) in rows {
        let Some(name) = name else { continue };
        count += 1;
        // a processor that is offline has a row of zeros
        if COLUMNS.iter().all(|(_, key)| row.number(key).unwrap_or(0.0) == 0.0) {
            continue;
        }
        let name = if name == "-1" { "all" } else { name };
        let sums = sums.entry(name.to_owned()).or_insert_with(|| vec![(0.0, 0); COLUMNS.len()]);
        for (sum, (_, key)) in sums.iter_mut().zip(COLUMNS) {
            match row.number(key) {
                Some(value) if (0.0..=100.5).contains(&value) => *sum = (sum.0 + value, sum.1 + 1),
                Some(value) => reading.invalidate("mpstat::range", format!("{at}: {key} of {name} is {value} %")),
                None => {}
            }
        }
    }
    for (name, sums) in sums {
        let labels = match name.as_str() {
            "all" => Labels::computed(),
            _ => Labels::from([(label.to_owned(), name.clone())]),
        };
        let labels = Arc::new(labels);
        for ((sum, count), (metric, key)) in sums.into_iter().zip(COLUMNS).filter(|((_, count), _)| *count > 0) {
            let mean = sum / count as f64;
            reading.measure(&labels, (metric, mean), format!("{at}/{key}"));
            if *metric == "cpu_idle" {
                reading.measure(&labels, ("cpu_usage", 100.0 - mean), format!("{at}/{key}"));
            }
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::Status;

    fn file(statistics: &str) -> String {
        format!(
            r#"{{"sysstat":{{"hosts":[{{"sysname":"Linux","release":"6","machine":"x","number-of-cpus":2,"date":"d","statistics":[{statistics}]}}]}}}}"#
        )
    }

    fn interval(key: &str, cpu: &str, idle: f64) -> String {
        format!(
            r#"{{"{key}":[{{"{}":"{cpu}","usr":{},"sys":1.0,"iowait":0.0,"steal":0.0,"idle":{idle}}}]}}"#,
            &key[..key.len() - 5],
            99.0 - idle
        )
    }

    fn total(reading: &Reading, metric: &str) -> Option<f64> {
        let is_total = |one: &&crate::measurement::Measurement| one.metric.as_str() == metric && one.labels.is_result();
        reading.measurements.iter().find(is_total).map(|one| one.value)
    }

    #[test]
    fn all_is_the_mean_over_the_intervals_whatever_it_is_called() {
        for name in ["all", "-1"] {
            let text = file(&[interval("cpu-load", name, 80.0), interval("cpu-load", name, 60.0)].join(","));
            let reading = read(text.as_bytes());
            assert_eq!(reading.status, Status::Ok, "{:?}", reading.diagnostics);
            assert_eq!((total(&reading, "cpu_idle"), total(&reading, "cpu_usage")), (Some(70.0), Some(30.0)));
        }
        let nodes = read(file(&interval("node-load", "all", 50.0)).as_bytes());
        assert_eq!(total(&nodes, "cpu_usage"), Some(50.0));
    }

    #[test]
    fn nothing_too_much_and_tables_are_no_results() {
        assert_eq!(read(file("").as_bytes()).status, Status::Failed);
        assert_eq!(read(file(&interval("cpu-load", "all", 120.0)).as_bytes()).status, Status::Invalid);
        let table = b"Linux 6.1 (h) \t01/02/26 \t_x86_64_\t(2 CPU)\n\n10:00:00  CPU %usr\n";
        assert!(Mpstat.recognises(table) && read(table).reason().contains("-o JSON"));
        let whole = file(&interval("cpu-load", "all", 50.0));
        assert_eq!(read(&whole.as_bytes()[..whole.len() - 3]).status, Status::Failed);
    }
}
