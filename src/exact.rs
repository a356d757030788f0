//! Exact numbers: rationals of unbounded size, read from decimal text and rounded back to it.
//!
//! No verdict and no printed digit rests on binary floating point: a measured `f64` enters as the shortest decimal that
//! names it, and rounding is half to even on the exact value.

use std::fmt;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};

/// The most digits before or after the point that are read; longer texts are refused, so that time stays bounded.
const DIGITS_MAX: usize = 400;

/// An exact rational number.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Exact(BigRational);

/// A text is no decimal number.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no decimal number")]
pub struct ExactError(String);

impl Exact {
    /// The whole number.
    pub fn from_integer(value: i128) -> Self {
        Self(BigRational::from_integer(BigInt::from(value)))
    }

    /// `numerator / denominator`; the denominator is not zero.
    pub fn from_ratio(numerator: u64, denominator: u64) -> Self {
        assert!(denominator != 0, "a ratio has a denominator");
        Self(BigRational::new(BigInt::from(numerator), BigInt::from(denominator)))
    }

    /// The number that the shortest decimal text of a finite float names; `None` for NaN and infinities.
    pub fn from_float(value: f64) -> Option<Self> {
        if value.is_finite() { Self::parse(&format!("{value:e}")).ok() } else { None }
    }

    /// Reads `-12.5`, `1e3`, `1.25E-6`; no spaces, no separators, no signs but a leading one.
    pub fn parse(text: &str) -> Result<Self, ExactError> {
        let error = || ExactError(text.chars().take(80).collect());
        let (is_negative, unsigned) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().map_err(|_| error())?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{whole}{fraction}");
        let is_decimal = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
        if !is_decimal || digits.len() > DIGITS_MAX || exponent.unsigned_abs() as usize > DIGITS_MAX {
            return Err(error());
        }
        let value: BigInt = digits.parse().map_err(|_| error())?;
        let scale = exponent - fraction.len() as i32;
        let power = BigInt::from(10).pow(scale.unsigned_abs());
        let magnitude =
            if scale >= 0 { BigRational::from_integer(value * power) } else { BigRational::new(value, power) };
        Ok(Self(if is_negative { -magnitude } else { magnitude }))
    }

    /// The nearest float, for statistics and drawing.
    pub fn to_float(&self) -> f64 {
        self.0.to_f64().unwrap_or(f64::NAN)
    }

    /// The whole number it is, where it is one that fits.
    pub fn to_u64(&self) -> Option<u64> {
        if self.0.is_integer() { self.0.to_integer().to_u64() } else { None }
    }

    /// Rounded half to even to so many decimals, and written with exactly that many.
    pub fn round(&self, decimals: usize) -> String {
        let power = BigInt::from(10).pow(decimals as u32);
        let scaled = &self.0 * BigRational::from_integer(power);
        let floor = scaled.floor().to_integer();
        let rest = &scaled - BigRational::from_integer(floor.clone());
        let half = BigRational::new(BigInt::from(1), BigInt::from(2));
        let is_odd = (&floor % BigInt::from(2)) != BigInt::zero();
        let rounded = if rest > half || (rest == half && is_odd) { floor + 1 } else { floor };
        let digits = format!("{:0>width$}", rounded.abs().to_string(), width = decimals + 1);
        let (whole, fraction) = digits.split_at(digits.len() - decimals);
        let sign = if rounded.is_negative() { "-" } else { "" };
        if decimals == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
    }

    /// The decimals that leave so many significant digits, none below zero.
    pub fn decimals_for(&self, significant: usize) -> usize {
        if self.0.is_zero() {
            return significant.saturating_sub(1);
        }
        let mut exponent = 0_i32;
        let ten = BigRational::from_integer(BigInt::from(10));
        let one = BigRational::from_integer(BigInt::from(1));
        let mut magnitude = self.0.abs();
        while magnitude >= ten {
            magnitude /= &ten;
            exponent += 1;
        }
        while magnitude < one && exponent > -60 {
            magnitude *= &ten;
            exponent -= 1;
        }
        usize::try_from(significant as i32 - 1 - exponent).unwrap_or(0)
    }

    /// Without its sign.
    #[must_use]
    pub fn abs(&self) -> Self {
        Self(self.0.abs())
    }

    /// The greatest whole number that is not above it.
    #[must_use]
    pub fn floor(&self) -> Self {
        Self(self.0.floor())
    }

    /// The least whole number that is not below it.
    #[must_use]
    pub fn ceil(&self) -> Self {
        Self(self.0.ceil())
    }

    /// A power of ten.
    pub fn ten_to(exponent: i32) -> Self {
        let power = BigRational::from_integer(BigInt::from(10).pow(exponent.unsigned_abs()));
        Self(if exponent < 0 { power.recip() } else { power })
    }

    /// A power of two.
    pub fn two_to(exponent: u32) -> Self {
        Self(BigRational::from_integer(BigInt::from(1) << exponent))
    }

    /// The bits of numerator and denominator together: what arithmetic with it costs.
    pub fn bits(&self) -> u64 {
        self.0.numer().bits() + self.0.denom().bits()
    }

    /// Less than zero.
    pub fn is_negative(&self) -> bool {
        self.0.is_negative()
    }

    /// Zero.
    pub fn is_zero(&self) -> bool {
        self.0.is_zero()
    }

    /// `numerator/denominator` in lowest terms, or a whole number: what a cell map stores.
    pub fn to_fraction(&self) -> String {
        self.0.to_string()
    }
}

macro_rules! arithmetic {
    ($($operator:ident $function:ident $sign:tt),*) => {$(
        impl std::ops::$operator for &Exact {
            type Output = Exact;
            fn $function(self, other: &Exact) -> Exact {
                Exact(&self.0 $sign &other.0)
            }
        }
    )*};
}
arithmetic!(Add add +, Sub sub -, Mul mul *);

impl Exact {
    /// The quotient; `None` where the divisor is zero.
    pub fn divide(&self, divisor: &Self) -> Option<Self> {
        if divisor.is_zero() { None } else { Some(Self(&self.0 / &divisor.0)) }
    }
}

impl fmt::Debug for Exact {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_is_half_to_even_on_the_exact_value() {
        let round = |text: &str, decimals| Exact::parse(text).unwrap().round(decimals);
        assert_eq!(round("0.125", 2), "0.12");
        assert_eq!(round("0.135", 2), "0.14");
        assert_eq!(round("2.675", 2), "2.68");
        assert_eq!(round("-0.5", 0), "0");
        assert_eq!(round("-1.5", 0), "-2");
        assert_eq!(round("1e3", 1), "1000.0");
        assert_eq!(round("0.004", 2), "0.00");
    }

    #[test]
    fn a_float_is_the_decimal_that_names_it() {
        assert_eq!(Exact::from_float(2.675).unwrap(), Exact::parse("2.675").unwrap());
        assert_eq!(Exact::from_float(1e-7).unwrap(), Exact::parse("0.0000001").unwrap());
        assert_eq!(Exact::from_float(f64::NAN), None);
    }

    #[test]
    fn significant_digits_become_decimals() {
        let decimals = |text: &str| Exact::parse(text).unwrap().decimals_for(3);
        assert_eq!((decimals("12345"), decimals("12.3"), decimals("0.0123"), decimals("0")), (0, 1, 4, 2));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in ["", "-", ".", "1.2.3", "1e", "0x10", "1e999999", " 1", "1_0", "n/a"] {
            assert!(Exact::parse(text).is_err(), "{text:?}");
        }
    }
}
