//! The order of jobs: random, from a seed, the same on every machine. Interleaved, each replicate visits every case in a new
//! order; otherwise all jobs are in one. With sessions this holds within each of them.
//!
//! The two sides of a noise pair run in one replicate, like any two cases.

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};

use super::{Case, Settings};
use crate::manifest::{Design, Order, Sessions};

/// A case by its place, a replicate, and the session it belongs to; the latter two from 1.
type Placed = (usize, u64, Option<u64>);

/// The jobs of a design in their order: session by session, where there are any.
pub(super) fn of(design: &Design, (cases, settings): (&[Case], &Settings), sessions: Option<&Sessions>) -> Vec<Placed> {
    let mut jobs: Vec<Placed> = vec![];
    for (number, case) in cases.iter().enumerate() {
        let replicates = case.replicates(settings);
        jobs.extend((1..=replicates).map(|replicate| {
            let session = sessions.and_then(|sessions| session_of(sessions, case, (replicate, replicates)));
            (number, replicate, session)
        }));
    }
    let mut generator = ChaCha20Rng::seed_from_u64(design.seed);
    let mut ordered = vec![];
    // the sort is stable, so that a block begins in the order of the cases
    let block = |(_, replicate, session): &Placed| match design.order {
        Order::Interleaved => (*session, *replicate),
        Order::Randomized => (*session, 0),
    };
    jobs.sort_by_key(block);
    for together in jobs.chunk_by_mut(|one, other| block(one) == block(other)) {
        shuffle(together, &mut generator);
        ordered.extend_from_slice(together);
    }
    ordered
}

fn session_of(sessions: &Sessions, case: &Case, (replicate, replicates): (u64, u64)) -> Option<u64> {
    let level = case.factors.get(&sessions.factor)?;
    let each = replicates / sessions.per_level().max(1);
    sessions.of_replicate(level, replicate, each).map(|number| number as u64 + 1)
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
