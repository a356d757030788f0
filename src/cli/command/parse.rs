//! `parse`: what a tool's output says.

use std::collections::hash_map::{DefaultHasher, Entry};
use std::collections::{BTreeMap, HashMap};
use std::hash::{Hash as _, Hasher as _};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::cli::arguments::ParseArguments;
use crate::cli::failure::Failure;
use crate::cli::{Session, show};
use crate::measurement::{Labels, Metric, Reading, Role, Status};
use crate::os::Os;
use crate::statistics::summarize;
use crate::tool::{self, Outputs, Tool};

const FILE_LIMIT_BYTES: u64 = 1 << 30;

pub(crate) fn run(session: &Session, arguments: &ParseArguments) -> Result<u8, Failure> {
    if arguments.summary {
        return summary(session, arguments);
    }
    let mut worst = Status::Ok;
    let mut readings = vec![];
    for file in &arguments.files {
        let bytes = read(session, file)?;
        let reading = reading(&bytes, arguments.tool.as_deref(), file)?;
        worst = worst.max(reading.status);
        // a part that failed is worth a word also where the others are results
        if reading.status == Status::Ok && !reading.reason().is_empty() {
            worst = worst.max(Status::Invalid);
        }
        readings.push((file, reading));
    }
    match (session.is_json, readings.as_slice()) {
        (true, [(_, reading)]) => show::print_json(reading)?,
        (true, several) => show::print_json(&several.iter().map(|(_, reading)| reading).collect::<Vec<_>>())?,
        (false, several) => several.iter().for_each(|(file, reading)| show_reading(file, reading)),
    }
    Ok(match worst {
        Status::Ok => 0,
        Status::Invalid => 1,
        Status::Failed => 2,
    })
}

/// Values by tool and labels, then by metric in the order of the tool; rows of one label each are one kind of result.
#[derive(Default)]
struct Groups {
    places: BTreeMap<&'static str, BTreeMap<Labels, usize>>,
    values: Vec<Group>,
}

/// The values of rows with the same labels.
type Group = Vec<(Metric, Vec<f64>)>;

impl Groups {
    /// The group of some labels, which are copied only where they are new.
    fn of(&mut self, tool: &'static str, labels: &Labels) -> &mut Group {
        let places = self.places.entry(tool).or_default();
        let at = match places.get(labels) {
            Some(at) => *at,
            None => {
                self.values.push(vec![]);
                places.insert(labels.clone(), self.values.len() - 1);
                self.values.len() - 1
            }
        };
        &mut self.values[at]
    }

    /// Tool, labels and values, in their order.
    fn iter(&self) -> impl Iterator<Item = ((&'static str, &Labels), &Group)> {
        let places = self.places.iter().flat_map(|(tool, places)| places.iter().map(move |place| (*tool, place)));
        places.map(|(tool, (labels, at))| ((tool, labels), &self.values[*at]))
    }
}

/// What some files say, and why others say nothing.
type Part = (Groups, Vec<String>);

/// The values of a metric of a group; metrics come in the same order in every file, so the search begins at a hint.
fn values_of<'a>(group: &'a mut Group, metric: &Metric, hint: usize) -> &'a mut Vec<f64> {
    let found = if group.get(hint).is_some_and(|(one, _)| one == metric) {
        Some(hint)
    } else {
        group.iter().position(|(one, _)| one == metric)
    };
    let at = found.unwrap_or_else(|| {
        group.push((metric.clone(), vec![]));
        group.len() - 1
    });
    &mut group[at].1
}

/// The parts of several threads as one.
fn merged(parts: Vec<Part>) -> Part {
    let mut groups = Groups::default();
    let mut unusable = vec![];
    for (part, left_out) in parts {
        for ((tool, labels), metrics) in part.iter() {
            let group = groups.of(tool, labels);
            for (hint, (metric, values)) in metrics.iter().enumerate() {
                values_of(group, metric, hint).extend(values);
            }
        }
        unusable.extend(left_out);
    }
    (groups, unusable)
}

/// What many files say together, each a replicate; files that can not be used are named and left out.
fn summary(session: &Session, arguments: &ParseArguments) -> Result<u8, Failure> {
    let os = &*session.os;
    let tool = arguments.tool.as_deref();
    let size = arguments.files.len().div_ceil(os.processors().max(1)).max(1);
    let seen = Seen::default();
    let parts: Vec<Part> = std::thread::scope(|scope| {
        let workers: Vec<_> =
            arguments.files.chunks(size).map(|files| scope.spawn(|| group(os, (files, tool), &seen))).collect();
        workers
            .into_iter()
            .map(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    });
    let (groups, unusable) = merged(parts);
    let values = groups.iter();
    let values = values.flat_map(|(key, metrics)| metrics.iter().map(move |(metric, values)| (key, metric, values)));
    let summaries = values.filter_map(|(key, metric, values)| Some((key, metric, summarize(values)?)));
    let unit_of = |metric: &Metric| metric.unit().map_or("", |unit| unit.symbol());
    if session.is_json {
        let rows: Vec<_> = summaries
            .map(|((tool, labels), metric, one)| {
                let interval = one.interval.map(|interval| serde_json::json!({"low": interval.low, "high": interval.high, "level": interval.level}));
                serde_json::json!({"tool": tool, "labels": labels, "metric": metric, "unit": unit_of(metric), "n": one.count, "median": one.median, "mean": one.mean, "interval": interval})
            })
            .collect();
        show::print_json(&serde_json::json!({"summary": rows, "unusable": unusable}))?;
    } else {
        let rows: Vec<Vec<String>> = summaries
            .map(|((tool, labels), metric, one)| {
                let interval = one.interval.map_or_else(String::new, |interval| {
                    format!("{:.1} – {:.1} ({:.1} %)", interval.low, interval.high, interval.level * 100.0)
                });
                let of = labels.iter().map(|(label, value)| format!("{label}={value}")).collect::<Vec<_>>().join(" ");
                let unit = unit_of(metric).to_owned();
                vec![
                    tool.to_owned(),
                    of,
                    metric.to_string(),
                    one.count.to_string(),
                    format!("{:.1}", one.median),
                    unit,
                    interval,
                ]
            })
            .collect();
        show::print(&show::table(&["tool", "of", "metric", "n", "median", "unit", "interval (level)"], &rows, &[3, 4]));
    }
    unusable.iter().for_each(|line| show::note(line));
    Ok(if unusable.is_empty() { 0 } else { 3 })
}

/// Which file had some values first. No two measurements have all their digits in common: such files are copies.
type Seen = Mutex<HashMap<u64, PathBuf>>;

/// The file that had the same values before.
fn copied(reading: &Reading, file: &Path, seen: &Seen) -> Option<PathBuf> {
    let mut hasher = DefaultHasher::new();
    reading.measurements.iter().for_each(|one| one.value.to_bits().hash(&mut hasher));
    let mut seen = seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    match seen.entry(hasher.finish()) {
        Entry::Occupied(first) => Some(first.get().clone()),
        Entry::Vacant(place) => {
            place.insert(file.to_owned());
            None
        }
    }
}

/// The values of some files, and why others give none.
fn group(os: &dyn Os, (files, tool): (&[PathBuf], Option<&str>), seen: &Seen) -> Part {
    let mut groups = Groups::default();
    let mut unusable = vec![];
    for file in files {
        let read = os.read(file, FILE_LIMIT_BYTES).map_err(|error| format!("{}: {error}", file.display()));
        let reading = read.and_then(|bytes| {
            let tool = tool.map_or_else(|| tool::recognise(&tool::decode(&bytes)), tool::find);
            let tool = tool.ok_or_else(|| format!("{}: no tool's output is recognised", file.display()))?;
            let reading = tool.parse(Outputs::named(&bytes, name_of(file)));
            if reading.status == Status::Ok {
                Ok(reading)
            } else {
                Err(format!("{}: {}", file.display(), reading.reason()))
            }
        });
        match reading {
            Err(reason) => unusable.push(reason),
            Ok(reading) => {
                if let Some(first) = copied(&reading, file, seen) {
                    unusable.push(format!("{}: it holds the same values as {}", file.display(), first.display()));
                    continue;
                }
                let rows = reading.measurements.chunk_by(|one, other| Arc::ptr_eq(&one.labels, &other.labels));
                for row in rows.filter(|row| row[0].labels.role != Role::Computed) {
                    let group = groups.of(reading.tool, &row[0].labels);
                    row.iter().enumerate().for_each(|(hint, one)| values_of(group, &one.metric, hint).push(one.value));
                }
            }
        }
    }
    (groups, unusable)
}

/// The bytes of a file, or of standard input.
pub(crate) fn read(session: &Session, file: &Path) -> Result<Vec<u8>, Failure> {
    if file.as_os_str() != "-" {
        return session.os.read(file, FILE_LIMIT_BYTES).map_err(Failure::io(file));
    }
    let mut bytes = vec![];
    std::io::stdin().take(FILE_LIMIT_BYTES).read_to_end(&mut bytes).map_err(Failure::io(file))?;
    Ok(bytes)
}

/// The tool that is named, or that the bytes look like.
pub(crate) fn tool_of(bytes: &[u8], named: Option<&str>, file: &Path) -> Result<&'static dyn Tool, Failure> {
    let known = || tool::TOOLS.iter().map(|tool| tool.name()).collect::<Vec<_>>().join(", ");
    match named {
        Some(name) => tool::find(name).ok_or_else(|| {
            Failure::usage(format!("no tool is called `{name}`")).help(format!("There are: {}.", known()))
        }),
        None => tool::recognise(&tool::decode(bytes)).ok_or_else(|| {
            Failure::usage(format!("{}: no tool's output is recognised", file.display()))
                .help(format!("Name it with `--tool`: {}.", known()))
        }),
    }
}

fn reading(bytes: &[u8], named: Option<&str>, file: &Path) -> Result<Reading, Failure> {
    let tool = tool_of(bytes, named, file)?;
    Ok(tool.parse(Outputs::named(bytes, name_of(file))))
}

/// The name of a file, where it is text.
fn name_of(file: &Path) -> &str {
    file.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

fn show_reading(file: &Path, reading: &Reading) {
    let status = match reading.status {
        Status::Ok => "ok",
        Status::Invalid => "invalid",
        Status::Failed => "failed",
    };
    let version = match reading.tool_version.as_str() {
        "" => "of an unknown version".to_owned(),
        version => version.replace('\n', " "),
    };
    let name = file.display().to_string().replace('\n', "\u{fffd}");
    show::print(&format!("{name}: {} {version}, {status}", reading.tool));
    for remark in &reading.diagnostics {
        let word = if remark.severity == crate::diagnostic::Severity::Error { "error" } else { "warning" };
        show::print(&format!("  {word} {}: {}", remark.code, remark.message));
    }
    let rows: Vec<Vec<String>> = reading
        .measurements
        .iter()
        .map(|one| {
            let labels = one
                .labels
                .stored()
                .iter()
                .map(|(label, value)| format!("{label}={value}"))
                .collect::<Vec<_>>()
                .join(" ");
            vec![
                one.metric.to_string(),
                labels,
                one.value.to_string(),
                one.unit.to_owned(),
                one.pointer.chars().take(60).collect(),
            ]
        })
        .collect();
    if !rows.is_empty() {
        show::print(&show::table(&["metric", "of", "value", "unit", "place"], &rows, &[2]));
    }
}
