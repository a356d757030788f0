//! Claims that are tested: how often so clear a result comes by chance, corrected for all that is claimed beside it.
//!
//! A claim about estimates is decided at a level where the intervals of its estimates, all together, leave one answer. Its
//! p is the least share of misses at which that is so, which makes any expression a test with the error that it states
//! (Berger, Technometrics 24 (1982) 295, for several at once). The claims of one file are a family: Holm, Scand. J.
//! Statist. 6 (1979) 65.

use super::Subject;
use super::evaluation::{ALPHA, Lens, evaluate};
use crate::claims::{Claim, Loaded};
use crate::expression::Truth;
use crate::statistics::holm;

/// The least p that is looked for.
const P_MIN: f64 = 1e-9;
/// How often the range of p is halved.
const HALVINGS: usize = 30;

/// What the test of one reading came to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Tested {
    /// Its own p.
    pub(super) p: f64,
    /// Holm's over the family.
    pub(super) p_adjusted: f64,
    /// What it was decided to be; none where nothing was.
    pub(super) truth: Option<Truth>,
    /// How many tests the family has.
    pub(super) family: usize,
}

impl Tested {
    /// In words.
    pub(super) fn words(&self) -> String {
        let shown = |p: f64| match p {
            least if least <= P_MIN => "under 1e-9".to_owned(),
            small if small < 0.001 => format!("{small:.1e}"),
            large => format!("{large:.3}"),
        };
        let of = match self.family {
            1 => "the only claim that is tested".to_owned(),
            count => format!("{} adjusted for {count} claims", shown(self.p_adjusted)),
        };
        format!("p {}, {of}", shown(self.p))
    }
}

/// A p, and what is decided at it.
type Decided = (f64, Option<Truth>);

/// The tests of all claims, by claim and reading; none where nothing is tested.
pub(super) fn test(subject: &Subject<'_>, loaded: &Loaded) -> Vec<Vec<Option<Tested>>> {
    let of_claim = |claim: &Claim| -> Vec<Option<Decided>> {
        claim.holds.0.iter().map(|reading| p_of(subject, claim, &reading.holds.value)).collect()
    };
    let found: Vec<Vec<Option<Decided>>> = loaded.claims.claims.iter().map(of_claim).collect();
    let values: Vec<f64> = found.iter().flatten().flatten().map(|(p, _)| *p).collect();
    let family = values.len();
    let mut adjusted = holm(&values).into_iter();
    let mut tested = |(p, truth): &Decided| {
        let p_adjusted = adjusted.next().unwrap_or(1.0);
        Tested { p: *p, p_adjusted, truth: truth.filter(|_| p_adjusted <= ALPHA), family }
    };
    found.iter().map(|readings| readings.iter().map(|one| one.as_ref().map(&mut tested)).collect()).collect()
}

/// The least share of misses at which an expression about estimates is decided, and how; none where it has no estimate.
fn p_of(subject: &Subject<'_>, claim: &Claim, text: &str) -> Option<Decided> {
    subject.evidence.as_ref()?;
    let first = evaluate(subject, claim, (text, &[]), &Lens::PLAIN);
    if first.error.is_some() || !first.used.derived.iter().any(|derived| derived.interval.is_some()) {
        return None;
    }
    let decided = |alpha: f64| {
        let truth = evaluate(subject, claim, (text, &[]), &Lens { alpha, ..Lens::PLAIN }).truth;
        truth.filter(|truth| *truth != Truth::Possible)
    };
    let Some(mut truth) = decided(1.0 - 1e-9) else { return Some((1.0, None)) };
    let (mut low, mut high) = (libm::log(P_MIN), 0.0);
    if let Some(found) = decided(P_MIN) {
        return Some((P_MIN, Some(found)));
    }
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        match decided(libm::exp(middle)) {
            Some(found) => (high, truth) = (middle, found),
            None => low = middle,
        }
    }
    Some((libm::exp(high), Some(truth)))
}
