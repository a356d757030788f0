//! What a design can show: the smallest p it can reach, given how it is analysed and how many comparisons share the
//! family.

use serde::Serialize;

use super::Plan;
use crate::manifest::{Experiment, Order, Sessions};
use crate::statistics::{Analysis, replicates_needed, smallest_p};
use crate::store::event::Environment;
use crate::words::Word;

/// What is compared with what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Comparing {
    /// Within blocks: a replicate of each case.
    #[serde(rename = "blocks")]
    Blocks,
    /// All replicates of an arm with all of another.
    #[serde(rename = "independent arms")]
    IndependentArms,
    /// Sessions, in which a factor that is hard to change keeps its level.
    #[serde(rename = "sessions")]
    Sessions,
}

impl Comparing {
    /// What a paper calls it.
    pub fn word<A>(self) -> Word<A> {
        match self {
            Self::Blocks => Word::ComparingBlocks,
            Self::IndependentArms => Word::ComparingIndependentArms,
            Self::Sessions => Word::ComparingSessions,
        }
    }
}

/// What a design can show.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Power {
    /// The factor whose levels are compared; `None` where nothing is.
    pub treatment: Option<String>,
    /// How arms are compared.
    pub analysis: Comparing,
    /// Replicates an arm, or sessions where these are what is compared.
    pub replicates: u64,
    /// Comparisons in the family: metrics of one case count once.
    pub comparisons: u64,
    /// The smallest p of one comparison.
    pub smallest_p: f64,
    /// The smallest p after Holm's correction of the most extreme comparison.
    pub smallest_p_adjusted: f64,
    /// The fewest replicates with which any comparison could be significant at 0.05.
    pub replicates_needed: u64,
}

impl Power {
    /// Whether any difference could ever be significant.
    pub fn can_show(&self) -> bool {
        self.comparisons == 0 || self.smallest_p_adjusted <= 0.05
    }
}

/// The factor whose levels the paper compares: the first treatment that is one, or `arm`.
pub fn compared_factor(experiment: &Experiment) -> Option<String> {
    // replicates that are the same bytes are one measurement, and its rates are no property of any machine
    if experiment.environment() == Environment::VirtualExact {
        return None;
    }
    let is_compared = |name: &str| experiment.matrix.levels(name).is_some_and(|levels| levels.len() > 1);
    let treatments = experiment.treatment.iter().map(|one| one.value.as_str());
    let arm = if experiment.treatment.is_empty() { None } else { Some("arm") };
    treatments.chain(arm).find(|name| is_compared(name)).map(str::to_owned)
}

/// The sessions of a design, where they are what is compared.
fn compared_sessions(experiment: &Experiment) -> Option<Sessions> {
    let factor = compared_factor(experiment)?;
    Sessions::of(experiment).filter(|sessions| sessions.factor == factor)
}

/// How a design lets arms be compared. What others ran is not known to be in blocks; what is hard to change is compared by
/// sessions, which are independent.
pub fn analysis(experiment: &Experiment) -> Analysis {
    match experiment.design.order {
        _ if compared_sessions(experiment).is_some() => Analysis::IndependentArms,
        Order::Interleaved if !experiment.is_all_manual() => Analysis::Blocks,
        _ => Analysis::IndependentArms,
    }
}

/// What the design of a plan can show.
pub fn power(experiment: &Experiment, plan: &Plan) -> Power {
    let treatment = compared_factor(experiment);
    let comparisons = treatment.as_deref().map_or(0, |factor| comparisons(plan, factor));
    let analysis = analysis(experiment);
    let sessions = compared_sessions(experiment);
    let replicates = sessions.as_ref().map_or(plan.settings.replicates, |sessions| sessions.per_level());
    let smallest = smallest_p(analysis, replicates);
    Power {
        treatment,
        analysis: match analysis {
            Analysis::Blocks => Comparing::Blocks,
            Analysis::IndependentArms if sessions.is_some() => Comparing::Sessions,
            Analysis::IndependentArms => Comparing::IndependentArms,
        },
        replicates,
        comparisons,
        smallest_p: smallest,
        smallest_p_adjusted: (smallest * comparisons.max(1) as f64).min(1.0),
        replicates_needed: replicates_needed(analysis, comparisons),
    }
}

/// Cases that are not the first level of the factor and have a partner that is.
fn comparisons(plan: &Plan, factor: &str) -> u64 {
    let cases: Vec<_> = plan.cases.iter().filter(|case| case.noise.is_none()).collect();
    let first = cases.first().and_then(|case| case.factors.get(factor));
    let is_baseline = |case: &super::Case| case.factors.get(factor) == first;
    let has_baseline = |case: &super::Case| {
        cases.iter().any(|other| {
            is_baseline(other)
                && case.factors.iter().all(|(name, level)| name == factor || other.factors.get(name) == Some(level))
        })
    };
    cases.iter().filter(|case| !is_baseline(case) && has_baseline(case)).count() as u64
}
