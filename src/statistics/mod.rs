//! Estimates from replicates, with intervals whose level is known, and what a design can show at all.
//!
//! Order statistics need no assumption about the distribution; their exact level comes from the binomial distribution.
//! Sums run in a fixed order and logarithms come from `libm`, so results are the same on every machine.

pub mod bootstrap;
pub mod change;
mod contrast;
#[cfg(test)]
mod golden;
mod rank;

use statrs::distribution::{ChiSquared, ContinuousCDF, StudentsT};

pub use contrast::{BLOCKS_OF_T_MAX, Bounds, Contrast, LogRatio, Method};

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

/// The median of at least one value, in any order.
pub fn median_of(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    median(&values)
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
    // P(X ≤ rank) for X binomial with as many trials of ½, by logarithms, for the first term is less than any float
    let mut log_term = -(count as f64) * std::f64::consts::LN_2;
    let mut below = libm::exp(log_term);
    let mut best = (0, 1.0 - 2.0 * below);
    for rank in 1..count.div_ceil(2) {
        log_term += libm::log((count - rank + 1) as f64 / rank as f64);
        below += libm::exp(log_term);
        let level = 1.0 - 2.0 * below;
        if level < aim {
            break;
        }
        best = (rank, level);
    }
    let (rank, level) = best;
    Some(MedianInterval { low: sorted[rank], high: sorted[count - 1 - rank], level })
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

/// The adjusted p values of Benjamini and Hochberg, in the order given: so many of those called are expected to be wrong.
/// Journal of the Royal Statistical Society B 57 (1995) 289.
pub fn benjamini_hochberg(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|one, other| values[*other].total_cmp(&values[*one]));
    let mut adjusted = vec![0.0; values.len()];
    let mut least = 1.0_f64;
    for (place, index) in order.into_iter().enumerate() {
        let rank = values.len() - place;
        least = least.min(values[index] * values.len() as f64 / rank as f64);
        adjusted[index] = least;
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

impl NoiseFloor {
    /// What [`Self::bound`] is for the ratio that a contrast finds: of means of several replicates, which scatter less than
    /// one pair does.
    pub fn bound_of(&self, contrast: &Contrast) -> Option<f64> {
        Some(libm::expm1(libm::log1p(self.bound?) * contrast.scatter_by_pair()))
    }
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
        // R 4.2.2: r = qbinom(0.025, n, 0.5), 1 - 2 * pbinom(r - 1, n, 0.5); the first term alone is below any float
        for (count, rank, wanted) in [
            (1_075, 505, 0.955_933_520_620_151_5),
            (2_000, 956, 0.953_447_179_508_218),
            (10_000, 4_902, 0.951_167_050_103_618),
        ] {
            let values: Vec<f64> = (1..=count).map(f64::from).collect();
            let found = summarize(&values).unwrap().interval.unwrap();
            assert!((found.level - wanted).abs() < 1e-9 && found.low == f64::from(rank), "{count}: {found:?}");
        }
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
    fn benjamini_hochberg_agrees_with_scipy() {
        // scipy 1.17.1: false_discovery_control([0.01, 0.04, 0.03, 0.5])
        let adjusted: Vec<String> =
            benjamini_hochberg(&[0.01, 0.04, 0.03, 0.5]).iter().map(|p| format!("{p:.4}")).collect();
        assert_eq!(adjusted, ["0.0400", "0.0533", "0.0533", "0.5000"]);
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
