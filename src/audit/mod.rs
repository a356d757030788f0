//! Audit: what may be believed of a paper's claims, by arithmetic on its printed digits.
//!
//! [`audit`] is pure. Checks compare what the paper prints with what must hold and say how likely a wrong number would
//! have passed; claims get the first verdict that matches. Nothing here knows a paper, and nothing speaks of intent.

pub mod check;
mod derive;
mod evaluation;
mod evidence;
mod family;
mod judge;
mod ladder;
pub mod own;
mod report;
mod rerun;
mod row;
mod sarif;
mod scope;
mod verdict;

use serde::Serialize;

use crate::claims::{Claim, Fact, Loaded, Place, Table};
use crate::exact::Exact;
use crate::manifest::shape::Map;
use crate::printed::{DecimalMark, Printed};

pub use check::{CHECKS, Check, find};
pub use derive::{Derived, FUNCTIONS};
pub use evidence::{Before, Chain, Comparisons, Evidence, Link, RunLinks};
pub use report::report;
pub(crate) use report::{detail, impact_word, kind_word, outcome_word};
pub use row::{Row, View};
pub use sarif::sarif;

/// What kind of rule a check is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Mathematics.
    Hard,
    /// A limit of hardware or of how it is configured.
    Physical,
    /// Worth a question; it never decides a claim.
    Suspicion,
    /// A way of benchmarking that misleads; it never decides a claim.
    Crime,
}

/// What one comparison came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// There was nothing to compare.
    Skip,
    /// It holds.
    Pass,
    /// Worth a question.
    Warn,
    /// It does not hold.
    Fail,
    /// The check could not be done.
    Error,
}

/// One finding of a check.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// The id of the check.
    pub check: &'static str,
    /// What kind of rule it is.
    pub kind: Kind,
    /// What it came to.
    pub verdict: Outcome,
    /// Where.
    pub place: Place,
    /// What was compared with what.
    pub detail: String,
    /// How likely a wrong value would have passed; none where nothing was compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chance_pass: Option<f64>,
    /// What had to be assumed for it to pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumption: Option<String>,
    /// The one usual mistake that explains it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explained: Option<String>,
    /// The smallest change of one number with which it would hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repair: Option<String>,
}

/// What may be believed of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// A link that it cites is missing or does not fit its digest.
    Unsupported,
    /// False for every value that higher evidence allows.
    Contradicted,
    /// Numbers of one rank can not all be true.
    Inconsistent,
    /// It holds under something that is not said.
    Qualified,
    /// A rerun gives it again.
    Reproduced,
    /// The same raw data give it again.
    Recomputed,
    /// What could be checked holds, and could have failed.
    Consistent,
    /// Nothing says anything.
    Unverifiable,
}

impl Verdict {
    /// The word as printed.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Unsupported => "unsupported",
            Self::Contradicted => "contradicted",
            Self::Inconsistent => "inconsistent",
            Self::Qualified => "qualified",
            Self::Reproduced => "reproduced",
            Self::Recomputed => "recomputed",
            Self::Consistent => "consistent",
            Self::Unverifiable => "unverifiable",
        }
    }

    /// Whether something is wrong.
    pub const fn is_wrong(self) -> bool {
        matches!(self, Self::Unsupported | Self::Contradicted | Self::Inconsistent)
    }
}

/// What a wrong claim changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Impact {
    /// Nothing that anybody decides by.
    Cosmetic,
    /// A number.
    Numeric,
    /// What the claim says.
    FlipsClaim,
}

/// A claim with its verdict.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Judged {
    /// Its id.
    pub id: String,
    /// What it says.
    pub text: String,
    /// Where it stands.
    pub place: String,
    /// The verdict.
    pub verdict: Verdict,
    /// What is changed where it is wrong.
    pub impact: Option<Impact>,
    /// What had to be assumed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumption: Option<String>,
    /// Why an expression of it can not be evaluated: a name that is not there, units that do not fit.
    #[serde(skip)]
    pub error: Option<String>,
    /// Why, in a sentence.
    pub why: String,
    /// What was compared.
    pub checks: Vec<Finding>,
    /// The way to the results that it rests on, where the paper is that of an experiment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Chain>,
}

/// How many of each.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Summary {
    /// Claims by verdict.
    pub claims: std::collections::BTreeMap<String, usize>,
    /// Findings tied to no claim by what they came to.
    pub checks: std::collections::BTreeMap<String, usize>,
}

/// All that an audit found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Audit {
    /// The title of the paper.
    pub paper: String,
    /// The claims in the order of the file.
    pub claims: Vec<Judged>,
    /// Findings tied to no claim.
    pub checks: Vec<Finding>,
    /// How many of each.
    pub summary: Summary,
}

impl Audit {
    /// Whether something is wrong: a claim, or a check that is no mere suspicion.
    pub fn has_findings(&self) -> bool {
        let is_wrong = |finding: &Finding| finding.verdict >= Outcome::Fail && finding.kind != Kind::Suspicion;
        self.claims.iter().any(|claim| claim.verdict.is_wrong()) || self.checks.iter().any(is_wrong)
    }
}

/// What the place of a fact of the whole paper is called.
const CONTEXT: &str = "context";

/// A fact as checks use it.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub(crate) fact: Fact,
    pub(crate) printed: Option<Printed>,
}

/// What is checked.
pub struct Subject<'a> {
    pub(crate) loaded: &'a Loaded,
    pub(crate) context: Vec<(String, Known)>,
    /// The printed tables, and that of the results where there are any.
    pub(crate) tables: Vec<&'a Table>,
    pub(crate) facts: Vec<Vec<Vec<(String, Known)>>>,
    /// What the paper rests on, where it is that of an experiment.
    pub(crate) evidence: Option<Evidence<'a>>,
}

impl<'a> Subject<'a> {
    /// A paper with its claims, and what it rests on where that is at hand.
    pub fn new(loaded: &'a Loaded, results: Option<&'a Table>, evidence: Option<Evidence<'a>>) -> Self {
        let tables: Vec<&Table> = loaded.tables.iter().chain(results).collect();
        let of_table = |table: &&Table| {
            let known = |(name, fact): &(String, Fact)| (name.clone(), known(fact));
            table.facts.iter().map(|facts| facts.set.iter().map(known).collect()).collect()
        };
        let facts = tables.iter().map(of_table).collect();
        Self { loaded, context: named(&loaded.claims.context), tables, facts, evidence }
    }

    /// A fact of the whole paper.
    pub(crate) fn fact(&self, name: &str) -> Option<&Known> {
        self.context.iter().find(|(one, _)| one == name).map(|(_, known)| known)
    }

    /// The words of a fact.
    pub(crate) fn word(&self, name: &str) -> Option<String> {
        self.fact(name).map(|known| known.fact.text())
    }

    /// The words of a fact that is a list.
    pub(crate) fn items(&self, name: &str) -> Option<Vec<String>> {
        self.fact(name).map(|known| known.fact.items())
    }

    /// A fact that is a number.
    pub(crate) fn number(&self, name: &str) -> Option<Exact> {
        self.fact(name)?.printed.as_ref().map(|printed| printed.value().clone())
    }

    /// Whether the paper prints numbers of a role, in a table or as a fact.
    pub(crate) fn prints(&self, role: &str) -> bool {
        let columns = self.tables.iter().flat_map(|table| &table.columns);
        columns.filter_map(|column| column.role.as_deref()).any(|one| one == role) || self.fact(role).is_some()
    }

    /// The place that facts of the whole paper have.
    pub(crate) fn place(label: &str) -> Place {
        Place { table: CONTEXT.to_owned(), row: None, label: label.to_owned() }
    }
}

fn known(fact: &Fact) -> Known {
    Known { fact: fact.clone(), printed: Printed::parse(&fact.text(), DecimalMark::Point, None).ok() }
}

fn named(facts: &Map<Fact>) -> Vec<(String, Known)> {
    facts.iter().map(|(name, fact)| (name.value.to_string(), known(fact))).collect()
}

/// Checks a paper and judges its claims; `evidence` is that of the experiment whose paper it is.
pub fn audit(loaded: &Loaded, evidence: Option<Evidence<'_>>) -> Audit {
    let results = evidence.as_ref().and_then(own::table);
    let subject = Subject::new(loaded, results.as_ref(), evidence);
    let mut findings: Vec<Finding> = CHECKS.iter().flat_map(|check| check.run(&subject)).collect();
    if subject.evidence.is_some() {
        let of_context = findings.iter_mut().filter(|finding| finding.place.table == CONTEXT);
        of_context.for_each(|finding| finding.place.table = "experiment".to_owned());
    }
    let tests = family::test(&subject, loaded);
    let again = subject.evidence.as_ref().and_then(Evidence::of_rerun);
    let again = again.map(|evidence| Subject::new(loaded, None, Some(evidence)));
    let judged =
        |(claim, tests): (&Claim, &Vec<_>)| verdict::judge((&subject, again.as_ref()), claim, &findings, tests);
    let claims: Vec<Judged> = loaded.claims.claims.iter().zip(&tests).map(judged).collect();
    let is_tied = |finding: &Finding| {
        let is_it = |table: Option<&str>, check: &str| {
            check == finding.check && table.is_none_or(|table| table == finding.place.table)
        };
        loaded
            .claims
            .claims
            .iter()
            .flat_map(|claim| &claim.checks)
            .any(|one| is_it(one.table.as_ref().map(|table| table.value.as_str()), &one.check.value))
    };
    let checks: Vec<Finding> = findings.iter().filter(|finding| !is_tied(finding)).cloned().collect();
    let mut summary = Summary::default();
    for claim in &claims {
        *summary.claims.entry(claim.verdict.word().to_owned()).or_default() += 1;
    }
    for finding in &checks {
        *summary.checks.entry(format!("{:?}", finding.verdict).to_lowercase()).or_default() += 1;
    }
    Audit { paper: loaded.claims.paper.title.clone(), claims, checks, summary }
}
