//! `post`: a short block about a result, with the answers that readers always ask for.
//!
//! Each answer comes from the file, or is `not recorded`. The block has at most [`LINES_MAX`] lines, the digest of the input
//! last.

use std::collections::BTreeMap;
use std::path::Path;

use crate::cli::arguments::{PostArguments, PostForm};
use crate::cli::command::parse;
use crate::cli::failure::Failure;
use crate::cli::{Session, show};
use crate::diagnostic::{Severity, printable};
use crate::digest::Digest;
use crate::measurement::{Measurement, Reading, Status};
use crate::tool::{Answers, Outputs, Question, Tool};

/// The most lines of a block.
const LINES_MAX: usize = 25;
/// The lines that numbers have in any case.
const NUMBERS_MIN: usize = 3;
/// The most warnings that are shown.
const WARNINGS_MAX: usize = 3;
/// Shorter runs are worth a warning, in nanoseconds.
const SHORT_NS: f64 = 10e9;

/// What readers ask, line by line, with the questions that answer it.
const LINES: &[(&str, &[Question])] = &[
    ("command", &[Question::Command]),
    ("target", &[Question::Target]),
    ("storage below", &[Question::Storage, Question::Drive]),
    ("cache mode", &[Question::Cache]),
    ("direct, sync", &[Question::Direct, Question::Sync]),
    ("access", &[Question::Access, Question::BlockSize, Question::Concurrency]),
    ("working set", &[Question::WorkingSet, Question::Memory]),
    ("data", &[Question::Compressibility]),
    ("rate limit", &[Question::Limit]),
    ("time", &[Question::Ramp, Question::Duration]),
    ("runs", &[Question::Passes]),
    ("system", &[Question::System, Question::Processor]),
    ("hypervisor", &[Question::Hypervisor]),
];

/// What nobody asks of a network.
const OF_STORAGE: &[&str] = &["target", "storage below", "cache mode", "direct, sync", "working set", "data"];

/// One file as it was read.
struct Input {
    is_of_storage: bool,
    digest: Digest,
    conditions: Answers,
    reading: Reading,
    answers: Answers,
}

pub(crate) fn run(session: &Session, arguments: &PostArguments) -> Result<u8, Failure> {
    let (mut inputs, mut names): (Vec<Input>, Vec<String>) = (vec![], vec![]);
    for file in &arguments.files {
        let bytes = parse::read(session, file)?;
        let tool = parse::tool_of(&bytes, arguments.tool.as_deref(), file)?;
        let input = input(tool, &bytes, file);
        if inputs.iter().any(|other| other.digest == input.digest) {
            show::note(&format!("{} holds the same bytes as another; it counts once", file.display()));
        } else {
            names.push(file_name(file));
            inputs.push(input);
        }
    }
    if let Some(difference) = difference(&inputs) {
        let message = format!("outputs of different tests: {difference}");
        return Err(Failure::usage(message).help("Give the files of one test; several are taken as replicates."));
    }
    if let Some(other) = inputs.iter().find(|one| one.reading.tool != inputs[0].reading.tool) {
        let message = format!("outputs of {} and {}", inputs[0].reading.tool, other.reading.tool);
        return Err(Failure::usage(message).help("Give the files of one tool; several are taken as replicates."));
    }
    let lines = block(&inputs, &names, arguments.form);
    if session.is_json {
        show::print_json(&serde_json::json!({"lines": lines}))?;
    } else {
        show::print(&lines.join("\n"));
    }
    let worst = inputs.iter().map(|one| one.reading.status).max();
    Ok(match worst {
        Some(Status::Failed) => 2,
        Some(Status::Invalid) => 1,
        _ if inputs.iter().any(|one| !one.reading.reason().is_empty()) => 1,
        _ => 0,
    })
}

fn file_name(file: &Path) -> String {
    file.file_name().map_or_else(|| "standard input".to_owned(), |name| name.to_string_lossy().into_owned())
}

fn input(tool: &dyn Tool, bytes: &[u8], file: &Path) -> Input {
    let name = file_name(file);
    let outputs = Outputs::named(bytes, &name);
    let reading = tool.read(None, outputs);
    let answers = tool.answers(outputs);
    let moves_data = reading.measurements.iter().any(|one| matches!(one.metric.as_str(), "iops" | "bandwidth"));
    let is_memory = answers.get(&Question::Access).is_some_and(|access| access.starts_with("memory"));
    Input {
        is_of_storage: tool.is_of_storage() && moves_data && !is_memory,
        digest: Digest::of(bytes),
        conditions: tool.conditions(outputs),
        reading,
        answers,
    }
}

/// In what the files say of their settings that two of them do not have in common.
fn difference(inputs: &[Input]) -> Option<String> {
    let first = &inputs.first()?.conditions;
    let mut pairs = inputs.iter().flat_map(|one| one.conditions.iter());
    pairs.find_map(|(question, said)| {
        let other = first.get(question).filter(|other| *other != said)?;
        Some(format!("{} `{other}` and `{said}`", question.word()))
    })
}

/// The block, line by line.
fn block(inputs: &[Input], names: &[String], form: PostForm) -> Vec<String> {
    let width = if form == PostForm::Commit { 72 } else { 100 };
    let fence = usize::from(form == PostForm::Markdown);
    let mut head = vec![title(inputs, names)];
    let failed = inputs.iter().filter(|one| !one.reading.reason().is_empty()).map(reason);
    head.extend(failed.take(2).flat_map(|text| wrapped("!", &text, (width, 2))));
    let mut warnings: Vec<String> =
        warnings(inputs).iter().flat_map(|warning| wrapped("!", warning, (width, 2))).collect();
    let answers = answers(inputs);
    let digest = digest(inputs);
    // numbers have room before warnings have
    let free = LINES_MAX - 2 * fence - head.len() - answers.len() - 1;
    warnings.truncate(free.saturating_sub(NUMBERS_MIN));
    let left = free - warnings.len();
    let numbers = numbers(inputs, (left, width));
    // what is left over goes to the command, the one answer that is long
    let spare = left - numbers.len();
    let mut lines = head;
    lines.extend(numbers);
    for (label, text) in &answers {
        let most = if *label == "command" { 1 + spare } else { 1 };
        lines.extend(wrapped(label, text, (width, most)));
    }
    lines.extend(warnings);
    lines.push(digest);
    let mut lines: Vec<String> = lines.iter().map(|line| fitted(&safe(line, form), width)).collect();
    if form == PostForm::Markdown {
        lines.insert(0, "```text".to_owned());
        lines.push("```".to_owned());
    }
    lines
}

/// No control characters, no end of a fence, and only ASCII where that was asked for.
fn safe(line: &str, form: PostForm) -> String {
    let line = printable(line).replace(['\n', '\t'], " ").replace("```", "'''");
    if form != PostForm::Commit {
        return line;
    }
    let ascii = |one: char| match one {
        'µ' | 'μ' => "u".to_owned(),
        '×' => "x".to_owned(),
        '–' | '—' | '−' => "-".to_owned(),
        '…' => "...".to_owned(),
        '·' => "-".to_owned(),
        one if one.is_ascii() => one.to_string(),
        _ => "?".to_owned(),
    };
    line.chars().map(ascii).collect()
}

fn fitted(line: &str, width: usize) -> String {
    if line.chars().count() <= width {
        return line.trim_end().to_owned();
    }
    format!("{}...", line.chars().take(width - 3).collect::<String>().trim_end())
}

fn title(inputs: &[Input], names: &[String]) -> String {
    let first = &inputs[0].reading;
    let versions: std::collections::BTreeSet<&str> =
        inputs.iter().map(|one| one.reading.tool_version.as_str()).filter(|version| !version.is_empty()).collect();
    let version = match versions.len() {
        0 => "version not recorded".to_owned(),
        _ => versions.into_iter().collect::<Vec<_>>().join(" and "),
    };
    let files = match names {
        [one] => one.clone(),
        several => format!("{} files: {}", several.len(), several.join(", ")),
    };
    format!("{} {version} – {files}", first.tool)
}

fn reason(input: &Input) -> String {
    let word = match input.reading.status {
        Status::Failed => "FAILED",
        Status::Invalid => "INVALID",
        Status::Ok => "PARTLY FAILED",
    };
    format!("{word}: {}", input.reading.reason())
}

/// The metrics that are shown first, in their order.
const METRICS: &[&str] = &[
    "iops",
    "bandwidth",
    "events",
    "transactions",
    "queries",
    "score",
    "duration",
    "latency_mean",
    "latency_p50",
    "latency_p95",
    "latency_p99",
    "latency_p99.9",
    "latency_max",
    "retransmits",
    "loss",
    "jitter",
    "cpu_usage",
];
/// What is not worth a place in a short block.
const HIDDEN: &[&str] =
    &["runtime", "operations", "bytes", "latency_min", "latency_p75", "latency_p90", "latency_p99.99", "start_skew"];
/// The most rows of parts beside their total.
const PARTS_MAX: usize = 4;

/// Values of one metric over the files.
type Values<'a> = Vec<(&'a Measurement, Vec<f64>)>;

/// The measurements of a file that are shown: its totals, and their parts where reads and writes or two ways are mixed.
fn shown_of(reading: &Reading) -> Vec<&Measurement> {
    let is_total = |one: &&Measurement| one.labels.contains_key("aggregate");
    let (totals, parts): (Vec<&Measurement>, Vec<&Measurement>) = reading.measurements.iter().partition(is_total);
    let direction = |one: &&Measurement| one.labels.get("direction").cloned();
    let directions: std::collections::BTreeSet<String> = parts.iter().filter_map(direction).collect();
    let is_mixed = directions.len() > 1 && (directions.contains("read") || directions.contains("received back"));
    let rows: std::collections::BTreeSet<_> = parts.iter().map(|one| &one.labels).collect();
    match totals.is_empty() {
        true => parts,
        false if is_mixed && rows.len() <= PARTS_MAX => totals.into_iter().chain(parts).collect(),
        false => totals,
    }
}

/// The values of the files, by the labels of their rows, in the order in which they were read. Rows of one file that have
/// the same labels stay rows.
fn rows(inputs: &[Input]) -> Vec<(String, Values<'_>)> {
    let mut rows: Vec<(String, Values<'_>)> = vec![];
    let mut places: BTreeMap<(String, usize), usize> = BTreeMap::new();
    for input in inputs {
        let shown = shown_of(&input.reading);
        let has_parts = shown.iter().any(|one| !one.labels.contains_key("aggregate"));
        let mut seen: BTreeMap<(String, &str), usize> = BTreeMap::new();
        for one in shown.into_iter().filter(|one| !HIDDEN.contains(&one.metric.as_str())) {
            let label = match row_label(one) {
                label if label.is_empty() && has_parts => "all".to_owned(),
                label => label,
            };
            let number = seen.entry((label.clone(), one.metric.as_str())).or_insert(0);
            *number += 1;
            let at = *places.entry((label.clone(), *number)).or_insert(rows.len());
            if at == rows.len() {
                rows.push((if *number > 1 { format!("{label} #{number}") } else { label }, vec![]));
            }
            match rows[at].1.iter_mut().find(|(other, _)| other.metric == one.metric) {
                Some((_, values)) => values.push(one.value),
                None => rows[at].1.push((one, vec![one.value])),
            }
        }
    }
    for (_, values) in &mut rows {
        values.sort_by_key(|(one, _)| {
            METRICS.iter().position(|metric| *metric == one.metric.as_str()).unwrap_or(METRICS.len())
        });
    }
    rows
}

/// The widest label of a row.
const LABEL_WIDTH_MAX: usize = 28;

/// Lines of numbers, at most so many; a number is never cut.
fn numbers(inputs: &[Input], (most, width): (usize, usize)) -> Vec<String> {
    let rows = rows(inputs);
    let label_width = rows.iter().map(|(label, _)| label.chars().count()).max().unwrap_or(0).min(LABEL_WIDTH_MAX);
    let mut lines = vec![];
    for (label, values) in &rows {
        let shown: Vec<String> = values.iter().map(|(one, values)| shown(one, values)).collect();
        let indent = if label_width == 0 { 0 } else { label_width + 2 };
        let short: String = match label.chars().count() {
            count if count > label_width => {
                label.chars().take(label_width.saturating_sub(3)).chain("...".chars()).collect()
            }
            _ => label.clone(),
        };
        let is_latency = |text: &&String| text.starts_with("latency");
        let (latencies, rates): (Vec<&String>, Vec<&String>) = shown.iter().partition(is_latency);
        let (latencies, rates): (Vec<String>, Vec<String>) =
            (latencies.into_iter().cloned().collect(), rates.into_iter().cloned().collect());
        // a total alone has room for one line of rates and one of latencies; spreads need a line each
        let groups = match rows.len() {
            1 if inputs.len() > 1 => shown.into_iter().map(|one| vec![one]).collect(),
            1 => vec![rates, latencies],
            _ => vec![shown],
        };
        let mut label = short;
        for line in groups.iter().flat_map(|group| packed(group, width.saturating_sub(indent))) {
            lines.push(format!("{label:label_width$}{}{line}", " ".repeat(indent - label_width)).trim_end().to_owned());
            label = String::new();
        }
    }
    if lines.len() > most {
        let hidden = lines.len() + 1 - most;
        lines.truncate(most.saturating_sub(1));
        lines.push(format!("and {hidden} more lines: `benchpaper parse` prints them"));
    }
    lines
}

/// Texts side by side on lines of so many columns; the word `latency` stands once a line.
fn packed(texts: &[String], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![];
    for text in texts {
        match lines.last_mut() {
            Some(line) => {
                let rest = text.strip_prefix("latency ").filter(|_| line.contains("latency ")).unwrap_or(text);
                if line.chars().count() + 2 + rest.chars().count() <= width {
                    line.push_str(", ");
                    line.push_str(rest);
                } else {
                    lines.push(text.clone());
                }
            }
            None => lines.push(text.clone()),
        }
    }
    lines
}

fn row_label(one: &Measurement) -> String {
    const PLAIN: &[&str] = &["aggregate", "iodepth", "threads", "block_size", "scale"];
    let shown = one.labels.iter().filter(|(label, _)| !PLAIN.contains(&label.as_str()));
    let mut words: Vec<(&String, &String)> = shown.collect();
    words.sort_by_key(|(label, _)| label.as_str() != "test");
    words.into_iter().map(|(_, value)| value.as_str()).collect::<Vec<_>>().join(" ")
}

/// A metric with its value, or the median and the spread over several files.
fn shown(one: &Measurement, values: &[f64]) -> String {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = (sorted[(sorted.len() - 1) / 2] + sorted[sorted.len() / 2]) / 2.0;
    let unit = if one.metric.as_str() == "iops" { "IOPS" } else { one.unit };
    let mut text = humane(middle, unit);
    if values.len() > 1 {
        text = format!("{text} ({} – {})", humane(sorted[0], unit), humane(sorted[sorted.len() - 1], unit));
    }
    match one.metric.as_str() {
        "iops" | "bandwidth" => text,
        metric => format!("{} {text}", metric.replace("latency_", "latency ").replace('_', " ")),
    }
}

/// A value in a unit that people read: four digits, powers of ten.
fn humane(value: f64, unit: &str) -> String {
    let scaled = |steps: &[(f64, &str)]| {
        let (scale, symbol) =
            steps.iter().copied().find(|(scale, _)| value.abs() >= *scale).unwrap_or(steps[steps.len() - 1]);
        format!("{} {symbol}", digits(value / scale))
    };
    match unit {
        "B/s" => {
            let decimal = scaled(&[(1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s"), (1.0, "B/s")]);
            let binary = if value >= 1e6 { format!(" = {} MiB/s", digits(value / 1_048_576.0)) } else { String::new() };
            format!("{decimal}{binary}")
        }
        "ns" => scaled(&[(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")]),
        "1" if libm::trunc(value) == value => format!("{value}"),
        "1" => digits(value),
        unit => format!("{} {unit}", digits(value)),
    }
}

/// Four significant digits, and whole numbers in full.
fn digits(value: f64) -> String {
    let whole = if value == 0.0 { 1 } else { libm::floor(libm::log10(value.abs())) as i64 + 1 };
    let decimals = usize::try_from(4 - whole.max(1)).unwrap_or(0).min(3);
    format!("{value:.decimals$}")
}

/// The answers of the files: those of the first, and what several say of runs.
fn answers(inputs: &[Input]) -> Vec<(&'static str, String)> {
    const NOT_RECORDED: &str = "not recorded";
    let mut lines = vec![];
    let is_asked = |label: &str| inputs[0].is_of_storage || !OF_STORAGE.contains(&label);
    for (label, questions) in LINES.iter().filter(|(label, _)| is_asked(label)) {
        let of = |question: &Question| {
            let known: std::collections::BTreeSet<&String> =
                inputs.iter().filter_map(|one| one.answers.get(question)).collect();
            match known.len() {
                0 => None,
                1 => known.first().map(|text| (*text).clone()),
                _ => Some(format!("differs: {}", known.into_iter().take(3).cloned().collect::<Vec<_>>().join(" | "))),
            }
        };
        let text = match (*label, inputs.len()) {
            ("runs", count) if count > 1 => {
                let usable = inputs.iter().filter(|one| one.reading.status != Status::Failed).count();
                match usable == count {
                    true => format!("{count} files; median and range are shown"),
                    false => format!("{count} files, {usable} of them with values; median and range are shown"),
                }
            }
            ("runs", _) => of(&Question::Passes).unwrap_or_else(|| "1, no spread recorded".to_owned()),
            _ => {
                let parts: Vec<String> = questions
                    .iter()
                    .map(|question| match of(question) {
                        Some(text) if questions.len() > 1 && needs_word(*question) => {
                            format!("{} {text}", question.word())
                        }
                        Some(text) => text,
                        None if question.word() == *label => NOT_RECORDED.to_owned(),
                        None => format!("{} {NOT_RECORDED}", question.word()),
                    })
                    .collect();
                let is_nothing = questions.iter().all(|question| of(question).is_none());
                if is_nothing { NOT_RECORDED.to_owned() } else { parts.join("; ") }
            }
        };
        lines.push((*label, text));
    }
    lines
}

/// Whether an answer needs the word of its question to be understood.
fn needs_word(question: Question) -> bool {
    matches!(question, Question::Direct | Question::Sync | Question::Ramp | Question::Drive | Question::Memory)
}

/// What a reader should know before believing the numbers.
fn warnings(inputs: &[Input]) -> Vec<String> {
    let mut found: Vec<String> = vec![];
    for input in inputs {
        let remarks = input.reading.diagnostics.iter().filter(|remark| remark.severity == Severity::Warning);
        let remarks = remarks.filter(|remark| !remark.code.ends_with("text-around"));
        found.extend(remarks.map(|remark| remark.message.clone()));
        let longest = input.reading.measurements.iter().filter(|one| one.metric.as_str() == "runtime");
        let longest = longest.map(|one| one.value).fold(0.0, f64::max);
        if longest > 0.0 && longest < SHORT_NS {
            found.push(format!("a run of {} says little of steady work", humane(longest, "ns")));
        }
    }
    found.sort();
    found.dedup();
    if found.len() > WARNINGS_MAX {
        let hidden = found.len() + 1 - WARNINGS_MAX;
        found.truncate(WARNINGS_MAX - 1);
        found.push(format!("and {hidden} more: `benchpaper parse` prints them"));
    }
    found
}

/// A label and its text on as many lines as may be.
fn wrapped(label: &str, text: &str, (width, most): (usize, usize)) -> Vec<String> {
    let indent = if label == "!" { 1 } else { 14 };
    let room = width - indent - 1;
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.len() - 1;
        let is_full = !lines[last].is_empty() && lines[last].chars().count() + 1 + word.chars().count() > room;
        if is_full && lines.len() < most {
            lines.push(word.to_owned());
        } else {
            if !lines[last].is_empty() {
                lines[last].push(' ');
            }
            lines[last].push_str(word);
        }
    }
    let line = |(number, text): (usize, String)| format!("{:indent$} {text}", if number == 0 { label } else { "" });
    lines.into_iter().enumerate().map(line).collect()
}

/// The digest of the input; of several the digest of their sorted digests, one a line.
fn digest(inputs: &[Input]) -> String {
    match inputs {
        [one] => one.digest.to_string(),
        several => {
            let mut digests: Vec<String> = several.iter().map(|one| format!("{}\n", one.digest.hex())).collect();
            digests.sort();
            Digest::of(digests.concat().as_bytes()).to_string()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_four_digits_and_a_unit_of_their_size() {
        let cases = [
            (84_908.5, "ns", "84.91 µs"),
            (47_257_413.0, "B/s", "47.26 MB/s = 45.07 MiB/s"),
            (11_537.46, "1/s", "11537 1/s"),
            (10.0, "1", "10"),
            (0.5, "1", "0.500"),
            (0.0, "ns", "0.000 ns"),
        ];
        for (value, unit, text) in cases {
            assert_eq!(humane(value, unit), text);
        }
    }

    #[test]
    fn every_form_stays_within_its_lines_and_columns() {
        let mut reading = Reading::new("fio");
        for number in 0..40 {
            let labels = crate::measurement::Labels::from([("test".to_owned(), format!("µ {number}"))]);
            reading.measure(&std::sync::Arc::new(labels), ("iops", 1234.5), String::new());
            reading.warn(
                "x",
                "a warning ``` with \u{1b}[31m colours and a long, long, long, long, long, long, long, long, long tail",
            );
        }
        let answers = Answers::from([(Question::Command, "fio --x ".repeat(200))]);
        for form in [PostForm::Text, PostForm::Markdown, PostForm::Commit] {
            let input = Input {
                is_of_storage: true,
                digest: Digest::of(b"x"),
                conditions: Answers::new(),
                reading: reading.clone(),
                answers: answers.clone(),
            };
            let lines = block(&[input], &["ü.json".to_owned()], form);
            assert!(lines.len() <= LINES_MAX, "{form:?}: {}", lines.len());
            let width = if form == PostForm::Commit { 72 } else { 100 };
            assert!(lines.iter().all(|line| line.chars().count() <= width), "{lines:#?}");
            assert!(form != PostForm::Commit || lines.iter().all(|line| line.is_ascii()));
            assert!(lines[1..lines.len() - 1].iter().all(|line| !line.contains("```") && !line.contains('\u{1b}')));
        }
    }
}
