//! Numbers with units, as people write them: `4 KiB`, `20 min`, `10 Gbit/s`, `70 %`.
//!
//! A quantity remembers the unit it was read in and is exact. A bare number where a unit belongs is an error that says
//! so: a guess about units is how papers go wrong.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::exact::Exact;
use crate::unit::{Dimension, Unit};

/// An exact number in a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quantity {
    text: String,
    value: Exact,
    unit: Unit,
}

/// Why a text is no quantity of the dimension asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QuantityError {
    /// The number has no unit.
    #[error("`{text}` has no unit")]
    UnitMissing {
        /// What was written.
        text: String,
    },
    /// The unit is not known.
    #[error("`{unit}` is no unit")]
    UnitUnknown {
        /// What stands after the number.
        unit: String,
    },
    /// The unit counts something else.
    #[error("`{text}` is a {found}, not a {expected}")]
    DimensionDiffers {
        /// What was written.
        text: String,
        /// What its unit counts.
        found: Dimension,
        /// What belongs there.
        expected: Dimension,
    },
    /// What stands before the unit is no number.
    #[error("`{text}` does not begin with a number")]
    NumberMissing {
        /// What was written.
        text: String,
    },
    /// Less than zero, or not a whole number of base units where one is needed.
    #[error("`{text}` is out of range")]
    OutOfRange {
        /// What was written.
        text: String,
    },
}

impl Quantity {
    /// Reads a number and a unit of the given dimension, with or without a space between them.
    pub fn parse(text: &str, dimension: Dimension) -> Result<Self, QuantityError> {
        let text = text.trim();
        let number_end = text.find(|one: char| !one.is_ascii_digit() && one != '.').unwrap_or(text.len());
        let (number, symbol) = (&text[..number_end], text[number_end..].trim());
        let shown = || text.chars().take(80).collect::<String>();
        let value = Exact::parse(number).map_err(|_| QuantityError::NumberMissing { text: shown() })?;
        if symbol.is_empty() {
            return Err(QuantityError::UnitMissing { text: shown() });
        }
        let unit = Unit::parse(symbol)
            .ok_or_else(|| QuantityError::UnitUnknown { unit: symbol.chars().take(40).collect() })?;
        if unit.dimension() != dimension {
            return Err(QuantityError::DimensionDiffers {
                text: shown(),
                found: unit.dimension(),
                expected: dimension,
            });
        }
        Ok(Self { text: format!("{number} {symbol}"), value, unit })
    }

    /// The value in the dimension's base unit.
    pub fn in_base(&self) -> Exact {
        let (numerator, denominator) = self.unit.ratio();
        &self.value * &Exact::from_ratio(numerator, denominator)
    }

    /// The value in base units where it is a whole number of them.
    pub fn whole_base(&self) -> Result<u64, QuantityError> {
        self.in_base().to_u64().ok_or_else(|| QuantityError::OutOfRange { text: self.text.clone() })
    }

    /// Checks what a dimension asks for: sizes and times are whole numbers of base units, shares need not be.
    pub fn whole_base_of(&self, dimension: Dimension) -> Result<(), QuantityError> {
        match dimension {
            Dimension::Size | Dimension::Time => self.whole_base().map(|_| ()),
            _ => Ok(()),
        }
    }

    /// The number as written, without its unit.
    pub fn number(&self) -> &str {
        self.text.split(' ').next().unwrap_or(&self.text)
    }

    /// The unit it was read in.
    pub fn unit(&self) -> Unit {
        self.unit
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.text)
    }
}

impl Serialize for Quantity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

/// A length of time for people: `4 min 10 s`, `1.5 s`, `20 ms`.
pub fn readable_duration(nanoseconds: u64) -> String {
    let seconds = nanoseconds / 1_000_000_000;
    match seconds {
        0 if nanoseconds < 1_000_000 => format!("{} µs", nanoseconds / 1_000),
        0 => format!("{} ms", nanoseconds / 1_000_000),
        1..=9 => format!("{}.{} s", seconds, nanoseconds / 100_000_000 % 10),
        10..=59 => format!("{seconds} s"),
        60..=3_599 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3_600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_times_are_exact() {
        let bytes = |text| Quantity::parse(text, Dimension::Size).unwrap().whole_base().unwrap();
        assert_eq!((bytes("4 KiB"), bytes("4KiB"), bytes("1.5 MB")), (4096, 4096, 1_500_000));
        let time = Quantity::parse("0.5 s", Dimension::Time).unwrap();
        assert_eq!(time.whole_base().unwrap(), 500_000_000);
        assert_eq!(Quantity::parse("70 %", Dimension::Share).unwrap().in_base(), Exact::parse("0.7").unwrap());
    }

    #[test]
    fn every_mistake_has_its_own_error() {
        let error = |text| Quantity::parse(text, Dimension::Size).unwrap_err();
        assert!(matches!(error("4096"), QuantityError::UnitMissing { .. }));
        assert!(matches!(error("4 Kb"), QuantityError::UnitUnknown { .. }));
        assert!(matches!(error("4 s"), QuantityError::DimensionDiffers { .. }));
        assert!(matches!(error("four KiB"), QuantityError::NumberMissing { .. }));
        let half_byte = Quantity::parse("0.5 B", Dimension::Size).unwrap();
        assert!(matches!(half_byte.whole_base(), Err(QuantityError::OutOfRange { .. })));
    }
}
