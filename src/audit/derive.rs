//! Numbers that follow from results: the functions that claims about an experiment of one's own have.
//!
//! `value` and `change` are what the sample says, as the paper prints it. `estimate` and `effect` are the same with the
//! interval that the sample allows: a comparison with one of them is decided only where its whole interval is.

use super::evidence::Evidence;
use super::judge::shown;
use crate::compare::partner;
use crate::exact::Exact;
use crate::expression::{Number, Value};
use crate::interval::Interval;
use crate::measurement::Metric;
use crate::name::nearest;
use crate::printed::{Dim, scale_of};
use crate::results::CaseResults;
use crate::statistics::{mean, median_interval_at};
use crate::unit::Unit;

/// The functions: name, and what it gives.
pub const FUNCTIONS: &[(&str, &str)] = &[
    ("value", "a statistic of one case: value('iops', stat='median', …)"),
    ("values", "the same of all cases with these levels"),
    ("change", "the relative change of one case against the first level of the treatment"),
    ("changes", "the same of all cases with these levels"),
    ("estimate", "the median of one case with its interval"),
    ("estimates", "the same of all cases with these levels"),
    ("effect", "the relative change with its interval"),
    ("effects", "the same of all cases with these levels"),
];

/// A number that was derived from results.
#[derive(Debug, Clone, PartialEq)]
pub struct Derived {
    /// As the cell map has it.
    pub name: String,
    /// Of which metric.
    pub metric: Metric,
    /// The case, or the baseline and what is compared with it.
    pub cases: Vec<usize>,
    /// As the paper has it: in base units, or in percent.
    pub value: f64,
    /// What the paper's base unit is called.
    pub unit: Unit,
    /// The interval in the same unit, where one was asked for: low and high.
    pub interval: Option<(f64, f64)>,
}

impl Derived {
    /// Exactly what the cell map should have.
    pub fn exact(&self) -> Exact {
        Exact::from_float(self.value).unwrap_or_else(|| Exact::from_integer(0))
    }

    /// Whether it is a relative change.
    pub fn is_change(&self) -> bool {
        self.cases.len() == 2
    }

    fn dim(&self) -> Dim {
        Dim::of(self.unit.dimension())
    }

    /// In bytes and seconds.
    fn scaled(&self, value: f64) -> Option<Exact> {
        Exact::from_float(value).map(|exact| &exact * &scale_of(self.unit))
    }

    /// The number for an expression: the sample, or the interval.
    pub(super) fn number(&self) -> Option<Number> {
        let (low, high) = self.interval.unwrap_or((self.value, self.value));
        let interval = Interval::new(self.scaled(low)?, self.scaled(high)?);
        Some(Number { interval, dim: self.dim() })
    }

    /// For people.
    pub fn shown(&self) -> String {
        let text = |low: f64, high: f64| {
            if self.unit == Unit::PERCENT {
                let (low, high) = (format!("{low:+.1}"), format!("{high:+.1}"));
                return if low == high { format!("{low} %") } else { format!("{low} to {high} %") };
            }
            match (self.scaled(low), self.scaled(high)) {
                (Some(low), Some(high)) => {
                    let interval = Interval::new(low, high);
                    shown(&interval, &interval, self.dim()).0
                }
                _ => "no number".to_owned(),
            }
        };
        match self.interval {
            Some((low, high)) if low.is_nan() || high.is_nan() => {
                format!("{} (no interval of this level)", text(self.value, self.value))
            }
            Some((low, high)) => format!("{} ({})", text(self.value, self.value), text(low, high)),
            None => text(self.value, self.value),
        }
    }
}

/// What a function gives, and whether it is one number or a list; `None` where no function is called so.
pub(super) fn call(
    evidence: &Evidence<'_>,
    name: &str,
    (arguments, named): (&[Value], &[(String, Value)]),
    level: f64,
) -> Option<Result<(Vec<Derived>, bool), String>> {
    FUNCTIONS.iter().find(|(known, _)| *known == name)?;
    let is_list = name.ends_with('s');
    let is_change = name.starts_with("change") || name.starts_with("effect");
    let level = (name.starts_with("estimate") || name.starts_with("effect")).then_some(level);
    let found = || {
        let [Value::Text(metric)] = arguments else {
            return Err(format!("{name} wants a metric, and then levels: {name}('iops', iodepth='1')"));
        };
        let metric = metric_of(evidence, metric)?;
        let (stat, levels) = levels_of(evidence, named)?;
        let found = match is_change {
            true if stat.is_some() => Err(format!("{name} has no `stat`")),
            true => changes(evidence, &metric, &levels, level),
            false if level.is_some() && stat.as_deref().is_some_and(|stat| stat != "median") => {
                Err("an interval is known of the median only".to_owned())
            }
            false => values(evidence, &metric, &levels, (stat.as_deref().unwrap_or("median"), level)),
        }?;
        if !is_list && found.len() != 1 {
            let labels: Vec<String> = found.iter().take(3).map(|one| one.name.clone()).collect();
            let such = if labels.is_empty() { String::new() } else { format!(", such as {}", labels.join("; ")) };
            return Err(format!("{} cases have these levels, {name} wants one{such}", found.len()));
        }
        Ok((found, is_list))
    };
    Some(found())
}

fn metric_of(evidence: &Evidence<'_>, name: &str) -> Result<Metric, String> {
    let metric = Metric::new(name);
    let known = evidence.results.metrics();
    let of_tools = evidence.plan.cases.iter().filter_map(|case| case.work().map(|work| work.metrics()));
    if known.contains(&metric) || of_tools.flatten().any(|one| one == metric) {
        return Ok(metric);
    }
    let names: Vec<&str> = known.iter().map(Metric::as_str).collect();
    let meant = nearest(name, names.iter().copied()).map(|meant| format!("; did you mean `{meant}`?"));
    Err(format!(
        "no result has the metric `{name}`{}",
        meant.unwrap_or_else(|| format!("; there are {}", names.join(", ")))
    ))
}

type Wanted = Vec<(String, String)>;

/// The statistic, and the levels that a case must have.
fn levels_of(evidence: &Evidence<'_>, named: &[(String, Value)]) -> Result<(Option<String>, Wanted), String> {
    let (mut stat, mut wanted) = (None, vec![]);
    for (name, value) in named {
        let text = match value {
            Value::Text(text) => text.clone(),
            Value::Number(number) => number.interval.low().to_fraction(),
            _ => return Err(format!("the level of `{name}` is a text or a number")),
        };
        if name == "stat" {
            stat = Some(text);
            continue;
        }
        let Some(levels) = evidence.experiment.matrix.levels(name) else {
            let cases = evidence.results.cases.iter().flat_map(|case| case.case.factors.keys());
            let factors: std::collections::BTreeSet<&str> = cases.map(String::as_str).collect();
            let meant = nearest(name, factors.iter().copied()).map(|meant| format!("; did you mean `{meant}`?"));
            let known: Vec<&str> = factors.into_iter().collect();
            let rest = meant.unwrap_or_else(|| format!("; there are {}", known.join(", ")));
            return Err(format!("no factor is called `{name}`{rest}"));
        };
        if !levels.iter().any(|level| level.text == text) {
            let known: Vec<String> = levels.iter().map(|level| format!("`{}`", level.text)).collect();
            return Err(format!("the factor `{name}` has no level `{text}`; it has {}", known.join(", ")));
        }
        wanted.push((name.clone(), text));
    }
    Ok((stat, wanted))
}

fn is_wanted(case: &CaseResults, levels: &Wanted) -> bool {
    levels.iter().all(|(factor, level)| case.case.factors.get(factor) == Some(level))
}

fn values(
    evidence: &Evidence<'_>,
    metric: &Metric,
    levels: &Wanted,
    (stat, level): (&str, Option<f64>),
) -> Result<Vec<Derived>, String> {
    let mut found = vec![];
    for (number, case) in evidence.results.cases.iter().enumerate() {
        if case.case.noise.is_some() || !is_wanted(case, levels) {
            continue;
        }
        let samples = case.metric(metric);
        let mut sorted = samples.map(|samples| samples.unit_values()).unwrap_or_default();
        sorted.sort_unstable_by(f64::total_cmp);
        let value = match (stat, sorted.as_slice()) {
            ("median" | "mean" | "min" | "max", []) => f64::NAN,
            ("median", sorted) => crate::statistics::median(sorted),
            ("mean", sorted) => mean(sorted),
            ("min", [least, ..]) => *least,
            ("max", [.., most]) => *most,
            _ => return Err(format!("`{stat}` is not one of median, mean, min and max")),
        };
        let interval = level.map(|level| {
            // where the sample is too small for the level, anything is possible
            let found = median_interval_at(&sorted, level).filter(|found| found.level >= level);
            found.map_or((f64::NAN, f64::NAN), |found| (found.low, found.high))
        });
        let symbol = samples.map_or("1", |samples| samples.unit.as_str());
        found.push(Derived {
            name: format!("{metric}/{}/{stat}", case.case.label()),
            metric: metric.clone(),
            cases: vec![number],
            value,
            unit: Unit::parse(symbol).unwrap_or(Unit::ONE),
            interval,
        });
    }
    Ok(found)
}

fn changes(
    evidence: &Evidence<'_>,
    metric: &Metric,
    levels: &Wanted,
    level: Option<f64>,
) -> Result<Vec<Derived>, String> {
    let comparisons = evidence.comparisons(metric);
    let Some(factor) = crate::plan::compared_factor(evidence.experiment) else {
        return Err("nothing is compared: the manifest names no treatment that is a factor".to_owned());
    };
    let percent = |ratio: f64| (ratio - 1.0) * 100.0;
    let mut derived = vec![];
    for (number, case) in evidence.results.cases.iter().enumerate().filter(|(_, case)| is_wanted(case, levels)) {
        let Some(baseline) = partner(evidence.results, &factor, number) else { continue };
        // a comparison whose results are not there is still one that was planned
        let found = comparisons.iter().find(|one| one.cases == (baseline, number)).map(|one| &one.found);
        let interval = level.map(|level| {
            let interval = found.and_then(|found| found.contrast.interval(level));
            interval.map_or((f64::NAN, f64::NAN), |bounds| (percent(bounds.low), percent(bounds.high)))
        });
        let others = case.case.factors.iter().filter(|(name, _)| **name != factor);
        let context = others.map(|(name, level)| format!("{name}={level}")).collect::<Vec<_>>().join(" ");
        let level = case.case.factors.get(&factor).map_or("", String::as_str);
        derived.push(Derived {
            name: format!("{metric}/{level} {context}/change"),
            metric: metric.clone(),
            cases: vec![baseline, number],
            value: found.map_or(f64::NAN, |found| percent(found.ratio)),
            unit: Unit::PERCENT,
            interval,
        });
    }
    Ok(derived)
}
