//! ioping: the latency of single requests to a disk. Its summary counts; `k` and `M` are thousands and millions of requests.

use std::sync::Arc;

use super::{Outputs, Tool};
use crate::measurement::{Labels, Metric, Printed, Reading};
use crate::unit::Unit;

/// ioping.
pub(super) struct Ioping;

/// Fewer requests say nothing.
const REQUESTS_MIN: f64 = 30.0;

impl Tool for Ioping {
    fn name(&self) -> &'static str {
        "ioping"
    }

    fn recognises(&self, bytes: &[u8]) -> bool {
        String::from_utf8_lossy(bytes).contains(" ioping statistics ---")
    }

    fn parse(&self, outputs: Outputs<'_>) -> Reading {
        read(&String::from_utf8_lossy(outputs.stdout)).close()
    }

    fn metrics(&self) -> Vec<Metric> {
        ["iops", "bandwidth", "latency_mean"].map(Metric::new).to_vec()
    }
}

fn read(text: &str) -> Reading {
    let mut reading = Reading::new("ioping");
    let labels = Arc::new(Labels::reported());
    let mut requests = None;
    for (number, line) in text.lines().enumerate() {
        let place = format!("line/{}", number + 1);
        // 99 requests completed in 23.5 ms, 396 KiB read, 4.22 k iops, 16.5 MiB/s
        if let Some((count, rest)) = line.split_once(" requests completed in ") {
            requests = count.parse::<f64>().ok();
            for part in rest.split(", ") {
                if let Some(iops) = part.strip_suffix(" iops") {
                    reading.measure(&labels, ("iops", thousands(iops)), place.clone());
                } else if let Some((value, unit)) = quantity(part, "/s") {
                    reading.measure_printed(&labels, Printed { metric: "bandwidth", text: value, unit }, place.clone());
                }
            }
        }
        // min/avg/max/mdev = 144.0 us / 237.2 us / 1.37 ms / 120.5 us
        if let Some(times) = line.strip_prefix("min/avg/max/mdev = ") {
            for (metric, part) in ["latency_min", "latency_mean", "latency_max"].iter().zip(times.split(" / ")) {
                if let Some((value, unit)) = quantity(part, "s") {
                    reading.measure_printed(&labels, Printed { metric, text: value, unit }, place.clone());
                }
            }
        }
    }
    match requests {
        None => reading.fail("ioping::cut", "the summary is missing: it is cut, or was interrupted"),
        Some(count) if count < REQUESTS_MIN => {
            reading
                .invalidate("ioping::few-requests", format!("{count} requests, fewer than {REQUESTS_MIN} say nothing"));
        }
        Some(_) => {}
    }
    reading
}

/// `4.22 k` requests are 4220.
fn thousands(text: &str) -> f64 {
    let (number, scale) = match text.split_once(' ') {
        Some((number, "k")) => (number, 1e3),
        Some((number, "M")) => (number, 1e6),
        _ => (text, 1.0),
    };
    number.parse::<f64>().map_or(f64::NAN, |number| number * scale)
}

/// A number and its unit, where the unit has this ending.
fn quantity<'a>(text: &'a str, ending: &str) -> Option<(&'a str, Unit)> {
    let (number, symbol) = text.trim().split_once(' ')?;
    Some((number, Unit::parse(symbol).filter(|_| symbol.ends_with(ending))?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::Status;

    const TEXT: &str = "\n--- /tmp (ext4 /dev/vda1) ioping statistics ---\n99 requests completed in 23.5 ms, 396 KiB read, 4.22 k iops, 16.5 MiB/s\ngenerated 100 requests in 9.00 s, 400 KiB, 11 iops, 44.4 KiB/s\nmin/avg/max/mdev = 144.0 us / 237.2 us / 1.37 ms / 120.5 us\n";

    #[test]
    fn the_summary_counts() {
        assert!(Ioping.recognises(TEXT.as_bytes()));
        let reading = Ioping.parse(Outputs::of(TEXT.as_bytes()));
        assert_eq!(reading.status, Status::Ok, "{:?}", reading.diagnostics);
        let values: Vec<(&str, f64)> =
            reading.measurements.iter().map(|one| (one.metric.as_str(), one.value)).collect();
        assert_eq!(values[0], ("iops", 4220.0));
        assert_eq!(values[1], ("bandwidth", 16.5 * 1_048_576.0));
        assert_eq!(values[3], ("latency_mean", 237_200.0));
    }

    #[test]
    fn a_cut_and_a_few_requests_are_no_results() {
        assert_eq!(read(&TEXT[..TEXT.find("99 requests").unwrap()]).status, Status::Failed);
        assert_eq!(read(&TEXT.replace("99 requests", "9 requests")).status, Status::Invalid);
    }
}
