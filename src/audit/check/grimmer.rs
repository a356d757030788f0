//! G3: a deviation of whole numbers is possible.

use super::{Card, Check};
use crate::audit::{Finding, Kind, Outcome, Subject, judge};
use crate::exact::Exact;
use crate::interval::Interval;

/// The most values: with more, any deviation is possible.
const N_MAX: u64 = 1000;
/// The most sums of squares that are tried.
const TRIED_MAX: usize = 10_000;

/// a deviation of whole numbers is possible.
pub(super) struct Grimmer;

const CARD: Card = Card {
    id: "G3",
    kind: Kind::Hard,
    title: "a deviation of whole numbers is possible",
    needs: &["mean", "sd", "n"],
    explain: "Squares of whole numbers sum to a whole number that is odd where their sum is odd. With few values most deviations can not occur beside a mean (Anaya, The GRIMMER test, PeerJ Preprints 4 (2016) e2400v1).",
};

impl Check for Grimmer {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let findings = judge::rows(subject, |row| {
            if !row.is("integers") {
                return None;
            }
            let (mean, sd, n) = (row.get("mean")?, row.get("sd")?, row.positive("n")?.low().to_u64()?);
            if !(2..=N_MAX).contains(&n) || sd.low().is_negative() {
                return None;
            }
            let is_possible = is_possible(&mean, &sd, n);
            let words = match is_possible {
                true => format!("{n} whole numbers can have this mean and deviation"),
                false => format!("no {n} whole numbers have this mean and this standard deviation"),
            };
            let verdict = if is_possible { Outcome::Pass } else { Outcome::Fail };
            let mut finding = judge::blank(&CARD, verdict, row.place(), words);
            finding.chance_pass = Some(chance(&mean, &sd, n));
            Some(finding)
        });
        judge::or_skip(&CARD, findings)
    }
}

/// Whether whole numbers S = Σx and Q = Σx² exist within what is printed: Q − S²/n = (n − 1)·s², Q of the parity of S.
fn is_possible(mean: &Interval, sd: &Interval, n: u64) -> bool {
    let count = Exact::from_integer(i128::from(n));
    let (low, high) = (mean.low() * &count, mean.high() * &count);
    let mut sum = low.ceil();
    let step = Exact::from_integer(1);
    let mut tried = 0;
    while sum <= high {
        let square = &sum * &sum;
        let Some(base) = square.divide(&count) else { return true };
        // most print the deviation of a sample, by n − 1, and some that of a population, by n
        for freedom in [Exact::from_integer(i128::from(n) - 1), count.clone()] {
            let mut squares = (&base + &(&freedom * &(sd.low() * sd.low()))).ceil();
            let most = &base + &(&freedom * &(sd.high() * sd.high()));
            while squares <= most {
                let half = (&squares - &sum).divide(&Exact::from_integer(2));
                if half.is_some_and(|half| half.floor() == half) {
                    return true;
                }
                squares = &squares + &step;
                tried += 1;
                if tried > TRIED_MAX {
                    return true;
                }
            }
        }
        sum = &sum + &step;
    }
    false
}

/// How often a deviation of the same digits, off by a factor between a half and two, would have been possible.
fn chance(mean: &Interval, sd: &Interval, n: u64) -> f64 {
    const TRIALS: u32 = 32;
    let passed = (0..TRIALS).filter(|trial| {
        let exponent = (f64::from(*trial) + 0.5) / f64::from(TRIALS) * 2.0 - 1.0;
        let factor = Exact::from_float(libm::exp2(exponent)).unwrap_or_else(|| Exact::from_integer(1));
        let moved = &(&(sd.low() + sd.high()) * &Exact::from_ratio(1, 2)) * &factor;
        let half = &sd.width() * &Exact::from_ratio(1, 2);
        is_possible(mean, &Interval::around(&moved, &half), n)
    });
    passed.count() as f64 / f64::from(TRIALS)
}
