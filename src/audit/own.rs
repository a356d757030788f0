//! The results of an experiment as a table, in the digits that a paper would print, so that the same checks look at them.

use std::sync::Arc;

use super::evidence::Evidence;
use crate::claims::{Cell, Column, Row, Table};
use crate::exact::Exact;
use crate::printed::{DecimalMark, Dim, Printed, as_a_paper, scale_of};
use crate::unit::Unit;

/// The name of the table.
pub const NAME: &str = "results of the experiment";

/// Metrics that are called otherwise where a column has a role.
const RENAMED: &[(&str, &str)] = &[("runtime", "duration")];

/// The role of a metric's numbers; it is one that checks know where [`crate::claims::role::dim_of`] knows it.
pub fn name_of(metric: &str) -> &str {
    RENAMED.iter().find(|(name, _)| *name == metric).map_or(metric, |(_, role)| role)
}

fn column(name: &str, role: Option<&str>, is_exact: bool) -> Column {
    let role = role.map(str::to_owned);
    Column { name: name.to_owned(), head: name.to_owned(), role, series: None, unit: None, is_exact }
}

/// One row a replicate; `None` where no metric is one that checks know.
pub(super) fn table(evidence: &Evidence<'_>) -> Option<Table> {
    let rules = &evidence.experiment.metrics;
    let metrics: Vec<_> = evidence
        .results
        .metrics()
        .into_iter()
        .filter(|metric| crate::claims::role::dim_of(name_of(metric.as_str())).is_some())
        // what the paper does not report is not quoted
        .filter(|metric| rules.is_empty() || rules.get(metric.as_str()).is_some())
        .collect();
    if metrics.is_empty() {
        return None;
    }
    let settings = ["block_size", "outstanding"];
    let factors: std::collections::BTreeSet<&String> =
        evidence.results.cases.iter().flat_map(|case| case.case.factors.keys()).collect();
    let mut columns: Vec<Column> = factors.iter().map(|factor| column(factor, None, false)).collect();
    columns.extend(["workload", "replicate"].map(|name| column(name, None, false)));
    columns.extend(metrics.iter().map(|metric| column(metric.as_str(), Some(name_of(metric.as_str())), false)));
    columns.extend(settings.iter().map(|role| column(role, Some(role), true)));
    let mut rows = vec![];
    for case in &evidence.results.cases {
        let load = case.case.work().map(|work| work.load()).unwrap_or_default();
        let guests = case.case.guest.as_ref().map_or(1, |guest| guest.count);
        let set: Vec<Cell> = settings
            .iter()
            .map(|role| match (load.iter().find(|(name, _)| name == role), *role) {
                (Some((_, value)), "outstanding") => exactly(value.saturating_mul(guests), Unit::ONE),
                (Some((_, value)), _) => exactly(*value, Unit::BYTE),
                (None, _) => Cell::Absent,
            })
            .collect();
        let replicates: std::collections::BTreeSet<u64> =
            case.metrics.iter().flat_map(|metric| &metric.samples).map(|sample| sample.replicate).collect();
        for replicate in replicates {
            let levels = factors.iter().map(|factor| case.case.factors.get(*factor).cloned().unwrap_or_default());
            let side = case.case.noise.as_ref().map_or_else(String::new, |side| format!(" {side}"));
            let names = levels.chain([case.case.workload.clone(), format!("#{replicate}{side}")]);
            let mut cells: Vec<Cell> = names.map(|name| Cell::Name(Arc::from(name))).collect();
            cells.extend(metrics.iter().map(|metric| {
                let samples = case.metric(metric);
                let sample = samples.and_then(|all| all.samples.iter().find(|one| one.replicate == replicate));
                sample.zip(samples).and_then(|(sample, all)| cell(sample.value, &all.unit)).unwrap_or(Cell::Absent)
            }));
            cells.extend(set.iter().cloned());
            rows.push(Row { cells, line: rows.len() + 1 });
        }
    }
    Some(Table { name: NAME.to_owned(), place: NAME.to_owned(), columns, rows, facts: vec![] })
}

fn exactly(value: u64, unit: Unit) -> Cell {
    let printed = Printed::parse(&value.to_string(), DecimalMark::Point, Some(unit));
    printed.map_or(Cell::Absent, |printed| Cell::Number(Box::new(printed.exactly())))
}

fn cell(value: f64, unit: &str) -> Option<Cell> {
    let unit = Unit::parse(unit)?;
    let value = &Exact::from_float(value)? * &scale_of(unit);
    Some(Cell::Number(Box::new(as_a_paper(&value, Dim::of(unit.dimension()))?)))
}
