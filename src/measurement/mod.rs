//! What a tool measured: metrics, their units, and single values with the place they were read from.
//!
//! A value is never bare: it carries its metric, its labels and a pointer into the object it came from. Absent is never
//! zero: a metric that was not measured has no measurement.

mod labels;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::exact::Exact;
use crate::unit::Unit;
use crate::words::Language;

pub use labels::{Labels, Role};

/// A kind of measured number: a well-known one, or one that a manifest declares for a command.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Metric(Cow<'static, str>);

/// Which direction of a metric is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
}

/// What is known of a metric that tools of the field share.
struct WellKnown {
    name: &'static str,
    unit: Unit,
    better: Better,
}

const WELL_KNOWN: &[WellKnown] = &[
    WellKnown { name: "iops", unit: Unit::PER_SECOND, better: Better::Higher },
    WellKnown { name: "bandwidth", unit: Unit::BYTE_PER_SECOND, better: Better::Higher },
    WellKnown { name: "events", unit: Unit::PER_SECOND, better: Better::Higher },
    WellKnown { name: "transactions", unit: Unit::PER_SECOND, better: Better::Higher },
    WellKnown { name: "queries", unit: Unit::PER_SECOND, better: Better::Higher },
    WellKnown { name: "latency_mean", unit: Unit::NANOSECOND, better: Better::Lower },
    WellKnown { name: "latency_p50", unit: Unit::NANOSECOND, better: Better::Lower },
    WellKnown { name: "latency_p75", unit: Unit::NANOSECOND, better: Better::Lower },
    WellKnown { name: "latency_p90", unit: Unit::NANOSECOND, better: Better::Lower },
    WellKnown { name: "latency_p95", unit: Unit::NANOSECOND, better: Better::Lower },
    WellKnown { name: "latency_p99", unit: Unit::NANOSECOND, better: Better::Lower },
    WellKnown { name: "latency_p99.9", unit: Unit::NANOSECOND, better: Better::Lower },
    WellKnown { name: "latency_p99.99", unit: Unit::NANOSECOND, better: Better::Lower },
    WellKnown { name: "latency_min", unit: Unit::NANOSECOND, better: Better::Lower },
    WellKnown { name: "latency_max", unit: Unit::NANOSECOND, better: Better::Lower },
    WellKnown { name: "sync_latency_mean", unit: Unit::NANOSECOND, better: Better::Lower },
    WellKnown { name: "sync_latency_p99", unit: Unit::NANOSECOND, better: Better::Lower },
    WellKnown { name: "sync_latency_max", unit: Unit::NANOSECOND, better: Better::Lower },
    WellKnown { name: "fairness", unit: Unit::ONE, better: Better::Higher },
    WellKnown { name: "start_skew", unit: Unit::NANOSECOND, better: Better::Lower },
    WellKnown { name: "retransmits", unit: Unit::ONE, better: Better::Lower },
    WellKnown { name: "loss", unit: Unit::ONE, better: Better::Lower },
    WellKnown { name: "jitter", unit: Unit::NANOSECOND, better: Better::Lower },
    WellKnown { name: "score", unit: Unit::ONE, better: Better::Higher },
    WellKnown { name: "qos", unit: Unit::PERCENT, better: Better::Higher },
    WellKnown { name: "cpu_usage", unit: Unit::PERCENT, better: Better::Lower },
    WellKnown { name: "cpu_user", unit: Unit::PERCENT, better: Better::Lower },
    WellKnown { name: "cpu_system", unit: Unit::PERCENT, better: Better::Lower },
    WellKnown { name: "cpu_iowait", unit: Unit::PERCENT, better: Better::Lower },
    WellKnown { name: "cpu_steal", unit: Unit::PERCENT, better: Better::Lower },
    WellKnown { name: "cpu_idle", unit: Unit::PERCENT, better: Better::Higher },
    WellKnown { name: "queue_depth", unit: Unit::ONE, better: Better::Lower },
    WellKnown { name: "runtime", unit: Unit::NANOSECOND, better: Better::Lower },
    WellKnown { name: "operations", unit: Unit::ONE, better: Better::Higher },
    WellKnown { name: "bytes", unit: Unit::BYTE, better: Better::Higher },
];

impl Metric {
    /// The metric of this name.
    pub fn new(name: &str) -> Self {
        match WELL_KNOWN.iter().find(|known| known.name == name) {
            Some(known) => Self(Cow::Borrowed(known.name)),
            None => Self(Cow::Owned(name.to_owned())),
        }
    }

    /// The name: `iops`, `latency_p99`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn well_known(&self) -> Option<&'static WellKnown> {
        WELL_KNOWN.iter().find(|known| known.name == self.0)
    }

    /// The base unit, where the metric is well known.
    pub fn unit(&self) -> Option<Unit> {
        self.well_known().map(|known| known.unit)
    }

    /// What it is called in a paper: the language's `metric-NAME`, or else its name with blanks.
    pub fn title(&self, words: &Language) -> String {
        words.named("metric", &self.0).unwrap_or_else(|| self.0.replace('_', " "))
    }

    /// Which direction is better, where the metric is well known.
    pub fn better(&self) -> Option<Better> {
        self.well_known().map(|known| known.better)
    }

    /// The place in the customary order of a paper; unknown metrics come last, by name.
    pub fn rank(&self) -> usize {
        WELL_KNOWN.iter().position(|known| known.name == self.0).unwrap_or(WELL_KNOWN.len())
    }

    /// The names of the well-known metrics.
    pub fn well_known_names() -> impl Iterator<Item = &'static str> {
        WELL_KNOWN.iter().map(|known| known.name)
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

impl Serialize for Metric {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Metric {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::new(&Cow::<str>::deserialize(deserializer)?))
    }
}

/// One number that was read.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Measurement {
    /// What was measured.
    pub metric: Metric,
    /// Of what within the output.
    pub labels: Arc<Labels>,
    /// In base units; finite.
    pub value: f64,
    /// The base unit's symbol.
    pub unit: &'static str,
    /// As it was printed, with the unit it was read in, where it was read from a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub printed: Option<Box<str>>,
    /// Where it stands in the output: a JSON pointer, a CSV cell (`row/column`) or a line; several, joined by a space,
    /// where the value was computed from several places.
    pub pointer: String,
}

/// A value in a base unit.
#[derive(Debug, Clone, PartialEq)]
pub struct Value {
    /// What was measured.
    pub metric: Metric,
    /// The number.
    pub value: f64,
    /// Its base unit.
    pub unit: Unit,
}

/// A value as it was printed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Printed<'a> {
    /// What was measured.
    pub metric: &'a str,
    /// The digits.
    pub text: &'a str,
    /// The unit that they are in.
    pub unit: Unit,
}

/// How an output was judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The measurements may be used.
    Ok,
    /// The tool worked, but what it measured says nothing: too short, too few operations.
    Invalid,
    /// The tool failed, or what it printed can not be read.
    Failed,
}

/// A remark on an output: `{code, severity, message}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Remark {
    /// A stable word.
    pub code: &'static str,
    /// How bad it is.
    pub severity: crate::diagnostic::Severity,
    /// What was found, foreign text made printable.
    pub message: String,
}

/// All that was read from one output.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reading {
    /// The name of the tool.
    pub tool: &'static str,
    /// As the output itself says; empty where it does not.
    pub tool_version: String,
    /// Whether the measurements may be used.
    pub status: Status,
    /// The values, in the order of the output; none where the status is `failed`.
    pub measurements: Vec<Measurement>,
    /// Why the status is what it is, and whatever else a reader should know.
    pub diagnostics: Vec<Remark>,
}

impl Reading {
    /// A reading of a tool with nothing in it yet.
    pub fn new(tool: &'static str) -> Self {
        Self { tool, tool_version: String::new(), status: Status::Ok, measurements: vec![], diagnostics: vec![] }
    }

    /// Adds a value in the base unit of its metric; one that is not finite is none.
    pub fn measure(&mut self, labels: &Arc<Labels>, (metric, value): (&str, f64), pointer: String) {
        let metric = Metric::new(metric);
        let unit = metric.unit().unwrap_or(Unit::ONE);
        self.measure_in(labels, Value { metric, value, unit }, pointer);
    }

    /// Adds a value in a base unit.
    pub fn measure_in(&mut self, labels: &Arc<Labels>, read: Value, pointer: String) {
        let Value { metric, value, unit } = read;
        if value.is_finite() {
            let (labels, unit) = (Arc::clone(labels), unit.symbol());
            self.measurements.push(Measurement { metric, labels, value, unit, printed: None, pointer });
        }
    }

    /// Adds a value as it was printed, and returns it in base units. What is no decimal number is no value.
    pub fn measure_printed(&mut self, labels: &Arc<Labels>, read: Printed<'_>, pointer: String) -> Option<f64> {
        let Printed { metric, text, unit } = read;
        let exact = Exact::parse(text).ok()?;
        // shares are kept in percent, as they are read and printed
        let (numerator, denominator) = if unit == Unit::PERCENT { (1, 1) } else { unit.ratio() };
        let value = (&exact * &Exact::from_ratio(numerator, denominator)).to_float();
        if !value.is_finite() {
            return None;
        }
        let base = Unit::symbols(unit.dimension()).next().unwrap_or("1");
        let printed = Some(format!("{text} {unit}").into_boxed_str());
        let (metric, labels) = (Metric::new(metric), Arc::clone(labels));
        self.measurements.push(Measurement { metric, labels, value, unit: base, printed, pointer });
        Some(value)
    }

    /// What was read so far stays as a remark, not as results, where the status is `failed`.
    pub fn close(mut self) -> Self {
        if self.status == Status::Failed && !self.measurements.is_empty() {
            let count = self.measurements.len();
            self.warn("tool::set-aside", format!("{count} values that could be read are not results"));
            self.measurements.clear();
        }
        self
    }

    /// Warns of a version that is newer than any that was tried.
    pub fn check_version(&mut self, code: &'static str, newest: (u64, u64)) {
        let mut numbers = self.tool_version.split(|one: char| !one.is_ascii_digit()).filter(|part| !part.is_empty());
        let mut next = || numbers.next().and_then(|part| part.parse::<u64>().ok()).unwrap_or(0);
        if (next(), next()) > newest {
            let (major, minor) = newest;
            self.warn(code, format!("newer than the newest version tested, {major}.{minor}"));
        }
    }

    /// The tool failed or can not be read: no measurements remain, the reason does.
    pub fn fail(&mut self, code: &'static str, message: impl Into<String>) {
        self.status = Status::Failed;
        self.remark(code, crate::diagnostic::Severity::Error, message);
    }

    /// What was measured says nothing.
    pub fn invalidate(&mut self, code: &'static str, message: impl Into<String>) {
        self.status = self.status.max(Status::Invalid);
        self.remark(code, crate::diagnostic::Severity::Error, message);
    }

    /// Something to know.
    pub fn warn(&mut self, code: &'static str, message: impl Into<String>) {
        self.remark(code, crate::diagnostic::Severity::Warning, message);
    }

    fn remark(&mut self, code: &'static str, severity: crate::diagnostic::Severity, message: impl Into<String>) {
        let message = crate::diagnostic::printable(&message.into());
        self.diagnostics.push(Remark { code, severity, message });
    }

    /// The result of a metric: the value that stands for the whole output.
    pub fn result(&self, metric: &Metric) -> Option<&Measurement> {
        self.measurements.iter().find(|one| one.labels.is_result() && one.metric == *metric)
    }

    /// The reasons for a status other than ok, in one line.
    pub fn reason(&self) -> String {
        let errors = self.diagnostics.iter().filter(|remark| remark.severity == crate::diagnostic::Severity::Error);
        errors.map(|remark| remark.message.as_str()).collect::<Vec<_>>().join("; ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words;

    #[test]
    fn every_language_has_a_title_for_every_well_known_metric() {
        for language in words::languages() {
            for known in WELL_KNOWN {
                assert!(language.named("metric", known.name).is_some(), "{}: metric-{}", language.code, known.name);
            }
        }
    }
}
