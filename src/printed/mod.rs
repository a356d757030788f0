//! Numbers as they are printed in a paper: the token, the unit, and the values that it may stand for.
//!
//! A token stays text until here. What it says depends on how its writer shortened it, so one token has several readings,
//! and where a mark may be a decimal point or a separator of thousands nothing is guessed: it is refused. Values are in
//! bytes and seconds.

mod spelling;

use crate::exact::Exact;
use crate::interval::Interval;
use crate::unit::{Dimension, Unit};
use std::fmt;

use spelling::{ABSENT, DIGITS_MAX, folded, plain_digits, qualified, suffixed};
pub use spelling::{scale_of, unit_of};

/// Powers of the base units byte and second: what may be added to and compared with what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Dim {
    /// The power of the byte.
    pub bytes: i8,
    /// The power of the second.
    pub seconds: i8,
}

impl Dim {
    /// A pure number.
    pub const NONE: Self = Self { bytes: 0, seconds: 0 };

    /// Of what a unit counts.
    pub const fn of(dimension: Dimension) -> Self {
        let (bytes, seconds) = match dimension {
            Dimension::Size => (1, 0),
            Dimension::Time => (0, 1),
            Dimension::Bandwidth => (1, -1),
            Dimension::Frequency => (0, -1),
            Dimension::Share | Dimension::Count => (0, 0),
        };
        Self { bytes, seconds }
    }
}

impl fmt::Display for Dim {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match (self.bytes, self.seconds) {
            (0, 0) => "a pure number",
            (1, 0) => "a size",
            (0, 1) => "a time",
            (1, -1) => "a bandwidth",
            (0, -1) => "a rate",
            _ => "a product of units",
        })
    }
}

/// Which mark stands before the decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DecimalMark {
    /// `1,234.5`
    #[default]
    Point,
    /// `1.234,5`
    Comma,
}

/// What the words before a number make of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Qualifier {
    /// Nothing.
    Plain,
    /// `about`, `~`: within [`ABOUT_SHARE_PERCENT`].
    About,
    /// `up to`, `at most`: anything from zero to it.
    AtMost,
    /// `over`, `at least`: anything from it on.
    AtLeast,
}

/// `over x` reaches to this power of ten times x: far enough for anything that is measured.
const FAR_POWER: i32 = 6;

/// How far a number called `about` may lie from the value, in percent.
pub const ABOUT_SHARE_PERCENT: u64 = 5;

/// How the writer may have shortened a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shortening {
    /// To the nearest last digit.
    Rounded,
    /// To the nearest, where zeros at the end of a whole number only fill its places: `400,000`.
    Padded,
    /// Towards zero.
    Truncated,
    /// Away from zero.
    RoundedUp,
}

/// A printed number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Printed {
    token: String,
    digits: String,
    value: Exact,
    last_digit: Exact,
    last_digit_padded: Exact,
    qualifier: Qualifier,
    is_exact: bool,
    /// What it stands for where nothing else is said: asked for by every check of every row.
    rounded: Interval,
    dim: Dim,
    unit: Unit,
}

/// Why a token is no number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PrintedError {
    /// It says that there is no value.
    #[error("there is no value")]
    Absent,
    /// It does not read as a number.
    #[error("`{0}` is no number")]
    NotANumber(String),
    /// A mark could be the other one.
    #[error("`{token}` has a `{mark}` that is no separator of thousands here")]
    Mark {
        /// The token.
        token: String,
        /// The mark.
        mark: char,
    },
    /// What follows the number is no unit.
    #[error("`{unit}` is no unit")]
    Unit {
        /// What follows.
        unit: String,
    },
    /// Its unit counts something else than the column's.
    #[error("`{token}` is {found}, not {expected}")]
    Dimension {
        /// The token.
        token: String,
        /// What it is.
        found: Dim,
        /// What belongs there.
        expected: Dim,
    },
}

impl Printed {
    /// Reads a token; `unit` is that of its column, which a unit in the token replaces.
    pub fn parse(token: &str, mark: DecimalMark, unit: Option<Unit>) -> Result<Self, PrintedError> {
        let shown = || token.chars().take(60).collect::<String>();
        let text = folded(token);
        let text = text.trim();
        if ABSENT.contains(&text.to_lowercase().as_str()) {
            return Err(PrintedError::Absent);
        }
        let (qualifier, text) = qualified(text);
        let end = text.find(|one: char| !one.is_ascii_digit() && !matches!(one, '.' | ',' | '\'' | ' ' | '+' | '-'));
        // this one unit begins with a digit
        let end = text.strip_suffix(" 1/s").map(str::len).or(end);
        let (number, rest) = text.split_at(end.unwrap_or(text.len()));
        let digits = plain_digits(number.trim(), mark, token)?;
        if digits.len() > DIGITS_MAX {
            return Err(PrintedError::NotANumber(shown()));
        }
        let (suffix, symbol) = suffixed(rest.trim());
        let own = match symbol {
            "" => None,
            _ => Some(unit_of(symbol).ok_or_else(|| PrintedError::Unit { unit: symbol.chars().take(40).collect() })?),
        };
        let dim_of = |unit: Unit| Dim::of(unit.dimension());
        if let (Some(own), Some(expected)) = (own, unit)
            && dim_of(own) != dim_of(expected)
        {
            return Err(PrintedError::Dimension { token: shown(), found: dim_of(own), expected: dim_of(expected) });
        }
        let unit = own.or(unit).unwrap_or(Unit::ONE);
        let scale = &scale_of(unit) * &Exact::ten_to(suffix);
        let number = Exact::parse(&digits).map_err(|_| PrintedError::NotANumber(shown()))?;
        let decimals = digits.split_once('.').map_or(0, |(_, fraction)| fraction.len() as i32);
        let zeros = digits.len() - digits.trim_end_matches('0').len();
        let padding = if decimals == 0 && !number.is_zero() { zeros as i32 } else { -decimals };
        let read = Self {
            token: token.trim().to_owned(),
            value: &number * &scale,
            last_digit: &Exact::ten_to(-decimals) * &scale,
            last_digit_padded: &Exact::ten_to(padding) * &scale,
            digits,
            qualifier,
            is_exact: false,
            rounded: Interval::exactly(Exact::from_integer(0)),
            dim: dim_of(unit),
            unit,
        };
        Ok(read.settled())
    }

    /// With the interval that belongs to its other fields.
    fn settled(mut self) -> Self {
        self.rounded = self.computed(Shortening::Rounded);
        self
    }

    /// A count, or what somebody set: not rounded.
    #[must_use]
    pub fn exactly(self) -> Self {
        Self { is_exact: true, ..self }.settled()
    }

    /// As printed.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// The digits alone, with a decimal point.
    pub fn digits(&self) -> &str {
        &self.digits
    }

    /// The number itself, in base units.
    pub fn value(&self) -> &Exact {
        &self.value
    }

    /// One unit of the last digit, in base units.
    pub fn last_digit(&self) -> &Exact {
        &self.last_digit
    }

    /// Whether it is a count or a setting.
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// What the words before it make of it.
    pub fn qualifier(&self) -> Qualifier {
        self.qualifier
    }

    /// What it may be compared with.
    pub fn dim(&self) -> Dim {
        self.dim
    }

    /// The unit it is printed in.
    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// The values that it stands for.
    pub fn interval(&self, shortening: Shortening) -> Interval {
        if shortening == Shortening::Rounded { self.rounded.clone() } else { self.computed(shortening) }
    }

    /// The number that is named, rounded, whatever stands before it: what a claim compares with. `up to 27 %` says that the
    /// greatest is 27 %.
    pub fn named(&self, shortening: Shortening) -> Interval {
        match self.qualifier {
            Qualifier::AtLeast | Qualifier::AtMost => {
                Self { qualifier: Qualifier::Plain, ..self.clone() }.computed(shortening)
            }
            Qualifier::Plain | Qualifier::About => self.interval(shortening),
        }
    }

    /// The values of a count, or of what somebody set: exact, unless it says `about`.
    pub fn as_set(&self) -> Interval {
        match self.qualifier {
            Qualifier::About => self.rounded.clone(),
            _ => Interval::exactly(self.value.clone()),
        }
    }

    fn computed(&self, shortening: Shortening) -> Interval {
        let half = |digit: &Exact| digit * &Exact::from_ratio(1, 2);
        if self.is_exact {
            return Interval::exactly(self.value.clone());
        }
        match self.qualifier {
            Qualifier::AtLeast => {
                let half = half(&self.last_digit);
                let far = &(&self.value.abs() + &Exact::from_integer(1)) * &Exact::ten_to(FAR_POWER);
                return Interval::new(&self.value - &half, far);
            }
            Qualifier::AtMost => {
                let most = &self.value + &half(&self.last_digit);
                return Interval::new(Exact::from_integer(0), most);
            }
            Qualifier::About => {
                let share = &self.value.abs() * &Exact::from_ratio(ABOUT_SHARE_PERCENT, 100);
                return Interval::around(&self.value, &share.max(half(&self.last_digit)));
            }
            Qualifier::Plain => {}
        }
        let outward =
            if self.value.is_negative() { &self.value - &self.last_digit } else { &self.value + &self.last_digit };
        let inward =
            if self.value.is_negative() { &self.value + &self.last_digit } else { &self.value - &self.last_digit };
        match shortening {
            Shortening::Rounded => Interval::around(&self.value, &half(&self.last_digit)),
            Shortening::Padded => Interval::around(&self.value, &half(&self.last_digit_padded)),
            Shortening::Truncated => Interval::new(self.value.clone(), outward),
            Shortening::RoundedUp => Interval::new(inward, self.value.clone()),
        }
    }

    /// The same token with other digits, in the same unit.
    #[must_use]
    pub fn with_digits(&self, digits: &str) -> Option<Self> {
        let own = Exact::parse(&self.digits).ok()?;
        let other = Exact::parse(digits).ok()?;
        let scale = if own.is_zero() { scale_of(self.unit) } else { self.value.divide(&own)? };
        let (digits, value) = (digits.to_owned(), &other * &scale);
        Some(Self { token: digits.clone(), digits, value, ..self.clone() }.settled())
    }

    /// The same number times a factor, for asking what a wrong one would have done.
    #[must_use]
    pub fn times(&self, factor: &Exact) -> Self {
        Self { value: &self.value * factor, ..self.clone() }.settled()
    }
}

/// How many digits a paper prints.
const PAPER_DIGITS: usize = 4;

/// The units that a value is printed in, the greatest first.
fn units(dim: Dim) -> &'static [&'static str] {
    match (dim.bytes, dim.seconds) {
        (1, -1) => &["GB/s", "MB/s", "kB/s", "B/s"],
        (1, 0) => &["GB", "MB", "kB", "B"],
        (0, 1) => &["s", "ms", "µs", "ns"],
        (0, -1) => &["k/s", "1/s"],
        _ => &["1"],
    }
}

/// A value in bytes and seconds, as a paper would print it.
pub fn as_a_paper(value: &Exact, dim: Dim) -> Option<Printed> {
    let symbols = units(dim);
    let fits = |symbol: &&&str| Unit::parse(symbol).is_some_and(|unit| value.abs() >= scale_of(unit));
    let unit = Unit::parse(symbols.iter().find(fits).or(symbols.last())?)?;
    let shown = value.divide(&scale_of(unit))?;
    Printed::parse(&shown.round(shown.decimals_for(PAPER_DIGITS)), DecimalMark::Point, Some(unit)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(token: &str, mark: DecimalMark) -> String {
        Printed::parse(token, mark, None)
            .map_or_else(|error| error.to_string(), |printed| printed.value().to_fraction())
    }

    #[test]
    fn thousands_of_five_languages_and_digits_of_others() {
        use DecimalMark::{Comma, Point};
        for (token, mark) in [
            ("48,929", Point),
            ("48.929", Comma),
            ("48 929", Point),
            ("48\u{202f}929", Comma),
            ("48'929", Point),
            ("48’929", Comma),
            ("４８９２９", Point),
            ("٤٨٩٢٩", Point),
        ] {
            assert_eq!(value(token, mark), "48929", "{token}");
        }
        assert_eq!(value("12,34,567", Point), "1234567");
        assert_eq!((value("12,8", Comma), value("12.8", Point)), ("64/5".to_owned(), "64/5".to_owned()));
    }

    #[test]
    fn what_could_be_either_is_refused() {
        assert!(matches!(Printed::parse("12,8", DecimalMark::Point, None), Err(PrintedError::Mark { mark: ',', .. })));
        assert!(matches!(Printed::parse("12.8", DecimalMark::Comma, None), Err(PrintedError::Mark { mark: '.', .. })));
        assert!(matches!(Printed::parse("1.2.3", DecimalMark::Point, None), Err(PrintedError::Mark { .. })));
        for absent in ["", "–", "n/a", " - ", "NaN"] {
            assert_eq!(Printed::parse(absent, DecimalMark::Point, None), Err(PrintedError::Absent), "{absent:?}");
        }
        assert!(matches!(
            Printed::parse("fast", DecimalMark::Point, None),
            Err(PrintedError::NotANumber(_) | PrintedError::Unit { .. })
        ));
        assert!(matches!(Printed::parse("12 parsec", DecimalMark::Point, None), Err(PrintedError::Unit { .. })));
    }

    #[test]
    fn units_suffixes_and_words() {
        let parse = |token| Printed::parse(token, DecimalMark::Point, None).unwrap();
        assert_eq!(parse("402k").value(), &Exact::from_integer(402_000));
        assert_eq!(parse("402k").last_digit(), &Exact::from_integer(1000));
        assert_eq!(parse("12.8 GB/s").value(), &Exact::from_integer(12_800_000_000));
        assert_eq!(parse("126 Gbit/s").value(), &Exact::from_integer(15_750_000_000));
        assert_eq!(parse("1.2 M IOPS").value(), &Exact::from_integer(1_200_000));
        assert_eq!(parse("500 µs").value(), &Exact::from_ratio(1, 2000));
        assert_eq!(parse("more than 70 %").qualifier(), Qualifier::AtLeast);
        let about = parse("~100").interval(Shortening::Rounded);
        assert_eq!((about.low(), about.high()), (&Exact::from_integer(95), &Exact::from_integer(105)));
    }

    #[test]
    fn readings_differ() {
        let of = |token: &str, shortening| {
            let interval = Printed::parse(token, DecimalMark::Point, None).unwrap().interval(shortening);
            (interval.low().round(2), interval.high().round(2))
        };
        let pair = |low: &str, high: &str| (low.to_owned(), high.to_owned());
        assert_eq!(of("16.8", Shortening::Rounded), pair("16.75", "16.85"));
        assert_eq!(of("16.8", Shortening::Truncated), pair("16.80", "16.90"));
        assert_eq!(of("16.8", Shortening::RoundedUp), pair("16.70", "16.80"));
        assert_eq!(of("400,000", Shortening::Rounded), pair("399999.50", "400000.50"));
        assert_eq!(of("400,000", Shortening::Padded), pair("350000.00", "450000.00"));
        assert_eq!(of("-1.5", Shortening::Truncated), pair("-1.60", "-1.50"));
    }
}
