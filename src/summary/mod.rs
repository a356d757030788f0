//! A short block about a result, with the answers that readers always ask for.
//!
//! Each answer comes from the file, or is `not recorded`. The block has at most [`LINES_MAX`] lines, the digest of the input
//! last.

mod lines;
mod numbers;

use crate::diagnostic::Severity;
use crate::digest::Digest;
use crate::measurement::{Reading, Status};
use crate::tool::{Answers, Outputs, Question, Tool};

use lines::{fitted, safe, wrapped};
use numbers::{humane, numbers};

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

/// How a block is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Form {
    /// Lines of at most 100 columns.
    Text,
    /// A fenced block.
    Markdown,
    /// Lines of at most 72 columns in ASCII.
    Commit,
}

/// One file as it was read.
pub struct Input {
    is_of_storage: bool,
    /// The digest of its bytes.
    pub digest: Digest,
    conditions: Answers,
    /// What it says.
    pub reading: Reading,
    answers: Answers,
}

impl Input {
    /// Reads a file with its tool.
    pub fn of(tool: &dyn Tool, bytes: &[u8], name: &str) -> Self {
        let outputs = Outputs::named(bytes, name);
        let reading = tool.parse(outputs);
        let answers = tool.answers(outputs);
        let moves_data = reading.measurements.iter().any(|one| matches!(one.metric.as_str(), "iops" | "bandwidth"));
        let is_memory = answers.get(&Question::Access).is_some_and(|access| access.starts_with("memory"));
        Self {
            is_of_storage: tool.is_of_storage() && moves_data && !is_memory,
            digest: Digest::of(bytes),
            conditions: tool.conditions(outputs),
            reading,
            answers,
        }
    }
}

/// In what the files say of their settings that two of them do not have in common.
pub fn difference(inputs: &[Input]) -> Option<String> {
    let first = &inputs.first()?.conditions;
    let mut pairs = inputs.iter().flat_map(|one| one.conditions.iter());
    pairs.find_map(|(question, said)| {
        let other = first.get(question).filter(|other| *other != said)?;
        Some(format!("{} `{other}` and `{said}`", question.word()))
    })
}

/// The block, line by line.
pub fn block(inputs: &[Input], names: &[String], form: Form) -> Vec<String> {
    let width = if form == Form::Commit { 72 } else { 100 };
    let fence = usize::from(form == Form::Markdown);
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
    if form == Form::Markdown {
        lines.insert(0, "```text".to_owned());
        lines.push("```".to_owned());
    }
    lines
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
        for form in [Form::Text, Form::Markdown, Form::Commit] {
            let input = Input {
                is_of_storage: true,
                digest: Digest::of(b"x"),
                conditions: Answers::new(),
                reading: reading.clone(),
                answers: answers.clone(),
            };
            let lines = block(&[input], &["ü.json".to_owned()], form);
            assert!(lines.len() <= LINES_MAX, "{form:?}: {}", lines.len());
            let width = if form == Form::Commit { 72 } else { 100 };
            assert!(lines.iter().all(|line| line.chars().count() <= width), "{lines:#?}");
            assert!(form != Form::Commit || lines.iter().all(|line| line.is_ascii()));
            assert!(lines[1..lines.len() - 1].iter().all(|line| !line.contains("```") && !line.contains('\u{1b}')));
        }
    }
}
