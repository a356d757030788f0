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

/// All comparisons of a metric along a factor, in the order of the cases.
pub fn comparisons(
    results: &Results,
    metric: &Metric,
    factor: &str,
    (analysis, better): (Analysis, Option<Better>),
) -> Vec<Comparison> {
    let cases: Vec<(usize, &CaseResults)> =
        results.cases.iter().enumerate().filter(|(_, case)| case.case.noise.is_none()).collect();
    let Some(first) = cases.first().and_then(|(_, case)| case.case.factors.get(factor)) else { return vec![] };
    let mut found = vec![];
    for (number, case) in &cases {
        let Some(level) = case.case.factors.get(factor).filter(|level| *level != first) else { continue };
        let is_partner = |(_, other): &&(usize, &CaseResults)| {
            let has_same_part = other.case.part == case.case.part;
            has_same_part
                && other.case.factors.iter().all(|(name, value)| match name == factor {
                    true => value == first,
                    false => case.case.factors.get(name) == Some(value),
                })
        };
        let Some((baseline_number, baseline)) = cases.iter().find(is_partner) else { continue };
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
            baseline: first.clone(),
            level: level.clone(),
            cases: (*baseline_number, *number),
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
