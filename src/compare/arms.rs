//! Comparisons within a plan: each level of the compared factor against the first, all other factors equal.
//!
//! Replicates of an interleaved run are blocks; otherwise arms are independent. A family is all comparisons of one metric.

use super::verdict::{Family, Found, Verdict, adjust, decides, shares_differ_p};
use crate::manifest::Experiment;
use crate::measurement::{Better, Metric};
use crate::plan;
use crate::results::{CaseResults, MetricSamples, Results};
use crate::statistics::{Analysis, Contrast, median_of};

/// One level against the first.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The metric.
    pub metric: Metric,
    /// The other factors, in one line; empty where there are none.
    pub context: String,
    /// The first level.
    pub baseline: String,
    /// The level that is compared with it.
    pub level: String,
    /// The two cases, by their places in the results.
    pub cases: (usize, usize),
    /// What was found.
    pub found: Found,
    /// What may be concluded.
    pub verdict: Verdict,
    /// Which direction of the metric is better.
    pub better: Option<Better>,
}

/// How a metric is compared.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// How replicates were made.
    pub analysis: Analysis,
    /// Which direction is better.
    pub better: Option<Better>,
    /// The share below which a difference does not matter.
    pub margin: Option<f64>,
}

impl Rule {
    /// What a manifest says of a metric.
    pub fn of(experiment: &Experiment, metric: &Metric) -> Self {
        let rule = experiment.metrics.get(metric.as_str());
        let better = rule.and_then(|rule| rule.better).or_else(|| metric.better());
        let margin = rule.and_then(|rule| rule.margin.as_ref()).map(|margin| margin.fraction());
        Self { analysis: plan::analysis(experiment), better, margin }
    }
}

/// What a case is compared with along a factor: the case with the first level, all else equal. None where it is that case
/// itself, or there is none.
pub fn partner(results: &Results, factor: &str, number: usize) -> Option<usize> {
    let mut cases = results.cases.iter().enumerate().filter(|(_, case)| case.case.noise.is_none());
    let first = cases.clone().next()?.1.case.factors.get(factor)?;
    let case = &results.cases.get(number)?.case;
    if case.noise.is_some() || case.factors.get(factor).is_none_or(|level| level == first) {
        return None;
    }
    let is_partner = |(_, other): &(usize, &CaseResults)| {
        let is_same_but = |(name, value): (&String, &String)| match name == factor {
            true => value == first,
            false => case.factors.get(name) == Some(value),
        };
        other.case.part == case.part && other.case.factors.iter().all(is_same_but)
    };
    cases.find(is_partner).map(|(number, _)| number)
}

/// All comparisons of a metric along a factor, in the order of the cases.
pub fn comparisons(results: &Results, metric: &Metric, factor: &str, rule: Rule) -> Vec<Comparison> {
    let mut found = vec![];
    for (number, case) in results.cases.iter().enumerate() {
        let Some(baseline_number) = partner(results, factor, number) else { continue };
        let baseline = &results.cases[baseline_number];
        let level = |case: &CaseResults| case.case.factors.get(factor).cloned().unwrap_or_default();
        let (Some(one), Some(other)) = (baseline.metric(metric), case.metric(metric)) else { continue };
        // numbers of an emulated machine and of hardware are never set beside each other
        if results.environment(one) != results.environment(other) {
            continue;
        }
        let is_known = one.is_measured() && other.is_measured();
        let contrast = match rule.analysis {
            // who did not see how replicates were made can not pair them
            Analysis::Blocks if is_known => {
                let (one, other) = in_blocks(one, other);
                Contrast::blocks(&one, &other)
            }
            _ => Contrast::independent(&one.unit_values(), &other.unit_values()),
        };
        let Some(contrast) = contrast else { continue };
        let context = case.case.factors.iter().filter(|(name, _)| *name != factor);
        found.push(Comparison {
            metric: metric.clone(),
            context: context.map(|(name, level)| format!("{name}={level}")).collect::<Vec<_>>().join(" "),
            baseline: level(baseline),
            level: level(case),
            cases: (baseline_number, number),
            found: Found::new(contrast, rule.margin),
            verdict: Verdict::Inconclusive,
            better: rule.better,
        });
    }
    let groups: Vec<usize> = (0..found.len()).collect();
    let mut of: Vec<&mut Found> = found.iter_mut().map(|one| &mut one.found).collect();
    adjust(Family::Declared, &mut of, &groups);
    let (floor, count) = (results.noise(metric), found.len());
    for one in &mut found {
        let noise = floor.and_then(|floor| floor.bound_of(&one.found.contrast));
        one.verdict = one.found.verdict(rule.better, noise);
        let lost = lost_p(results, one);
        if decides(lost * count as f64) {
            one.verdict = Verdict::Invalid;
        }
    }
    found
}

/// p of both cases losing the same share of their attempts.
fn lost_p(results: &Results, one: &Comparison) -> f64 {
    let lost = |case: usize| results.lost(&results.cases[case], &one.metric);
    shares_differ_p(lost(one.cases.0), lost(one.cases.1))
}

/// Replicates that are one block: the values of both arms, and the units of the one and of the other that they share.
#[derive(Default)]
struct Block<'a> {
    values: (Vec<f64>, Vec<f64>),
    units: (Vec<&'a str>, Vec<&'a str>),
}

/// The values of replicates that both have, block by block. A boot that holds both arms cancels in their ratio; where one
/// boot holds several replicates of one arm only, these are one block.
fn in_blocks(one: &MetricSamples, other: &MetricSamples) -> (Vec<f64>, Vec<f64>) {
    let partner = |replicate: u64| other.samples.iter().find(|sample| sample.replicate == replicate);
    let pairs = one.samples.iter().filter_map(|sample| Some((sample, partner(sample.replicate)?)));
    let mut blocks: Vec<Block<'_>> = vec![];
    for (sample, partner) in pairs {
        let (unit, other) = (sample.unit.as_deref(), partner.unit.as_deref());
        let mut block = Block { values: (vec![sample.value], vec![partner.value]), ..Block::default() };
        if unit == other {
            blocks.push(block);
            continue;
        }
        (block.units.0, block.units.1) = (unit.into_iter().collect(), other.into_iter().collect());
        let meets = |known: &Block<'_>| {
            known.units.0.iter().any(|unit| block.units.0.contains(unit))
                || known.units.1.iter().any(|unit| block.units.1.contains(unit))
        };
        let (met, rest): (Vec<Block<'_>>, Vec<Block<'_>>) = blocks.into_iter().partition(meets);
        blocks = rest;
        for known in met {
            block.values.0.extend(known.values.0);
            block.values.1.extend(known.values.1);
            block.units.0.extend(known.units.0);
            block.units.1.extend(known.units.1);
        }
        blocks.push(block);
    }
    blocks.into_iter().map(|block| (median_of(block.values.0), median_of(block.values.1))).unzip()
}

/// What a metric is a hypothesis of: at a fixed block size and depth IOPS, bandwidth and mean latency are one.
pub fn hypothesis(metric: &Metric) -> &str {
    match metric.as_str() {
        "iops" | "bandwidth" | "latency_mean" | "operations" | "bytes" => "rate",
        other => other,
    }
}
