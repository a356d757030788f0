//! Comparisons: what two arms of a plan, or two records of it, say of each other.
//!
//! The design decides the method ([`crate::statistics::Contrast`]); what may be concluded is decided here
//! ([`Verdict`]), for papers, audits and diffs alike.

mod arms;
mod verdict;

pub use arms::{Comparison, Rule, comparisons, hypothesis, partner};
pub(crate) use verdict::weighted;
pub use verdict::{ALPHA, Family, Found, LEVEL, Verdict, adjust, decides, shares_differ_p};
