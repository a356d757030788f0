//! A workload, who runs it, and how results that somebody else made find their cases.

use super::node::{Node, Value};
use super::shape::{Map, Problems, Shape, Spanned, record, words};
use crate::name::Name;
use crate::store::event::Environment;

words! {
    /// Who runs the jobs.
    pub enum Execution {
        /// Benchpaper.
        Automatic = "automatic",
        /// A person: `plan --runsheet` prints what to do, `import` takes what came out.
        Manual = "manual",
    }
}

record! {
    /// Which case files belong to.
    pub struct ImportRule {
        /// The name of the file, where `{factor}` stands for a level, `{replicate}` for a number and `*` for anything.
        file: Spanned<String>,
        /// Levels that the name does not say.
        levels: Map<Node>,
        /// The replicate, where the name does not say it.
        replicate: Option<u64>,
    }
}

/// A workload: the tool, its settings as they were written, and who runs it.
#[derive(Debug, Clone, PartialEq)]
pub struct Workload {
    /// The name of the tool.
    pub tool: Spanned<Name>,
    /// Who runs it, where that is not said for the whole experiment.
    pub execution: Option<Execution>,
    /// What its numbers are, where that is not said for the whole experiment.
    pub environment: Option<Spanned<Environment>>,
    /// How often each case is measured, where that is not said for the whole design.
    pub replicates: Option<Spanned<u64>>,
    /// What a person does besides what the tool needs.
    pub steps: Vec<String>,
    /// The mapping without these keys.
    pub settings: Node,
}

/// The keys of a workload that are not the tool's.
const OWN_KEYS: &[&str] = &["tool", "execution", "environment", "replicates", "steps"];

/// An optional key of a mapping.
fn optional<T: Shape>(node: &Node, key: &str, problems: &mut Problems) -> Option<Option<T>> {
    node.get(key).map_or(Some(None), |node| T::decode(node, problems).map(Some))
}

impl Shape for Workload {
    fn decode(node: &Node, problems: &mut Problems) -> Option<Self> {
        let Value::Map(entries) = &node.value else {
            problems.expected(node, "the settings of a workload", "Write `{tool: fio, rw: randread, …}`.");
            return None;
        };
        let Some(tool) = node.get("tool") else {
            problems.error("manifest::missing-key", node.span, "the key `tool` is missing", "Add `tool: fio`.");
            return None;
        };
        let tool = Spanned { span: tool.span, value: Name::decode(tool, problems)? };
        let execution = optional(node, "execution", problems);
        let environment = optional(node, "environment", problems);
        let replicates = optional(node, "replicates", problems);
        let steps = optional(node, "steps", problems);
        let is_of_tool = |(key, _): &&(super::node::Key, Node)| !OWN_KEYS.contains(&key.text.as_str());
        let settings = entries.iter().filter(is_of_tool).cloned().collect();
        let settings = Node { span: node.span, value: Value::Map(settings) };
        Some(Self {
            tool,
            execution: execution?,
            environment: environment?,
            replicates: replicates?,
            steps: steps?.unwrap_or_default(),
            settings,
        })
    }

    fn schema() -> serde_json::Value {
        serde_json::json!({
            "type": "object", "required": ["tool"],
            "properties": {
                "tool": {"type": "string", "description": "The measuring program: fio, iperf3, command, or one that a person runs."},
                "execution": Execution::schema(),
                "environment": Environment::schema(),
                "replicates": {"type": "integer", "minimum": 1, "description": "How often each case is measured."},
                "steps": {"type": "array", "items": {"type": "string"}, "description": "What a person does besides."},
            },
        })
    }
}
