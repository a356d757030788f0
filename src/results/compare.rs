//! Comparisons within a plan: each level of the compared factor against the first, all other factors equal.
//!
//! Replicates of an interleaved run are blocks, and what is estimated is the geometric mean of the ratios within them;
//! otherwise arms are independent, and it is the ratio of geometric means. A family is all comparisons of one metric; its p values are adjusted by Holm.

use super::{CaseResults, MetricSamples, Results};
use crate::measurement::{Better, Metric};
use crate::statistics::{Analysis, ArmRatio, blocked_ratio, holm, independent_ratio};

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
    pub found: ArmRatio,
    /// Holm's adjusted p of the t test over the family.
    pub p_adjusted: Option<f64>,
    /// Which direction of the metric is better.
    pub better: Option<Better>,
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
pub fn comparisons(
    results: &Results,
    metric: &Metric,
    factor: &str,
    (analysis, better): (Analysis, Option<Better>),
) -> Vec<Comparison> {
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
        let ratio = match analysis {
            // who did not see how replicates were made can not pair them
            Analysis::Blocks if is_known => {
                let (one, other) = in_blocks(one, other);
                blocked_ratio(&one, &other)
            }
            _ => independent_ratio(&one.values(), &other.values()),
        };
        let Some(ratio) = ratio else { continue };
        let context = case.case.factors.iter().filter(|(name, _)| *name != factor);
        found.push(Comparison {
            metric: metric.clone(),
            context: context.map(|(name, level)| format!("{name}={level}")).collect::<Vec<_>>().join(" "),
            baseline: level(baseline),
            level: level(case),
            cases: (baseline_number, number),
            found: ratio,
            p_adjusted: None,
            better,
        });
    }
    let with_p: Vec<usize> = (0..found.len()).filter(|number| found[*number].found.p_t.is_some()).collect();
    let values: Vec<f64> = with_p.iter().filter_map(|number| found[*number].found.p_t).collect();
    for (number, adjusted) in with_p.into_iter().zip(holm(&values)) {
        found[number].p_adjusted = Some(adjusted);
    }
    found
}

/// The values of replicates that both have.
fn in_blocks(one: &MetricSamples, other: &MetricSamples) -> (Vec<f64>, Vec<f64>) {
    let partner = |replicate: u64| other.samples.iter().find(|sample| sample.replicate == replicate);
    one.samples.iter().filter_map(|sample| Some((sample.value, partner(sample.replicate)?.value))).unzip()
}
