//! What an experiment's own claims rest on: its results, the numbers that its paper prints, and the links of its runs.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use serde::Serialize;

use super::derive::Derived;
use crate::cellmap::{CellMap, Entry};
use crate::compare::{Comparison, Rule, comparisons};
use crate::digest::Digest;
use crate::exact::Exact;
use crate::manifest::Experiment;
use crate::measurement::Metric;
use crate::plan::{self, Plan};
use crate::results::{self, Damaged, Results};

/// All that is known of an experiment whose own paper is audited.
pub struct Evidence<'a> {
    /// Its manifest.
    pub experiment: &'a Experiment,
    /// Its plan.
    pub plan: &'a Plan,
    /// What the record says of the plan.
    pub results: &'a Results,
    /// Results that can not be read.
    pub damaged: &'a [Damaged],
    /// The runs, as [`Results::runs`] has them.
    pub runs: Vec<RunLinks>,
    /// The published paper: where it lies, and its numbers.
    pub paper: Option<(String, CellMap)>,
    /// The claims as they stood when the first result was measured.
    pub before: Before,
    /// What of the manifest decides how results are read, and was changed since the first of them was measured.
    pub reread: Vec<String>,
    /// The jobs with a usable result, in the order in which they ended.
    pub sequence: Vec<Digest>,
    /// What a rerun gave.
    pub rerun: Option<&'a Results>,
    /// By metric, once asked for.
    pub comparisons: Comparisons,
}

/// The comparisons of the plan by metric, once asked for.
#[derive(Default)]
pub struct Comparisons(RefCell<BTreeMap<Metric, Rc<Vec<Comparison>>>>);

/// Where the links of a run lead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunLinks {
    /// Its id.
    pub run: String,
    /// The lock that it was made under.
    pub lock: String,
    /// The commit that it was made from.
    pub commit: String,
    /// Links that lead nowhere, or to something else.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub broken: Vec<String>,
}

/// The claims file of an earlier commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Before {
    /// Nobody can say, with the reason.
    Unknown(String),
    /// By the id of a claim, what it said; empty where there was no claims file.
    Known {
        /// The commit that the first result was measured from.
        commit: String,
        /// Id and what was claimed.
        claims: BTreeMap<String, String>,
    },
}

/// The way of a claim to what it rests on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Chain {
    /// What it was derived from, with the numbers of the paper that say so.
    pub numbers: Vec<Link>,
    /// How many raw objects were read again, each with its digest.
    pub objects: usize,
    /// The runs that measured them.
    pub runs: Vec<RunLinks>,
}

/// A number of the results.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Link {
    /// As the cell map has it.
    pub name: String,
    /// Derived again, with its interval where one was used.
    pub value: String,
    /// Replicates of each case.
    pub replicates: Vec<usize>,
    /// The numbers of the published paper that print it: place in reading order, digits.
    pub printed: Vec<String>,
}

impl Chain {
    /// Line by line, from the printed number to the commit.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![];
        for number in &self.numbers {
            let printed = match number.printed.as_slice() {
                [] => "not printed in a published paper".to_owned(),
                printed => format!("printed as {}", printed.join(", ")),
            };
            lines.push(format!("number {} = {}: {printed}", number.name, number.value));
            let count: Vec<String> = number.replicates.iter().map(usize::to_string).collect();
            lines.push(format!("results of {} replicates", count.join(" and ")));
        }
        lines.push(format!("objects: {} read again, each with its digest", self.objects));
        for run in &self.runs {
            lines.push(format!("run {}", run.run));
            lines.push(format!("lock {}", run.lock));
            lines.push(format!("commit {}", run.commit));
            lines.extend(run.broken.iter().map(|broken| format!("BROKEN {broken}")));
        }
        lines
    }
}

impl<'a> Evidence<'a> {
    /// Results alone: no runs, no paper, and nobody knows what was claimed before.
    pub fn of_results(experiment: &'a Experiment, plan: &'a Plan, results: &'a Results) -> Self {
        Self {
            experiment,
            plan,
            results,
            damaged: &[],
            runs: vec![],
            paper: None,
            before: Before::Unknown(String::new()),
            reread: vec![],
            sequence: vec![],
            rerun: None,
            comparisons: Comparisons::default(),
        }
    }
}

impl Evidence<'_> {
    /// The comparisons of a metric along the compared factor.
    pub(super) fn comparisons(&self, metric: &Metric) -> Rc<Vec<Comparison>> {
        let mut known = self.comparisons.0.borrow_mut();
        let make = || {
            let factor = plan::compared_factor(self.experiment);
            let rule = Rule::of(self.experiment, metric);
            let found = factor.map(|factor| comparisons(self.results, metric, &factor, rule));
            Rc::new(found.unwrap_or_default())
        };
        Rc::clone(known.entry(metric.clone()).or_insert_with(make))
    }

    /// What the rerun says, as if it were the record.
    pub(super) fn of_rerun(&self) -> Option<Evidence<'_>> {
        let results = self.rerun?;
        Some(Evidence { before: self.before.clone(), ..Evidence::of_results(self.experiment, self.plan, results) })
    }

    /// The numbers of the paper that print something derived.
    fn printed(&self, derived: &Derived) -> Vec<&Entry> {
        let entries = self.paper.iter().flat_map(|(_, map)| &map.entries);
        entries.filter(|entry| entry.name == derived.name).collect()
    }

    /// The way from something derived down to the commit.
    pub(super) fn chain(&self, derived: &[Derived]) -> Chain {
        let mut objects: std::collections::BTreeSet<Digest> = Default::default();
        let mut runs: std::collections::BTreeSet<usize> = Default::default();
        let mut numbers = vec![];
        for one in derived {
            let of_cases: Vec<_> = one.cases.iter().filter_map(|case| self.samples(*case, &one.metric)).collect();
            for sample in of_cases.iter().flat_map(|samples| &samples.samples) {
                objects.insert(sample.object);
                objects.extend(sample.files.values());
                runs.insert(sample.run);
            }
            let shown = |entry: &&Entry| format!("#{} {} {}", entry.place.order, entry.token, entry.unit);
            numbers.push(Link {
                name: one.name.clone(),
                value: one.shown(),
                replicates: of_cases.iter().map(|samples| samples.samples.len()).collect(),
                printed: self.printed(one).iter().map(shown).map(|text| text.trim().to_owned()).collect(),
            });
        }
        let runs = runs.iter().filter_map(|run| self.runs.get(*run)).cloned().collect();
        Chain { numbers, objects: objects.len(), runs }
    }

    /// What is missing or does not fit on the way of something derived.
    pub(super) fn broken(&self, derived: &Derived) -> Vec<String> {
        let mut found = vec![];
        for case in &derived.cases {
            let label = || self.results.cases[*case].case.label();
            let damaged = self.damaged.iter().filter(|one| one.case == *case);
            found.extend(damaged.map(|one| format!("{} #{}: {}", label(), one.replicate, one.error)));
            match self.samples(*case, &derived.metric) {
                Some(samples) if !samples.samples.is_empty() => {
                    let runs: std::collections::BTreeSet<usize> = samples.samples.iter().map(|one| one.run).collect();
                    let links = runs.iter().filter_map(|run| self.runs.get(*run));
                    found.extend(links.flat_map(|run| &run.broken).cloned());
                }
                _ => found.push(format!("{}: there is no result with {}", label(), derived.metric)),
            }
        }
        for entry in self.printed(derived) {
            let printed = (|| {
                let divisor = Exact::parse(&entry.rounding.divisor).ok()?;
                Some(derived.exact().divide(&divisor)?.round(entry.rounding.decimals.min(60)))
            })();
            let is_other = entry.exact != derived.exact().to_fraction() || printed.as_ref() != Some(&entry.token);
            if derived.value.is_finite() && is_other {
                let (order, token) = (entry.place.order, &entry.token);
                found.push(format!(
                    "{}: number #{order} of the paper prints {token} {}, the record gives {}",
                    derived.name,
                    entry.unit,
                    derived.shown()
                ));
            }
        }
        found.sort();
        found.dedup();
        found
    }

    pub(super) fn samples(&self, case: usize, metric: &Metric) -> Option<&results::MetricSamples> {
        self.results.cases.get(case)?.metric(metric)
    }
}
