//! Where a series of values seems to change for good: the split with the greatest difference of means, its p by permuting
//! the order.

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};

use super::{mean, standard_deviation};

/// The fewest values on each side of a change.
pub const SIDE_MIN: usize = 5;
/// How many orders are tried at least, unless so many of them are as far apart that no p would be small.
const PERMUTATIONS_MIN: usize = 9_999;
/// And at most.
const PERMUTATIONS_MAX: usize = 1_000_000;
/// After so many orders as far apart no more are tried (Besag and Clifford, Biometrika 78 (1991) 301).
const AS_FAR_MAX: usize = 50;

/// A suspected change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// The place of the first value after it.
    pub at: usize,
    /// Mean after less mean before.
    pub difference: f64,
    /// The share of orders in which some split differs as much (Pettitt's idea with means; Applied Statistics 28 (1979) 126
    /// has ranks).
    pub p: f64,
    /// The same for whoever has looked after each value since there were enough: at look k it is multiplied by k(k + 1), for the
    /// shares 1 ÷ k(k + 1) of all looks together are one (alpha spending; Lan and DeMets, Biometrika 70 (1983) 659).
    pub p_of_looks: f64,
}

/// A split of a series: the place of the first value after it, mean after less mean before, and the same weighted by how many
/// values lie on each side.
struct Split {
    at: usize,
    difference: f64,
    weighted: f64,
}

/// The greatest difference of means over all splits with enough values on each side, in standard deviations.
fn greatest(values: &[f64]) -> Split {
    let count = values.len();
    let total: f64 = values.iter().sum();
    let mut before: f64 = values[..SIDE_MIN].iter().sum();
    let mut best = Split { at: SIDE_MIN, difference: 0.0, weighted: -1.0 };
    for at in SIDE_MIN..=count - SIDE_MIN {
        let (m, n) = (at as f64, (count - at) as f64);
        let difference = (total - before) / n - before / m;
        let weighted = difference.abs() * libm::sqrt(m * n / (m + n));
        if weighted > best.weighted {
            best = Split { at, difference, weighted };
        }
        before += values[at.min(count - 1)];
    }
    best
}

/// The split of a series, from ten values on; `None` with fewer, or where all are the same.
pub fn change_point(values: &[f64], seed: u64) -> Option<Change> {
    if values.len() < 2 * SIDE_MIN || standard_deviation(values) <= 0.0 || !mean(values).is_finite() {
        return None;
    }
    let Split { at, difference, weighted: seen } = greatest(values);
    let mut random = ChaCha20Rng::seed_from_u64(seed);
    let mut shuffled = values.to_vec();
    let mut as_far = 1_usize;
    let looks = values.len() - 2 * SIDE_MIN + 1;
    let factor = looks * (looks + 1);
    let mut tried = 0;
    while tried < (200 * factor).clamp(PERMUTATIONS_MIN, PERMUTATIONS_MAX) && as_far <= AS_FAR_MAX {
        tried += 1;
        for last in (1..shuffled.len()).rev() {
            let other = (random.next_u64() % (last as u64 + 1)) as usize;
            shuffled.swap(last, other);
        }
        as_far += usize::from(greatest(&shuffled).weighted >= seen - 1e-12);
    }
    let p = as_far as f64 / (tried + 1) as f64;
    Some(Change { at, difference, p, p_of_looks: (p * factor as f64).min(1.0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_found_where_it_is_and_a_level_series_has_none() {
        let wave = |at: usize| ((at * 7919) % 13) as f64 / 13.0;
        let step: Vec<f64> = (0..20).map(|at| wave(at) + if at < 12 { 0.0 } else { 3.0 }).collect();
        let found = change_point(&step, 3).unwrap();
        assert!(found.at == 12 && found.p < 0.001 && found.p_of_looks < 0.02, "{found:?}");
        let level: Vec<f64> = (0..20).map(wave).collect();
        assert!(change_point(&level, 3).unwrap().p > 0.05);
        assert_eq!(change_point(&step[..9], 3), None);
        assert_eq!(change_point(&[1.0; 12], 3), None);
    }
}
