//! How people spell numbers: signs, digits, separators, units.

use super::{DecimalMark, PrintedError, Qualifier};
use crate::exact::Exact;
use crate::unit::{Dimension, Unit};

/// The most digits of a number.
pub(super) const DIGITS_MAX: usize = 40;

/// What people write where there is no value.
pub(super) const ABSENT: &[&str] = &["", "-", "–", "—", "−", "n/a", "na", "n.a.", "none", "nan", "./.", "…", "?"];

/// Words before a number, longest first.
pub(super) const QUALIFIERS: &[(&str, Qualifier)] = &[
    ("approximately", Qualifier::About),
    ("more than", Qualifier::AtLeast),
    ("less than", Qualifier::AtMost),
    ("at least", Qualifier::AtLeast),
    ("at most", Qualifier::AtMost),
    ("nearly", Qualifier::About),
    ("almost", Qualifier::About),
    ("around", Qualifier::About),
    ("about", Qualifier::About),
    ("up to", Qualifier::AtMost),
    ("under", Qualifier::AtMost),
    ("over", Qualifier::AtLeast),
    ("ca.", Qualifier::About),
    ("~", Qualifier::About),
    ("≈", Qualifier::About),
    ("≥", Qualifier::AtLeast),
    (">", Qualifier::AtLeast),
    ("≤", Qualifier::AtMost),
    ("<", Qualifier::AtMost),
];

/// Units as papers write them, beside those of [`Unit::parse`]. A capital K, M or G of bytes is decimal until a check
/// finds that it is not.
pub(super) const SPELLINGS: &[(&str, &str)] = &[
    ("IOPS", "1/s"),
    ("ops/s", "1/s"),
    ("MByte/s", "MB/s"),
    ("MBytes/s", "MB/s"),
    ("MBps", "MB/s"),
    ("MB/sec", "MB/s"),
    ("KB/s", "kB/s"),
    ("KB", "kB"),
    ("GBps", "GB/s"),
    ("GByte/s", "GB/s"),
    ("Mb/s", "Mbit/s"),
    ("Mbps", "Mbit/s"),
    ("Mbits/sec", "Mbit/s"),
    ("Gb/s", "Gbit/s"),
    ("Gbps", "Gbit/s"),
    ("Gbits/sec", "Gbit/s"),
    ("μs", "µs"),
    ("usec", "µs"),
    ("msec", "ms"),
    ("sec", "s"),
    ("seconds", "s"),
    ("minutes", "min"),
    ("hours", "h"),
    ("percent", "%"),
    ("points", "%"),
    ("pp", "%"),
    ("％", "%"),
    ("x", "1"),
    ("×", "1"),
];

/// The unit that a paper means by a symbol.
pub fn unit_of(symbol: &str) -> Option<Unit> {
    let symbol = SPELLINGS.iter().find(|(spelling, _)| *spelling == symbol).map_or(symbol, |(_, unit)| unit);
    Unit::parse(symbol)
}

/// Base units (bytes, seconds) per unit.
pub fn scale_of(unit: Unit) -> Exact {
    let (numerator, denominator) = unit.ratio();
    let ratio = Exact::from_ratio(numerator, denominator);
    if unit.dimension() == Dimension::Time { &ratio * &Exact::ten_to(-9) } else { ratio }
}

/// Decimal digits of any script as ASCII, the signs and marks of full width as plain ones.
pub(super) fn folded(text: &str) -> String {
    const ZEROS: &[char] = &['\u{ff10}', '\u{660}', '\u{6f0}', '\u{966}'];
    let digit = |one: char| {
        ZEROS
            .iter()
            .find_map(|zero| (one as u32).checked_sub(*zero as u32).filter(|digit| *digit < 10))
            .map(|digit| (b'0' + digit as u8) as char)
    };
    let fold = |one: char| match one {
        '−' | '－' => '-',
        '．' => '.',
        '，' => ',',
        '＋' => '+',
        '\u{a0}' | '\u{202f}' | '\u{2009}' | '\u{3000}' | '\t' => ' ',
        '’' | 'ʼ' => '\'',
        _ => digit(one).unwrap_or(one),
    };
    text.chars().map(fold).collect()
}

/// Words before a number, and the rest.
pub(super) fn qualified(text: &str) -> (Qualifier, &str) {
    for (word, qualifier) in QUALIFIERS {
        if text.len() >= word.len()
            && text.is_char_boundary(word.len())
            && text[..word.len()].eq_ignore_ascii_case(word)
        {
            return (*qualifier, text[word.len()..].trim_start());
        }
    }
    (Qualifier::Plain, text)
}

/// A power of ten written as a letter, and the unit after it: `402k`, `1.2 M IOPS`.
pub(super) fn suffixed(rest: &str) -> (i32, &str) {
    if unit_of(rest).is_some() {
        return (0, rest);
    }
    let power = match rest.chars().next() {
        Some('k' | 'K') => 3,
        Some('M') => 6,
        Some('G') => 9,
        _ => return (0, rest),
    };
    let after = rest[1..].trim_start();
    if after.is_empty() || unit_of(after).is_some() { (power, after) } else { (0, rest) }
}

/// The digits with a decimal point and without separators of thousands, which stand before groups of three (of two in
/// India, but for the last).
pub(super) fn plain_digits(number: &str, mark: DecimalMark, token: &str) -> Result<String, PrintedError> {
    let shown = || token.trim().chars().take(60).collect::<String>();
    let (point, comma) = match mark {
        DecimalMark::Point => ('.', ','),
        DecimalMark::Comma => (',', '.'),
    };
    let (sign, unsigned) = match number.strip_prefix('-') {
        Some(rest) => ("-", rest.trim_start()),
        None => ("", number.strip_prefix('+').unwrap_or(number)),
    };
    let (whole, fraction) = unsigned.split_once(point).unwrap_or((unsigned, ""));
    let is_digits = |text: &str| text.bytes().all(|one| one.is_ascii_digit());
    if !is_digits(fraction) || unsigned.is_empty() || (whole.is_empty() && fraction.is_empty()) {
        let mark = fraction.chars().find(|one| !one.is_ascii_digit());
        return Err(
            mark.map_or_else(|| PrintedError::NotANumber(shown()), |mark| PrintedError::Mark { token: shown(), mark })
        );
    }
    let separators: Vec<char> = whole.chars().filter(|one| !one.is_ascii_digit()).collect();
    if let Some(first) = separators.first() {
        let groups: Vec<&str> = whole.split(*first).collect();
        let is_one_kind = separators.iter().all(|one| one == first) && [comma, ' ', '\''].contains(first);
        let is_grouped = groups.iter().enumerate().all(|(at, group)| match (at, groups.len() - 1 - at) {
            (0, _) => (1..=3).contains(&group.len()),
            (_, 0) => group.len() == 3,
            _ => matches!(group.len(), 2 | 3),
        });
        if !is_one_kind || !is_grouped || !groups.iter().all(|group| is_digits(group)) {
            return Err(PrintedError::Mark { token: shown(), mark: *first });
        }
    }
    let whole: String = whole.chars().filter(char::is_ascii_digit).collect();
    let whole = if whole.is_empty() { "0" } else { &whole };
    Ok(if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") })
}
