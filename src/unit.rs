//! Units of measurement: what a number counts, and by how much.
//!
//! A unit belongs to one dimension and scales to that dimension's base unit by an exact integer ratio, so a conversion
//! never rounds. Decimal and binary prefixes are kept apart: `MB` is 10^6 bytes, `MiB` is 2^20.

use std::fmt;

/// What a quantity counts, with its base unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dimension {
    /// Amounts of data; base unit byte.
    Size,
    /// Lengths of time; base unit nanosecond.
    Time,
    /// Data per time; base unit byte per second.
    Bandwidth,
    /// Events per time; base unit 1/s.
    Frequency,
    /// Shares; base unit one.
    Share,
    /// Pure numbers; base unit one.
    Count,
}

/// A unit: a symbol, its dimension, and the ratio (numerator, denominator) to the base unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Unit {
    symbol: &'static str,
    dimension: Dimension,
    ratio: (u64, u64),
}

const fn unit(symbol: &'static str, dimension: Dimension, ratio: (u64, u64)) -> Unit {
    Unit { symbol, dimension, ratio }
}

const KIB: u64 = 1024;

/// Every unit that is read or printed; the first of each dimension is its base.
const UNITS: &[Unit] = &[
    unit("B", Dimension::Size, (1, 1)),
    unit("KiB", Dimension::Size, (KIB, 1)),
    unit("MiB", Dimension::Size, (KIB * KIB, 1)),
    unit("GiB", Dimension::Size, (KIB * KIB * KIB, 1)),
    unit("TiB", Dimension::Size, (KIB * KIB * KIB * KIB, 1)),
    unit("kB", Dimension::Size, (1_000, 1)),
    unit("MB", Dimension::Size, (1_000_000, 1)),
    unit("GB", Dimension::Size, (1_000_000_000, 1)),
    unit("TB", Dimension::Size, (1_000_000_000_000, 1)),
    unit("ns", Dimension::Time, (1, 1)),
    unit("µs", Dimension::Time, (1_000, 1)),
    unit("us", Dimension::Time, (1_000, 1)),
    unit("ms", Dimension::Time, (1_000_000, 1)),
    unit("s", Dimension::Time, (1_000_000_000, 1)),
    unit("min", Dimension::Time, (60_000_000_000, 1)),
    unit("h", Dimension::Time, (3_600_000_000_000, 1)),
    unit("B/s", Dimension::Bandwidth, (1, 1)),
    unit("KiB/s", Dimension::Bandwidth, (KIB, 1)),
    unit("MiB/s", Dimension::Bandwidth, (KIB * KIB, 1)),
    unit("GiB/s", Dimension::Bandwidth, (KIB * KIB * KIB, 1)),
    unit("kB/s", Dimension::Bandwidth, (1_000, 1)),
    unit("MB/s", Dimension::Bandwidth, (1_000_000, 1)),
    unit("GB/s", Dimension::Bandwidth, (1_000_000_000, 1)),
    unit("bit/s", Dimension::Bandwidth, (1, 8)),
    unit("kbit/s", Dimension::Bandwidth, (125, 1)),
    unit("Mbit/s", Dimension::Bandwidth, (125_000, 1)),
    unit("Gbit/s", Dimension::Bandwidth, (125_000_000, 1)),
    unit("1/s", Dimension::Frequency, (1, 1)),
    unit("k/s", Dimension::Frequency, (1_000, 1)),
    unit("1", Dimension::Count, (1, 1)),
    unit("%", Dimension::Share, (1, 100)),
];

impl Unit {
    /// The base unit of bytes.
    pub const BYTE: Self = UNITS[0];
    /// The base unit of time.
    pub const NANOSECOND: Self = UNITS[9];
    /// The base unit of bandwidth.
    pub const BYTE_PER_SECOND: Self = UNITS[16];
    /// Events per second.
    pub const PER_SECOND: Self = UNITS[27];
    /// A pure number.
    pub const ONE: Self = UNITS[29];
    /// Hundredths.
    pub const PERCENT: Self = UNITS[30];

    /// The unit with this symbol, as it is written: case matters (`MB` is not `mb`).
    pub fn parse(symbol: &str) -> Option<Self> {
        UNITS.iter().copied().find(|unit| unit.symbol == symbol)
    }

    /// The symbols of a dimension, for messages.
    pub fn symbols(dimension: Dimension) -> impl Iterator<Item = &'static str> {
        UNITS.iter().filter(move |unit| unit.dimension == dimension).map(|unit| unit.symbol)
    }

    /// As it is written after a number.
    pub const fn symbol(self) -> &'static str {
        self.symbol
    }

    /// What it counts.
    pub const fn dimension(self) -> Dimension {
        self.dimension
    }

    /// Base units per this unit, as numerator and denominator.
    pub const fn ratio(self) -> (u64, u64) {
        self.ratio
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.symbol)
    }
}

impl fmt::Display for Dimension {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Size => "size",
            Self::Time => "time",
            Self::Bandwidth => "bandwidth",
            Self::Frequency => "rate",
            Self::Share => "share",
            Self::Count => "number",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_constants_are_the_units_they_are_called() {
        assert_eq!(Unit::BYTE.symbol(), "B");
        assert_eq!(Unit::NANOSECOND.symbol(), "ns");
        assert_eq!(Unit::BYTE_PER_SECOND.symbol(), "B/s");
        assert_eq!(Unit::PER_SECOND.symbol(), "1/s");
        assert_eq!(Unit::ONE.symbol(), "1");
        assert_eq!(Unit::PERCENT.symbol(), "%");
    }

    #[test]
    fn symbols_are_unique_and_case_matters() {
        for unit in UNITS {
            assert_eq!(Unit::parse(unit.symbol()), Some(*unit));
        }
        assert_eq!(Unit::parse("mb"), None);
    }
}
