//! What may be concluded of a comparison, in this order: invalid, equivalent, improved or regressed, inconclusive.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF as _, Normal};

use crate::measurement::Better;
use crate::statistics::{Analysis, Bounds, Contrast, Method, replicates_needed};

/// The level that intervals aim at.
pub const LEVEL: f64 = 0.95;
/// Below which an adjusted p decides.
pub const ALPHA: f64 = 0.05;

/// Whether an adjusted p decides; rounding at the boundary does not.
pub fn decides(p: f64) -> bool {
    p <= ALPHA + 1e-12
}

/// What may be concluded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The arms lost results unequally: what is left can not be compared.
    Invalid,
    /// The difference is less than the margin, whatever its p.
    Equivalent,
    /// It differs to the better.
    Improved,
    /// It differs to the worse.
    Regressed,
    /// It differs, and nobody said which direction is better.
    Changed,
    /// Neither.
    Inconclusive,
    /// Only the second side has it.
    Added,
    /// Only the first side has it.
    Removed,
}

impl Verdict {
    /// The word as printed.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Invalid => "invalid",
            Self::Equivalent => "equivalent",
            Self::Improved => "improved",
            Self::Regressed => "regressed",
            Self::Changed => "changed",
            Self::Inconclusive => "inconclusive",
            Self::Added => "added",
            Self::Removed => "removed",
        }
    }

    /// A sign beside the word, for those who scan a column.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Improved => "▲",
            Self::Regressed => "▼",
            Self::Changed => "◆",
            Self::Equivalent => "=",
            Self::Inconclusive => "?",
            Self::Invalid => "!",
            Self::Added => "+",
            Self::Removed => "−",
        }
    }

    /// Whether nothing may be concluded of two values.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Inconclusive | Self::Invalid)
    }

    /// Whether something differs.
    pub const fn is_difference(self) -> bool {
        !matches!(self, Self::Equivalent | Self::Inconclusive)
    }
}

/// What was found of one comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The two arms.
    pub contrast: Contrast,
    /// Second by first.
    pub ratio: f64,
    /// Its interval; where [`LEVEL`] does not exist, the widest.
    pub interval: Option<Bounds>,
    /// Two-sided p of no difference.
    pub p: Option<f64>,
    /// The same by ranks.
    pub p_rank: Option<f64>,
    /// The same, adjusted for the family.
    pub p_adjusted: Option<f64>,
    /// p of a difference beyond the margin, adjusted; where there is a margin.
    pub p_equivalence: Option<f64>,
    /// The share below which a difference does not matter.
    pub margin: Option<f64>,
}

impl Found {
    /// Of two arms.
    pub fn new(contrast: Contrast, margin: Option<f64>) -> Self {
        Self {
            ratio: contrast.ratio(),
            interval: contrast.interval_or_widest(LEVEL),
            p: contrast.p(1.0),
            p_rank: contrast.p_rank(),
            p_adjusted: None,
            p_equivalence: None,
            margin,
            contrast,
        }
    }

    /// The verdict; `noise` is the share by which the same thing may differ from itself where it is compared
    /// like this ([`crate::statistics::NoiseFloor::bound_of`]).
    pub fn verdict(&self, better: Option<Better>, noise: Option<f64>) -> Verdict {
        if self.p_equivalence.is_some_and(decides) {
            return Verdict::Equivalent;
        }
        // without a direction nothing is better or worse, whatever p of ties
        let has_direction = libm::log(self.ratio).abs() > 1e-12;
        if !has_direction || !self.p_adjusted.is_some_and(decides) || self.is_within(noise) {
            return Verdict::Inconclusive;
        }
        match better {
            None => Verdict::Changed,
            Some(Better::Higher) if self.ratio > 1.0 => Verdict::Improved,
            Some(Better::Lower) if self.ratio < 1.0 => Verdict::Improved,
            Some(_) => Verdict::Regressed,
        }
    }

    /// Whether the difference is one that noise makes.
    pub fn is_within(&self, noise: Option<f64>) -> bool {
        noise.is_some_and(|noise| libm::log(self.ratio).abs() <= libm::log1p(noise))
    }

    /// How many replicates a fresh run would need to decide with a chance of 80 %, where changes are as large as they were seen:
    /// that there is a difference, or, with a margin that is not exceeded, that there is none. `family` is how many comparisons
    /// are made (normal approximation; Chow, Shao and Wang, Sample Size Calculations in Clinical Research, 2nd ed., section 3.2;
    /// rank tests have 3 ÷ π of the efficiency of t).
    pub fn replicates_needed(&self, family: usize) -> Option<u64> {
        const NEEDED_MAX: f64 = 10_000.0;
        let quantile = |share: f64| Normal::standard().inverse_cdf(share);
        let (spread, method) = (self.contrast.spread()?, self.contrast.method());
        let seen = libm::log(self.ratio).abs();
        let (of_arms, of_ranks) = match method {
            Method::MannWhitney => (2.0, std::f64::consts::FRAC_PI_3),
            Method::SignedRank => (1.0, std::f64::consts::FRAC_PI_3),
            Method::BlockT => (1.0, 1.0),
        };
        let needed = |quantiles: f64, wanted: f64| {
            let by = quantiles * spread / wanted.max(1e-9);
            of_arms * of_ranks * by * by
        };
        let share = ALPHA / family.max(1) as f64;
        let of_difference = needed(quantile(1.0 - share / 2.0) + quantile(0.8), seen);
        let of_equivalence = self.margin.map(libm::log1p).filter(|margin| *margin > seen).map(|margin| {
            let power = if seen < 0.1 * margin { quantile(0.9) } else { quantile(0.8) };
            needed(quantile(1.0 - share) + power, margin - seen)
        });
        let needed = of_equivalence.map_or(of_difference, |other| other.min(of_difference));
        let analysis = if method == Method::MannWhitney { Analysis::IndependentArms } else { Analysis::Blocks };
        let least = if method == Method::BlockT { 2 } else { replicates_needed(analysis, family as u64) };
        (needed < NEEDED_MAX).then(|| (libm::ceil(needed) as u64 + 1).max(least))
    }
}

/// How many comparisons share an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// They were declared beforehand: Holm, equivalence tests included.
    Declared,
    /// They were looked for: Benjamini and Hochberg.
    Exploratory,
}

/// Adjusts the p values of a family; rows of one group are one hypothesis and count once.
///
/// Declared: Holm's procedure over differences and equivalences together, with the factors of Shaffer (Journal of the American
/// Statistical Association 81 (1986) 826): no ratio is both one and beyond the margin, so of the two hypotheses of a
/// comparison at most one is true. Exploratory: differences and equivalences apart, by Benjamini and Hochberg's procedure with
/// weights (Scandinavian Journal of Statistics 24 (1997) 407), each row weighing one by the number of rows of its group.
pub fn adjust(family: Family, found: &mut [&mut Found], groups: &[usize]) {
    let equivalence = |found: &Found| found.margin.and_then(|margin| found.contrast.p_of_difference(margin));
    let differences: Vec<Option<f64>> = found.iter().map(|one| one.p).collect();
    let equivalences: Vec<Option<f64>> = found.iter().map(|one| equivalence(one)).collect();
    let (differing, equal) = match family {
        Family::Declared => {
            let all = shaffer(&[differences, equivalences].concat(), &[groups, groups].concat());
            let (one, other) = all.split_at(groups.len());
            (one.to_vec(), other.to_vec())
        }
        Family::Exploratory => (weighted(&differences, groups), weighted(&equivalences, groups)),
    };
    for ((one, differing), equal) in found.iter_mut().zip(differing).zip(equal) {
        (one.p_adjusted, one.p_equivalence) = (differing, equal);
    }
}

/// The places of the values that there are, by ascending value.
fn ascending(values: &[Option<f64>]) -> Vec<(usize, f64)> {
    let mut known: Vec<(usize, f64)> =
        values.iter().enumerate().filter_map(|(place, value)| Some((place, (*value)?))).collect();
    known.sort_by(|one, other| one.1.total_cmp(&other.1));
    known
}

/// Holm's adjusted values, where the factor of each step is the number of groups with a hypothesis that is not rejected yet.
fn shaffer(values: &[Option<f64>], groups: &[usize]) -> Vec<Option<f64>> {
    let known = ascending(values);
    let mut left: BTreeMap<usize, usize> = BTreeMap::new();
    for (place, _) in &known {
        *left.entry(groups[*place]).or_default() += 1;
    }
    let (mut adjusted, mut floor) = (vec![None; values.len()], 0.0_f64);
    for (place, value) in known {
        floor = floor.max((value * left.len() as f64).min(1.0));
        adjusted[place] = Some(floor);
        match left.get_mut(&groups[place]) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(left.remove(&groups[place])),
        }
    }
    adjusted
}

/// Benjamini and Hochberg's adjusted values, where the rows of a group weigh one together.
pub(crate) fn weighted(values: &[Option<f64>], groups: &[usize]) -> Vec<Option<f64>> {
    let known = ascending(values);
    let mut sizes: BTreeMap<usize, f64> = BTreeMap::new();
    for (place, _) in &known {
        *sizes.entry(groups[*place]).or_default() += 1.0;
    }
    let all = sizes.len() as f64;
    let (mut adjusted, mut least, mut weight) = (vec![None; values.len()], 1.0_f64, all);
    for (place, value) in known.into_iter().rev() {
        least = least.min(value * all / weight);
        adjusted[place] = Some(least);
        weight -= 1.0 / sizes[&groups[place]];
    }
    adjusted
}

/// Two-sided p of Fisher's exact test of whether `lost` of `tried` is the same share in both arms.
pub fn shares_differ_p(one: (u64, u64), other: (u64, u64)) -> f64 {
    let log = |n: u64| libm::lgamma(n as f64 + 1.0);
    let choose = |n: u64, k: u64| log(n) - log(k) - log(n - k);
    let (lost, tried) = (one.0 + other.0, one.1 + other.1);
    let least = lost.saturating_sub(other.1);
    let most = lost.min(one.1);
    let chance = |k: u64| libm::exp(choose(one.1, k) + choose(other.1, lost - k) - choose(tried, lost));
    let seen = chance(one.0.clamp(least, most));
    (least..=most).map(chance).filter(|chance| *chance <= seen * (1.0 + 1e-9)).sum::<f64>().min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_compared_as_fisher_does() {
        // R 4.2.2: fisher.test(matrix(c(7, 13, 1, 19), 2))$p.value, and of c(3, 5, 0, 8)
        assert!((shares_differ_p((7, 20), (1, 20)) - 0.043_596_043_596_043_56).abs() < 1e-12);
        assert!((shares_differ_p((3, 8), (0, 8)) - 0.2).abs() < 1e-12);
    }

    const OLD: [f64; 8] = [100.0, 103.0, 98.0, 101.0, 99.0, 102.0, 97.0, 100.0];

    fn decided(factor: f64, margin: Option<f64>, noise: Option<f64>) -> Verdict {
        let new: Vec<f64> = OLD.iter().rev().map(|value| value * factor).collect();
        let mut found = Found::new(Contrast::independent(&OLD, &new).unwrap(), margin);
        adjust(Family::Declared, &mut [&mut found], &[0]);
        found.verdict(Some(Better::Higher), noise)
    }

    #[test]
    fn verdicts_come_in_their_order() {
        assert_eq!(decided(1.2, Some(0.03), None), Verdict::Improved);
        assert_eq!(decided(0.8, Some(0.03), None), Verdict::Regressed);
        assert_eq!(decided(1.0, Some(0.05), None), Verdict::Equivalent);
        assert_eq!(decided(1.001, None, None), Verdict::Inconclusive);
        assert_eq!(decided(1.2, Some(0.5), None), Verdict::Equivalent, "though its p is small");
        assert_eq!(decided(1.2, None, Some(0.25)), Verdict::Inconclusive, "noise makes as much");
    }

    #[test]
    fn metrics_of_one_hypothesis_count_once() {
        let new: Vec<f64> = OLD.iter().map(|value| value * 1.05).collect();
        let one = || Found::new(Contrast::independent(&OLD, &new).unwrap(), None);
        let adjusted = |groups: &[usize]| {
            let mut all: Vec<Found> = groups.iter().map(|_| one()).collect();
            let mut of: Vec<&mut Found> = all.iter_mut().collect();
            adjust(Family::Declared, &mut of, groups);
            all[0].p_adjusted.unwrap()
        };
        assert_eq!(adjusted(&[0, 0, 0]), one().p.unwrap());
        assert!(adjusted(&[0, 1, 2]) > 2.9 * one().p.unwrap());
    }

    #[test]
    fn without_a_direction_nothing_is_better_or_worse() {
        let (one, mut other) = ([1.0; 20], vec![1.0; 14]);
        other.extend([2.0; 6]);
        let mut found = Found::new(Contrast::independent(&one, &other).unwrap(), None);
        adjust(Family::Declared, &mut [&mut found], &[0]);
        assert!(found.p_adjusted.unwrap() < 0.05 && found.ratio == 1.0, "{found:?}");
        assert_eq!(found.verdict(Some(Better::Lower), None), Verdict::Inconclusive);
    }

    #[test]
    fn as_many_replicates_are_needed_as_the_family_asks_for() {
        // R 4.2.2: power.t.test(delta = 0.05, sd = 0.05, power = 0.8, sig.level = 0.05 / k) times π ÷ 3: 18, 34, 43
        let arm = |center: f64| {
            (0..12).map(|at| 100.0 * libm::exp(center + 0.05 * (f64::from(at) - 5.5) / 3.606)).collect::<Vec<f64>>()
        };
        let found = Found::new(Contrast::independent(&arm(0.0), &arm(0.05)).unwrap(), None);
        for (family, wanted) in [(1, 18), (20, 34), (100, 43)] {
            let needed = found.replicates_needed(family).unwrap();
            assert!(needed.abs_diff(wanted) <= 3, "{family}: {needed}");
        }
    }

    #[test]
    fn no_ratio_is_both_one_and_beyond_the_margin() {
        // a margin costs nothing: as many hypotheses are true at most as there are comparisons
        let values = [Some(0.01), Some(0.02), Some(0.9), Some(0.8)];
        assert_eq!(shaffer(&values, &[0, 1, 0, 1]), [Some(0.02), Some(0.04), Some(1.0), Some(1.0)]);
        let all = [Some(0.01), Some(0.02), None, Some(0.03)];
        assert_eq!(shaffer(&all, &[0, 1, 0, 1]), [Some(0.02), Some(0.02), None, Some(0.03)]);
    }

    #[test]
    fn rows_that_were_looked_for_keep_their_own_p() {
        // R 4.2.2: p.adjust(c(0.01, 0.04, 0.03, 0.03, 0.5), "BH") where every row is a hypothesis
        let values = [0.01, 0.04, 0.03, 0.03, 0.5].map(Some);
        let wanted = [0.05, 0.05, 0.05, 0.05, 0.5];
        let close = |(one, other): (&Option<f64>, &f64)| (one.unwrap() - other).abs() < 1e-12;
        assert!(weighted(&values, &[0, 1, 2, 3, 4]).iter().zip(&wanted).all(close));
        // three rows of each hypothesis change nothing
        let thrice: Vec<Option<f64>> = values.iter().flat_map(|value| [*value; 3]).collect();
        let groups: Vec<usize> = (0..5).flat_map(|group| [group; 3]).collect();
        let found = weighted(&thrice, &groups);
        assert!((found[0].unwrap() - 0.05).abs() < 1e-12 && (found[14].unwrap() - 0.5).abs() < 1e-12, "{found:?}");
        // where one row of a group moves, another is not carried along
        let moved = [Some(0.0001), Some(0.0499), Some(0.7), Some(0.6)];
        assert!(weighted(&moved, &[0, 0, 1, 2])[1].unwrap() > 0.05);
    }

    #[test]
    fn lost_results_are_compared_exactly() {
        // scipy 1.17.1: fisher_exact([[0, 8], [5, 3]]).pvalue = 0.025641025641025647
        assert!((shares_differ_p((0, 8), (5, 8)) - 0.025_641_025_641_025_6).abs() < 1e-12);
        assert!((shares_differ_p((1, 8), (1, 8)) - 1.0).abs() < 1e-12);
        assert_eq!(shares_differ_p((0, 8), (0, 8)), 1.0);
    }
}
