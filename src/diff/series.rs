//! Many revisions in the order of time: suspected changes, each until it is measured again.

use serde::Serialize;

use super::Side;
use crate::compare::ALPHA;
use crate::measurement::Metric;
use crate::statistics::change::{SIDE_MIN, change_point};
use crate::statistics::holm;

/// The seed of the permutations.
const SEED: u64 = 20_190_513;

/// One metric of one case over all sides.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Series {
    /// The case.
    pub case: String,
    /// The metric.
    pub metric: Metric,
    /// The base unit.
    pub unit: String,
    /// The sides that have it, by name.
    pub sides: Vec<String>,
    /// Their medians.
    pub medians: Vec<f64>,
    /// The side from which on it differs, where a change is suspected.
    pub change: Option<String>,
    /// After by before, at the split that differs most.
    pub ratio: Option<f64>,
    /// p of that split: corrected for looking after each side, and for the number of series (Holm).
    pub p: Option<f64>,
}

impl Series {
    /// In a sentence.
    pub fn said(&self) -> String {
        let count = self.medians.len();
        match (&self.change, self.ratio, self.p) {
            (Some(side), Some(ratio), Some(p)) => {
                let change = (ratio - 1.0) * 100.0;
                format!("suspected from {side} on: {change:+.1} %, p {p:.4}; measure both again before it is believed")
            }
            (None, Some(_), Some(p)) => format!("no change is suspected, p {p:.3} over {count} sides"),
            _ if count >= 2 * SIDE_MIN => format!("the same on {count} sides"),
            _ => format!("{count} sides, {} are needed", 2 * SIDE_MIN),
        }
    }
}

/// All series, with the changes that are suspected.
pub fn series(sides: &[&Side]) -> Vec<Series> {
    let mut found: Vec<Series> = vec![];
    for side in sides {
        for case in side.results.matrix() {
            for samples in case.metrics.iter().filter(|samples| side.is_reported(&samples.metric)) {
                let Some(median) = samples.summary().map(|summary| summary.median).filter(|median| *median > 0.0)
                else {
                    continue;
                };
                let label = case.case.label();
                let is_it =
                    |one: &&mut Series| one.case == label && one.metric == samples.metric && one.unit == samples.unit;
                let place = match found.iter_mut().find(is_it) {
                    Some(known) => known,
                    None => {
                        found.push(Series {
                            case: label,
                            metric: samples.metric.clone(),
                            unit: samples.unit.clone(),
                            sides: vec![],
                            medians: vec![],
                            change: None,
                            ratio: None,
                            p: None,
                        });
                        let last = found.len() - 1;
                        &mut found[last]
                    }
                };
                place.sides.push(side.name.clone());
                place.medians.push(median);
            }
        }
    }
    suspect(&mut found);
    found
}

fn suspect(found: &mut [Series]) {
    let logs = |one: &Series| one.medians.iter().map(|median| libm::log(*median)).collect::<Vec<f64>>();
    let changes: Vec<_> = found.iter().map(|one| change_point(&logs(one), SEED)).collect();
    let values: Vec<f64> = changes.iter().flatten().map(|change| change.p_of_looks).collect();
    let mut adjusted = holm(&values).into_iter();
    for (one, change) in found.iter_mut().zip(&changes) {
        let Some(change) = change else { continue };
        let p = adjusted.next().unwrap_or(1.0);
        (one.p, one.ratio) = (Some(p), Some(libm::exp(change.difference)));
        one.change = one.sides.get(change.at).filter(|_| p <= ALPHA).cloned();
    }
}
