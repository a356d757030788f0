//! `results`: what the record says of each case.

use serde_json::json;

use crate::cli::arguments::ResultsArguments;
use crate::cli::failure::Failure;
use crate::cli::{Session, show, workspace};
use crate::results::{Footnotes, Results, to_csv};

pub(crate) fn run(session: &Session, arguments: &ResultsArguments) -> Result<u8, Failure> {
    let loaded = workspace::load(session, &arguments.experiment.experiment)?;
    let (lock, _) = loaded.lock(session)?;
    let planned = loaded.plan(&lock, arguments.profile.as_deref())?;
    let results = loaded.results(session, &planned)?.results;
    if arguments.csv {
        show::print_bytes(&to_csv(&results).map_err(|error| Failure::incomplete(error.to_string()))?);
    } else if session.is_json {
        show::print_json(&summary_json(&results))?;
    } else {
        show_table(&results);
    }
    if results.missing > 0 {
        show::note(&format!(
            "{} of {} jobs have no usable result; {}",
            results.missing,
            planned.jobs.len(),
            loaded.way_to_results()
        ));
        return Ok(3);
    }
    Ok(0)
}

fn summary_json(results: &Results) -> serde_json::Value {
    let mut rows = vec![];
    for case in &results.cases {
        for metric in &case.metrics {
            let Some(summary) = metric.summary() else { continue };
            let interval = summary
                .interval
                .map(|interval| json!({"low": interval.low, "high": interval.high, "level": interval.level}));
            rows.push(json!({
                "case": case.case.factors, "workload": case.case.workload, "noise": case.case.noise,
                "metric": metric.metric, "unit": metric.unit, "n": summary.count, "median": summary.median,
                "mean": summary.mean, "interval": interval, "coefficient_of_variation": summary.variation,
                "values": metric.samples, "undeclared": results.hidden_in(&[metric]),
            }));
        }
    }
    json!({"results": rows, "guest_facts": results.guest_facts, "attempts": results.attempts, "missing": results.missing, "undeclared": results.hidden_differences, "not_ok": results.not_ok, "runs": results.runs})
}

fn show_table(results: &Results) {
    let (mut rows, mut footnotes) = (vec![], Footnotes::default());
    for case in &results.cases {
        for metric in &case.metrics {
            let Some(summary) = metric.summary() else { continue };
            let interval = summary.interval.map_or_else(
                || "one replicate: no interval".to_owned(),
                |interval| {
                    format!("{} – {} ({:.1} %)", short(interval.low), short(interval.high), interval.level * 100.0)
                },
            );
            let variation =
                summary.variation.map_or_else(String::new, |variation| format!("{:.2} %", variation * 100.0));
            rows.push(vec![
                format!("{}{}", case.case.label(), footnotes.mark(&results.hidden_in(&[metric]))),
                metric.metric.to_string(),
                summary.count.to_string(),
                short(summary.median),
                metric.unit.clone(),
                interval,
                variation,
            ]);
        }
    }
    show::print(&show::table(&["case", "metric", "n", "median", "unit", "interval (level)", "CV"], &rows, &[2, 3, 6]));
    for (sign, facts) in footnotes.notes() {
        show::print(&format!("{sign} values of runs that differ, undeclared, in {facts}"));
    }
}

fn short(value: f64) -> String {
    if value.abs() >= 100.0 { format!("{value:.0}") } else { format!("{value:.3}") }
}
