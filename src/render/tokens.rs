//! Making tokens: a value, the unit it is printed in, its digits, and what it was computed from.

use crate::document::{Evidence, Inline, Rounding, Token, TokenKind};
use crate::exact::Exact;
use crate::interval::Interval;
use crate::measurement::Metric;
use crate::results::{CaseResults, MetricSamples, Results};
use crate::unit::Unit;

/// The tokens of a document in the making.
#[derive(Default)]
pub(crate) struct Tokens(pub(crate) Vec<Token>);

/// How the values of one column are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Display {
    pub(crate) unit: &'static str,
    pub(crate) divisor: u64,
    pub(crate) decimals: usize,
}

/// The significant digits of a typical value.
const SIGNIFICANT: usize = 4;

impl Display {
    /// For values of a base unit whose typical magnitude is known.
    pub(crate) fn of(unit: &str, typical: f64) -> Self {
        let ladder: &[(&'static str, u64)] = match unit {
            "ns" => &[("ns", 1), ("µs", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000)],
            "B/s" => &[("B/s", 1), ("KiB/s", 1 << 10), ("MiB/s", 1 << 20), ("GiB/s", 1 << 30)],
            "B" => &[("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)],
            "1/s" => &[("1/s", 1)],
            "%" => &[("%", 1)],
            _ => &[("", 1)],
        };
        let fits = |(_, divisor): &&(&'static str, u64)| *divisor == 1 || typical.abs() >= *divisor as f64;
        let (unit, divisor) = ladder.iter().rfind(fits).copied().unwrap_or(("", 1));
        let shown = Exact::from_float(typical / divisor as f64).unwrap_or_else(|| Exact::from_integer(0));
        Self { unit, divisor, decimals: shown.decimals_for(SIGNIFICANT).min(6) }
    }

    /// For the medians of a metric over some cases. What was not measured by this program is printed as it was found.
    pub(crate) fn of_cases<'a>(cases: impl Iterator<Item = &'a CaseResults>, metric: &Metric) -> Self {
        let samples: Vec<&MetricSamples> = cases.filter_map(|case| case.metric(metric)).collect();
        if let Some(display) = Self::as_printed(&samples) {
            return display;
        }
        let mut medians: Vec<f64> = samples.iter().filter_map(|one| one.summary()).map(|one| one.median).collect();
        medians.sort_by(f64::total_cmp);
        let typical = medians.get(medians.len() / 2).copied().unwrap_or(0.0);
        Self::of(samples.first().map_or("", |samples| samples.unit.as_str()), typical)
    }

    /// The unit that all of them were printed in, and the most digits that any was printed with.
    fn as_printed(samples: &[&MetricSamples]) -> Option<Self> {
        let mut found: Option<(Unit, usize)> = None;
        for sample in samples.iter().flat_map(|one| &one.samples) {
            let (digits, symbol) = sample.printed.as_deref()?.split_once(' ')?;
            let unit = Unit::parse(symbol)?;
            let decimals = digits.split_once('.').map_or(0, |(_, fraction)| fraction.len());
            match &mut found {
                Some((known, most)) if *known == unit => *most = decimals.max(*most),
                Some(_) => return None,
                None => found = Some((unit, decimals)),
            }
        }
        let (unit, decimals) = found?;
        // a percentage is kept as it is printed
        let (divisor, parts) = if unit == Unit::PERCENT { (1, 1) } else { unit.ratio() };
        let symbol = if unit == Unit::ONE { "" } else { unit.symbol() };
        (parts == 1).then_some(Self { unit: symbol, divisor, decimals })
    }

    /// A share, printed as a signed or plain percentage.
    pub(crate) const fn percent(decimals: usize) -> Self {
        Self { unit: "%", divisor: 1, decimals }
    }

    /// A pure number.
    pub(crate) const fn plain(decimals: usize) -> Self {
        Self { unit: "", divisor: 1, decimals }
    }
}

impl Tokens {
    /// A token for a value in base units; a dash where it is not finite.
    pub(crate) fn number(&mut self, name: String, value: f64, display: Display, evidence: Vec<Evidence>) -> Inline {
        match Exact::from_float(value) {
            Some(exact) => self.exact(name, exact, display, (TokenKind::Result, evidence)),
            None => Inline::text("–"),
        }
    }

    /// A token that counts something in the record.
    pub(crate) fn count(&mut self, name: &str, value: u64) -> Inline {
        let exact = Exact::from_integer(i128::from(value));
        self.exact(name.to_owned(), exact, Display::plain(0), (TokenKind::Counted, vec![]))
    }

    /// A token for a number that the manifest sets.
    pub(crate) fn configured(&mut self, name: &str, exact: Exact, decimals: usize) -> Inline {
        self.exact(name.to_owned(), exact, Display::plain(decimals), (TokenKind::Configured, vec![]))
    }

    fn exact(
        &mut self,
        name: String,
        exact: Exact,
        display: Display,
        (kind, evidence): (TokenKind, Vec<Evidence>),
    ) -> Inline {
        let shown = exact.divide(&Exact::from_ratio(display.divisor, 1)).unwrap_or_else(|| exact.clone());
        let text = shown.round(display.decimals);
        let interval = Interval::of_rounded(&text).unwrap_or_else(|_| Interval::new(shown.clone(), shown.clone()));
        let rounding =
            Rounding { decimals: display.decimals, mode: "half-even".to_owned(), divisor: display.divisor.to_string() };
        self.0.push(Token { text, name, kind, exact, unit: display.unit.to_owned(), rounding, interval, evidence });
        Inline::Token(self.0.len() - 1)
    }
}

/// Where the values of some samples come from.
pub(crate) fn evidence(results: &Results, samples: &MetricSamples) -> Vec<Evidence> {
    let run = |number: usize| results.runs.get(number).map(|run| run.run.clone()).unwrap_or_default();
    let of_sample = |sample: &crate::results::Sample| Evidence {
        object: sample.object,
        pointer: sample.pointer.clone(),
        files: sample.files.clone(),
        job: sample.job,
        run: run(sample.run),
    };
    samples.samples.iter().map(of_sample).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_printed_in_the_unit_that_fits_its_typical_value() {
        assert_eq!(Display::of("ns", 84_909.0), Display { unit: "µs", divisor: 1_000, decimals: 2 });
        assert_eq!(Display::of("B/s", 47_257_600.0), Display { unit: "MiB/s", divisor: 1 << 20, decimals: 2 });
        assert_eq!(Display::of("1/s", 402_312.0), Display { unit: "1/s", divisor: 1, decimals: 0 });
    }

    #[test]
    fn the_digits_round_the_exact_value() {
        let mut tokens = Tokens::default();
        let display = Display { unit: "µs", divisor: 1_000, decimals: 1 };
        let inline = tokens.number("x".to_owned(), 84_950.0, display, vec![]);
        assert_eq!(inline, Inline::Token(0));
        assert_eq!(tokens.0[0].text, "85.0", "84.95 is exact here, and half goes to even");
    }
}
