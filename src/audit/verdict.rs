//! The verdict of a claim: the first that matches, from what its checks and expressions came to.

use super::derive::Derived;
use super::evaluation::{Answer, Lens, answer, evaluate};
use super::evidence::Evidence;
use super::family::Tested;
use super::rerun::{Again, Reproduction};
use super::{Finding, Impact, Judged, Kind, Outcome, Subject, Verdict};
use crate::claims::{Claim, Kind as ClaimKind, Rank};
use crate::expression::Truth;
use crate::printed::Shortening;

/// A check that a wrong value would pass more often than this says nothing.
const CHANCE_MAX: f64 = 0.5;

/// Judges a claim; `tests` are those of its readings, and the second subject is what a rerun says.
pub(super) fn judge(
    (subject, again): (&Subject<'_>, Option<&Subject<'_>>),
    claim: &Claim,
    findings: &[Finding],
    tests: &[Option<Tested>],
) -> Judged {
    let cited = cited(claim, findings);
    let readings = claim.holds.0.iter().zip(tests.iter().chain(std::iter::repeat(&None)));
    let answers: Vec<Answer> = readings
        .map(|(reading, test)| {
            let found = answer(subject, claim, (&reading.name, &reading.holds.value), &[]);
            match test {
                Some(test) => under_test(found, *test),
                None => found,
            }
        })
        .collect();
    let mut checks: Vec<Finding> = cited.clone();
    checks.extend(answers.iter().map(|answer| as_finding(claim, answer)));
    let derived: Vec<Derived> = answers.iter().flat_map(|answer| answer.used.derived.clone()).collect();
    let evidence = subject.evidence.as_ref().filter(|_| !derived.is_empty());
    let (mut verdict, mut assumption, mut why) = decide(subject, claim, &cited, &answers);
    if let Some(evidence) = evidence {
        let broken: Vec<String> = derived.iter().flat_map(|one| evidence.broken(one)).collect();
        let reproductions = super::rerun::reproduce(evidence, &derived);
        if let Some(first) = broken.first() {
            let rest = if broken.len() > 1 { format!(" ({} more)", broken.len() - 1) } else { String::new() };
            (verdict, assumption, why) = (Verdict::Unsupported, None, format!("Of {first}{rest}."));
        } else {
            let is_false = again.is_some_and(|again| is_false(again, claim));
            (verdict, why) = after_rerun(verdict, why, (&reproductions, is_false));
        }
    }
    // what fails as it stands holds under the assumption of the verdict
    if verdict == Verdict::Qualified {
        let failing = checks.iter_mut().filter(|one| one.check == "claim" && one.verdict == Outcome::Fail);
        failing.for_each(|one| (one.verdict, one.assumption) = (Outcome::Pass, assumption.clone()));
    }
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
        error: answers.iter().find_map(|answer| answer.error.clone()),
        why,
        checks,
        evidence: evidence.map(|evidence: &Evidence<'_>| evidence.chain(&derived)),
    }
}

/// What was tested is decided where its p, adjusted for the family, is small, and nowhere else.
fn under_test(mut answer: Answer, test: Tested) -> Answer {
    answer.truth = test.truth;
    let estimates = answer.used.derived.iter().filter(|one| one.interval.is_some());
    let said = estimates.map(|one| format!("{} is {}", one.name, one.shown())).collect::<Vec<_>>().join("; ");
    if test.truth.is_none() {
        answer.why_unknown = format!("the intervals allow it and its opposite: {said}; {}", test.words());
    }
    answer.test = Some(format!("{said}; {}", test.words()));
    // a test is wrong as often as its p says
    answer.chance = test.p_adjusted;
    answer
}

/// Whether a claim holds under no reading.
fn is_false(subject: &Subject<'_>, claim: &Claim) -> bool {
    let readings = &claim.holds.0;
    let truth = |text: &str| evaluate(subject, claim, (text, &[]), &Lens::PLAIN).truth;
    !readings.is_empty() && readings.iter().all(|reading| truth(&reading.holds.value) == Some(Truth::False))
}

/// What a rerun makes of a verdict: it gives the numbers again, or it gives numbers outside of the margin with which the
/// claim does not hold; where it does not decide, nothing changes.
fn after_rerun(verdict: Verdict, why: String, (reproductions, is_false): (&[Reproduction], bool)) -> (Verdict, String) {
    let outside = reproductions.iter().find(|one| one.again == Again::Outside);
    match outside {
        Some(outside) if is_false => {
            return (Verdict::Contradicted, format!("With what a rerun gives it does not hold. {}", outside.words));
        }
        Some(outside) => {
            return (verdict, format!("{why} A rerun gives another number, and it still holds. {}", outside.words));
        }
        None => {}
    }
    let is_inside = !reproductions.is_empty() && reproductions.iter().all(|one| one.again == Again::Inside);
    match verdict {
        Verdict::Recomputed if is_inside && is_false => (
            verdict,
            format!(
                "{why} A rerun gives numbers within the margin with which it does not hold: it rests on less than the margin."
            ),
        ),
        Verdict::Recomputed if is_inside => {
            let words = reproductions.iter().map(|one| one.words.clone()).collect::<Vec<_>>().join(" ");
            (Verdict::Reproduced, format!("{why} A rerun gives the same. {words}"))
        }
        _ => match reproductions.iter().find(|one| one.again == Again::Open) {
            Some(open) => (verdict, format!("{why} The rerun does not decide. {}", open.words)),
            None => (verdict, why),
        },
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
        let place = if first.place.label.is_empty() { first.place.table.clone() } else { first.place.label.clone() };
        return (wrong, None, format!("In {place}: {}{repair}{rest}.", first.detail));
    }
    // only what ranks above a claim contradicts it
    let is_assumed = answers.iter().all(|answer| !answer.used.assumed.is_empty());
    if is_assumed {
        return (Verdict::Unverifiable, None, "It fails only with what is assumed.".to_owned());
    }
    let has_evidence = answers.iter().any(|answer| answer.used.has_evidence);
    let has_results = answers.iter().any(|answer| !answer.used.derived.is_empty());
    let verdict = match (has_results, has_evidence) {
        // nothing ranks above raw data
        (true, _) => Verdict::Contradicted,
        (false, true) => wrong,
        (false, false) => Verdict::Inconsistent,
    };
    (verdict, None, answers.iter().map(words_of_failure).collect::<Vec<_>>().join(" "))
}

/// The sides of the comparison that fails, in words.
fn sides(answer: &Answer) -> String {
    let Some((left, right)) = &answer.used.failed else { return String::new() };
    let is_share = left.dim == crate::printed::Dim::NONE
        && [left, right].iter().all(|side| side.interval.high().to_float().abs() < 20.0);
    let (left, right) = match is_share {
        true => {
            let hundred = crate::interval::Interval::exactly(crate::exact::Exact::from_integer(100));
            let (left, right) = (&left.interval * &hundred, &right.interval * &hundred);
            let (left, right) = super::judge::shown(&left, &right, crate::printed::Dim::NONE);
            (format!("{left} %"), format!("{right} %"))
        }
        false => super::judge::shown(&left.interval, &right.interval, left.dim),
    };
    format!(": {left} against {right}")
}

/// What was derived from results, in words.
fn said(answer: &Answer) -> String {
    let shown = answer.used.derived.iter().take(4).map(|one| format!("{} is {}", one.name, one.shown()));
    let shown: Vec<String> = shown.collect();
    let rest = answer.used.derived.len().saturating_sub(shown.len());
    let rest = if rest > 0 { format!("; {rest} more") } else { String::new() };
    format!("{}{rest}", shown.join("; "))
}

fn words_of_failure(answer: &Answer) -> String {
    let reading = if answer.reading.is_empty() { String::new() } else { format!("Read as {}: ", answer.reading) };
    match answer.count {
        _ if answer.test.is_some() => {
            format!("{reading}it does not hold: {}.", answer.test.clone().unwrap_or_default())
        }
        1 if !answer.used.derived.is_empty() => format!("{reading}it does not hold: {}.", said(answer)),
        1 => format!("{reading}it does not hold for any value that the printed digits allow{}.", sides(answer)),
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
    if !answers.is_empty() && hard.is_empty() && answers.iter().all(|answer| answer.used.is_empty()) {
        return (Verdict::Unverifiable, None, "it uses nothing of the paper.".to_owned());
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
    by_chance(claim, hard, answers, &held)
}

/// Nothing fails: whether what holds says anything.
fn by_chance(claim: &Claim, hard: &[&Finding], answers: &[Answer], held: &[&Answer]) -> Decision {
    let passed: Vec<&&Finding> =
        hard.iter().filter(|one| matches!(one.verdict, Outcome::Pass | Outcome::Warn)).collect();
    let of_checks = (!passed.is_empty()).then(|| passed.iter().filter_map(|one| one.chance_pass).product::<f64>());
    let of_answers = held.iter().map(|answer| answer.chance).reduce(f64::min);
    let chance = of_checks.into_iter().chain(of_answers).reduce(f64::min);
    let count = passed.len() + held.iter().map(|answer| answer.count).sum::<usize>();
    let derived = held.iter().find(|answer| !answer.used.derived.is_empty());
    match chance {
        Some(chance) if chance <= CHANCE_MAX && derived.is_some() => {
            let said = derived.map(|answer| answer.test.clone().unwrap_or_else(|| said(answer))).unwrap_or_default();
            (Verdict::Recomputed, None, format!("Derived again from the raw objects it holds: {said}."))
        }
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
            let skipped = hard.iter().find(|one| one.verdict == Outcome::Skip).map(|one| one.detail.clone());
            let why = claim.unverifiable.clone().or(unknown).or(skipped);
            let why = why.unwrap_or_else(|| "nothing can be compared".to_owned());
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
            let lens = Lens { shortening, ..Lens::PLAIN };
            let found = evaluate(subject, claim, (&reading.holds.value, &[]), &lens);
            let is_tested = found.used.derived.iter().any(|one| one.interval.is_some());
            !is_tested && matches!(found.truth, Some(Truth::True | Truth::Possible))
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
        _ if answer.test.is_some() => answer.test.clone().unwrap_or_default(),
        _ if !answer.used.derived.is_empty() => said(answer),
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
        let answer = evaluate(subject, claim, (&direction.value, &[]), &Lens::PLAIN);
        matches!(answer.truth, Some(Truth::True | Truth::Possible))
    });
    let has_numbers = !claim.tokens.is_empty() || claim.rank() == Rank::Table;
    Some(if keeps_direction || has_numbers { Impact::Numeric } else { Impact::FlipsClaim })
}
