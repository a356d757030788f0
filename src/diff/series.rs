//! Many revisions in the order of time: suspected changes, each until it is measured again.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Side;
use crate::compare::{decides, hypothesis, weighted};
use crate::measurement::Metric;
use crate::statistics::change::{SIDE_MIN, change_point};

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
    /// p of that split: corrected for looking after each side, and over all series (Benjamini and Hochberg; the metrics of a case
    /// that are one hypothesis weigh one together).
    pub p: Option<f64>,
}

impl Series {
    /// In a sentence.
    pub fn said(&self) -> String {
        let count = self.medians.len();
        match (&self.change, self.ratio, self.p) {
            (Some(side), Some(ratio), Some(p)) => {
                let change = (ratio - 1.0) * 100.0;
                format!(
                    "suspected from {side} on: {change:+.1} %, p (adjusted) {p:.4}; measure both again before it is believed"
                )
            }
            (None, Some(_), Some(p)) => format!("no change is suspected, p (adjusted) {p:.3} over {count} sides"),
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
    let values: Vec<Option<f64>> = changes.iter().map(|change| change.map(|change| change.p_of_looks)).collect();
    let mut numbers: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut groups = vec![];
    for one in found.iter() {
        let next = numbers.len();
        groups.push(*numbers.entry((one.case.clone(), hypothesis(&one.metric).to_owned())).or_insert(next));
    }
    let adjusted = weighted(&values, &groups);
    for ((one, change), p) in found.iter_mut().zip(&changes).zip(adjusted) {
        let (Some(change), Some(p)) = (change, p) else { continue };
        (one.p, one.ratio) = (Some(p), Some(libm::exp(change.difference)));
        one.change = one.sides.get(change.at).filter(|_| decides(p)).cloned();
    }
}
