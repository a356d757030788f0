//! What differs in what came out: each case that both sides have, each metric, and what may be concluded.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::Side;
use crate::compare::{ALPHA, Family, Found, Rule, Verdict, adjust, decides, hypothesis, shares_differ_p};
use crate::measurement::Metric;
use crate::results::{CaseResults, MetricSamples};
use crate::statistics::{Bounds, Contrast, NoiseFloor, bootstrap};
use crate::store::event::Environment;

/// From which ratio of standard deviations on it is said that the sides scatter unequally.
const SPREAD_MAX: f64 = 3.0;

/// Why two results are one.
pub const SAME_OBJECTS: &str = "the same raw objects";

/// The seed of the bootstrap: the same numbers give the same interval.
const SEED: u64 = 20_180_901;

/// One metric of one case.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// The levels of the case, in one line.
    pub case: String,
    /// The levels alone, for a table whose head names the factors.
    #[serde(skip)]
    pub levels: String,
    /// The same by factor.
    #[serde(skip)]
    pub factors: BTreeMap<String, String>,
    /// The metric.
    pub metric: Metric,
    /// The base unit.
    pub unit: String,
    /// The median of the first side.
    pub a: Option<f64>,
    /// That of the second.
    pub b: Option<f64>,
    /// Units of both sides that were really repeated: jobs, boots or sessions.
    pub n: (usize, usize),
    /// Second by first, with its interval and what it estimates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<Ratio>,
    /// p of no difference.
    pub p: Option<f64>,
    /// The same, adjusted over all rows (Benjamini and Hochberg).
    pub p_adjusted: Option<f64>,
    /// p of a difference beyond the margin, adjusted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p_equivalence: Option<f64>,
    /// p of both sides losing the same share of their attempts.
    #[serde(skip)]
    pub lost_p: f64,
    /// What may be concluded.
    pub verdict: Verdict,
    /// Why, where the verdict does not say it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// Undeclared facts in which the values of one side differ among themselves, and how values came to be where that differs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hidden: Vec<String>,
    /// How many replicates a fresh run would need to decide.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needed: Option<u64>,
}

/// A ratio with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Ratio {
    /// The estimate.
    pub estimate: f64,
    /// The lower bound.
    pub low: Option<f64>,
    /// The upper bound.
    pub high: Option<f64>,
    /// The level that the interval has.
    pub level: Option<f64>,
    /// How it was found.
    pub method: &'static str,
    /// What is estimated.
    pub estimand: &'static str,
    /// The bootstrapped interval of the ratio of medians, from twenty values on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bootstrap: Option<Bounds>,
}

/// What identifies a case on both sides.
type Key<'a> = (&'a BTreeMap<String, String>, Option<&'a str>, usize);

fn keyed<'a>(side: &'a Side, names: &BTreeMap<String, String>) -> BTreeMap<Key<'a>, &'a CaseResults> {
    // a part of the matrix without factors has one case a workload
    let mut workloads: Vec<String> = side
        .results
        .matrix()
        .map(|case| names.get(&case.case.workload).unwrap_or(&case.case.workload).clone())
        .collect();
    workloads.sort();
    workloads.dedup();
    let place = |case: &CaseResults| {
        let name = names.get(&case.case.workload).unwrap_or(&case.case.workload);
        if case.case.factors.is_empty() { workloads.iter().position(|one| one == name).unwrap_or(0) } else { 0 }
    };
    side.results.matrix().map(|case| ((&case.case.factors, case.case.part.as_deref(), place(case)), case)).collect()
}

/// All rows, in the order of the second side's cases, then what only the first has. `renamed` maps old names of workloads to
/// new ones.
pub(super) fn rows(a: &Side, b: &Side, renamed: &BTreeMap<String, String>) -> Vec<Row> {
    let (one, other) = (keyed(a, renamed), keyed(b, &BTreeMap::new()));
    let mut rows: Vec<Row> = vec![];
    let mut found: Vec<OfRow> = vec![];
    for (group, (key, case)) in other.iter().enumerate() {
        let before = one.get(key).copied();
        for samples in case.metrics.iter().filter(|samples| b.is_reported(&samples.metric)) {
            let place = rows.len();
            match before.and_then(|before| Some((before, before.metric(&samples.metric)?))) {
                Some((before, old)) => {
                    let (row, one) = compared((a, b), (before, case), (old, samples));
                    found.extend(one.map(|found| OfRow { row: place, found, case: group }));
                    rows.push(row);
                }
                None => rows.push(alone(b, (case, samples), Verdict::Added)),
            }
        }
        for samples in before.iter().flat_map(|before| &before.metrics) {
            if case.metric(&samples.metric).is_none() && b.is_reported(&samples.metric) {
                rows.push(alone(a, (case, samples), Verdict::Removed));
            }
        }
    }
    for (_, case) in one.iter().filter(|(key, _)| !other.contains_key(*key)) {
        rows.extend(
            case.metrics
                .iter()
                .filter(|samples| a.is_reported(&samples.metric))
                .map(|samples| alone(a, (case, samples), Verdict::Removed)),
        );
    }
    conclude((a, b), &mut rows, found);
    rows
}

/// What was found of a row, and the case that it is of.
struct OfRow {
    row: usize,
    found: Found,
    case: usize,
}

/// Adjusts all that was found as one family, and concludes.
fn conclude((a, b): (&Side, &Side), rows: &mut [Row], mut found: Vec<OfRow>) {
    let mut numbers: BTreeMap<(usize, String), usize> = BTreeMap::new();
    let groups: Vec<usize> = found
        .iter()
        .map(|one| {
            let next = numbers.len();
            *numbers.entry((one.case, hypothesis(&rows[one.row].metric).to_owned())).or_insert(next)
        })
        .collect();
    let cases: BTreeSet<usize> = found.iter().map(|one| one.case).collect();
    let mut of: Vec<&mut Found> = found.iter_mut().map(|one| &mut one.found).collect();
    adjust(Family::Exploratory, &mut of, &groups);
    let mut floors: BTreeMap<Metric, Vec<NoiseFloor>> = BTreeMap::new();
    for OfRow { row, found: one, .. } in &found {
        let row = &mut rows[*row];
        let floors = floors
            .entry(row.metric.clone())
            .or_insert_with(|| [a, b].into_iter().filter_map(|side| side.results.noise(&row.metric)).collect());
        let noise = floors.iter().filter_map(|floor| floor.bound_of(&one.contrast)).reduce(f64::max);
        (row.p, row.p_adjusted, row.p_equivalence) = (one.p, one.p_adjusted, one.p_equivalence);
        // as many cases are looked at as there are: Bonferroni
        if row.verdict == Verdict::Invalid && decides(row.lost_p * cases.len() as f64) {
            continue;
        }
        row.why.clear();
        let rule = Rule::of(&b.experiment, &row.metric);
        row.verdict = one.verdict(rule.better, noise);
        let is_significant = one.p_adjusted.is_some_and(decides);
        if let (Some(old), Some(new), Some(bounds)) = (row.a, row.b, one.interval) {
            let of_medians = new / old;
            if !(bounds.low..=bounds.high).contains(&of_medians) {
                row.why = format!(
                    "the medians have the ratio {of_medians:.3}, outside of the interval: values lie in several heaps, look at them"
                );
            }
        }
        if let Some((by, welch)) = one.contrast.unequal_spread().filter(|(by, _)| *by > SPREAD_MAX) {
            row.why.push_str(if row.why.is_empty() { "" } else { "; " });
            row.why.push_str(&format!(
                "one side scatters {by:.1} times as much, and ranks assume a shift alone: Welch's t on logarithms has p {welch:.4}, unadjusted"
            ));
        }
        if row.verdict == Verdict::Inconclusive {
            row.needed = one.replicates_needed(numbers.len());
            if is_significant && one.is_within(noise) {
                let share = noise.unwrap_or(0.0) * 100.0;
                row.why = format!(
                    "within the noise: A/A pairs of one run leave up to {share:.1} % with as many values (upper 95 % bound), and two runs differ by more"
                );
                row.needed = None;
            }
        }
    }
}

/// A metric of a case that only one side has.
fn alone(side: &Side, (case, samples): (&CaseResults, &MetricSamples), verdict: Verdict) -> Row {
    let median = samples.summary().map(|summary| summary.median);
    let count = samples.units().len();
    let is_new = verdict == Verdict::Added;
    Row {
        case: case.case.label(),
        levels: match case.case.factors.is_empty() {
            true => case.case.workload.clone(),
            false => case.case.factors.values().cloned().collect::<Vec<_>>().join(", "),
        },
        factors: case.case.factors.clone(),
        metric: samples.metric.clone(),
        unit: samples.unit.clone(),
        a: median.filter(|_| !is_new),
        b: median.filter(|_| is_new),
        n: if is_new { (0, count) } else { (count, 0) },
        ratio: None,
        p: None,
        p_adjusted: None,
        p_equivalence: None,
        lost_p: 1.0,
        verdict,
        why: String::new(),
        hidden: side.results.hidden_in(&[samples]),
        needed: None,
    }
}

/// Why two results are never set beside each other; `None` where they may be.
fn refusal(
    (a, b): (&Side, &Side),
    (before, case): (&CaseResults, &CaseResults),
    (old, new): (&MetricSamples, &MetricSamples),
) -> Option<String> {
    let (tool, other) = (&before.case.tool, &case.case.tool);
    if tool != other && a.experiment.name.value != b.experiment.name.value {
        return Some(format!("experiments of two names, measured by {tool} and by {other}: they are not compared"));
    }
    if old.unit != new.unit {
        return Some(format!("the first side is in {}, the second in {}: they are not compared", old.unit, new.unit));
    }
    let kinds = (a.results.environment(old), b.results.environment(new));
    let word = |kind: Option<Environment>| kind.map_or("unknown", |kind| kind.word());
    (kinds.0 != kinds.1).then(|| format!("{} and {} are never set beside each other", word(kinds.0), word(kinds.1)))
}

/// A metric of a case that both have.
fn compared(
    (a, b): (&Side, &Side),
    (before, case): (&CaseResults, &CaseResults),
    (old, new): (&MetricSamples, &MetricSamples),
) -> (Row, Option<Found>) {
    let mut row = Row { a: old.summary().map(|one| one.median), ..alone(b, (case, new), Verdict::Added) };
    row.hidden.extend(a.results.hidden_in(&[old]));
    let origins = |samples: &MetricSamples| samples.samples.iter().map(|sample| sample.origin).collect::<BTreeSet<_>>();
    if origins(old) != origins(new) {
        let word = |samples| origins(samples).into_iter().map(|origin| origin.word()).collect::<Vec<_>>().join(" and ");
        row.hidden.push(format!("how they came to be: {} on the first side, {} on the second", word(old), word(new)));
    }
    row.hidden.sort();
    row.hidden.dedup();
    (row.n, row.verdict) = ((old.units().len(), new.units().len()), Verdict::Inconclusive);
    if let Some(why) = refusal((a, b), (before, case), (old, new)) {
        row.why = why;
        return (row, None);
    }
    let objects = |samples: &MetricSamples| -> Vec<String> {
        samples.samples.iter().map(|sample| format!("{} {}", sample.job, sample.object)).collect()
    };
    if objects(old) == objects(new) {
        row.verdict = Verdict::Equivalent;
        row.why = SAME_OBJECTS.to_owned();
        return (row, None);
    }
    let (one, other) = (old.unit_values(), new.unit_values());
    let margin = Rule::of(&b.experiment, &new.metric).margin;
    let Some(contrast) = Contrast::independent(&one, &other) else {
        row.why = "a value is not above zero: there is no ratio".to_owned();
        return (row, None);
    };
    let found = Found::new(contrast, margin);
    row.ratio = Some(Ratio {
        estimate: found.ratio,
        low: found.interval.map(|bounds| bounds.low),
        high: found.interval.map(|bounds| bounds.high),
        level: found.interval.map(|bounds| bounds.level),
        method: found.contrast.described(),
        estimand: found.contrast.method().estimand(),
        bootstrap: bootstrap::ratio_of_medians(&one, &other, crate::compare::LEVEL, SEED),
    });
    let shares = (a.results.lost(before, &new.metric), b.results.lost(case, &new.metric));
    row.lost_p = shares_differ_p(shares.0, shares.1);
    if row.lost_p <= ALPHA {
        row.verdict = Verdict::Invalid;
        row.why = format!(
            "{} of {} attempts gave no result on the first side, {} of {} on the second",
            shares.0.0, shares.0.1, shares.1.0, shares.1.1
        );
    }
    (row, Some(found))
}
