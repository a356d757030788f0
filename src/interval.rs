//! Intervals of exact numbers, and the arithmetic that keeps every value they may hold.
//!
//! A token printed to d decimals under rounding stands for every value within half a unit of its last digit. Bounds are
//! rationals, so nothing is lost to rounding on the way.

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

    /// One value.
    pub fn exactly(value: Exact) -> Self {
        Self { low: value.clone(), high: value }
    }

    /// The values within a distance, bounds included.
    pub fn around(value: &Exact, distance: &Exact) -> Self {
        Self::new(value - distance, value + distance)
    }

    /// Whether the two share a value.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.low <= other.high && other.low <= self.high
    }

    /// The distance between the bounds.
    pub fn width(&self) -> Exact {
        &self.high - &self.low
    }

    /// All quotients; `None` where the divisor may be zero.
    pub fn divide(&self, divisor: &Self) -> Option<Self> {
        let zero = Exact::from_integer(0);
        if divisor.contains(&zero) {
            return None;
        }
        let one = Exact::from_integer(1);
        Some(self * &Self::new(one.divide(&divisor.low)?, one.divide(&divisor.high)?))
    }

    /// The smallest interval that holds both.
    #[must_use]
    pub fn hull(&self, other: &Self) -> Self {
        Self { low: (&self.low).min(&other.low).clone(), high: (&self.high).max(&other.high).clone() }
    }

    /// The values that the lesser of the two can take.
    #[must_use]
    pub fn min(&self, other: &Self) -> Self {
        Self { low: (&self.low).min(&other.low).clone(), high: (&self.high).min(&other.high).clone() }
    }

    /// The values that the greater of the two can take.
    #[must_use]
    pub fn max(&self, other: &Self) -> Self {
        Self { low: (&self.low).max(&other.low).clone(), high: (&self.high).max(&other.high).clone() }
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

impl std::ops::Add for &Interval {
    type Output = Interval;
    fn add(self, other: &Interval) -> Interval {
        Interval { low: &self.low + &other.low, high: &self.high + &other.high }
    }
}

impl std::ops::Sub for &Interval {
    type Output = Interval;
    fn sub(self, other: &Interval) -> Interval {
        Interval { low: &self.low - &other.high, high: &self.high - &other.low }
    }
}

impl std::ops::Mul for &Interval {
    type Output = Interval;
    fn mul(self, other: &Interval) -> Interval {
        if !self.low.is_negative() && !other.low.is_negative() {
            return Interval { low: &self.low * &other.low, high: &self.high * &other.high };
        }
        let corners =
            [&self.low * &other.low, &self.low * &other.high, &self.high * &other.low, &self.high * &other.high];
        let first = Interval::exactly(corners[0].clone());
        corners.iter().fold(first, |hull, corner| hull.hull(&Interval::exactly(corner.clone())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(low: &str, high: &str) -> Interval {
        Interval::new(Exact::parse(low).unwrap(), Exact::parse(high).unwrap())
    }

    #[test]
    fn arithmetic_holds_every_result() {
        let (one, other) = (interval("-1", "2"), interval("3", "4"));
        assert_eq!(&one + &other, interval("2", "6"));
        assert_eq!(&one - &other, interval("-5", "-1"));
        assert_eq!(&one * &other, interval("-4", "8"));
        assert_eq!(other.divide(&interval("2", "4")), Some(interval("0.75", "2")));
        assert_eq!(other.divide(&one), None);
        assert!(one.overlaps(&interval("2", "9")) && !one.overlaps(&other));
    }

    #[test]
    fn a_printed_number_is_half_a_digit_wide() {
        let interval = Interval::of_rounded("1.23").unwrap();
        assert_eq!((interval.low().round(3), interval.high().round(3)), ("1.225".to_owned(), "1.235".to_owned()));
        let whole = Interval::of_rounded("402").unwrap();
        assert!(whole.contains(&Exact::parse("401.5").unwrap()) && !whole.contains(&Exact::parse("402.51").unwrap()));
    }
}
