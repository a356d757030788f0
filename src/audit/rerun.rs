//! Whether a rerun gives a number again: the ratio of new to old, with the uncertainty of both, against the margin that the
//! manifest declares.

use super::derive::Derived;
use super::evidence::Evidence;
use crate::compare::{Comparison, Rule, comparisons};
use crate::plan;
use crate::results::Results;
use crate::statistics::{Contrast, LogRatio, student_t_quantile};

/// The level at which a number counts as given again.
const LEVEL_INSIDE: f64 = 0.90;
/// The level at which it counts as another one.
const LEVEL_OUTSIDE: f64 = 0.95;

/// What a rerun says of one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Again {
    /// The interval of new by old lies within the margin.
    Inside,
    /// It lies outside of it, whole.
    Outside,
    /// Neither.
    Open,
}

/// One number, measured again.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Reproduction {
    pub(super) again: Again,
    /// In a sentence.
    pub(super) words: String,
}

/// What the rerun says of each number; nothing where there was none.
pub(super) fn reproduce(evidence: &Evidence<'_>, derived: &[Derived]) -> Vec<Reproduction> {
    let Some(new) = evidence.rerun else { return vec![] };
    derived.iter().map(|one| of_number(evidence, new, one)).collect()
}

fn of_number(evidence: &Evidence<'_>, new: &Results, derived: &Derived) -> Reproduction {
    let open = |reason: &str| Reproduction { again: Again::Open, words: format!("{}: {reason}.", derived.name) };
    let rule = evidence.experiment.metrics.get(derived.metric.as_str());
    let Some(margin) = rule.and_then(|rule| rule.margin.as_ref()).map(|margin| margin.fraction()) else {
        return open(&format!("the manifest declares no margin for {}", derived.metric));
    };
    let kinds = [evidence.results, new].map(|results| {
        let samples = derived.cases.first().and_then(|case| results.cases.get(*case)?.metric(&derived.metric));
        samples.and_then(|samples| results.environment(samples))
    });
    if kinds[0] != kinds[1] {
        return open("it was measured in another kind of environment");
    }
    let ratio = if derived.is_change() { of_change(evidence, new, derived) } else { of_value(evidence, new, derived) };
    let intervals = ratio.and_then(|ratio| {
        Some((libm::exp(ratio.mean), interval(ratio, LEVEL_INSIDE)?, interval(ratio, LEVEL_OUTSIDE)?))
    });
    let Some((ratio, inside, outside)) = intervals else {
        return open("there are too few replicates for an interval of new by old");
    };
    let (least, most) = (1.0 / (1.0 + margin), 1.0 + margin);
    let again = match () {
        () if inside.0 >= least && inside.1 <= most => Again::Inside,
        () if outside.1 < least || outside.0 > most => Again::Outside,
        () => Again::Open,
    };
    let (level, shown) = if again == Again::Inside { (LEVEL_INSIDE, inside) } else { (LEVEL_OUTSIDE, outside) };
    let words = format!(
        "{}: new by old is {ratio:.4} ({:.0} %: {:.4} to {:.4}), the margin is {:.1} %.",
        derived.name,
        level * 100.0,
        shown.0,
        shown.1,
        margin * 100.0
    );
    Reproduction { again, words }
}

fn interval(ratio: LogRatio, level: f64) -> Option<(f64, f64)> {
    let half = student_t_quantile(f64::midpoint(1.0, level), ratio.freedom)? * ratio.error;
    Some((libm::exp(ratio.mean - half), libm::exp(ratio.mean + half)))
}

fn of_value(evidence: &Evidence<'_>, new: &Results, derived: &Derived) -> Option<LogRatio> {
    let case = *derived.cases.first()?;
    let values = |results: &Results| Some(results.cases.get(case)?.metric(&derived.metric)?.unit_values());
    Contrast::independent(&values(evidence.results)?, &values(new)?)?.mean_of_logs()
}

/// The ratio of two ratios that were measured apart: their errors add as those of independent means do (Welch).
fn of_change(evidence: &Evidence<'_>, new: &Results, derived: &Derived) -> Option<LogRatio> {
    let factor = plan::compared_factor(evidence.experiment)?;
    let again = comparisons(new, &derived.metric, &factor, Rule::of(evidence.experiment, &derived.metric));
    let is_it = |one: &&Comparison| derived.cases == [one.cases.0, one.cases.1];
    let old = evidence.comparisons(&derived.metric);
    let of = |one: &Comparison| one.found.contrast.mean_of_logs();
    let (old, new) = (of(old.iter().find(is_it)?)?, of(again.iter().find(is_it)?)?);
    let (a, b) = (old.error * old.error, new.error * new.error);
    let is_varying = a + b > 0.0;
    let freedom =
        if is_varying { (a + b) * (a + b) / (a * a / old.freedom + b * b / new.freedom) } else { old.freedom };
    Some(LogRatio { mean: new.mean - old.mean, error: libm::sqrt(a + b), freedom })
}
