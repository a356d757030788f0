//! What an expression of a claim comes to, over all its instances, and how likely a wrong claim would have held.

use super::Subject;
use super::scope::{ClaimScope, Group, Used};
use crate::claims::{Cell, Claim, Fact};
use crate::exact::Exact;
use crate::expression::{self, Truth, Value};
use crate::printed::Shortening;

/// How many wrong values are tried.
const TRIALS: u32 = 128;
/// How many, where tables have more rows than [`ROWS_OF_ALL`].
const TRIALS_OF_MANY: u32 = 16;
/// The claims up to which all wrong values are tried.
const CLAIMS_OF_ALL: usize = 200;
/// The rows up to which all wrong values are tried.
const ROWS_OF_ALL: usize = 2_000;
/// How often all numbers are shaken.
const SHAKES: u64 = 40;
/// How often an interval may miss, all that one claim uses together.
pub(super) const ALPHA: f64 = 0.05;

/// One way to read a claim, over all its instances.
pub(super) struct Answer {
    pub(super) reading: String,
    pub(super) truth: Option<Truth>,
    pub(super) held: usize,
    pub(super) count: usize,
    pub(super) failing: Vec<String>,
    pub(super) used: Used,
    pub(super) why_unknown: String,
    pub(super) error: Option<String>,
    pub(super) chance: f64,
    /// What a test of it came to, where it was tested.
    pub(super) test: Option<String>,
}

/// How numbers are read for one evaluation.
#[derive(Debug, Clone)]
pub(super) struct Lens {
    /// How printed digits were shortened.
    pub(super) shortening: Shortening,
    /// A token and the factor it is multiplied by, to ask what a wrong one would have done.
    pub(super) factor: Option<(String, Exact)>,
    /// How often an interval of an estimate may miss.
    pub(super) alpha: f64,
    /// All numbers off by factors that follow from this seed, to ask whether they matter at all.
    pub(super) shaken: Option<u64>,
}

impl Lens {
    /// As a reader takes them.
    pub(super) const PLAIN: Self = Self { shortening: Shortening::Rounded, factor: None, alpha: ALPHA, shaken: None };

    /// What a number of this name is multiplied by: from a thousandth to a thousand where numbers are shaken.
    pub(super) fn factor_of(&self, name: &str) -> Option<Exact> {
        let seed = self.shaken?;
        let digest = crate::digest::Digest::of(format!("{seed} {name}").as_bytes());
        let bytes = digest.as_bytes();
        let share = f64::from(u16::from_be_bytes([bytes[0], bytes[1]])) / f64::from(u16::MAX);
        Exact::from_float(libm::exp2((share * 2.0 - 1.0) * 10.0))
    }
}

/// Facts that an assumption adds, by name.
pub(super) type Added<'a> = &'a [(String, Fact)];

/// Evaluates a reading, and asks what a wrong claim would have done.
pub(super) fn answer(subject: &Subject<'_>, claim: &Claim, (name, text): (&str, &str), added: Added<'_>) -> Answer {
    let mut answer = evaluate(subject, claim, (text, added), &Lens::PLAIN);
    answer.reading = name.to_owned();
    answer.chance = chance(subject, claim, (text, added), &answer);
    answer
}

/// How likely a wrong claim would have held: with its own numbers off by a factor between a half and two; where it has none,
/// each instance as likely as not.
fn chance(subject: &Subject<'_>, claim: &Claim, (text, added): (&str, Added<'_>), answer: &Answer) -> f64 {
    if is_vacuous(subject, claim, (text, added)) {
        return 1.0;
    }
    if answer.used.tokens.is_empty() {
        return libm::pow(0.5, answer.count as f64);
    }
    let mut least = 1.0_f64;
    let rows: usize = subject.loaded.tables.iter().map(|table| table.rows.len()).sum();
    let is_many = rows.saturating_mul(answer.count) > ROWS_OF_ALL || subject.loaded.claims.claims.len() > CLAIMS_OF_ALL;
    let trials = if is_many { TRIALS_OF_MANY } else { TRIALS };
    for token in &answer.used.tokens {
        let passed = (0..trials).filter(|trial| {
            let exponent = (f64::from(*trial) + 0.5) / f64::from(trials) * 2.0 - 1.0;
            let factor = Exact::from_float(libm::exp2(exponent)).unwrap_or_else(|| Exact::from_integer(1));
            let lens = Lens { factor: Some((token.clone(), factor)), ..Lens::PLAIN };
            let found = evaluate(subject, claim, (text, added), &lens);
            matches!(found.truth, Some(Truth::True | Truth::Possible))
        });
        least = least.min(passed.count() as f64 / f64::from(trials));
    }
    least
}

/// Whether an expression holds whatever the numbers are: with all of them off by factors of up to a thousand it still does.
fn is_vacuous(subject: &Subject<'_>, claim: &Claim, text: (&str, Added<'_>)) -> bool {
    let holds = |seed: u64| {
        let found = evaluate_at(subject, claim, text, &Lens { shaken: Some(seed), ..Lens::PLAIN });
        matches!(found.truth, Some(Truth::True | Truth::Possible))
    };
    (1..=SHAKES).all(holds)
}

/// Evaluates an expression over all instances of a claim. Where several estimates are used, their intervals hold together
/// (Bonferroni).
pub(super) fn evaluate(subject: &Subject<'_>, claim: &Claim, text: (&str, Added<'_>), lens: &Lens) -> Answer {
    let first = evaluate_at(subject, claim, text, lens);
    let estimates = first.used.derived.iter().filter(|derived| derived.interval.is_some()).count();
    if estimates < 2 {
        return first;
    }
    let shared = Lens { alpha: lens.alpha / estimates as f64, ..lens.clone() };
    evaluate_at(subject, claim, text, &shared)
}

fn evaluate_at(subject: &Subject<'_>, claim: &Claim, (text, added): (&str, Added<'_>), lens: &Lens) -> Answer {
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
        test: None,
    };
    for group in groups(subject, claim) {
        let label = group.as_ref().map(|group| group.level.clone()).unwrap_or_default();
        let mut scope = ClaimScope::new(subject, claim, lens);
        (scope.added, scope.group) = (added.to_vec(), group);
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
    let (wanted, failing) = (share * answer.count as f64, answer.failing.len());
    // what is not known may hold
    if failing > 0 && ((answer.count - failing) as f64) < wanted {
        answer.truth = Some(Truth::False);
    } else if failing > 0 && answer.held as f64 >= wanted {
        answer.truth = answer.truth.or(Some(Truth::Possible));
    }
    let is_estimated = answer.used.derived.iter().any(|derived| derived.interval.is_some());
    if is_estimated && expression::has_condition(text) {
        answer.error = Some("`if` can not choose between estimates: what is not chosen was looked at, too".to_owned());
    }
    if answer.count == 0 {
        (answer.truth, answer.why_unknown) = (None, "no row is meant".to_owned());
    }
    answer
}

/// The instances of a claim.
fn groups<'a>(subject: &'a Subject<'a>, claim: &Claim) -> Vec<Option<Group<'a>>> {
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
    levels.into_iter().map(|level| Some(Group { table, column, level })).collect()
}
