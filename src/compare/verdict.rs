//! What may be concluded of a comparison, in this order: invalid, equivalent, improved or regressed, inconclusive.

use serde::{Deserialize, Serialize};

use crate::measurement::Better;
use crate::statistics::{Analysis, Bounds, Contrast, Method, benjamini_hochberg, holm, replicates_needed};

/// The level that intervals aim at.
pub const LEVEL: f64 = 0.95;
/// Below which an adjusted p decides.
pub const ALPHA: f64 = 0.05;

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

    /// The verdict; `noise` is the share that two measurements of the same thing differ by.
    pub fn verdict(&self, better: Option<Better>, noise: Option<f64>) -> Verdict {
        if self.p_equivalence.is_some_and(|p| p <= ALPHA) {
            return Verdict::Equivalent;
        }
        if !self.p_adjusted.is_some_and(|p| p <= ALPHA) || self.is_within(noise) {
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

    /// How many replicates a fresh run would need to decide, where one is to be expected: to see this difference with a
    /// chance of 80 %, or, with a margin that is not exceeded, that it is none. `family` is how many comparisons are made.
    pub fn replicates_needed(&self, family: usize) -> Option<u64> {
        const QUANTILES: f64 = 1.959_964 + 0.841_621;
        const NEEDED_MAX: f64 = 10_000.0;
        let spread = self.contrast.spread()?;
        let seen = libm::log(self.ratio).abs();
        let wanted = match self.margin.map(libm::log1p) {
            Some(margin) => seen.max(margin - seen),
            None => seen,
        };
        let per_arm = if self.contrast.method() == Method::MannWhitney { 2.0 } else { 1.0 };
        let needed = per_arm * (QUANTILES * spread / wanted.max(1e-9)) * (QUANTILES * spread / wanted.max(1e-9));
        let analysis = match self.contrast.method() {
            Method::MannWhitney => Analysis::IndependentArms,
            Method::BlockT | Method::SignedRank => Analysis::Blocks,
        };
        let least = replicates_needed(analysis, family as u64);
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

/// A p and what it became.
type Adjusted = (f64, f64);

/// Adjusts the p values of a family. Rows of one group are one hypothesis and count once: the first of them stands for it.
pub fn adjust(family: Family, found: &mut [&mut Found], groups: &[usize]) {
    let of = |values: &[f64]| match family {
        Family::Declared => holm(values),
        Family::Exploratory => benjamini_hochberg(values),
    };
    let mut stands: std::collections::BTreeMap<usize, usize> = Default::default();
    for (at, group) in groups.iter().enumerate() {
        if found[at].p.is_some() {
            stands.entry(*group).or_insert(at);
        }
    }
    let chosen: Vec<usize> = stands.values().copied().collect();
    let differences = chosen.iter().filter_map(|at| found[*at].p);
    let equivalence = |found: &Found| found.margin.and_then(|margin| found.contrast.p_of_difference(margin));
    let equivalences: Vec<Option<f64>> = chosen.iter().map(|at| equivalence(found[*at])).collect();
    let values: Vec<f64> = differences.chain(equivalences.iter().flatten().copied()).collect();
    let adjusted = of(&values);
    let mut of_equivalence = adjusted[chosen.len()..].iter();
    let mut known: std::collections::BTreeMap<usize, (Adjusted, Option<Adjusted>)> = Default::default();
    for (place, at) in chosen.iter().enumerate() {
        let second = equivalences[place].and_then(|own| Some((own, *of_equivalence.next()?)));
        known.insert(groups[*at], ((values[place], adjusted[place]), second));
    }
    for (at, group) in groups.iter().enumerate() {
        let Some((first, second)) = known.get(group) else { continue };
        let own = equivalence(found[at]);
        found[at].p_adjusted = found[at].p.map(|p| scaled(p, *first));
        found[at].p_equivalence = own.map(|p| second.map_or(p, |second| scaled(p, second)));
    }
}

/// The p of a row whose group was adjusted by another row: by the same factor, and never less than that row's.
fn scaled(own: f64, (of_group, adjusted): Adjusted) -> f64 {
    if own <= of_group || of_group <= 0.0 { adjusted } else { (adjusted * (own / of_group)).min(1.0).max(own) }
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
    fn lost_results_are_compared_exactly() {
        // scipy 1.17.1: fisher_exact([[0, 8], [5, 3]]).pvalue = 0.025641025641025647
        assert!((shares_differ_p((0, 8), (5, 8)) - 0.025_641_025_641_025_6).abs() < 1e-12);
        assert!((shares_differ_p((1, 8), (1, 8)) - 1.0).abs() < 1e-12);
        assert_eq!(shares_differ_p((0, 8), (0, 8)), 1.0);
    }
}
