//! Exact null distributions of the signed-rank and Mann-Whitney statistics: without ties computed once for each size, with
//! ties conditional on them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use statrs::distribution::{ContinuousCDF, Normal};

/// The most values, all together, for which distributions are exact whatever that costs.
const EXACT_VALUES_MAX: usize = 200;
/// The most additions that an exact distribution may cost; beyond, the normal one with the correction for continuity and ties
/// is used.
const EXACT_ADDITIONS_MAX: usize = 100_000_000;

/// Whether the distribution of the signed-rank statistic is exact.
pub const fn is_exact_signed_rank(count: usize) -> bool {
    count <= EXACT_VALUES_MAX
}

/// Whether the distribution of the Mann-Whitney statistic is exact: also where one arm is large and the other small.
pub fn is_exact_mann_whitney(one: usize, other: usize) -> bool {
    let cost = (one + other).saturating_mul(one.min(other)).saturating_mul(one.saturating_mul(other));
    one + other <= EXACT_VALUES_MAX || cost <= EXACT_ADDITIONS_MAX
}

/// Whether it is exact with ties, which costs more.
fn is_exact_with_ties(one: usize, other: usize) -> bool {
    let count = one + other;
    let cost = count.saturating_mul(one.min(other)).saturating_mul(count.saturating_mul(count));
    count <= EXACT_VALUES_MAX || cost <= EXACT_ADDITIONS_MAX
}

/// Values that differ by less are tied: equal ratios have logarithms that differ by rounding.
const TIE: f64 = 1e-12;

fn is_tied(one: f64, other: f64) -> bool {
    (one - other).abs() <= TIE * one.abs().max(other.abs()).max(1.0)
}

/// The chance of a statistic at or below what was seen, and of one at or above it, where there is no difference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tails {
    /// P(statistic ≤ seen).
    pub below: f64,
    /// P(statistic ≥ seen).
    pub above: f64,
}

impl Tails {
    /// Two-sided: twice the smaller one.
    pub fn two_sided(self) -> f64 {
        (2.0 * self.below.min(self.above)).min(1.0)
    }
}

type Distributions = RefCell<BTreeMap<(usize, usize), Rc<Vec<f64>>>>;

thread_local! {
    static KNOWN: Distributions = const { RefCell::new(BTreeMap::new()) };
}

/// P(T ≤ t) of the signed-rank statistic for t from 0 to n(n + 1) ÷ 2.
pub fn signed_rank_cdf(count: usize) -> Rc<Vec<f64>> {
    kept((count, 0), || {
        let ranks: Vec<usize> = (1..=count).collect();
        cumulated(&signed_sums(&ranks))
    })
}

/// P(U ≤ u) of the Mann-Whitney statistic for u from 0 to m·n.
pub fn mann_whitney_cdf(one: usize, other: usize) -> Rc<Vec<f64>> {
    // U is as likely as m·n − U, so the smaller arm may be counted
    let (small, large) = (one.min(other), one.max(other));
    kept((small, large + 1), || {
        let total = small * large;
        let mut shares = vec![vec![0.0; total + 1]; small + 1];
        shares[0][0] = 1.0;
        // the k-th smallest of all belongs to the small arm after `taken` others of it: it beats k − taken of the large one
        for position in 0..small + large {
            for taken in (0..small).rev() {
                let Some(beaten) = position.checked_sub(taken).filter(|beaten| *beaten <= large) else { continue };
                for sum in (beaten..=total).rev() {
                    let ways = shares[taken][sum - beaten];
                    shares[taken + 1][sum] += ways;
                }
            }
        }
        cumulated(&shares[small])
    })
}

fn kept(size: (usize, usize), make: impl FnOnce() -> Vec<f64>) -> Rc<Vec<f64>> {
    if let Some(found) = KNOWN.with(|known| known.borrow().get(&size).cloned()) {
        return found;
    }
    let made = Rc::new(make());
    KNOWN.with(|known| known.borrow_mut().insert(size, Rc::clone(&made)));
    made
}

/// Ways to reach each sum of ranks that get a sign, as shares of all ways.
fn signed_sums(ranks: &[usize]) -> Vec<f64> {
    let total: usize = ranks.iter().sum();
    let mut shares = vec![0.0; total + 1];
    shares[0] = 1.0;
    for rank in ranks {
        for sum in (0..=total).rev() {
            let with = if sum >= *rank { shares[sum - rank] } else { 0.0 };
            shares[sum] = f64::midpoint(shares[sum], with);
        }
    }
    shares
}

fn cumulated(counts: &[f64]) -> Vec<f64> {
    let total: f64 = counts.iter().sum();
    let mut sum = 0.0;
    counts
        .iter()
        .map(|count| {
            sum += count;
            (sum / total).min(1.0)
        })
        .collect()
}

/// The chances of a statistic, from the shares of all its values.
fn tails_of(shares: &[f64], seen: usize) -> Tails {
    let total: f64 = shares.iter().sum();
    let sum = |part: &[f64]| (part.iter().sum::<f64>() / total).min(1.0);
    Tails { below: sum(&shares[..=seen]), above: sum(&shares[seen..]) }
}

/// Wilcoxon's signed-rank test of differences from zero; zeros are dropped, ties share their ranks. `None` where nothing
/// remains.
pub fn signed_rank(differences: &[f64]) -> Option<Tails> {
    let mut nonzero: Vec<f64> = differences.iter().copied().filter(|value| !is_tied(*value, 0.0)).collect();
    if nonzero.is_empty() {
        return None;
    }
    nonzero.sort_by(|one, other| one.abs().total_cmp(&other.abs()));
    let ranks = doubled_mid_ranks(&nonzero, f64::abs);
    let positive: usize = nonzero.iter().zip(&ranks).filter(|(value, _)| **value > 0.0).map(|(_, rank)| rank).sum();
    let count = nonzero.len();
    if !is_exact_signed_rank(count) {
        let mean = ranks.iter().sum::<usize>() as f64 / 2.0;
        let variance = ranks.iter().map(|rank| (*rank as f64) * (*rank as f64)).sum::<f64>() / 4.0;
        return Some(normal_tails(positive as f64, mean, variance, 1.0));
    }
    if !has_ties(&nonzero, f64::abs) {
        let distribution = signed_rank_cdf(count);
        return Some(from_cdf(&distribution, positive / 2));
    }
    Some(tails_of(&signed_sums(&ranks), positive))
}

/// The Mann-Whitney test of whether values of the second arm lie above those of the first, conditional on ties. `None` where
/// an arm is empty.
pub fn mann_whitney(one: &[f64], other: &[f64]) -> Option<Tails> {
    if one.is_empty() || other.is_empty() {
        return None;
    }
    let mut all: Vec<(f64, bool)> = one.iter().map(|value| (*value, false)).collect();
    all.extend(other.iter().map(|value| (*value, true)));
    all.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
    let ranks = doubled_mid_ranks(&all, |(value, _)| value);
    let seen: usize = ranks.iter().zip(&all).filter(|(_, (_, is_other))| *is_other).map(|(rank, _)| rank).sum();
    let least = other.len() * (other.len() + 1);
    let has_ties = has_ties(&all, |(value, _)| value);
    let is_exact = match has_ties {
        true => is_exact_with_ties(one.len(), other.len()),
        false => is_exact_mann_whitney(one.len(), other.len()),
    };
    if !is_exact {
        let (m, n, count) = (one.len() as f64, other.len() as f64, all.len() as f64);
        let center = (count + 1.0) / 2.0;
        let spread =
            ranks.iter().map(|rank| (*rank as f64 / 2.0 - center) * (*rank as f64 / 2.0 - center)).sum::<f64>();
        // doubled ranks: mean and variance of the doubled sum
        let variance = 4.0 * m * n / (count * (count - 1.0)) * spread;
        return Some(normal_tails(seen as f64, n * (count + 1.0), variance, 1.0));
    }
    if !has_ties {
        let distribution = mann_whitney_cdf(one.len(), other.len());
        return Some(from_cdf(&distribution, (seen - least) / 2));
    }
    // the smaller arm is counted; the rank sums of both have one total
    let total: usize = ranks.iter().sum();
    if one.len() < other.len() {
        let tails = tied_tails(&ranks, one.len(), total - seen);
        return Some(Tails { below: tails.above, above: tails.below });
    }
    Some(tied_tails(&ranks, other.len(), seen))
}

/// The tails of the doubled rank sum of an arm, given all doubled ranks: over all arrangements.
fn tied_tails(ranks: &[usize], size: usize, seen: usize) -> Tails {
    let total: usize = ranks.iter().sum();
    // counts[k][s]: arrangements that give k values of the arm the sum s
    let mut counts = vec![vec![0.0_f64; total + 1]; size + 1];
    counts[0][0] = 1.0;
    for rank in ranks {
        for taken in (1..=size).rev() {
            for sum in (*rank..=total).rev() {
                let ways = counts[taken - 1][sum - rank];
                counts[taken][sum] += ways;
            }
        }
    }
    tails_of(&counts[size], seen)
}

/// Both tails of a statistic that is as likely as its greatest value less itself.
fn from_cdf(distribution: &[f64], seen: usize) -> Tails {
    Tails { below: distribution[seen], above: distribution[distribution.len() - 1 - seen] }
}

fn normal_tails(seen: f64, mean: f64, variance: f64, continuity: f64) -> Tails {
    let Some(normal) = Normal::new(0.0, 1.0).ok().filter(|_| variance > 0.0) else {
        return Tails { below: 1.0, above: 1.0 };
    };
    let deviation = libm::sqrt(variance);
    Tails {
        below: normal.cdf((seen - mean + continuity) / deviation),
        above: normal.sf((seen - mean - continuity) / deviation),
    }
}

fn has_ties<T: Copy>(sorted: &[T], value: impl Fn(T) -> f64) -> bool {
    sorted.windows(2).any(|pair| is_tied(value(pair[0]), value(pair[1])))
}

/// Twice the mid-ranks of sorted values, so that ties stay whole numbers.
fn doubled_mid_ranks<T: Copy>(sorted: &[T], value: impl Fn(T) -> f64) -> Vec<usize> {
    let mut ranks = vec![0; sorted.len()];
    let mut start = 0;
    while start < sorted.len() {
        let first = value(sorted[start]);
        let end = start + sorted[start..].iter().take_while(|one| is_tied(value(**one), first)).count();
        ranks[start..end].fill(start + end + 1);
        start = end;
    }
    ranks
}

/// The most of the extreme values that may be cut from each end so that what is left has at least a level: the greatest c
/// with 1 − 2·P(statistic ≤ c − 1) ≥ level, and the level that it has. `None` where nothing has it.
pub fn cut_at(distribution: &[f64], level: f64) -> Option<(usize, f64)> {
    let most = distribution.len() / 2;
    let reached = |cut: usize| 1.0 - 2.0 * distribution[cut - 1];
    let cut = (1..=most).take_while(|cut| reached(*cut) >= level).last()?;
    Some((cut, reached(cut)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-12
    }

    #[test]
    fn distributions_are_those_of_the_tables() {
        // scipy 1.17.1: mannwhitneyu([1, 2, 3], [4, 5, 6], method="exact").pvalue = 0.1
        assert!(close(mann_whitney(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]).unwrap().two_sided(), 0.1));
        assert!(close(mann_whitney(&[4.0, 5.0, 6.0, 7.0], &[1.0, 2.0, 3.0]).unwrap().two_sided(), 2.0 / 35.0));
        // scipy 1.17.1: mannwhitneyu([1.1, 2.3, 0.4, 5.2], [3.1, 4.9, 6.6, 0.9, 7.7], method="exact").pvalue
        let p = mann_whitney(&[1.1, 2.3, 0.4, 5.2], &[3.1, 4.9, 6.6, 0.9, 7.7]).unwrap().two_sided();
        assert!(close(p, 0.285_714_285_714_285_7), "{p}");
        // scipy 1.17.1: wilcoxon([1, 2, 3, 4, 5, -6], method="exact").pvalue = 0.4375
        assert!(close(signed_rank(&[1.0, 2.0, 3.0, 4.0, 5.0, -6.0]).unwrap().two_sided(), 0.4375));
        assert!(close(signed_rank(&[0.1; 6]).unwrap().two_sided(), 0.03125));
        assert_eq!(signed_rank(&[0.0, 0.0]), None);
        assert!(close(mann_whitney(&[1.0, 1.0], &[1.0, 1.0]).unwrap().two_sided(), 1.0));
    }

    #[test]
    fn tables_and_counting_agree() {
        let one: Vec<f64> = (0..7).map(|value| f64::from(value) * 1.7 % 5.0).collect();
        let other: Vec<f64> = (0..9).map(|value| f64::from(value) * 2.3 % 6.0 + 0.01).collect();
        let table = mann_whitney(&one, &other).unwrap();
        let seen = one.iter().flat_map(|a| other.iter().map(move |b| u32::from(b > a))).sum::<u32>() as usize;
        let distribution = mann_whitney_cdf(7, 9);
        assert!(close(table.below, distribution[seen]) && distribution.len() == 64);
        assert!(close(distribution[63], 1.0) && close(distribution[31], 0.5));
        // counted by itertools over all arrangements, Python 3.11
        assert!(close(distribution[10], 0.011_451_048_951_048_952));
        let tied = signed_rank(&[1.0, 1.0, 2.0, 2.0, -2.0, 3.0, 4.0, 5.0]).unwrap();
        assert!(close(tied.two_sided(), 0.054_687_5), "{tied:?}");
        let tied = mann_whitney(&[1.0, 2.0, 2.0, 3.0], &[2.0, 3.0, 4.0, 4.0, 5.0]).unwrap();
        assert!(close(tied.two_sided(), 1.0 / 9.0), "{tied:?}");
        // scipy 1.17.1: wilcoxon([1, 2, 3, 4, 5, -6, 7.5, 8.25, -2.5, 3.75], method="exact").pvalue
        let p = signed_rank(&[1.0, 2.0, 3.0, 4.0, 5.0, -6.0, 7.5, 8.25, -2.5, 3.75]).unwrap().two_sided();
        assert!(close(p, 0.105_468_75), "{p}");
    }

    #[test]
    fn beyond_the_exact_sizes_the_normal_distribution_takes_over() {
        let one: Vec<f64> = (0..150).map(f64::from).collect();
        let other: Vec<f64> = (0..150).map(|value| f64::from(value) + 20.5).collect();
        // scipy 1.17.1: mannwhitneyu(range(150), [v + 20.5 for v in range(150)], method="asymptotic").pvalue
        let p = mann_whitney(&one, &other).unwrap().two_sided();
        assert!((p / 0.000_137_299_199_945_929_05 - 1.0).abs() < 1e-9, "{p}");
        let other: Vec<f64> = (0..150).map(|value| f64::from(value) + 20.0).collect();
        // the same with ties
        let p = mann_whitney(&one, &other).unwrap().two_sided();
        assert!((p / 0.000_194_145_605_222_596_03 - 1.0).abs() < 1e-9, "{p}");
    }

    #[test]
    fn cuts_have_at_least_their_level() {
        // n = 6: the least and greatest Walsh average have 1 − 2/64
        assert_eq!(cut_at(&signed_rank_cdf(6), 0.95), Some((1, 0.96875)));
        assert_eq!(cut_at(&signed_rank_cdf(5), 0.95), None);
        assert_eq!(cut_at(&mann_whitney_cdf(3, 3), 0.95), None);
        let (cut, level) = cut_at(&mann_whitney_cdf(8, 8), 0.95).unwrap();
        // counted in Python: 1 − 2·P(U ≤ 13) = 0.95012, with P(U ≤ 14) it is 0.93504
        assert!(cut == 14 && close(level, 0.950_116_550_116_550_2), "{cut} {level}");
    }
}
