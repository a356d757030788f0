//! The verdict of a claim: the first that matches, from what its checks and expressions came to.

use super::scope::{ClaimScope, Used};
use super::{Finding, Impact, Judged, Kind, Outcome, Subject, Verdict};
use crate::claims::{Cell, Claim, Kind as ClaimKind, Rank, Table};
use crate::exact::Exact;
use crate::expression::{self, Truth, Value};
use crate::printed::Shortening;

/// A check that a wrong value would pass more often than this says nothing.
const CHANCE_MAX: f64 = 0.5;
/// How many wrong values are tried.
const TRIALS: u32 = 128;

/// One way to read a claim, over all its instances.
struct Answer {
    reading: String,
    truth: Option<Truth>,
    held: usize,
    count: usize,
    failing: Vec<String>,
    used: Used,
    why_unknown: String,
    error: Option<String>,
    chance: f64,
}

/// Judges a claim.
pub(super) fn judge(subject: &Subject<'_>, claim: &Claim, findings: &[Finding]) -> Judged {
    let cited = cited(claim, findings);
    let answers: Vec<Answer> = claim
        .holds
        .0
        .iter()
        .map(|reading| answer(subject, claim, (&reading.name, &reading.holds.value), &[]))
        .collect();
    let mut checks: Vec<Finding> = cited.clone();
    checks.extend(answers.iter().map(|answer| as_finding(claim, answer)));
    let (verdict, assumption, why) = decide(subject, claim, &cited, &answers);
    let mut why = capitalised(&why);
    if let Some(place) = &claim.retracted {
        why.push_str(&format!(" Taken back by its author: {place}."));
    }
    Judged {
        id: claim.id.value.to_string(),
        text: claim.text.clone(),
        place: claim.place.clone().unwrap_or_default(),
        verdict,
        impact: impact(subject, claim, verdict),
        assumption,
        why,
        checks,
    }
}

/// A sentence with a great letter at its beginning.
fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// The findings of the checks that a claim stands or falls with.
fn cited(claim: &Claim, findings: &[Finding]) -> Vec<Finding> {
    let is_cited = |finding: &&Finding| {
        claim.checks.iter().any(|one| {
            let is_table = one.table.as_ref().is_none_or(|table| table.value.as_str() == finding.place.table);
            one.check.value == finding.check && is_table
        })
    };
    findings.iter().filter(is_cited).cloned().collect()
}

type Decision = (Verdict, Option<String>, String);

fn decide(subject: &Subject<'_>, claim: &Claim, cited: &[Finding], answers: &[Answer]) -> Decision {
    let hard: Vec<&Finding> = cited.iter().filter(|one| matches!(one.kind, Kind::Hard | Kind::Physical)).collect();
    let failed: Vec<&&Finding> = hard.iter().filter(|one| one.verdict == Outcome::Fail).collect();
    let wrong = match claim.rank() {
        Rank::Prose => Verdict::Contradicted,
        Rank::Table => Verdict::Inconsistent,
    };
    if let Some(error) = answers.iter().find_map(|answer| answer.error.clone()) {
        return (Verdict::Unverifiable, None, format!("It could not be checked: {error}."));
    }
    let is_false = !answers.is_empty() && answers.iter().all(|answer| answer.truth == Some(Truth::False));
    if failed.is_empty() && !is_false {
        return without_failure(subject, claim, &hard, answers);
    }
    // what fails may hold under something that is not said
    if failed.is_empty()
        && let Some(found) = under_assumption(subject, claim)
    {
        return found;
    }
    if let Some(first) = failed.first() {
        let rest = if failed.len() > 1 { format!(" ({} of {})", failed.len(), hard.len()) } else { String::new() };
        let repair = first.repair.as_ref().map(|repair| format!("; it would fit with {repair}")).unwrap_or_default();
        return (wrong, None, format!("{}: {}{repair}{rest}.", first.place.label, first.detail));
    }
    // only what ranks above a claim contradicts it
    let is_assumed = answers.iter().all(|answer| !answer.used.assumed.is_empty());
    if is_assumed {
        return (Verdict::Unverifiable, None, "It fails only with what is assumed.".to_owned());
    }
    let has_evidence = answers.iter().any(|answer| answer.used.has_evidence);
    let verdict = if has_evidence { wrong } else { Verdict::Inconsistent };
    (verdict, None, answers.iter().map(words_of_failure).collect::<Vec<_>>().join(" "))
}

fn words_of_failure(answer: &Answer) -> String {
    let reading = if answer.reading.is_empty() { String::new() } else { format!("Read as {}: ", answer.reading) };
    match answer.count {
        1 => format!("{reading}it does not hold for any value that the printed digits allow."),
        count => {
            let failing = answer.failing.iter().take(4).cloned().collect::<Vec<_>>().join(", ");
            format!("{reading}it holds for {} of {count}; not for {failing}.", answer.held)
        }
    }
}

fn without_failure(subject: &Subject<'_>, claim: &Claim, hard: &[&Finding], answers: &[Answer]) -> Decision {
    let mut assumptions: Vec<&String> = hard.iter().filter_map(|one| one.assumption.as_ref()).collect();
    assumptions.sort();
    assumptions.dedup();
    if let Some(assumption) = assumptions.first() {
        let count = hard.iter().filter(|one| one.assumption.is_some()).count();
        let why = format!("{count} of {} comparisons hold only if {assumption}.", hard.len());
        return (Verdict::Qualified, Some((*assumption).clone()), why);
    }
    let holds = |answer: &&Answer| matches!(answer.truth, Some(Truth::True | Truth::Possible));
    let held: Vec<&Answer> = answers.iter().filter(holds).collect();
    let is_unknown = !answers.is_empty() && held.is_empty();
    let is_open = is_unknown || (answers.is_empty() && hard.iter().all(|one| one.verdict == Outcome::Skip));
    if is_open && let Some(found) = under_assumption(subject, claim) {
        return found;
    }
    if let Some(failed) = answers.iter().find(|answer| answer.truth == Some(Truth::False)) {
        let reading = held.first().map(|answer| answer.reading.clone()).unwrap_or_default();
        let why = format!("It holds read as {reading}; {}", words_of_failure(failed));
        return (Verdict::Qualified, Some(format!("read as {reading}")), why);
    }
    if let Some(assumed) = held.iter().find_map(|answer| answer.used.assumed.first()) {
        return (Verdict::Qualified, Some(assumed.clone()), format!("It holds if {assumed}, which is not disclosed."));
    }
    let passed: Vec<&&Finding> =
        hard.iter().filter(|one| matches!(one.verdict, Outcome::Pass | Outcome::Warn)).collect();
    let of_checks = (!passed.is_empty()).then(|| passed.iter().filter_map(|one| one.chance_pass).product::<f64>());
    let of_answers = held.iter().map(|answer| answer.chance).reduce(f64::min);
    let chance = of_checks.into_iter().chain(of_answers).reduce(f64::min);
    let count = passed.len() + held.iter().map(|answer| answer.count).sum::<usize>();
    match chance {
        Some(chance) if chance <= CHANCE_MAX => {
            let why = format!(
                "{count} comparison{} hold{}; a wrong claim would have passed with a chance of {}.",
                if count == 1 { "" } else { "s" },
                if count == 1 { "s" } else { "" },
                percent(chance)
            );
            (Verdict::Consistent, None, why)
        }
        Some(chance) => {
            let why = format!(
                "What could be compared holds, but so would a wrong claim, with a chance of {}.",
                percent(chance)
            );
            (Verdict::Unverifiable, None, why)
        }
        None => {
            let unknown =
                answers.iter().find(|answer| !answer.why_unknown.is_empty()).map(|answer| answer.why_unknown.clone());
            let why = claim.unverifiable.clone().or(unknown).unwrap_or_else(|| "nothing can be compared".to_owned());
            (Verdict::Unverifiable, None, format!("{}.", why.trim_end_matches('.')))
        }
    }
}

fn percent(chance: f64) -> String {
    match chance * 100.0 {
        small if small < 0.01 => "less than 0.01 %".to_owned(),
        small if small < 1.0 => format!("{small:.2} %"),
        large => format!("{large:.0} %"),
    }
}

/// The first assumption under which the claim holds.
fn under_assumption(subject: &Subject<'_>, claim: &Claim) -> Option<Decision> {
    for assumption in &claim.assuming {
        let added: Vec<_> = assumption.set.iter().map(|(name, fact)| (name.value.to_string(), fact.clone())).collect();
        let texts: Vec<&str> = match &assumption.holds {
            Some(holds) => vec![holds.value.as_str()],
            None => claim.holds.0.iter().map(|reading| reading.holds.value.as_str()).collect(),
        };
        let holds = texts.iter().any(|text| {
            let answer = answer(subject, claim, ("", text), &added);
            answer.error.is_none() && matches!(answer.truth, Some(Truth::True | Truth::Possible))
        });
        if holds {
            let why = format!("It holds if {}, which the paper does not say.", assumption.assume);
            return Some((Verdict::Qualified, Some(assumption.assume.clone()), why));
        }
    }
    // digits of its own that were cut off instead of rounded
    for shortening in [Shortening::Padded, Shortening::Truncated, Shortening::RoundedUp] {
        let holds = claim.holds.0.iter().any(|reading| {
            let truth = evaluate(subject, claim, &reading.holds.value, &[], (shortening, None));
            matches!(truth.truth, Some(Truth::True | Truth::Possible))
        });
        if holds {
            let words = match shortening {
                Shortening::Padded => "zeros at the end only fill places",
                Shortening::Truncated => "digits were cut off, not rounded",
                _ => "digits were rounded up",
            };
            return Some((Verdict::Qualified, Some(words.to_owned()), format!("It holds if {words}.")));
        }
    }
    None
}

fn answer(
    subject: &Subject<'_>,
    claim: &Claim,
    (name, text): (&str, &str),
    added: &[(String, crate::claims::Fact)],
) -> Answer {
    let mut answer = evaluate(subject, claim, text, added, (Shortening::Rounded, None));
    answer.reading = name.to_owned();
    answer.chance = chance(subject, claim, (text, added), &answer);
    answer
}

/// How likely a wrong claim would have held: with its own numbers off by a factor between a half and two; where it has none,
/// each instance as likely as not.
fn chance(
    subject: &Subject<'_>,
    claim: &Claim,
    (text, added): (&str, &[(String, crate::claims::Fact)]),
    answer: &Answer,
) -> f64 {
    if answer.used.tokens.is_empty() {
        return libm::pow(0.5, answer.count as f64);
    }
    let mut least = 1.0_f64;
    for token in &answer.used.tokens {
        let passed = (0..TRIALS).filter(|trial| {
            let exponent = (f64::from(*trial) + 0.5) / f64::from(TRIALS) * 2.0 - 1.0;
            let factor = Exact::from_float(libm::exp2(exponent)).unwrap_or_else(|| Exact::from_integer(1));
            let found = evaluate(subject, claim, text, added, (Shortening::Rounded, Some((token.clone(), factor))));
            matches!(found.truth, Some(Truth::True | Truth::Possible))
        });
        least = least.min(passed.count() as f64 / f64::from(TRIALS));
    }
    least
}

fn evaluate(
    subject: &Subject<'_>,
    claim: &Claim,
    text: &str,
    added: &[(String, crate::claims::Fact)],
    (shortening, factor): (Shortening, Option<(String, Exact)>),
) -> Answer {
    let mut answer = Answer {
        reading: String::new(),
        truth: Some(Truth::True),
        held: 0,
        count: 0,
        failing: vec![],
        used: Used::default(),
        why_unknown: String::new(),
        error: None,
        chance: 1.0,
    };
    for group in groups(subject, claim) {
        let label = group.as_ref().map(|(.., level)| level.clone()).unwrap_or_default();
        let mut scope = ClaimScope::new(subject, claim);
        (scope.added, scope.group, scope.factor, scope.shortening) =
            (added.to_vec(), group, factor.clone(), shortening);
        answer.count += 1;
        match expression::evaluate(text, &scope) {
            Ok(Value::Truth(Truth::False)) => answer.failing.push(label),
            Ok(Value::Truth(truth)) => {
                answer.held += 1;
                if truth == Truth::Possible && answer.truth == Some(Truth::True) {
                    answer.truth = Some(Truth::Possible);
                }
            }
            Ok(Value::Unknown(reason)) => {
                answer.why_unknown = reason;
                answer.truth = None;
            }
            Ok(_) => answer.error = Some(format!("`{text}` says nothing that is true or false")),
            Err(reason) => answer.error = Some(reason),
        }
        answer.used.merge(scope.used.into_inner());
    }
    let share = claim.threshold.as_ref().map_or(1.0, |share| share.fraction());
    if !answer.failing.is_empty() && (answer.held as f64) < share * answer.count as f64 {
        answer.truth = Some(Truth::False);
    }
    if answer.count == 0 {
        (answer.truth, answer.why_unknown) = (None, "no row is meant".to_owned());
    }
    answer
}

/// The instances of a claim.
fn groups<'a>(subject: &'a Subject<'a>, claim: &Claim) -> Vec<Option<(&'a Table, usize, String)>> {
    let Some(each) = &claim.each else { return vec![None] };
    let table = subject.loaded.tables.iter().find(|table| table.name == each.table.value.as_str());
    let Some(table) = table else { return vec![] };
    let Some(column) = table.columns.iter().position(|column| column.name == each.by.value.as_str()) else {
        return vec![];
    };
    let mut levels: Vec<String> = vec![];
    for row in &table.rows {
        let level = match &row.cells[column] {
            Cell::Name(name) => name.to_string(),
            Cell::Number(printed) => printed.token().to_owned(),
            Cell::Absent => continue,
        };
        if !levels.contains(&level) {
            levels.push(level);
        }
    }
    levels.into_iter().map(|level| Some((table, column, level))).collect()
}

fn as_finding(claim: &Claim, answer: &Answer) -> Finding {
    let verdict = match (&answer.error, answer.truth) {
        (Some(_), _) => Outcome::Error,
        (None, Some(Truth::False)) => Outcome::Fail,
        (None, Some(_)) => Outcome::Pass,
        (None, None) => Outcome::Skip,
    };
    let detail = match (&answer.error, verdict) {
        (Some(error), _) => error.clone(),
        (None, Outcome::Skip) => answer.why_unknown.clone(),
        (None, Outcome::Fail) => words_of_failure(answer),
        _ if answer.count == 1 => "what the claim says holds for the printed digits".to_owned(),
        _ => format!("it holds for {} of {}", answer.held, answer.count),
    };
    let detail = if answer.reading.is_empty() { detail } else { format!("read as {}: {detail}", answer.reading) };
    Finding {
        check: "claim",
        kind: Kind::Hard,
        verdict,
        place: Subject::place(claim.id.value.as_str()),
        detail,
        chance_pass: (verdict == Outcome::Pass).then_some(answer.chance),
        assumption: None,
        explained: None,
        repair: None,
    }
}

/// What a wrong claim changes.
fn impact(subject: &Subject<'_>, claim: &Claim, verdict: Verdict) -> Option<Impact> {
    if !verdict.is_wrong() {
        return None;
    }
    if claim.kind() == ClaimKind::Description {
        return Some(Impact::Cosmetic);
    }
    let keeps_direction = claim.direction.as_ref().is_some_and(|direction| {
        let answer = evaluate(subject, claim, &direction.value, &[], (Shortening::Rounded, None));
        matches!(answer.truth, Some(Truth::True | Truth::Possible))
    });
    let has_numbers = !claim.tokens.is_empty() || claim.rank() == Rank::Table;
    Some(if keeps_direction || has_numbers { Impact::Numeric } else { Impact::FlipsClaim })
}
