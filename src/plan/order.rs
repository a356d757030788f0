//! The order of jobs: random, from a seed, the same on every machine.
//!
//! The two sides of a noise pair run in one replicate, like any two cases.

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};

use super::{Case, Settings};

/// Replicate by replicate, each in a new random order.
pub(super) fn interleaved(cases: &[Case], settings: &Settings, seed: u64) -> Vec<(usize, u64)> {
    let mut generator = ChaCha20Rng::seed_from_u64(seed);
    let most = cases.iter().map(|case| case.replicates(settings)).max().unwrap_or(0);
    let mut jobs = vec![];
    for replicate in 1..=most {
        let mut block: Vec<(usize, u64)> = (0..cases.len())
            .filter(|case| replicate <= cases[*case].replicates(settings))
            .map(|case| (case, replicate))
            .collect();
        shuffle(&mut block, &mut generator);
        jobs.extend(block);
    }
    jobs
}

/// All jobs in one random order.
pub(super) fn randomized(cases: &[Case], settings: &Settings, seed: u64) -> Vec<(usize, u64)> {
    let mut generator = ChaCha20Rng::seed_from_u64(seed);
    let mut jobs: Vec<(usize, u64)> = (0..cases.len())
        .flat_map(|case| (1..=cases[case].replicates(settings)).map(move |replicate| (case, replicate)))
        .collect();
    shuffle(&mut jobs, &mut generator);
    jobs
}

/// Fisher and Yates; indices by rejection, so that every order is equally likely.
fn shuffle<T>(items: &mut [T], generator: &mut ChaCha20Rng) {
    for last in (1..items.len()).rev() {
        let bound = last as u64 + 1;
        let limit = u64::MAX - u64::MAX % bound;
        let mut random = generator.next_u64();
        while random >= limit {
            random = generator.next_u64();
        }
        items.swap(last, (random % bound) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_one_order_for_ever() {
        let mut items: Vec<u32> = (0..10).collect();
        shuffle(&mut items, &mut ChaCha20Rng::seed_from_u64(2019));
        let mut again: Vec<u32> = (0..10).collect();
        shuffle(&mut again, &mut ChaCha20Rng::seed_from_u64(2019));
        assert_eq!(items, again);
        let mut sorted = items.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..10).collect::<Vec<_>>());
        assert_ne!(items, sorted);
    }
}
