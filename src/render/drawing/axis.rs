//! Axes: from values to places along a line, and the values that are named.

use super::{LETTER, grouped};
use crate::words::{Language, Word};

/// How values are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::render) enum Spacing {
    /// Evenly, from zero.
    FromZero,
    /// By their logarithm.
    Logarithmic,
    /// By the number of nines of a percentile: 90, 99 and 99.9 are as far apart.
    Nines,
}

/// An axis whose ends are known.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::render) struct Axis {
    pub(in crate::render) title: String,
    spacing: Spacing,
    /// The ends, as they are laid out.
    low: f64,
    high: f64,
    /// The values that are named, with their names.
    pub(in crate::render) ticks: Vec<(f64, String)>,
}

/// How far values must lie apart, as a ratio, to be laid out by their logarithm.
const LOGARITHMIC_FROM: f64 = 20.0;

fn laid_out(spacing: Spacing, value: f64) -> f64 {
    match spacing {
        Spacing::FromZero => value,
        Spacing::Logarithmic => libm::log10(value.max(1e-300)),
        Spacing::Nines => -libm::log10((1.0 - value / 100.0).max(1e-9)),
    }
}

impl Axis {
    /// Of values that are all named, such as the levels of a factor.
    pub(in crate::render) fn of_levels(title: String, spacing: Spacing, levels: Vec<(f64, String)>) -> Self {
        let places: Vec<f64> = levels.iter().map(|(value, _)| laid_out(spacing, *value)).collect();
        let (low, high) = ends(&places);
        let pad = if high > low { (high - low) * 0.04 } else { 0.5 };
        Self { title, spacing, low: low - pad, high: high + pad, ticks: levels }
    }

    /// Of measured values: by their logarithm where they lie far apart, or else from zero.
    pub(in crate::render) fn of_values(title: String, values: &[f64]) -> Self {
        let positive: Vec<f64> = values.iter().copied().filter(|value| *value > 0.0 && value.is_finite()).collect();
        let (least, most) = ends(&positive);
        let is_logarithmic = !positive.is_empty() && positive.len() == values.len() && most / least >= LOGARITHMIC_FROM;
        if !is_logarithmic {
            let (top, ticks) = round_steps(most.max(0.0));
            return Self { title, spacing: Spacing::FromZero, low: 0.0, high: top, ticks };
        }
        let (low, high) = (libm::log10(least), libm::log10(most));
        let pad = (high - low) * 0.05;
        let (low, high) = (low - pad, high + pad);
        Self { title, spacing: Spacing::Logarithmic, low, high, ticks: decades(low, high) }
    }

    /// From zero to one.
    pub(in crate::render) fn of_share(title: String) -> Self {
        let ticks = (0..=5).map(|step| (f64::from(step) * 0.2, format!("{:.1}", f64::from(step) * 0.2))).collect();
        Self { title, spacing: Spacing::FromZero, low: 0.0, high: 1.0, ticks }
    }

    /// The title, saying how values are laid out where that is not evenly.
    pub(in crate::render) fn named(&self, words: &Language) -> String {
        match self.spacing {
            Spacing::Logarithmic => words.text(Word::LogScale { title: self.title.as_str().into() }),
            Spacing::FromZero | Spacing::Nines => self.title.clone(),
        }
    }

    /// The share of the axis at which a value lies, from 0 to 1.
    pub(in crate::render) fn share(&self, value: f64) -> f64 {
        let span = if self.high > self.low { self.high - self.low } else { 1.0 };
        ((laid_out(self.spacing, value) - self.low) / span).clamp(0.0, 1.0)
    }

    /// The named values whose names do not meet along so many units of length.
    pub(in crate::render) fn apart(&self, length: f64) -> Vec<&(f64, String)> {
        let mut kept: Vec<&(f64, String)> = vec![];
        for tick in &self.ticks {
            let half = |text: &str| text.chars().count() as f64 * LETTER / 2.0;
            let is_free = kept.last().is_none_or(|last| {
                (self.share(tick.0) - self.share(last.0)) * length >= half(&tick.1) + half(&last.1) + 4.0
            });
            if is_free {
                kept.push(tick);
            }
        }
        kept
    }
}

fn ends(values: &[f64]) -> (f64, f64) {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if least <= most { (least, most) } else { (0.0, 1.0) }
}

/// The end of an axis from zero, and round steps up to it.
pub(in crate::render) fn round_steps(most: f64) -> (f64, Vec<(f64, String)>) {
    let most = if most > 0.0 && most.is_finite() { most } else { 1.0 };
    let magnitude = libm::pow(10.0, libm::floor(libm::log10(most / 5.0)));
    let step = [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().map(|factor| factor * magnitude);
    let step = step.into_iter().find(|step| most / step <= 6.0).unwrap_or(most);
    let top = libm::ceil(most / step) * step;
    let is_whole = step >= 1.0 && (step - libm::floor(step)).abs() < 1e-9;
    let decimals = if is_whole { 0 } else { (1.0 - libm::floor(libm::log10(step))).max(0.0) as usize };
    let count = libm::round(top / step) as usize;
    let tick = |number: usize| {
        let value = number as f64 * step;
        (value, grouped(&format!("{value:.decimals$}")))
    };
    (top, (0..=count).map(tick).collect())
}

/// Powers of ten between two logarithms, with 2 and 5 between them where there are few.
fn decades(low: f64, high: f64) -> Vec<(f64, String)> {
    let factors: &[f64] = if high - low <= 2.6 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let mut ticks = vec![];
    for power in libm::floor(low) as i32..=libm::ceil(high) as i32 {
        for factor in factors {
            let value = factor * libm::pow(10.0, f64::from(power));
            if (low..=high).contains(&libm::log10(value)) {
                let decimals = (-power).max(0) as usize;
                ticks.push((value, grouped(&format!("{value:.decimals$}"))));
            }
        }
    }
    ticks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words;

    #[test]
    fn what_lies_far_apart_is_laid_out_by_its_logarithm() {
        let near = Axis::of_values("IOPS".to_owned(), &[100.0, 900.0]);
        assert_eq!((near.share(0.0), near.named(words::english())), (0.0, "IOPS".to_owned()));
        let far = Axis::of_values("IOPS".to_owned(), &[10.0, 100_000.0]);
        assert_eq!(far.named(words::english()), "IOPS (log scale)");
        assert!((far.share(1_000.0) - 0.5).abs() < 1e-9);
        let names: Vec<&str> = far.ticks.iter().map(|(_, name)| name.as_str()).collect();
        assert_eq!(names, ["10", "100", "1000", "10\u{2009}000", "100\u{2009}000"]);
        assert_eq!(Axis::of_values(String::new(), &[]).share(5.0), 1.0, "nothing to show is no reason to fail");
    }

    #[test]
    fn nines_are_evenly_apart_and_names_do_not_meet() {
        let levels = [90.0, 99.0, 99.9].map(|value| (value, format!("{value} %"))).to_vec();
        let axis = Axis::of_levels("Percentile".to_owned(), Spacing::Nines, levels);
        let places: Vec<f64> = [90.0, 99.0, 99.9].map(|value| axis.share(value)).to_vec();
        assert!((places[1] - places[0] - (places[2] - places[1])).abs() < 1e-9, "{places:?}");
        assert_eq!((axis.apart(400.0).len(), axis.apart(40.0).len()), (3, 2));
    }
}
