//! Any program: its arguments from the manifest, its numbers by JSON pointer, CSV column or regular expression.
//!
//! The program is started directly, never through a shell. `{name}` in an argument stands for the level of a factor.
//! Scripts and data that lie beside the manifest are named under `files`: they are pinned by digest and put into the folder
//! that the program starts in.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Context, LaunchPlan, Outputs, Timing, Tool, Workload, workload};
use crate::digest::Digest;
use crate::exact::Exact;
use crate::manifest::node::Node;
use crate::manifest::shape::{Fields, Map, Problems, Spanned};
use crate::measurement::{Labels, Measurement, Metric, Reading};
use crate::name::nearest;
use crate::unit::Unit;

/// Any program.
pub(super) struct Command;

/// The settings that are hashed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Settings {
    argv: Vec<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    files: BTreeMap<String, Digest>,
    read: Vec<Rule>,
}

/// Where one metric is found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Rule {
    metric: String,
    unit: String,
    place: Place,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Place {
    /// A JSON pointer (RFC 6901).
    Json(String),
    /// A column of a CSV table with a head and one row of values.
    Csv(String),
    /// A regular expression with one group.
    Regex(String),
}

impl Tool for Command {
    fn name(&self) -> &'static str {
        "command"
    }

    fn resolve(&self, settings: &Node, context: &Context<'_>, problems: &mut Problems) -> Option<serde_json::Value> {
        let mut fields = Fields::open(settings, "a command", problems)?;
        let argv = fields.take::<Vec<Node>>("argv", problems);
        let read = fields.take::<Map<Node>>("read", problems);
        let files = fields.take::<Vec<Spanned<String>>>("files", problems);
        fields.finish(problems);
        let argv = argv?;
        if argv.is_empty() {
            problems.error("command::argv", settings.span, "`argv` is empty", "Name a program and its arguments.");
        }
        let program = argv.first().cloned();
        let argv: Option<Vec<String>> = argv.iter().map(|one| argument(one, context, problems)).collect();
        let read = read?;
        let rules: Vec<Option<Rule>> =
            read.iter().map(|(name, node)| rule(name.value.as_str(), node, problems)).collect();
        let (argv, files) = (argv?, digests(&files?, context, problems)?);
        check_program(argv.first()?, &files, &program?, problems)?;
        let settings = Settings { argv, files, read: rules.into_iter().collect::<Option<_>>()? };
        serde_json::to_value(settings).ok()
    }

    fn workload(&self, stored: &serde_json::Value) -> Option<Option<Arc<dyn Workload>>> {
        Some(workload::parsed::<Settings>(stored))
    }

    fn selectors(&self) -> &'static [&'static str] {
        &[]
    }

    fn recognises(&self, _: &[u8]) -> bool {
        false
    }

    fn parse(&self, _: Outputs<'_>) -> Reading {
        let mut reading = Reading::new("command");
        reading.fail("command::settings", "without its manifest an output of a command says nothing");
        reading
    }

    fn metrics(&self) -> Vec<Metric> {
        vec![]
    }
}

impl Workload for Settings {
    fn programs(&self) -> Vec<String> {
        let program = self.argv.first().filter(|program| own_file(program, &self.files).is_none());
        program.into_iter().cloned().collect()
    }

    fn input_files(&self) -> Vec<String> {
        self.files.keys().cloned().collect()
    }

    fn is_measuring(&self) -> bool {
        !self.read.is_empty()
    }

    fn launch(&self, _: Timing) -> Result<LaunchPlan, String> {
        Ok(LaunchPlan { argv: self.argv.clone(), files: vec![] })
    }

    fn read(&self, outputs: Outputs<'_>) -> Reading {
        let mut reading = Reading::new("command");
        for rule in &self.read {
            match value_of(rule, outputs.stdout) {
                Ok(measurement) => reading.measurements.push(measurement),
                Err(message) => reading.fail("command::value", format!("{}: {message}", rule.metric)),
            }
        }
        if reading.status == crate::measurement::Status::Failed {
            reading.measurements.clear();
        }
        reading
    }

    fn metrics(&self) -> Vec<Metric> {
        self.read.iter().map(|rule| Metric::new(&rule.metric)).collect()
    }

    fn describe(&self) -> Vec<(String, String)> {
        vec![("argv".to_owned(), self.argv.join(" "))]
    }
}

/// The file beside the manifest that a program is, where it is one.
fn own_file<'a>(program: &'a str, files: &BTreeMap<String, Digest>) -> Option<&'a str> {
    program.strip_prefix("./").filter(|name| files.contains_key(*name))
}

/// A program is found on `PATH`, by its full path, or among the files beside the manifest.
fn check_program(program: &str, files: &BTreeMap<String, Digest>, node: &Node, problems: &mut Problems) -> Option<()> {
    if program.starts_with('/') || !program.contains('/') || own_file(program, files).is_some() {
        return Some(());
    }
    let help = "Name it under `files`, or write its full path.";
    problems.error("command::program", node.span, format!("`{program}` is a relative path"), help);
    None
}

/// The digests of the files that a workload names.
fn digests(
    files: &[Spanned<String>],
    context: &Context<'_>,
    problems: &mut Problems,
) -> Option<BTreeMap<String, Digest>> {
    let mut found = BTreeMap::new();
    for file in files {
        match context.files.get(&file.value) {
            Some(digest) => {
                found.insert(file.value.clone(), *digest);
            }
            None => {
                let message = format!("no file `{}` lies beside the manifest", file.value);
                let help = "Files are named relative to the manifest's folder and lie in it.";
                problems.error("command::file", file.span, message, help);
            }
        }
    }
    (found.len() == files.len()).then_some(found)
}

/// One argument, `{factor}` replaced; `{{` and `}}` are braces.
fn argument(node: &Node, context: &Context<'_>, problems: &mut Problems) -> Option<String> {
    let Some(text) = node.scalar() else {
        problems.expected(node, "an argument", "Arguments are words; a list or mapping is none.");
        return None;
    };
    let mut written = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find(['{', '}']) {
        written.push_str(&rest[..at]);
        let brace = &rest[at..=at];
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix(brace) {
            written.push_str(brace);
            rest = after;
            continue;
        }
        let name = rest.split_once('}').filter(|_| brace == "{");
        let Some((name, after)) = name else {
            problems.error("command::braces", node.span, "a brace without its partner", "Write `{{` for a brace.");
            return None;
        };
        let Some(level) = context.factors.get(name) else {
            let known = context.factors.keys().map(String::as_str);
            let help = nearest(name, known)
                .map_or_else(|| "Write `{{` for a brace.".to_owned(), |meant| format!("Did you mean `{{{meant}}}`?"));
            problems.error("command::unknown-factor", node.span, format!("no factor is called `{name}`"), help);
            return None;
        };
        written.push_str(level);
        rest = after;
    }
    written.push_str(rest);
    Some(written)
}

fn rule(metric: &str, node: &Node, problems: &mut Problems) -> Option<Rule> {
    let mut fields = Fields::open(node, "a value to read", problems)?;
    let json = fields.take::<Option<String>>("json", problems)?;
    let csv = fields.take::<Option<String>>("csv", problems)?;
    let regex = fields.take::<Option<String>>("regex", problems)?;
    let unit = fields.take::<Option<Node>>("unit", problems)?;
    fields.finish(problems);
    let places: Vec<Place> =
        [json.map(Place::Json), csv.map(Place::Csv), regex.map(Place::Regex)].into_iter().flatten().collect();
    let [place] = places.as_slice() else {
        let help = "Write one of `json: /pointer`, `csv: column` and `regex: 'time (\\d+)'`.";
        problems.error("command::place", node.span, format!("{} places, expected one", places.len()), help);
        return None;
    };
    if let Place::Regex(pattern) = place
        && let Err(message) = compile(pattern)
    {
        problems.error("command::regex", node.span, message, "The expression needs one group in parentheses.");
        return None;
    }
    let symbol = unit.as_ref().and_then(Node::scalar);
    let Some(unit) = symbol.as_deref().and_then(Unit::parse) else {
        let found = unit.map_or("nothing".to_owned(), |unit| unit.kind());
        let help = "Say what the program prints: `ms`, `MiB/s`, `1/s`, or `1` for a pure number.";
        problems.error("manifest::unit-missing", node.span, format!("found {found}, expected a unit"), help);
        return None;
    };
    let known = Metric::new(metric).unit();
    if known.is_some_and(|known| known.dimension() != unit.dimension()) {
        let message = format!("`{metric}` is a {}, `{unit}` is not", known.map_or("", |known| known.symbol()));
        problems.error("command::unit", node.span, message, "Use a unit of the metric, or another name.");
        return None;
    }
    Some(Rule { metric: metric.to_owned(), unit: unit.symbol().to_owned(), place: place.clone() })
}

fn compile(pattern: &str) -> Result<regex::bytes::Regex, String> {
    let regex = regex::bytes::RegexBuilder::new(pattern).size_limit(1 << 20).multi_line(true).build();
    let regex = regex.map_err(|error| error.to_string().lines().last().unwrap_or_default().to_owned())?;
    if regex.captures_len() == 2 {
        Ok(regex)
    } else {
        Err(format!("{} groups, expected one", regex.captures_len() - 1))
    }
}

/// The value of a rule in an output.
fn value_of(rule: &Rule, stdout: &[u8]) -> Result<Measurement, String> {
    let (text, pointer) = match &rule.place {
        Place::Json(pointer) => (json_value(stdout, pointer)?, pointer.clone()),
        Place::Csv(column) => (csv_value(stdout, column)?, format!("1/{column}")),
        Place::Regex(pattern) => (regex_value(stdout, pattern)?, format!("regex:{pattern}")),
    };
    let unit = Unit::parse(&rule.unit).ok_or("unknown unit")?;
    // shares are kept in percent, as they are read and printed
    let (numerator, denominator) = if unit == Unit::PERCENT { (1, 1) } else { unit.ratio() };
    let exact = Exact::parse(text.trim()).map_err(|error| error.to_string())?;
    let value = (&exact * &Exact::from_ratio(numerator, denominator)).to_float();
    let metric = Metric::new(&rule.metric);
    let base = base_symbol(unit);
    let labels = Arc::new(Labels::reported());
    Ok(Measurement { metric, labels, value, unit: base, printed: None, pointer })
}

/// The base unit's symbol.
fn base_symbol(unit: Unit) -> &'static str {
    Unit::symbols(unit.dimension()).next().unwrap_or("1")
}

fn json_value(stdout: &[u8], pointer: &str) -> Result<String, String> {
    let document: serde_json::Value = serde_json::from_slice(stdout).map_err(|error| format!("no JSON: {error}"))?;
    match document.pointer(pointer) {
        Some(serde_json::Value::Number(number)) => Ok(number.to_string()),
        Some(serde_json::Value::String(text)) => Ok(text.clone()),
        Some(_) => Err(format!("what is at `{pointer}` is no number")),
        None => Err(format!("nothing is at `{pointer}`")),
    }
}

fn csv_value(stdout: &[u8], column: &str) -> Result<String, String> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(stdout);
    let heads = reader.headers().map_err(|error| error.to_string())?.clone();
    let at = heads.iter().position(|head| head == column).ok_or_else(|| format!("no column is called `{column}`"))?;
    let rows: Vec<csv::StringRecord> = reader.records().collect::<Result<_, _>>().map_err(|error| error.to_string())?;
    match rows.as_slice() {
        [row] => Ok(row.get(at).unwrap_or_default().to_owned()),
        _ => Err(format!("{} rows, expected one", rows.len())),
    }
}

fn regex_value(stdout: &[u8], pattern: &str) -> Result<String, String> {
    let regex = compile(pattern)?;
    let found: Vec<_> = regex.captures_iter(stdout).take(2).filter_map(|captures| captures.get(1)).collect();
    match found.as_slice() {
        [one] => Ok(String::from_utf8_lossy(one.as_bytes()).into_owned()),
        [] => Err(format!("nothing matches `{pattern}`")),
        _ => Err(format!("`{pattern}` matches more than once")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(place: Place, stdout: &str) -> Result<f64, String> {
        let rule = Rule { metric: "latency_mean".to_owned(), unit: "ms".to_owned(), place };
        value_of(&rule, stdout.as_bytes()).map(|measurement| measurement.value)
    }

    #[test]
    fn a_value_is_found_by_pointer_column_or_expression() {
        assert_eq!(read(Place::Json("/a/0".to_owned()), r#"{"a":[1.5]}"#), Ok(1_500_000.0));
        assert_eq!(read(Place::Csv("t".to_owned()), "n,t\n1,2.25\n"), Ok(2_250_000.0));
        assert_eq!(read(Place::Regex(r"took (\S+) ms".to_owned()), "it took 3 ms\n"), Ok(3_000_000.0));
    }

    #[test]
    fn what_is_not_there_twice_there_or_no_number_is_an_error() {
        assert!(read(Place::Json("/b".to_owned()), r#"{"a":1}"#).unwrap_err().contains("nothing"));
        assert!(read(Place::Csv("t".to_owned()), "t\n1\n2\n").unwrap_err().contains("2 rows"));
        assert!(read(Place::Regex(r"(\d)".to_owned()), "1 2").unwrap_err().contains("more than once"));
        assert!(read(Place::Json("/a".to_owned()), r#"{"a":"n/a"}"#).unwrap_err().contains("no decimal number"));
    }
}
