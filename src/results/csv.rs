//! Results as CSV: one row a value, with the way to its bytes.

use super::Results;

/// RFC 4180, UTF-8, one row a value.
pub fn to_csv(results: &Results) -> Result<Vec<u8>, csv::Error> {
    let mut factors: Vec<&String> = results.cases.iter().flat_map(|case| case.case.factors.keys()).collect();
    factors.sort();
    factors.dedup();
    let mut writer = csv::Writer::from_writer(vec![]);
    let fixed = ["workload", "noise", "replicate", "metric", "value", "unit", "object", "pointer", "job", "run"];
    let prefixed = factors.iter().map(|factor| format!("factor.{factor}"));
    writer.write_record(prefixed.chain(fixed.map(str::to_owned)))?;
    for case in &results.cases {
        for metric in &case.metrics {
            for sample in &metric.samples {
                let levels = factors.iter().map(|factor| case.case.factors.get(*factor).cloned().unwrap_or_default());
                let rest = [
                    case.case.workload.clone(),
                    case.case.noise.clone().unwrap_or_default(),
                    sample.replicate.to_string(),
                    metric.metric.to_string(),
                    sample.value.to_string(),
                    metric.unit.clone(),
                    sample.object.to_string(),
                    sample.pointer.clone(),
                    sample.job.to_string(),
                    results.runs.get(sample.run).map(|run| run.run.clone()).unwrap_or_default(),
                ];
                writer.write_record(levels.chain(rest))?;
            }
        }
    }
    writer.into_inner().map_err(|error| error.into_error().into())
}
