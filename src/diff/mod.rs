//! Diff: what changed between two records of an experiment, what that did to its results, and what may be concluded.
//!
//! [`diff`] is pure. Sides come from a folder, a revision, a run, a published version or a PDF; here they are alike.

mod factors;
pub mod isolate;
mod report;
mod rows;
mod series;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::compare::Rule;
use crate::lock::Lock;
use crate::manifest::Experiment;
use crate::manifest::node::{self, Node};
use crate::measurement::Metric;
use crate::plan::{Plan, Resolved};
use crate::results::Results;
use crate::source::Source;

pub use factors::{Factor, Kind, changes_of_analysis};
pub use report::{report, shown_in_a_unit};
pub use rows::{Ratio, Row, SAME_OBJECTS};
pub use series::{Series, series};

/// One of the things that are compared.
#[derive(Debug, Clone)]
pub struct Side {
    /// As it was asked for.
    pub name: String,
    /// The manifest.
    pub manifest: Source,
    /// What it says.
    pub experiment: Experiment,
    /// Its lock.
    pub lock: Lock,
    /// Its plan.
    pub plan: Plan,
    /// What was measured.
    pub results: Results,
}

impl Side {
    /// Of an experiment, and what was measured of its plan.
    pub fn new(name: &str, resolved: Resolved, results: Results) -> Self {
        let manifest = Source::new(&format!("{name}/experiment.yaml"), resolved.source.text());
        let Resolved { experiment, lock, plan, .. } = resolved;
        Self { name: name.to_owned(), manifest, experiment, lock, plan, results }
    }

    /// The manifest as a tree.
    fn tree(&self) -> Option<Node> {
        node::parse(&self.manifest).0
    }

    fn flat(&self) -> factors::Flat {
        let mut flat = factors::Flat::new();
        if let Some(tree) = self.tree() {
            factors::flatten(&tree, "", &mut flat);
        }
        flat
    }

    /// Whether the paper reports a metric.
    fn is_reported(&self, metric: &Metric) -> bool {
        let rules = &self.experiment.metrics;
        rules.is_empty() || rules.get(metric.as_str()).is_some()
    }
}

/// A claim whose verdict differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClaimChange {
    /// Its id.
    pub id: String,
    /// What it says.
    pub text: String,
    /// The verdict on the first side.
    pub a: String,
    /// On the second.
    pub b: String,
}

/// All that differs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Diff {
    /// The first side.
    pub a: String,
    /// The second.
    pub b: String,
    /// What was pinned otherwise.
    pub factors: Vec<Factor>,
    /// Whether more than one cause may be behind a difference of results.
    pub confounded: bool,
    /// What a difference may be due to.
    pub causes: Vec<String>,
    /// What must be known before the two are set beside each other.
    pub caveats: Vec<String>,
    /// What came out.
    pub results: Vec<Row>,
    /// Claims whose verdict differs.
    pub claims: Vec<ClaimChange>,
}

/// Compares two sides; `claims` are the verdicts of claims on both, where they differ.
pub fn diff(a: &Side, b: &Side, claims: Vec<ClaimChange>) -> Diff {
    let factors = factors::factors(a, b);
    let renamed: BTreeMap<String, String> = factors
        .iter()
        .filter(|factor| factor.kind == Kind::Renamed && factor.path.starts_with("workloads."))
        .filter_map(|factor| Some((factor.a.clone()?, factor.b.clone()?)))
        .collect();
    let causes = factors::causes(&factors);
    let results = rows::rows(a, b, &renamed);
    Diff {
        a: a.name.clone(),
        b: b.name.clone(),
        confounded: causes.len() > 1,
        causes,
        caveats: caveats(a, b, &results),
        results,
        factors,
        claims,
    }
}

impl Diff {
    /// Whether anything differs that could matter: a factor, a result, a claim.
    pub fn is_different(&self) -> bool {
        let is_factor = |factor: &Factor| matches!(factor.kind, Kind::Factor | Kind::Design | Kind::Analysis);
        self.factors.iter().any(is_factor)
            || self.results.iter().any(|row| row.verdict.is_difference())
            || !self.claims.is_empty()
    }

    /// What may be said of causes.
    pub fn attribution(&self) -> String {
        let is_compared = |row: &Row| row.a.is_some() && row.b.is_some();
        if !self.results.is_empty() && !self.results.iter().any(is_compared) {
            return "Nothing is compared: no case has results on both sides.".to_owned();
        }
        match self.causes.as_slice() {
            [] => {
                "Nothing that was pinned differs for cases that both have: a difference of results is noise, time, or something nobody recorded."
                    .to_owned()
            }
            [one] => format!(
                "One cause that was pinned differs, {one}: a difference of results may be put down to it, as far as the time between the two runs does nothing."
            ),
            several => format!(
                "Confounded by {}: none of them can be credited alone. {} more run{}, each with one of them changed, would separate them.",
                several.join(", "),
                several.len() - 1,
                if several.len() == 2 { "" } else { "s" }
            ),
        }
    }
}

/// What A/A pairs say that are too few for a noise floor.
fn few_pairs(side: &Side) -> Option<String> {
    let metrics = side.results.metrics();
    let reported = metrics.iter().filter(|metric| side.is_reported(metric));
    let floors: Vec<_> = reported
        .filter_map(|metric| Some((metric, side.results.noise(metric).filter(|floor| floor.bound.is_none())?)))
        .collect();
    let pairs = floors.first()?.1.pairs;
    let apart: Vec<String> =
        floors.iter().map(|(metric, floor)| format!("{metric} {:.1} %", floor.greatest * 100.0)).collect();
    let pairs = if pairs == 1 { "one A/A pair is".to_owned() } else { format!("{pairs} A/A pairs are") };
    Some(format!("{}: {pairs} too few for a noise floor; they lie apart by up to: {}", side.name, apart.join(", ")))
}

/// Where percentiles are of completion latency and means of total latency, time that an engine spends in submission is in the
/// means alone.
fn mixed_latencies(a: &Side, b: &Side, rows: &[Row]) -> Option<String> {
    let metrics: BTreeSet<&Metric> = rows.iter().filter(|row| row.ratio.is_some()).map(|row| &row.metric).collect();
    let places = |part: &str| {
        let samples = [a, b].into_iter().flat_map(|side| side.results.matrix()).flat_map(|case| &case.metrics);
        let mut compared = samples.filter(|samples| metrics.contains(&samples.metric));
        compared.any(|samples| samples.samples.iter().any(|sample| sample.pointer.contains(part)))
    };
    (places("/clat_ns/") && places("/lat_ns/")).then(|| {
        "percentiles are of completion latency, means of total latency: the time that an engine spends in submission is in the means alone".to_owned()
    })
}

/// What must be known before two records are set beside each other.
fn caveats(a: &Side, b: &Side, rows: &[Row]) -> Vec<String> {
    let mut found = vec![];
    let mut differ = |what: &str, one: String, other: String| {
        if one != other {
            found.push(format!("{what}: {one} and {other}"));
        }
    };
    let used = |side: &Side, word: fn(&crate::results::RunRecord) -> String| {
        let words: BTreeSet<String> =
            side.results.used_runs().iter().filter_map(|run| side.results.runs.get(*run)).map(word).collect();
        if words.is_empty() { "none".to_owned() } else { words.into_iter().collect::<Vec<_>>().join(", ") }
    };
    differ("experiments", a.experiment.name.value.to_string(), b.experiment.name.value.to_string());
    differ("profiles", a.results.settings.profile.clone(), b.results.settings.profile.clone());
    differ("measured by", used(a, |run| run.program.clone()), used(b, |run| run.program.clone()));
    differ(
        "environments",
        used(a, |run| run.environment.word().to_owned()),
        used(b, |run| run.environment.word().to_owned()),
    );
    differ("origins", used(a, |run| run.origin.word().to_owned()), used(b, |run| run.origin.word().to_owned()));
    for metric in b.results.metrics().iter().filter(|metric| a.is_reported(metric) || b.is_reported(metric)) {
        let rules = [a, b].map(|side| {
            let rule = Rule::of(&side.experiment, metric);
            (rule.better, rule.margin, side.is_reported(metric))
        });
        if rules[0].2 != rules[1].2 {
            found.push(format!("{metric} is reported by one side only, and is not compared where the second does not"));
        } else if rules[0] != rules[1] {
            found.push(format!("{metric} has another margin or direction on each side: the second's are used"));
        }
    }
    let runs = |side: &Side| used(side, |run| run.run.clone());
    let is_measured_again = rows.iter().any(|row| row.ratio.is_some());
    if is_measured_again && runs(a) != runs(b) && runs(a) != "none" && runs(b) != "none" {
        found.push(
            "measured one after the other, not in turns: what changed with time is in every difference".to_owned(),
        );
    }
    found.extend(mixed_latencies(a, b, rows));
    for side in [a, b] {
        found.extend(few_pairs(side));
        if side.results.missing > 0 {
            found.push(format!("{}: {} jobs have no usable result", side.name, side.results.missing));
        }
        found.extend(side.results.hidden_differences.iter().map(|one| format!("{}, undeclared: {one}", side.name)));
    }
    found
}
