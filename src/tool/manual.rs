//! Workloads that a person runs: what is typed or clicked, and which of the rows of the output is the result.
//!
//! Tools that benchpaper does not start share these settings; their numbers come in by import.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{LaunchPlan, Outputs, Timing, Tool, Workload};
use crate::manifest::node::{Node, Value};
use crate::manifest::shape::{Fields, Problems};
use crate::measurement::{Labels, Measurement, Metric, Reading, Status};

/// The settings that are hashed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Settings {
    /// What a person types or clicks, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) command: String,
    /// The labels of the rows that are the result; the totals where there are none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) select: BTreeMap<String, String>,
}

/// The key of a workload whose entries choose rows of an output; what stands there changes nothing that is done.
pub(super) const SELECT: &str = "select";

/// A program that a person runs, with its settings.
struct ByHand {
    tool: &'static dyn Tool,
    settings: Settings,
}

/// The workload of a tool that has no settings of its own.
pub(super) fn workload(tool: &'static dyn Tool, stored: &serde_json::Value) -> Option<Arc<dyn Workload>> {
    Some(Arc::new(ByHand { tool, settings: Settings::deserialize(stored).unwrap_or_default() }))
}

impl Workload for ByHand {
    fn launch(&self, _: Timing) -> Result<LaunchPlan, String> {
        Err(format!("`{}` is run by a person; write `execution: manual` beside it", self.tool.name()))
    }

    fn steps(&self, _: Timing) -> Vec<String> {
        let command = &self.settings.command;
        if command.is_empty() { vec![] } else { vec![command.clone()] }
    }

    fn read(&self, outputs: Outputs<'_>) -> Reading {
        choose(self.tool.parse(outputs), &self.settings.select)
    }

    fn was_made_with(&self, outputs: Outputs<'_>) -> Option<bool> {
        let is_read = || self.read(outputs).status != Status::Failed;
        if self.settings.select.is_empty() { None } else { Some(is_read()) }
    }

    fn metrics(&self) -> Vec<Metric> {
        self.tool.metrics()
    }

    fn describe(&self) -> Vec<(String, String)> {
        let Settings { command, select } = self.settings.clone();
        let command = (!command.is_empty()).then(|| ("command".to_owned(), command));
        command.into_iter().chain(select).collect()
    }
}

pub(super) fn resolve(settings: &Node, problems: &mut Problems) -> Option<serde_json::Value> {
    let mut fields = Fields::open(settings, "a workload that a person runs", problems)?;
    let command = fields.take::<Option<String>>("command", problems);
    let select = fields.take::<Option<Node>>(SELECT, problems);
    fields.finish(problems);
    let select = selection(select?, problems)?;
    serde_json::to_value(Settings { command: command?.unwrap_or_default(), select }).ok()
}

fn selection(node: Option<Node>, problems: &mut Problems) -> Option<BTreeMap<String, String>> {
    let Some(node) = node else { return Some(BTreeMap::new()) };
    let Value::Map(entries) = &node.value else {
        problems.expected(
            &node,
            "labels of rows",
            "Write `select: {direction: read}`; `benchpaper parse` prints the labels.",
        );
        return None;
    };
    let one = |(key, value): &(crate::manifest::node::Key, Node)| Some((key.text.clone(), value.scalar()?));
    let select: Option<BTreeMap<_, _>> = entries.iter().map(one).collect();
    if select.is_none() {
        problems.expected(&node, "labels of rows", "A label has one value.");
    }
    select
}

/// What a person does who makes a launch by hand: writes its files and types its command.
pub(super) fn steps_of(launch: &LaunchPlan) -> Vec<String> {
    let mut steps = vec![];
    let names_device = launch.files.iter().any(|(_, bytes)| String::from_utf8_lossy(bytes).contains("filename="));
    for (name, bytes) in &launch.files {
        steps.push(format!("Write the file `{name}`:"));
        steps.extend(String::from_utf8_lossy(bytes).lines().map(|line| format!("    {line}")));
    }
    if names_device {
        steps.push("Write the device or file under test in place of what stands after `filename=`; check it twice: it is overwritten by a workload that writes.".to_owned());
    }
    steps.push("Type, and keep all that is printed:".to_owned());
    steps.push(format!("    {}", launch.argv.join(" ")));
    steps
}

/// Leaves of a reading what the settings select, as results.
pub(super) fn choose(mut reading: Reading, select: &BTreeMap<String, String>) -> Reading {
    if select.is_empty() || reading.status == Status::Failed {
        return reading;
    }
    let is_chosen = |one: &Measurement| {
        select.iter().all(|(label, value)| one.labels.get(label).is_some_and(|found| is_same(found, value)))
    };
    let chosen: Vec<&Measurement> = reading.measurements.iter().filter(|one| is_chosen(one)).collect();
    let wanted = || select.iter().map(|(label, value)| format!("{label}={value}")).collect::<Vec<_>>().join(" ");
    if chosen.is_empty() {
        let rows: std::collections::BTreeSet<String> =
            reading.measurements.iter().map(|one| label_text(&one.labels)).filter(|text| !text.is_empty()).collect();
        let rows = rows.into_iter().take(12).collect::<Vec<_>>().join("; ");
        let message = format!("no row is {}; there are: {rows}", wanted());
        reading.fail("tool::no-row", message);
        return reading.close();
    }
    let labels = Arc::new(Labels::reported());
    let mut results: Vec<Measurement> = vec![];
    for one in chosen {
        if results.iter().any(|other| other.metric == one.metric) {
            let message = format!("{} has several values in the rows that are {}", one.metric, wanted());
            reading.fail("tool::several-rows", message);
            return reading.close();
        }
        results.push(Measurement { labels: Arc::clone(&labels), ..one.clone() });
    }
    reading.measurements = results;
    reading
}

/// Labels in one line.
pub(super) fn label_text(labels: &Labels) -> String {
    labels.iter().map(|(label, value)| format!("{label}={value}")).collect::<Vec<_>>().join(" ")
}

/// Whether two labels say the same: case and spaces do not count.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    let plain = |text: &str| text.to_lowercase().split_whitespace().collect::<String>();
    plain(one) == plain(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading() -> Reading {
        let mut reading = Reading::new("x");
        for (direction, value) in [("read", 1.0), ("write", 2.0)] {
            let labels = Arc::new(Labels::from([("direction".to_owned(), direction.to_owned())]));
            reading.measure(&labels, ("iops", value), String::new());
        }
        reading
    }

    fn select(label: &str, value: &str) -> BTreeMap<String, String> {
        BTreeMap::from([(label.to_owned(), value.to_owned())])
    }

    #[test]
    fn one_row_is_the_result() {
        let chosen = choose(reading(), &select("direction", "Write"));
        assert_eq!(chosen.measurements.iter().map(|one| one.value).collect::<Vec<_>>(), [2.0]);
        assert_eq!(choose(reading(), &BTreeMap::new()).measurements.len(), 2);
    }

    #[test]
    fn no_row_and_several_rows_are_no_result() {
        let none = choose(reading(), &select("direction", "trim"));
        assert_eq!((none.status, none.measurements.len()), (Status::Failed, 0));
        assert!(none.reason().contains("direction=read"), "{}", none.reason());
        let mut twice = reading();
        twice.measurements.push(twice.measurements[0].clone());
        assert_eq!(choose(twice, &select("direction", "read")).status, Status::Failed);
    }
}
