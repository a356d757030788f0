//! When a metric is steady: over a window of rounds it stays within a range, and a line fitted to it is nearly flat.
//!
//! SNIA Solid State Storage Performance Test Specification 2.0.1, section 2.1.24.

use crate::manifest::SteadyState;

/// The last rounds.
pub(super) struct Window {
    rounds: usize,
    range: f64,
    slope: f64,
    values: Vec<f64>,
}

impl Window {
    pub(super) fn new(steady: &SteadyState) -> Self {
        let rounds = steady.rounds.value as usize;
        Self { rounds, range: steady.range.fraction(), slope: steady.slope.fraction(), values: vec![] }
    }

    /// Adds a round; true where the window is full and steady.
    pub(super) fn push(&mut self, value: f64) -> bool {
        self.values.push(value);
        if self.values.len() > self.rounds {
            self.values.remove(0);
        }
        self.values.len() == self.rounds && self.is_steady()
    }

    fn is_steady(&self) -> bool {
        let count = self.values.len() as f64;
        let mean = self.values.iter().sum::<f64>() / count;
        let most = self.values.iter().copied().fold(f64::MIN, f64::max);
        let least = self.values.iter().copied().fold(f64::MAX, f64::min);
        let center = (count - 1.0) / 2.0;
        let (mut products, mut squares) = (0.0, 0.0);
        for (round, value) in self.values.iter().enumerate() {
            let distance = round as f64 - center;
            products += distance * (value - mean);
            squares += distance * distance;
        }
        let moved = (products / squares * (count - 1.0)).abs();
        most - least <= self.range * mean && moved <= self.slope * mean
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first_steady(values: &[f64]) -> Option<usize> {
        let mut window = Window { rounds: 5, range: 0.2, slope: 0.1, values: vec![] };
        values.iter().position(|value| window.push(*value))
    }

    #[test]
    fn a_falling_metric_is_not_steady_until_it_levels() {
        assert_eq!(first_steady(&[200.0, 150.0, 120.0, 105.0, 101.0, 100.0, 100.0, 99.0, 101.0]), Some(7));
        assert_eq!(first_steady(&[100.0, 103.0, 106.0, 109.0, 112.0]), None, "within range, but it climbs");
        assert_eq!(first_steady(&[100.0, 100.0, 100.0, 100.0]), None, "the window is not full");
    }
}
