//! Two records of many results compared, bootstrap included: what `benches/compare_scipy.py` does with scipy.
//!
//! `cargo run --release --example compare [CASES] [REPLICATES] [FILE]`: with a file the values are written there as
//! little-endian floats, for the script to read the same ones.
#![expect(clippy::print_stdout, reason = "it prints what it found")]
#![expect(clippy::disallowed_methods, reason = "it takes its own time and writes a real file")]
#![expect(clippy::unwrap_used, reason = "a rig that can not write its file has nothing to say")]

use std::time::Instant;

use benchpaper::compare::{Family, Found, LEVEL, adjust};
use benchpaper::statistics::{Contrast, bootstrap};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};

/// Metrics of each case.
const METRICS: usize = 2;

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|text| text.parse::<usize>().ok());
    let (cases, replicates) = (numbers.next().unwrap_or(1_000), numbers.next().unwrap_or(50));
    let mut random = ChaCha20Rng::seed_from_u64(3);
    let mut normal = || {
        let mut uniform = || ((random.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
        (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos()
    };
    let mut side = |shift: f64| -> Vec<Vec<f64>> {
        (0..cases * METRICS)
            .map(|_| (0..replicates).map(|_| 1000.0 * (shift + 0.1 * normal()).exp()).collect())
            .collect()
    };
    let (one, other) = (side(0.0), side(0.02));
    if let Some(file) = std::env::args().nth(3) {
        let bytes: Vec<u8> = one.iter().chain(&other).flatten().flat_map(|value| value.to_le_bytes()).collect();
        std::fs::write(file, bytes).unwrap();
    }
    let start = Instant::now();
    let mut bootstrapped = 0;
    let mut found: Vec<Found> = vec![];
    for (first, second) in one.iter().zip(&other) {
        bootstrapped += usize::from(bootstrap::ratio_of_medians(first, second, LEVEL, 1).is_some());
        found.extend(Contrast::independent(first, second).map(|contrast| Found::new(contrast, Some(0.03))));
    }
    let groups: Vec<usize> = (0..found.len()).map(|at| at / METRICS).collect();
    let mut of: Vec<&mut Found> = found.iter_mut().collect();
    adjust(Family::Exploratory, &mut of, &groups);
    let took = start.elapsed().as_secs_f64();
    let small = found.iter().filter(|one| one.p_adjusted.is_some_and(|p| p <= 0.05)).count();
    println!(
        "{} results a side: {} comparisons, {bootstrapped} bootstrapped, {small} with p at most 0.05 after correction, {took:.3} s",
        cases * METRICS * replicates,
        found.len()
    );
}
