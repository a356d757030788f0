//! Results: what the record says of each case, with the way from every value to its bytes.
//!
//! For each job the first usable attempt counts, in the order of the chain: never the best, never the last. All attempts
//! stay in the record and are counted. Values are read again from the raw objects, whatever was shown during the run.

mod collect;
mod csv;
mod hidden;
mod owed;
mod units;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::inventory::Inventory;
use crate::measurement::Metric;
use crate::plan::{Case, Plan, Settings};
use crate::statistics::{NoiseFloor, Summary, noise_floor, summarize};
use crate::store::event::{Environment, Origin, Outcome};
use crate::tool;

pub use collect::{Damaged, collect, collect_undamaged};
pub use csv::to_csv;
pub use hidden::Footnotes;
pub use owed::owed;

/// The version of the stored form.
pub const FORMAT: &str = "benchpaper/results@1";

/// All that the record says of a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// [`FORMAT`].
    pub format: String,
    /// The numbers of the design.
    pub settings: Settings,
    /// The cases of the plan, in its order.
    pub cases: Vec<CaseResults>,
    /// The runs of the experiment, in the order they were begun.
    pub runs: Vec<RunRecord>,
    /// Attempts that are not ok, of any run and profile of the plan's jobs, in order.
    pub not_ok: Vec<AttemptRecord>,
    /// All attempts at the plan's jobs.
    pub attempts: u64,
    /// Attempts in the same runs at jobs of other plans.
    pub other_attempts: u64,
    /// Of these, without a usable result.
    pub other_not_ok: u64,
    /// Jobs of the plan without a usable result.
    pub missing: u64,
    /// The facts of the machine at the start of the last run that gave a value.
    pub facts: Inventory,
    /// What guests said of themselves in the attempts that gave values: by fact, each value with how often it was said.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub guest_facts: BTreeMap<String, BTreeMap<String, u64>>,
    /// Facts in which runs that gave values differ, though nobody declared it.
    pub hidden_differences: Vec<String>,
    /// The files that values were read from which this program did not measure, in the order of their names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<GivenFile>,
}

/// A file that somebody else made.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct GivenFile {
    /// Its name when it was handed in.
    pub name: String,
    /// Its bytes.
    pub object: Digest,
    /// The tool that made it, with the version that it says.
    pub tool: String,
    /// The run that recorded it, by its place in [`Results::runs`].
    pub run: usize,
    /// How many jobs it answers.
    pub jobs: u64,
}

/// What the record says of one case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CaseResults {
    /// The case.
    pub case: Case,
    /// Its samples by metric, in the order of the tool.
    pub metrics: Vec<MetricSamples>,
}

/// The samples of one metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MetricSamples {
    /// Which.
    pub metric: Metric,
    /// The base unit's symbol.
    pub unit: String,
    /// By replicate.
    pub samples: Vec<Sample>,
}

/// One value of one replicate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// From 1.
    pub replicate: u64,
    /// In base units.
    pub value: f64,
    /// The object it was read from.
    pub object: Digest,
    /// The place in it.
    pub pointer: String,
    /// The other files of the attempt that it was read from, by the names that the place has for them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, Digest>,
    /// The job.
    pub job: Digest,
    /// The run, by its place in [`Results::runs`].
    pub run: usize,
    /// What it shares with other samples and was set up once for all of them, so that they are no replicates of it: a
    /// session, or a boot of the guests. None where nothing is shared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// How it came to be.
    #[serde(default, skip_serializing_if = "Origin::is_measured")]
    pub origin: Origin,
    /// As it was printed where it was not measured by this program: digits and unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub printed: Option<String>,
}

/// What is known of one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// Its id.
    pub run: String,
    /// Its profile.
    pub profile: String,
    /// Its last chain.
    pub chain: String,
    /// Its length in bytes.
    pub length: u64,
    /// When it was begun, RFC 3339.
    pub created: String,
    /// The program.
    pub program: String,
    /// The kind of machine.
    pub environment: Environment,
    /// Whether it was sealed.
    pub is_sealed: bool,
    /// How often it was continued.
    pub recoveries: u64,
    /// Attempts by outcome.
    pub outcomes: BTreeMap<String, u64>,
    /// Differences between lock and machine that a person accepted.
    pub waivers: BTreeMap<String, String>,
    /// How its numbers came to be.
    #[serde(default, skip_serializing_if = "Origin::is_measured")]
    pub origin: Origin,
    /// Where what was copied by hand or handed in came from: files, pages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<String>,
    /// Files that were handed in and used for nothing, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unmatched: Vec<String>,
    /// Undeclared facts in which it differs from the first run that gave values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differs: Vec<String>,
    /// What changed on the machine meanwhile, and other disturbances.
    pub remarks: Vec<String>,
    /// How devices were prepared.
    pub preparations: Vec<String>,
}

/// An attempt that is not ok.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttemptRecord {
    /// The label of the case.
    pub case: String,
    /// From 1.
    pub replicate: u64,
    /// From 1.
    pub attempt: u64,
    /// How it ended.
    pub outcome: Outcome,
    /// Why.
    pub reason: String,
}

/// Results as a plan would give them, every value one: to check prose before anything is measured.
pub fn rehearsal(plan: &Plan) -> Results {
    let samples = |replicates: u64| -> Vec<Sample> {
        let one = |replicate| Sample {
            replicate,
            value: 1.0,
            object: Digest::of(b""),
            pointer: String::new(),
            files: BTreeMap::new(),
            job: Digest::of(b""),
            run: 0,
            unit: None,
            origin: Origin::Measured,
            printed: None,
        };
        (1..=replicates).map(one).collect()
    };
    let cases = plan.cases.iter().map(|case| {
        let metrics = case.work().map(|work| work.metrics()).unwrap_or_default();
        let count = case.replicates(&plan.settings);
        let of_metric = |metric: Metric| {
            let unit = metric.unit().map_or("1", |unit| unit.symbol()).to_owned();
            MetricSamples { metric, unit, samples: samples(count) }
        };
        CaseResults { case: case.clone(), metrics: metrics.into_iter().map(of_metric).collect() }
    });
    Results { settings: plan.settings.clone(), cases: cases.collect(), ..empty() }
}

/// Results of nothing.
fn empty() -> Results {
    Results {
        format: FORMAT.to_owned(),
        settings: Settings {
            profile: String::new(),
            replicates: 0,
            timing: tool::Timing { ramp_time_ns: 0, runtime_ns: 0 },
            noise_pairs: 0,
        },
        cases: vec![],
        runs: vec![],
        not_ok: vec![],
        attempts: 0,
        other_attempts: 0,
        other_not_ok: 0,
        missing: 0,
        facts: Inventory::default(),
        guest_facts: BTreeMap::new(),
        hidden_differences: vec![],
        given: vec![],
    }
}

impl MetricSamples {
    /// The values by replicate.
    pub fn values(&self) -> Vec<f64> {
        self.samples.iter().map(|sample| sample.value).collect()
    }

    /// The values of each unit that was really repeated, in the order of its first replicate.
    pub fn units(&self) -> Vec<Vec<f64>> {
        let mut units: Vec<(Option<&str>, Vec<f64>)> = vec![];
        for sample in &self.samples {
            let unit = sample.unit.as_deref();
            let known = unit.and_then(|_| units.iter_mut().find(|(known, _)| *known == unit));
            match known {
                Some((_, values)) => values.push(sample.value),
                None => units.push((unit, vec![sample.value])),
            }
        }
        units.into_iter().map(|(_, values)| values).collect()
    }

    /// One value for each unit that was really repeated: the median of its samples.
    pub fn unit_values(&self) -> Vec<f64> {
        self.units().into_iter().map(crate::statistics::median_of).collect()
    }

    /// What they say together; units count, not samples.
    pub fn summary(&self) -> Option<Summary> {
        summarize(&self.unit_values())
    }

    /// Whether this program measured all of them, so that their order and surroundings are known.
    pub fn is_measured(&self) -> bool {
        self.samples.iter().all(|sample| sample.origin.is_measured())
    }
}

impl CaseResults {
    /// The samples of a metric.
    pub fn metric(&self, metric: &Metric) -> Option<&MetricSamples> {
        self.metrics.iter().find(|samples| samples.metric == *metric)
    }
}

impl Results {
    /// The runs that gave values, as places in [`Results::runs`].
    pub fn used_runs(&self) -> BTreeSet<usize> {
        let samples = self.cases.iter().flat_map(|case| &case.metrics).flat_map(|metric| &metric.samples);
        samples.map(|sample| sample.run).collect()
    }

    /// The metrics that any case has, in the customary order.
    pub fn metrics(&self) -> Vec<Metric> {
        let mut metrics: Vec<Metric> = vec![];
        for samples in self.cases.iter().flat_map(|case| &case.metrics) {
            if !metrics.contains(&samples.metric) {
                metrics.push(samples.metric.clone());
            }
        }
        metrics.sort_by_key(|metric| (metric.rank(), metric.as_str().to_owned()));
        metrics
    }

    /// The cases of the matrix, without noise sides.
    pub fn matrix(&self) -> impl Iterator<Item = &CaseResults> {
        self.cases.iter().filter(|case| case.case.noise.is_none())
    }

    /// What the numbers of a case are, by the run of its first sample; none where it has none.
    pub fn environment(&self, samples: &MetricSamples) -> Option<Environment> {
        self.runs.get(samples.samples.first()?.run).map(|run| run.environment)
    }

    /// How many attempts of a case gave no usable value of a metric, and how many there were.
    pub fn lost(&self, case: &CaseResults, metric: &Metric) -> (u64, u64) {
        let label = case.case.label();
        let lost = self.not_ok.iter().filter(|attempt| attempt.case == label).count();
        let usable = case.metric(metric).map_or(0, |samples| samples.samples.len());
        (lost as u64, (lost + usable) as u64)
    }

    /// The noise floor of a metric, from the pairs of replicates of the noise sides.
    pub fn noise(&self, metric: &Metric) -> Option<NoiseFloor> {
        let side = |name: &str| {
            let case = self.cases.iter().find(|case| case.case.noise.as_deref() == Some(name))?;
            case.metric(metric)
        };
        let (one, other) = (side("a")?, side("b")?);
        let partner = |sample: &Sample| other.samples.iter().find(|candidate| candidate.replicate == sample.replicate);
        let pairs: Vec<(f64, f64)> =
            one.samples.iter().filter_map(|sample| Some((sample.value, partner(sample)?.value))).collect();
        noise_floor(&pairs)
    }
}
