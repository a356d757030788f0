//! Printed digits as bounds: what a number on paper says about the value behind it.
//!
//! A token printed to d decimals under rounding stands for every value within half a unit of its last digit.

use crate::exact::{Exact, ExactError};

/// A closed interval of exact numbers, low ≤ high.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interval {
    low: Exact,
    high: Exact,
}

impl Interval {
    /// From the lower bound to the upper one, in either order.
    pub fn new(one: Exact, other: Exact) -> Self {
        if one <= other { Self { low: one, high: other } } else { Self { low: other, high: one } }
    }

    /// The values that round to a printed decimal: ± half a unit of its last digit.
    pub fn of_rounded(token: &str) -> Result<Self, ExactError> {
        let value = Exact::parse(token)?;
        let decimals = token.split_once('.').map_or(0, |(_, fraction)| fraction.len());
        let half = Exact::parse(&format!("5e-{}", decimals + 1))?;
        Ok(Self { low: &value - &half, high: &value + &half })
    }

    /// The lower bound.
    pub fn low(&self) -> &Exact {
        &self.low
    }

    /// The upper bound.
    pub fn high(&self) -> &Exact {
        &self.high
    }

    /// Whether a value lies within, bounds included.
    pub fn contains(&self, value: &Exact) -> bool {
        *value >= self.low && *value <= self.high
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_printed_number_is_half_a_digit_wide() {
        let interval = Interval::of_rounded("1.23").unwrap();
        assert_eq!((interval.low().round(3), interval.high().round(3)), ("1.225".to_owned(), "1.235".to_owned()));
        let whole = Interval::of_rounded("402").unwrap();
        assert!(whole.contains(&Exact::parse("401.5").unwrap()) && !whole.contains(&Exact::parse("402.51").unwrap()));
    }
}
