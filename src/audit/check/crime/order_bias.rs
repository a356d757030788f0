//! order-bias: time did not choose the winner.

use crate::audit::Evidence;
use crate::audit::check::{Card, Check};
use crate::audit::{Finding, Kind, Outcome, Subject, judge};
use crate::measurement::Metric;
use crate::statistics::{Contrast, rank_correlation_p};

/// Below which a drift is worth a question: there are as many of them as metrics.
const P_DRIFT: f64 = 0.001;
/// Below which an A/A difference is one.
const P_SAME: f64 = 0.01;

/// time did not choose the winner.
pub(in crate::audit::check) struct OrderBias;

const CARD: Card = Card {
    id: "order-bias",
    kind: Kind::Crime,
    title: "time did not choose the winner",
    needs: &["order"],
    explain: "What is measured first meets a cooler machine, an emptier disk and other neighbours than what is measured last. Arms take turns, and the same thing measured as two arms (A/A) shows no difference (Mytkowicz et al., ASPLOS 2009).",
};

impl Check for OrderBias {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let Some(evidence) = &subject.evidence else {
            let finding = subject.word("order").map(|word| {
                let is_mixed = ["interleaved", "random", "randomized", "alternating"].contains(&word.as_str());
                let words = format!("the order of the cases: {word}");
                judge::remark(&CARD, if is_mixed { Outcome::Pass } else { Outcome::Warn }, "order", words)
            });
            return judge::or_skip(&CARD, finding.into_iter().collect());
        };
        let metrics = evidence.results.metrics();
        let rules = &evidence.experiment.metrics;
        let reported = || metrics.iter().filter(|metric| rules.is_empty() || rules.get(metric.as_str()).is_some());
        let mut findings = judge::worst_of(reported().filter_map(|metric| drift(evidence, metric)).collect());
        findings.extend(judge::worst_of(reported().filter_map(|metric| same_as_two(evidence, metric)).collect()));
        judge::or_skip(&CARD, findings)
    }
}

/// Whether values grow or fall with the order in which jobs ended, each against the median of its case.
fn drift(evidence: &Evidence<'_>, metric: &Metric) -> Option<Finding> {
    let place: std::collections::BTreeMap<_, _> =
        evidence.sequence.iter().enumerate().map(|(at, job)| (*job, at as f64)).collect();
    let (mut order, mut residuals) = (vec![], vec![]);
    for samples in evidence.results.cases.iter().filter_map(|case| case.metric(metric)) {
        let Some(median) = samples.summary().map(|summary| summary.median).filter(|median| *median > 0.0) else {
            continue;
        };
        for sample in samples.samples.iter().filter(|sample| sample.origin.is_measured() && samples.samples.len() > 2) {
            if let Some(at) = place.get(&sample.job) {
                order.push(*at);
                residuals.push(sample.value / median);
            }
        }
    }
    let (rho, p) = rank_correlation_p(&order, &residuals)?;
    let words = format!(
        "{metric}: rank correlation with the order of measuring {rho:+.2}, {} over {} values",
        small(p),
        order.len()
    );
    Some(judge::remark(&CARD, if p < P_DRIFT { Outcome::Warn } else { Outcome::Pass }, "drift", words))
}

/// Whether one thing measured as two arms differs.
fn same_as_two(evidence: &Evidence<'_>, metric: &Metric) -> Option<Finding> {
    let side = |name: &str| {
        evidence.results.cases.iter().find(|case| case.case.noise.as_deref() == Some(name))?.metric(metric)
    };
    let (one, other) = (side("a")?, side("b")?);
    let partner = |replicate: u64| other.samples.iter().find(|sample| sample.replicate == replicate);
    let (one, other): (Vec<f64>, Vec<f64>) =
        one.samples.iter().filter_map(|sample| Some((sample.value, partner(sample.replicate)?.value))).unzip();
    let found = Contrast::blocks(&one, &other)?;
    let p = found.p(1.0)?;
    let words = format!(
        "{metric}: the same case measured as two arms has the ratio {:.4}, {} over {} pairs",
        found.ratio(),
        small(p),
        found.units()
    );
    Some(judge::remark(&CARD, if p < P_SAME { Outcome::Fail } else { Outcome::Pass }, "A/A", words))
}

fn small(p: f64) -> String {
    if p < 0.001 { "p under 0.001".to_owned() } else { format!("p {p:.3}") }
}
