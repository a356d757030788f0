//! Estimates from replicates, with intervals whose level is known, and what a design can show at all.
//!
//! Order statistics need no assumption about the distribution; their exact level comes from the binomial distribution.
//! Sums run in a fixed order and logarithms come from `libm`, so results are the same on every machine.

use statrs::distribution::{ChiSquared, ContinuousCDF, StudentsT};

/// The level that intervals aim at.
pub const LEVEL_AIM: f64 = 0.95;

/// What some replicates say of one quantity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// How many replicates.
    pub count: usize,
    /// The middle value, or the mean of the two middle ones.
    pub median: f64,
    /// The arithmetic mean.
    pub mean: f64,
    /// Standard deviation over mean, from two replicates on and where the mean is not zero.
    pub variation: Option<f64>,
    /// The interval of the median, from two replicates on.
    pub interval: Option<MedianInterval>,
}

/// A confidence interval of a median between two order statistics.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MedianInterval {
    /// The lower order statistic.
    pub low: f64,
    /// The upper order statistic.
    pub high: f64,
    /// The level it really has (1 − 2·P(Binomial(n, ½) < rank)); below [`LEVEL_AIM`] for fewer than six replicates.
    pub level: f64,
}

/// Summarises finite values; `None` where there are none.
pub fn summarize(values: &[f64]) -> Option<Summary> {
    if values.is_empty() {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let mean = mean(&sorted);
    let variation = if sorted.len() < 2 || mean == 0.0 { None } else { Some(standard_deviation(&sorted) / mean.abs()) };
    Some(Summary { count: sorted.len(), median: median(&sorted), mean, variation, interval: median_interval(&sorted) })
}

/// The median of sorted values, at least one.
pub fn median(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { f64::midpoint(sorted[middle - 1], sorted[middle]) }
}

/// The arithmetic mean of at least one value.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The sample standard deviation of at least two values.
pub fn standard_deviation(values: &[f64]) -> f64 {
    let center = mean(values);
    let squares: f64 = values.iter().map(|value| (value - center) * (value - center)).sum();
    libm::sqrt(squares / (values.len() - 1) as f64)
}

/// The narrowest symmetric order-statistic interval of the median with at least the level aimed at, or the widest there
/// is where none has it (n < 6). David and Nagaraja, Order Statistics, 3rd ed., section 7.1.
fn median_interval(sorted: &[f64]) -> Option<MedianInterval> {
    median_interval_at(sorted, LEVEL_AIM)
}

/// The same with at least another level, where there is one; see [`MedianInterval::level`] for what it really has.
pub fn median_interval_at(sorted: &[f64], aim: f64) -> Option<MedianInterval> {
    let count = sorted.len();
    if count < 2 {
        return None;
    }
    let mut best = (0, 1.0 - 2.0 * binomial_half_cdf(count, 0));
    for rank in 1..count.div_ceil(2) {
        let level = 1.0 - 2.0 * binomial_half_cdf(count, rank);
        if level < aim {
            break;
        }
        best = (rank, level);
    }
    let (rank, level) = best;
    Some(MedianInterval { low: sorted[rank], high: sorted[count - 1 - rank], level })
}

/// P(X ≤ k) for X binomial with n trials of ½.
fn binomial_half_cdf(trials: usize, successes: usize) -> f64 {
    let mut term = libm::exp2(-(trials as f64));
    let mut sum = term;
    for k in 1..=successes {
        term *= (trials - k + 1) as f64 / k as f64;
        sum += term;
    }
    sum
}

/// The ratio of two arms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ArmRatio {
    /// How many blocks have both arms, or how many values the smaller arm has.
    pub count: usize,
    /// The geometric mean of the ratios within blocks, or the ratio of geometric means.
    pub ratio: f64,
    /// The interval of that geometric mean at 95 %, from two blocks on: Student's t on logarithms, which assumes
    /// log-normal ratios.
    pub interval: Option<(f64, f64)>,
    /// The standard error of the logarithm and its degrees of freedom, where there is an interval.
    pub error: Option<(f64, f64)>,
    /// Two-sided p of the same t test.
    pub p_t: Option<f64>,
    /// Two-sided p of the exact rank test: signed-rank over blocks, Mann-Whitney over independent arms.
    pub p_rank: Option<f64>,
}

impl ArmRatio {
    /// The interval of the ratio at another level.
    pub fn interval_at(&self, level: f64) -> Option<(f64, f64)> {
        let (error, freedom) = self.error?;
        let half = student_t_quantile(f64::midpoint(1.0, level), freedom)? * error;
        let center = libm::log(self.ratio);
        Some((libm::exp(center - half), libm::exp(center + half)))
    }
}

/// Compares `treated` with `baseline`, block by block; all values are above zero. `None` where there is no block.
pub fn blocked_ratio(baseline: &[f64], treated: &[f64]) -> Option<ArmRatio> {
    assert_eq!(baseline.len(), treated.len(), "blocks pair the arms");
    let is_positive = baseline.iter().chain(treated).all(|value| *value > 0.0);
    if baseline.is_empty() || !is_positive {
        return None;
    }
    let logs: Vec<f64> = baseline.iter().zip(treated).map(|(base, value)| libm::log(value / base)).collect();
    let center = mean(&logs);
    let blocks = logs.len();
    let mut found =
        ArmRatio { count: blocks, ratio: libm::exp(center), interval: None, error: None, p_t: None, p_rank: None };
    if blocks < 2 {
        return Some(found);
    }
    let error = standard_deviation(&logs) / libm::sqrt(blocks as f64);
    if let Ok(student) = StudentsT::new(0.0, 1.0, (blocks - 1) as f64) {
        let half = student.inverse_cdf(f64::midpoint(1.0, LEVEL_AIM)) * error;
        found.interval = Some((libm::exp(center - half), libm::exp(center + half)));
        found.error = Some((error, (blocks - 1) as f64));
        found.p_t = Some(if error > 0.0 {
            2.0 * student.sf((center / error).abs())
        } else {
            f64::from(u8::from(center == 0.0))
        });
    }
    found.p_rank = signed_rank_p(&logs);
    Some(found)
}

/// Compares independent arms; all values are above zero. `None` where an arm is empty. The interval and `p_t` are those
/// of Welch's t on logarithms (Welch, Biometrika 34 (1947) 28).
pub fn independent_ratio(baseline: &[f64], treated: &[f64]) -> Option<ArmRatio> {
    let is_positive = baseline.iter().chain(treated).all(|value| *value > 0.0);
    if baseline.is_empty() || treated.is_empty() || !is_positive {
        return None;
    }
    let logs = |values: &[f64]| values.iter().map(|value| libm::log(*value)).collect::<Vec<f64>>();
    let (one, other) = (logs(baseline), logs(treated));
    let center = mean(&other) - mean(&one);
    let count = one.len().min(other.len());
    let mut found = ArmRatio { count, ratio: libm::exp(center), interval: None, error: None, p_t: None, p_rank: None };
    if count < 2 {
        return Some(found);
    }
    let share = |values: &[f64]| libm::pow(standard_deviation(values), 2.0) / values.len() as f64;
    let (a, b) = (share(&one), share(&other));
    let error = libm::sqrt(a + b);
    let freedom = (a + b) * (a + b) / (a * a / (one.len() - 1) as f64 + b * b / (other.len() - 1) as f64);
    if error > 0.0
        && let Ok(student) = StudentsT::new(0.0, 1.0, freedom)
    {
        let half = student.inverse_cdf(f64::midpoint(1.0, LEVEL_AIM)) * error;
        found.interval = Some((libm::exp(center - half), libm::exp(center + half)));
        found.error = Some((error, freedom));
        found.p_t = Some(2.0 * student.sf((center / error).abs()));
    }
    found.p_rank = mann_whitney_p(&one, &other);
    Some(found)
}

/// The most values, both arms together, for which arrangements are counted.
const MANN_WHITNEY_VALUES_MAX: usize = 120;

/// The exact two-sided p of the Mann-Whitney test, conditional on ties: the share of all arrangements whose rank sum lies
/// at least as far from its mean. `None` where there are too many values.
fn mann_whitney_p(one: &[f64], other: &[f64]) -> Option<f64> {
    let mut all: Vec<(f64, bool)> = one.iter().map(|value| (*value, true)).collect();
    all.extend(other.iter().map(|value| (*value, false)));
    if all.len() > MANN_WHITNEY_VALUES_MAX {
        return None;
    }
    all.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut ranks = vec![0; all.len()];
    let mut start = 0;
    while start < all.len() {
        let end = start + all[start..].iter().take_while(|(value, _)| *value == all[start].0).count();
        ranks[start..end].fill(start + end + 1);
        start = end;
    }
    let total: usize = ranks.iter().sum();
    let found: usize = ranks.iter().zip(&all).filter(|(_, (_, is_one))| *is_one).map(|(rank, _)| rank).sum();
    // shares[k][s]: the share of arrangements that give k values of the first arm the doubled rank sum s
    let mut counts = vec![vec![0.0_f64; total + 1]; one.len() + 1];
    counts[0][0] = 1.0;
    for rank in &ranks {
        for taken in (1..=one.len()).rev() {
            for sum in (*rank..=total).rev() {
                counts[taken][sum] += counts[taken - 1][sum - rank];
            }
        }
    }
    let last = &counts[one.len()];
    let center = total as f64 * one.len() as f64 / all.len() as f64;
    let distance = (found as f64 - center).abs() - 1e-9;
    let extreme: f64 = last
        .iter()
        .enumerate()
        .filter(|(sum, _)| (*sum as f64 - center).abs() >= distance)
        .map(|(_, count)| count)
        .sum();
    Some((extreme / last.iter().sum::<f64>()).min(1.0))
}

/// The most blocks for which all sign patterns are counted; 2^20 patterns take a few milliseconds by convolution.
const SIGNED_RANK_BLOCKS_MAX: usize = 200;

/// The exact two-sided p of Wilcoxon's signed-rank test, ties by mid-ranks, zeros dropped; `None` where nothing remains
/// or there are too many blocks.
fn signed_rank_p(differences: &[f64]) -> Option<f64> {
    let mut nonzero: Vec<f64> = differences.iter().copied().filter(|value| *value != 0.0).collect();
    if nonzero.is_empty() || nonzero.len() > SIGNED_RANK_BLOCKS_MAX {
        return None;
    }
    nonzero.sort_by(|one, other| one.abs().total_cmp(&other.abs()));
    let doubled_ranks = doubled_mid_ranks(&nonzero);
    let positive: usize =
        nonzero.iter().zip(&doubled_ranks).filter(|(value, _)| **value > 0.0).map(|(_, rank)| rank).sum();
    let total: usize = doubled_ranks.iter().sum();
    let mut shares = vec![0.0; total + 1];
    shares[0] = 1.0;
    for rank in &doubled_ranks {
        for sum in (0..=total).rev() {
            let with = if sum >= *rank { shares[sum - rank] } else { 0.0 };
            shares[sum] = f64::midpoint(shares[sum], with);
        }
    }
    let extreme = positive.min(total - positive);
    let tail: f64 = shares[..=extreme].iter().sum();
    Some((2.0 * tail).min(1.0))
}

/// Twice the mid-ranks of values sorted by magnitude, so that ties stay whole numbers.
fn doubled_mid_ranks(sorted: &[f64]) -> Vec<usize> {
    let mut ranks = vec![0; sorted.len()];
    let mut start = 0;
    while start < sorted.len() {
        let mut end = start;
        while end < sorted.len() && sorted[end].abs() == sorted[start].abs() {
            end += 1;
        }
        for rank in &mut ranks[start..end] {
            *rank = start + end + 1;
        }
        start = end;
    }
    ranks
}

/// Spearman's rank correlation, ties by mid-ranks, and its two-sided p by Student's t with n − 2 degrees of freedom
/// (Kendall and Stuart, The Advanced Theory of Statistics 2, 31.19). None below ten pairs, or where one side is constant.
pub fn rank_correlation_p(one: &[f64], other: &[f64]) -> Option<(f64, f64)> {
    const PAIRS_MIN: usize = 10;
    if one.len() != other.len() || one.len() < PAIRS_MIN {
        return None;
    }
    let (a, b) = (mid_ranks(one), mid_ranks(other));
    let center = (one.len() + 1) as f64 / 2.0;
    let product = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| (x - center) * (y - center)).sum::<f64>();
    let spread = libm::sqrt(product(&a, &a) * product(&b, &b));
    if spread == 0.0 {
        return None;
    }
    let rho = (product(&a, &b) / spread).clamp(-1.0, 1.0);
    let freedom = (one.len() - 2) as f64;
    let t = rho * libm::sqrt(freedom / (1.0 - rho * rho).max(1e-300));
    let student = StudentsT::new(0.0, 1.0, freedom).ok()?;
    Some((rho, 2.0 * student.sf(t.abs())))
}

/// Ranks from 1, equal values sharing the mean of theirs.
fn mid_ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|one, other| values[*one].total_cmp(&values[*other]));
    let mut ranks = vec![0.0; values.len()];
    let mut start = 0;
    while start < order.len() {
        let end = start + order[start..].iter().take_while(|at| values[**at] == values[order[start]]).count();
        for at in &order[start..end] {
            ranks[*at] = (start + 1 + end) as f64 / 2.0;
        }
        start = end;
    }
    ranks
}

/// Holm's adjusted p values, in the order given. Holm, Scand. J. Statist. 6 (1979) 65.
pub fn holm(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|one, other| values[*one].total_cmp(&values[*other]));
    let mut adjusted = vec![0.0; values.len()];
    let mut floor = 0.0_f64;
    for (rank, index) in order.into_iter().enumerate() {
        floor = floor.max((values[index] * (values.len() - rank) as f64).min(1.0));
        adjusted[index] = floor;
    }
    adjusted
}

/// How replicates of two arms will be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Analysis {
    /// Each replicate holds both arms: signed-rank test over blocks.
    Blocks,
    /// Independent arms: exact Mann-Whitney test.
    IndependentArms,
}

/// The smallest two-sided p that so many replicates an arm can reach.
pub fn smallest_p(analysis: Analysis, replicates: u64) -> f64 {
    match analysis {
        Analysis::Blocks => (2.0 * libm::exp2(-(replicates as f64))).min(1.0),
        Analysis::IndependentArms => {
            let mut arrangements = 1.0;
            for k in 1..=replicates {
                arrangements *= (replicates + k) as f64 / k as f64;
            }
            (2.0 / arrangements).min(1.0)
        }
    }
}

/// The fewest replicates whose smallest p, multiplied by the number of comparisons in the family, is at most 0.05.
pub fn replicates_needed(analysis: Analysis, comparisons: u64) -> u64 {
    let reaches = |replicates: &u64| smallest_p(analysis, *replicates) * comparisons.max(1) as f64 <= 0.05;
    (2..=200).find(reaches).unwrap_or(200)
}

/// What pairs of the same thing measured twice (A/A) say of the noise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NoiseFloor {
    /// How many pairs.
    pub pairs: usize,
    /// The greatest ratio within a pair, as a share above one.
    pub greatest: f64,
    /// From five pairs on: the share that 95 % of such pairs stay below, its upper 95 % bound. Log ratios are taken as
    /// normal around zero, whose variance has the bound Σd²/χ²(0.05; n).
    pub bound: Option<f64>,
}

/// The fewest pairs from which a noise bound is computed.
pub const NOISE_PAIRS_MIN: usize = 5;

/// The noise floor of pairs of values above zero; `None` where there is none.
pub fn noise_floor(pairs: &[(f64, f64)]) -> Option<NoiseFloor> {
    if pairs.is_empty() || pairs.iter().any(|(one, other)| *one <= 0.0 || *other <= 0.0) {
        return None;
    }
    let logs: Vec<f64> = pairs.iter().map(|(one, other)| libm::log(other / one)).collect();
    let greatest = logs.iter().map(|log| log.abs()).fold(0.0, f64::max);
    let squares: f64 = logs.iter().map(|log| log * log).sum();
    let bound = ChiSquared::new(logs.len() as f64).ok().filter(|_| logs.len() >= NOISE_PAIRS_MIN).map(|chi_squared| {
        let deviation = libm::sqrt(squares / chi_squared.inverse_cdf(0.05));
        libm::expm1(1.959_963_984_540_054 * deviation)
    });
    Some(NoiseFloor { pairs: logs.len(), greatest: libm::expm1(greatest), bound })
}

/// The share of Student's t distribution that lies above a value; none without degrees of freedom.
pub fn student_t_tail(t: f64, freedom: f64) -> Option<f64> {
    StudentsT::new(0.0, 1.0, freedom).ok().map(|student| student.sf(t))
}

/// The value below which a share of Student's t distribution lies; none without degrees of freedom.
pub fn student_t_quantile(share: f64, freedom: f64) -> Option<f64> {
    use statrs::distribution::{ContinuousCDF as _, StudentsT};
    StudentsT::new(0.0, 1.0, freedom).ok().map(|distribution| distribution.inverse_cdf(share))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-9 * other.abs().max(1e-3)
    }

    #[test]
    fn median_intervals_have_their_binomial_levels() {
        let level = |count: usize| {
            let values: Vec<f64> = (0..count).map(|value| value as f64).collect();
            summarize(&values).unwrap().interval.unwrap().level
        };
        assert!(close(level(2), 0.5) && close(level(5), 0.9375) && close(level(6), 0.96875));
        // n = 10: ranks 2 and 9 give 1 − 2·11/1024
        assert!(close(level(10), 1.0 - 22.0 / 1024.0));
        assert_eq!(summarize(&[1.0]).unwrap().interval, None);
    }

    #[test]
    fn the_smallest_p_of_a_design_is_that_of_the_tables() {
        let independent: Vec<String> =
            (3..=5).map(|n| format!("{:.4}", smallest_p(Analysis::IndependentArms, n))).collect();
        assert_eq!(independent, ["0.1000", "0.0286", "0.0079"]);
        let blocks: Vec<String> = (5..=7).map(|n| format!("{:.4}", smallest_p(Analysis::Blocks, n))).collect();
        assert_eq!(blocks, ["0.0625", "0.0312", "0.0156"]);
        assert_eq!(replicates_needed(Analysis::Blocks, 1), 6);
        assert_eq!(replicates_needed(Analysis::IndependentArms, 1), 4);
    }

    #[test]
    fn the_signed_rank_p_is_exact() {
        // scipy 1.17.1: wilcoxon([1, 2, 3, 4, 5, -6], method="exact").pvalue = 0.4375
        assert!(close(signed_rank_p(&[1.0, 2.0, 3.0, 4.0, 5.0, -6.0]).unwrap(), 0.4375));
        assert!(close(signed_rank_p(&[0.1; 6]).unwrap(), 0.03125));
        assert_eq!(signed_rank_p(&[0.0, 0.0]), None);
    }

    #[test]
    fn the_mann_whitney_p_is_exact_for_any_sizes_and_ties() {
        // complete separation: 2 / C(6, 3), 2 / C(7, 3); scipy 1.17.1 mannwhitneyu(method="exact") gives 0.1 and 0.05714
        assert!(close(mann_whitney_p(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]).unwrap(), 0.1));
        assert!(close(mann_whitney_p(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0, 7.0]).unwrap(), 2.0 / 35.0));
        assert!(close(mann_whitney_p(&[4.0, 5.0, 6.0, 7.0], &[1.0, 2.0, 3.0]).unwrap(), 2.0 / 35.0));
        assert!(close(mann_whitney_p(&[1.0, 1.0], &[1.0, 1.0]).unwrap(), 1.0));
        let found = independent_ratio(&[1.0, 1.1, 0.9, 1.05], &[2.0, 2.2, 1.9, 2.1]).unwrap();
        // scipy 1.17.1: ttest_ind(log(a), log(b), equal_var=False).pvalue = 2.1964319681796055e-05
        assert!(
            (found.p_t.unwrap() - 2.196_431_968e-5).abs() < 1e-12 && close(found.p_rank.unwrap(), 2.0 / 70.0),
            "{found:?}"
        );
    }

    #[test]
    fn blocked_ratios_agree_with_scipy() {
        // scipy 1.17.1: ttest_1samp(log([1.1, 1.2, 1.15, 1.18]), 0).pvalue = 0.004567666393041371
        let found = blocked_ratio(&[1.0; 4], &[1.1, 1.2, 1.15, 1.18]).unwrap();
        assert!((found.ratio - 1.156_880_350_579).abs() < 1e-10, "{found:?}");
        assert!((found.p_t.unwrap() - 0.004_567_666_393).abs() < 1e-9 && found.interval.unwrap().0 > 1.0, "{found:?}");
        assert!(blocked_ratio(&[0.0], &[1.0]).is_none());
    }

    #[test]
    fn holm_never_lowers_and_keeps_order() {
        let adjusted = holm(&[0.01, 0.04, 0.03, 0.5]);
        let shown: Vec<String> = adjusted.iter().map(|p| format!("{p:.2}")).collect();
        assert_eq!(shown, ["0.04", "0.09", "0.09", "0.50"]);
    }

    #[test]
    fn a_noise_bound_needs_five_pairs_and_exceeds_what_was_seen() {
        assert_eq!(noise_floor(&[(1.0, 1.01)]).unwrap().bound, None);
        let floor = noise_floor(&[(1.0, 1.01), (1.0, 0.99), (1.0, 1.02), (1.0, 1.0), (1.0, 0.98)]).unwrap();
        assert!(floor.bound.unwrap() > floor.greatest, "{floor:?}");
    }
}
