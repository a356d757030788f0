//! Functions whose value stands in a sentence.

use minijinja::value::Value;

use super::super::Scope;
use super::super::board::Board;
use super::super::compared::percent_change;
use super::super::part;
use super::super::tokens::{Display, evidence};
use super::Call;
use crate::compare::{Rule, comparisons};
use crate::document::Inline;
use crate::exact::Exact;
use crate::results::CaseResults;

/// One summary of a case: its median, or another that `stat` names.
pub(super) fn value(scope: &Scope<'_>, board: &mut Board, call: &Call) -> Result<Value, String> {
    call.takes_levels(1)?;
    let metric = call.metric(scope, 0)?;
    let levels = call.levels(scope, &["stat"])?;
    let stat = call.optional("stat");
    let found: Vec<&CaseResults> = scope.results.matrix().filter(|case| part::levels_match(case, &levels)).collect();
    let [case] = found.as_slice() else {
        return Err(format!("{} cases have these levels, expected one", found.len()));
    };
    let samples = case.metric(&metric).ok_or_else(|| format!("this case has no `{metric}`"))?;
    let summary = samples.summary().ok_or("this case has no values")?;
    let stat = stat.unwrap_or("median");
    let number = match (stat, summary.interval) {
        ("median", _) => summary.median,
        ("mean", _) => summary.mean,
        ("low", Some(interval)) => interval.low,
        ("high", Some(interval)) => interval.high,
        _ => {
            return Err(format!("`{stat}` is not one of median, mean, low and high, or needs two replicates"));
        }
    };
    let display = Display::of_cases(part::beside(scope, case), &metric);
    let name = format!("{metric}/{}/{stat}", case.case.label());
    let token = board.parts.tokens.number(name, number, display, evidence(scope.results, samples));
    let unit = if metric.as_str() == "iops" { "" } else { display.unit };
    Ok(with_unit(board, token, unit))
}

/// A token and its unit.
fn with_unit(board: &mut Board, token: Inline, unit: &str) -> Value {
    board.inlines.push(token);
    board.placed("", unit)
}

/// The change of a metric against the first level of the treatment.
pub(super) fn change(scope: &Scope<'_>, board: &mut Board, call: &Call) -> Result<Value, String> {
    call.takes_levels(1)?;
    let metric = call.metric(scope, 0)?;
    let levels = call.levels(scope, &["stat"])?;
    let factor = scope.power.treatment.clone().ok_or("nothing is compared: the manifest has no treatment")?;
    let all = comparisons(scope.results, &metric, &factor, Rule::of(scope.experiment, &metric));
    let found: Vec<_> =
        all.iter().filter(|one| part::levels_match(&scope.results.cases[one.cases.1], &levels)).collect();
    let [one] = found.as_slice() else {
        return Err(format!("{} comparisons have these levels, expected one", found.len()));
    };
    let sides = [one.cases.0, one.cases.1].map(|case| scope.results.cases[case].metric(&metric));
    let evidence = sides.into_iter().flatten().flat_map(|samples| evidence(scope.results, samples)).collect();
    let name = format!("{metric}/{} {}/change", one.level, one.context);
    let token = board.parts.tokens.number(name, percent_change(one.found.ratio), Display::percent(1), evidence);
    let sign = if one.found.ratio > 1.0 { "+" } else { "" };
    board.inlines.push(token);
    Ok(board.placed(sign, "%"))
}

/// A number that the design sets.
pub(super) fn configured(scope: &Scope<'_>, board: &mut Board, call: &Call) -> Result<Value, String> {
    call.takes(1, &[])?;
    let name = call.word(0)?;
    let settings = &scope.plan.settings;
    let seconds = |nanoseconds: u64| Exact::from_ratio(nanoseconds, 1_000_000_000);
    let whole = |value: u64| Exact::from_integer(i128::from(value));
    let (exact, unit) = match name {
        "replicates" => (whole(settings.replicates), ""),
        "seed" => (whole(scope.experiment.design.seed), ""),
        "runtime" => (seconds(settings.timing.runtime_ns), "s"),
        "ramp_time" => (seconds(settings.timing.ramp_time_ns), "s"),
        "noise_pairs" => (whole(settings.noise_pairs), ""),
        _ => {
            return Err(format!("`{name}` is not one of replicates, seed, runtime, ramp_time and noise_pairs"));
        }
    };
    let decimals = (0..6)
        .find(|decimals| Exact::parse(&exact.round(*decimals)).is_ok_and(|rounded| rounded == exact))
        .unwrap_or(6);
    let token = board.parts.tokens.configured(&format!("configured/{name}"), exact, decimals);
    Ok(with_unit(board, token, unit))
}

/// How many there are of something in the record.
pub(super) fn counted(scope: &Scope<'_>, board: &mut Board, call: &Call) -> Result<Value, String> {
    call.takes(1, &[])?;
    let name = call.word(0)?;
    let count = match name {
        "cases" => scope.results.matrix().count() as u64,
        "jobs" => scope.plan.jobs.len() as u64,
        "attempts" => scope.results.attempts,
        "runs" => scope.results.runs.len() as u64,
        "missing" => scope.results.missing,
        _ => return Err(format!("`{name}` is not one of cases, jobs, attempts, runs and missing")),
    };
    let token = board.parts.tokens.count(name, count);
    Ok(board.inline(token))
}

/// A level of a factor, as the manifest spells it.
pub(super) fn level(scope: &Scope<'_>, board: &mut Board, call: &Call) -> Result<Value, String> {
    call.takes(2, &[])?;
    let (factor, level) = (call.word(0)?, call.word(1)?);
    let levels = scope.experiment.matrix.levels(factor);
    let levels = levels.ok_or_else(|| format!("no factor is called `{factor}`"))?;
    if !levels.iter().any(|one| one.text == level) {
        return Err(format!("the factor `{factor}` has no level `{level}`"));
    }
    Ok(board.inline(Inline::Text(level.to_owned())))
}

/// A fact of the machine.
pub(super) fn fact(scope: &Scope<'_>, board: &mut Board, call: &Call) -> Result<Value, String> {
    call.takes(1, &[])?;
    let path = call.word(0)?;
    let value = match scope.results.facts.0.get(path) {
        Some(fact) => fact.value().ok_or_else(|| format!("the fact `{path}` is unavailable"))?.to_owned(),
        None if scope.input.is_rehearsal => "unknown until it is measured".to_owned(),
        None => return Err(format!("no fact is called `{path}`")),
    };
    Ok(board.inline(Inline::Text(value)))
}
