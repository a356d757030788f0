//! A manifest begun from what somebody has: the job file of a tool, or what it printed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::diagnostic::printable;
use crate::measurement::Reading;
use crate::name::{Name, slug};

/// The most levels that a factor of a draft has.
const LEVELS_MAX: usize = 64;

/// What a manifest is made of. Values are written as YAML has them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Draft {
    /// Each with its settings, the tool first.
    pub workloads: Vec<(String, Vec<(String, String)>)>,
    /// Factors with their levels, besides the workload.
    pub factors: Vec<(String, Vec<String>)>,
    /// Whether people run it, and results are imported.
    pub is_manual: bool,
    /// The size of the test file.
    pub size: Option<String>,
    /// How long a job counts.
    pub runtime: Option<String>,
    /// How long it runs before.
    pub ramp_time: Option<String>,
    /// The metrics that the paper reports.
    pub metrics: Vec<String>,
    /// What was not carried over, and why.
    pub left_out: Vec<String>,
}

/// A draft of a workload that people run: the labels in which rows differ become factors that select them.
pub(super) fn of_reading(tool: &str, reading: &Reading) -> Draft {
    let rows = reading.measurements.iter().filter(|one| !one.labels.is_result());
    let mut labels: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let has_totals = reading.measurements.iter().any(|one| one.labels.is_result());
    for (label, value) in rows.filter(|_| !has_totals).flat_map(|one| one.labels.iter()) {
        labels.entry(label).or_default().insert(value);
    }
    let mut draft = Draft { is_manual: true, ..Draft::default() };
    let mut settings = vec![("tool".to_owned(), tool.to_owned())];
    let mut select = vec![];
    for (label, values) in labels.into_iter().filter(|(label, _)| Name::new(label).is_ok()) {
        if values.len() > 1 && values.len() <= LEVELS_MAX {
            select.push(format!("{label}: {{factor: {label}}}"));
            draft.factors.push((label.to_owned(), values.into_iter().map(quoted).collect()));
        }
    }
    if !select.is_empty() {
        settings.push(("select".to_owned(), format!("{{{}}}", select.join(", "))));
    }
    draft.metrics = metrics(reading);
    draft.workloads.push((tool.to_owned(), settings));
    draft
}

/// The metrics of a reading that a paper would report.
pub(super) fn metrics(reading: &Reading) -> Vec<String> {
    const TELLING: &[&str] =
        &["iops", "bandwidth", "latency_mean", "latency_p99", "events", "transactions", "queries", "score", "duration"];
    let has = |metric: &&&str| reading.measurements.iter().any(|one| one.metric.as_str() == **metric);
    TELLING.iter().filter(has).map(|metric| (*metric).to_owned()).collect()
}

/// A text as a YAML scalar: plain where it can not be taken for anything else.
pub(super) fn quoted(text: &str) -> String {
    let is_plain = text.starts_with(|one: char| one.is_ascii_alphabetic())
        && text.chars().all(|one| one.is_ascii_alphanumeric() || matches!(one, ' ' | '-' | '_' | '.' | '/'))
        && !matches!(
            text.to_ascii_lowercase().as_str(),
            "true" | "false" | "yes" | "no" | "on" | "off" | "null" | "y" | "n"
        );
    if is_plain { text.to_owned() } else { serde_json::Value::String(printable(text)).to_string() }
}

/// The manifest, with comments on what its writer still has to say.
pub fn manifest(draft: &Draft, name: &Name, source: &str) -> String {
    let mut text = String::new();
    let mut line = |words: &str| {
        text.push_str(words);
        text.push('\n');
    };
    line("# yaml-language-server: $schema=../../schema/experiment.json");
    line(&format!("# Begun from {}.", printable(source).replace('\n', " ")));
    for one in &draft.left_out {
        line(&format!("# Not carried over: {}", printable(one).replace('\n', " ")));
    }
    line("format: benchpaper/experiment@1");
    line(&format!("name: {name}"));
    line("title: Your title");
    line("version: 0.1.0                        # of the paper");
    line("authors: [{name: Your name}]");
    line("license: CC-BY-4.0");
    line("question: What do you want to know?");
    line("");
    line("hosts:");
    if draft.is_manual {
        line("  sut:                                # `benchpaper inventory --from FOLDER` writes its facts");
        line("    role: sut");
        line("    access: none");
        line("");
        line(
            "execution: manual                     # people run it: `plan --runsheet` says how, `import` takes what comes out",
        );
    } else {
        line("  bench:");
        line("    role: [controller, sut]           # benchpaper runs on the machine that is measured");
        line("    access: local");
        let size = draft.size.as_deref().unwrap_or("1 GiB");
        line(&format!("    devices: {{test: {{size: {size}}}}}   # a file in the scratch folder"));
        line("");
        line("# execution: manual                   # where others run it, and `import` takes what came out");
    }
    line("");
    line("workloads:");
    for (workload, settings) in &draft.workloads {
        let settings: Vec<String> = settings.iter().map(|(key, value)| format!("{key}: {value}")).collect();
        line(&format!("  {workload}: {{{}}}", settings.join(", ")));
    }
    body(draft, &mut text);
    text
}

fn body(draft: &Draft, text: &mut String) {
    text.push_str("\nmatrix:\n  factors:\n");
    let names: Vec<&str> = draft.workloads.iter().map(|(name, _)| name.as_str()).collect();
    let _ = writeln!(text, "    workload: [{}]", names.join(", "));
    for (factor, levels) in &draft.factors {
        let _ = writeln!(text, "    {factor}: [{}]", levels.join(", "));
    }
    text.push_str("\ndesign:\n");
    let (replicates, order) = if draft.is_manual { (1, "randomized") } else { (6, "interleaved") };
    let _ = writeln!(text, "  replicates: {replicates:<24} # `benchpaper plan` says what this can and cannot show");
    let _ = writeln!(text, "  order: {order}\n  seed: 1");
    if !draft.is_manual {
        text.push_str("  precondition: [{fill: {device: test}}]\n");
        let _ = writeln!(text, "  ramp_time: {}", draft.ramp_time.as_deref().unwrap_or("0 s"));
        let _ = writeln!(text, "  runtime: {}", draft.runtime.as_deref().unwrap_or("30 s"));
    }
    if !draft.metrics.is_empty() {
        text.push_str("\nmetrics:\n");
        draft.metrics.iter().for_each(|metric| {
            let _ = writeln!(text, "  {metric}: {{}}");
        });
    }
}

/// A name for a workload out of any text.
pub(super) fn workload_name(text: &str, known: &[String]) -> String {
    let slug: String = slug(text).chars().filter(char::is_ascii).take(40).collect();
    let slug = slug.trim_matches(['-', '.']).to_owned();
    let base = if Name::new(&slug).is_ok() { slug } else { "workload".to_owned() };
    let numbered = (2..).map(|number| format!("{base}-{number}"));
    std::iter::once(base.clone()).chain(numbered).find(|name| !known.contains(name)).unwrap_or(base)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scalar_is_plain_only_where_it_is_a_text() {
        assert_eq!(
            (quoted("SEQ 1MiB Q8T1"), quoted("yes"), quoted("4: x"), quoted("1")),
            ("SEQ 1MiB Q8T1".to_owned(), "\"yes\"".to_owned(), "\"4: x\"".to_owned(), "\"1\"".to_owned())
        );
    }

    #[test]
    fn names_are_never_given_twice() {
        let known = vec!["seq-read".to_owned()];
        assert_eq!(workload_name("Seq Read", &known), "seq-read-2");
        assert_eq!(workload_name("%%%", &[]), "workload");
    }
}
