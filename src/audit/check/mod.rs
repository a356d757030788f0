//! Checks: one rule a file, one line in [`CHECKS`].
//!
//! A check names the roles that it needs and compares two intervals in every row where it has them; those that look at a
//! whole table or at the context say so themselves. It never decides what a paper meant.

mod amdahl;
mod anachronism;
mod asymptote;
mod availability;
mod averaged_percentiles;
mod bandwidth;
mod bits;
mod cached;
mod capacity;
mod capacity_slip;
mod cells;
mod compounding;
mod crime;
mod cycles;
mod data_sheet;
mod denominator;
mod depth_scaling;
mod derived;
mod deviation_bound;
mod directions;
mod distance;
mod duplicates;
mod effective_block;
mod extremes;
mod faster_guest;
mod fio_grid;
mod fresh_drive;
mod gain;
mod gain_and_cut;
mod grim;
mod grimmer;
mod hdr_grid;
mod interval_width;
mod iostat_queue;
mod known_products;
mod latency_parts;
mod link;
mod little;
mod markov;
mod mean_bound;
mod mean_gain;
mod mean_median;
mod mean_rate;
mod memory_bandwidth;
mod one_in_flight;
mod order;
mod other_baseline;
mod outcomes;
mod overcommit;
mod overhead;
mod per_unit;
mod percentile_samples;
mod points;
mod pooled_mean;
mod power;
mod precision;
mod preconditioning;
mod queue_filled;
mod rank_test;
mod rate_limit;
mod reduction;
mod replication;
mod rotation;
mod said_twice;
mod saving;
mod scaling;
mod share_of_count;
mod stalls;
mod synchronous;
mod t_and_p;
mod time_budget;
mod time_ladder;
mod timer;
mod times;
mod too_steady;
mod transitivity;
mod two_units;
mod undisclosed_host;
mod unwritten;
mod utilisation;
mod volume;
mod whole;
mod write_penalty;

use crate::exact::Exact;
use crate::interval::Interval;
use crate::printed::Dim;

use super::judge::{chance, shown};
use super::{Finding, Kind, Outcome, Row, Subject};

/// What is known of a check.
#[derive(Debug, Clone, Copy)]
pub struct Card {
    /// Stable: `U1`.
    pub id: &'static str,
    /// What kind of rule it is.
    pub kind: Kind,
    /// In a few words.
    pub title: &'static str,
    /// The roles that a row needs.
    pub needs: &'static [&'static str],
    /// The formula, why it holds, and what usually breaks it.
    pub explain: &'static str,
}

/// How two sides are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// They share a value.
    Equal,
    /// The left one is not above the right one.
    AtMost,
}

/// Two sides that must fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// What the left side is.
    pub what: &'static str,
    /// Its values.
    pub left: Interval,
    /// How they must fit.
    pub relation: Relation,
    /// What the right side is.
    pub against: &'static str,
    /// Its values.
    pub right: Interval,
    /// What both are in.
    pub dim: Dim,
    /// How far above the right side is only worth a question, as a share of it.
    pub slack: Exact,
}

impl Comparison {
    /// Two sides that share a value.
    pub fn equal(what: (&'static str, Interval), against: (&'static str, Interval), dim: Dim) -> Self {
        let ((what, left), (against, right)) = (what, against);
        Self { what, left, relation: Relation::Equal, against, right, dim, slack: Exact::from_integer(0) }
    }

    /// A left side that is not above the right one.
    pub fn at_most(what: (&'static str, Interval), against: (&'static str, Interval), dim: Dim) -> Self {
        Self { relation: Relation::AtMost, ..Self::equal(what, against, dim) }
    }

    /// What lies so many hundredths above the right side is worth a question only.
    #[must_use]
    pub fn with_slack(self, percent: u64) -> Self {
        Self { slack: Exact::from_ratio(percent, 100), ..self }
    }

    fn bound(&self) -> Exact {
        let high = self.right.high();
        high + &(&high.abs() * &self.slack)
    }

    /// What it came to.
    pub fn verdict(&self) -> Outcome {
        match self.relation {
            Relation::Equal if self.left.overlaps(&self.right) => Outcome::Pass,
            Relation::Equal => Outcome::Fail,
            Relation::AtMost if self.left.low() <= self.right.high() => Outcome::Pass,
            Relation::AtMost if *self.left.low() <= self.bound() => Outcome::Warn,
            Relation::AtMost => Outcome::Fail,
        }
    }

    /// How likely a wrong value would have passed.
    pub fn chance(&self) -> f64 {
        let ratio = |above: &Exact, below: &Exact| above.to_float() / below.to_float();
        match self.relation {
            Relation::Equal => {
                chance(ratio(self.right.low(), self.left.high()), ratio(self.right.high(), self.left.low()))
            }
            Relation::AtMost => chance(0.0, ratio(&self.bound(), self.left.low())),
        }
    }

    /// What was compared, in a sentence.
    pub fn words(&self) -> String {
        let (left, right) = shown(&self.left, &self.right, self.dim);
        let relation = match (self.relation, self.verdict()) {
            (Relation::Equal, Outcome::Pass) => "fits",
            (Relation::Equal, _) => "does not fit",
            (Relation::AtMost, Outcome::Pass) => "is within",
            (Relation::AtMost, _) => "is above",
        };
        format!("{} {left} {relation} {} {right}", self.what, self.against)
    }
}

/// A rule.
pub trait Check: Sync {
    /// What is known of it.
    fn card(&self) -> &'static Card;
    /// What is compared in one row; nothing where a role is missing.
    fn compare(&self, _: &Row<'_>) -> Vec<Comparison> {
        vec![]
    }
    /// All findings; a rule that looks at one row has `judge::run` make them.
    fn run(&self, subject: &Subject<'_>) -> Vec<Finding>;
}

/// All checks.
pub const CHECKS: &[&dyn Check] = &[
    &bandwidth::Bandwidth,
    &two_units::TwoUnits,
    &capacity_slip::CapacitySlip,
    &bits::Bits,
    &effective_block::EffectiveBlock,
    &time_ladder::TimeLadder,
    &directions::Directions,
    &volume::Volume,
    &per_unit::PerUnit,
    &latency_parts::LatencyParts,
    &saving::Saving,
    &derived::Derived,
    &capacity::Capacity,
    &iostat_queue::IostatQueue,
    &little::Little,
    &queue_filled::QueueFilled,
    &one_in_flight::OneInFlight,
    &gain_and_cut::GainAndCut,
    &rate_limit::RateLimit,
    &utilisation::Utilisation,
    &synchronous::Synchronous,
    &amdahl::Amdahl,
    &gain::Gain,
    &denominator::Denominator,
    &points::Points,
    &times::Times,
    &compounding::Compounding,
    &reduction::Reduction,
    &overhead::Overhead,
    &transitivity::Transitivity,
    &whole::Whole,
    &cells::Cells,
    &outcomes::Outcomes,
    &time_budget::TimeBudget,
    &grim::Grim,
    &share_of_count::ShareOfCount,
    &percentile_samples::PercentileSamples,
    &rank_test::RankTest,
    &order::Order,
    &markov::Markov,
    &mean_bound::MeanBound,
    &deviation_bound::DeviationBound,
    &mean_median::MeanMedian,
    &interval_width::IntervalWidth,
    &link::Link,
    &data_sheet::DataSheet,
    &write_penalty::WritePenalty,
    &replication::Replication,
    &cached::Cached,
    &faster_guest::FasterGuest,
    &distance::Distance,
    &rotation::Rotation,
    &cycles::Cycles,
    &memory_bandwidth::MemoryBandwidth,
    &overcommit::Overcommit,
    &preconditioning::Preconditioning,
    &power::Power,
    &availability::Availability,
    &depth_scaling::DepthScaling,
    &asymptote::Asymptote,
    &scaling::Scaling,
    &mean_gain::MeanGain,
    &mean_rate::MeanRate,
    &extremes::Extremes,
    &other_baseline::OtherBaseline,
    &grimmer::Grimmer,
    &fio_grid::FioGrid,
    &hdr_grid::HdrGrid,
    &precision::Precision,
    &duplicates::Duplicates,
    &said_twice::SaidTwice,
    &anachronism::Anachronism,
    &t_and_p::TAndP,
    &pooled_mean::PooledMean,
    &averaged_percentiles::AveragedPercentiles,
    &too_steady::TooSteady,
    &stalls::Stalls,
    &unwritten::Unwritten,
    &fresh_drive::FreshDrive,
    &undisclosed_host::UndisclosedHost,
    &timer::Timer,
    &known_products::KnownProducts,
    &crime::ablation::Ablation,
    &crime::baseline::Baseline,
    &crime::cached_test::CachedTest,
    &crime::calibrated::Calibrated,
    &crime::cherry_picked::CherryPicked,
    &crime::clocks::Clocks,
    &crime::confounded::Confounded,
    &crime::degradation::Degradation,
    &crime::durability::Durability,
    &crime::generator_bound::GeneratorBound,
    &crime::graphs::Graphs,
    &crime::harking::Harking,
    &crime::micro_only::MicroOnly,
    &crime::missing_platform::MissingPlatform,
    &crime::multiplicity::Multiplicity,
    &crime::no_ramp::NoRamp,
    &crime::noisy_host::NoisyHost,
    &crime::one_replicate::OneReplicate,
    &crime::only_run_time::OnlyRunTime,
    &crime::order_bias::OrderBias,
    &crime::overhead_claim::OverheadClaim,
    &crime::relative_only::RelativeOnly,
    &crime::saturation::Saturation,
    &crime::sections::Sections,
    &crime::sub_results::SubResults,
    &crime::subset::Subset,
    &crime::tool_errors::ToolErrors,
    &crime::tool_fault::ToolFault,
    &crime::unfair_competitor::UnfairCompetitor,
    &crime::wrong_mean::WrongMean,
];

/// The check with an id.
pub fn find(id: &str) -> Option<&'static dyn Check> {
    CHECKS.iter().copied().find(|check| check.card().id == id)
}

/// Slack that makes any excess a question.
const ANY: u64 = 1_000_000_000;

/// Whether percentiles are known to be of the same times as mean, least and greatest: fio prints those of whole operations,
/// and percentiles of their completion.
fn are_of_operations(row: &Row<'_>) -> bool {
    match (row.word("percentiles_of").as_deref(), row.word("tool")) {
        (Some(of), _) => of == "total",
        (None, Some(tool)) => !tool.to_lowercase().starts_with("fio"),
        (None, None) => false,
    }
}

/// Whether a row is of several guests or clients, whose means are not those of all operations.
fn is_several(row: &Row<'_>) -> bool {
    ["clients", "guests"]
        .iter()
        .any(|role| row.positive(role).is_some_and(|count| *count.low() > Exact::from_integer(1)))
}

/// An exact interval.
fn exactly(value: u64) -> Interval {
    Interval::exactly(Exact::from_integer(i128::from(value)))
}

/// One.
fn one() -> Interval {
    exactly(1)
}
