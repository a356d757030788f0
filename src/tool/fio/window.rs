//! The time in which all guests were active, and what they did in it.
//!
//! Guests begin one after the other: in a total over each one's own run time they would not have shared the machine all
//! the time. Each guest logs its rate every 100 ms by its own clock; how its clock stands to the host's was asked just
//! before. A log line `time, value, direction, …` says the mean rate of the interval that ends at that time.

use std::collections::BTreeMap;

use super::output::Push;

/// How often guests log their rate, in milliseconds.
pub(super) const LOG_INTERVAL_MS: u64 = 100;
/// The file that says how guests' clocks stand to the host's.
pub(super) const CLOCKS_FILE: &str = crate::tool::CLOCKS_FILE;
/// A shorter common time says nothing, in seconds.
const COMMON_S_MIN: f64 = 0.5;

/// What all guests did together.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Common {
    pub(super) iops: f64,
    /// What the logs say of each guest's whole time, added up.
    logged_iops: f64,
    bandwidth: f64,
    fairness: f64,
    start_skew_ns: f64,
    names: Vec<String>,
}

impl Common {
    /// Whether the logs say about what fio's own totals say: a log that lacks a job, or a version that logs something
    /// else, would go unnoticed. The first and the last moments are in no log, so they never agree exactly.
    pub(super) fn agrees_with(&self, totals_iops: f64) -> bool {
        const TOLERANCE: f64 = 0.25;
        (self.logged_iops - totals_iops).abs() <= TOLERANCE * totals_iops
    }

    pub(super) fn push(&self, push: &mut Push<'_>) {
        // each value needs all of them: which logs there are says which guests and jobs there were
        let names = self.names.iter().map(String::as_str).chain([CLOCKS_FILE]);
        let places = names.map(|name| format!("file/{name}")).collect::<Vec<_>>().join(" ");
        push.value("iops", self.iops, places.clone());
        push.value("bandwidth", self.bandwidth, places.clone());
        push.value("fairness", self.fairness, places.clone());
        push.value("start_skew", self.start_skew_ns, places);
    }
}

/// Whether a file is a log of a guest.
pub(super) fn is_log(name: &str) -> bool {
    name.starts_with("guest-") && (name.contains("_iops.") || name.contains("_bw.")) && name.contains(".log")
}

/// The log of one job of a guest, in the host's time.
struct Log {
    intervals: Vec<Interval>,
}

/// From one line to the next of the same direction: on a busy host that is longer than was asked for.
struct Interval {
    start: f64,
    end: f64,
    rate: f64,
}

const INTERVAL_S: f64 = LOG_INTERVAL_MS as f64 / 1e3;

impl Log {
    fn read(bytes: &[u8], offset_s: f64) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        let mut last: BTreeMap<&str, f64> = BTreeMap::new();
        let mut intervals = vec![];
        for line in text.lines() {
            let mut fields = line.split(',').map(str::trim);
            let (time, rate) = (fields.next()?.parse::<f64>().ok()?, fields.next()?.parse::<f64>().ok()?);
            let end = time / 1e3 + offset_s;
            let start = last.insert(fields.next()?, end).unwrap_or(end - INTERVAL_S);
            intervals.push(Interval { start, end, rate });
        }
        (!intervals.is_empty()).then_some(Self { intervals })
    }

    fn start(&self) -> f64 {
        least(self.intervals.iter().map(|interval| interval.start))
    }

    fn end(&self) -> f64 {
        greatest(self.intervals.iter().map(|interval| interval.end))
    }

    /// The mean rate between two times.
    fn rate(&self, (start, end): (f64, f64)) -> f64 {
        let amount = |one: &Interval| one.rate * (one.end.min(end) - one.start.max(start)).max(0.0);
        self.intervals.iter().map(amount).sum::<f64>() / (end - start)
    }
}

fn least(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(f64::INFINITY, f64::min)
}

fn greatest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(f64::NEG_INFINITY, f64::max)
}

/// What guests did while all were active; `None` where there are no logs, `Err` where they were hardly active together.
pub(super) fn common(files: &BTreeMap<String, Vec<u8>>) -> Option<Result<Common, String>> {
    let clocks: BTreeMap<String, String> = serde_json::from_slice(files.get(CLOCKS_FILE)?).ok()?;
    let offset_s = |guest: &str| Some(clocks.get(guest)?.parse::<f64>().ok()? / 1e9);
    // each job of a guest has a log of its own
    let logs = |kind: &str| -> Option<Vec<Vec<Log>>> {
        let of_guest = |guest: &String| {
            let begins = format!("guest-{guest}_{kind}.");
            let logs = files.iter().filter(|(name, _)| name.starts_with(&begins));
            let logs: Option<Vec<Log>> = logs.map(|(_, bytes)| Log::read(bytes, offset_s(guest)?)).collect();
            logs.filter(|logs| !logs.is_empty())
        };
        clocks.keys().map(of_guest).collect()
    };
    let (Some(operations), Some(bytes)) = (logs("iops"), logs("bw")) else {
        return Some(Err("a guest's log is missing, or it is empty".to_owned()));
    };
    let starts: Vec<f64> = operations.iter().map(|logs| greatest(logs.iter().map(Log::start))).collect();
    let start = greatest(starts.iter().copied());
    let end = least(operations.iter().flatten().map(Log::end));
    if end - start < COMMON_S_MIN {
        let together = (end - start).max(0.0);
        return Some(Err(format!(
            "all guests were active together for {together:.2} s, less than {COMMON_S_MIN} s say nothing"
        )));
    }
    let rate = |logs: &Vec<Log>| logs.iter().map(|log| log.rate((start, end))).sum::<f64>();
    let rates: Vec<f64> = operations.iter().map(rate).collect();
    let (fewest, most) = (least(rates.iter().copied()), greatest(rates.iter().copied()));
    // fio logs bandwidth in KiB/s
    let bandwidth = bytes.iter().map(rate).sum::<f64>() * 1024.0;
    Some(Ok(Common {
        iops: rates.iter().sum(),
        logged_iops: operations.iter().flatten().map(|log| log.rate((log.start(), log.end()))).sum(),
        bandwidth,
        fairness: if most > 0.0 { fewest / most } else { 0.0 },
        start_skew_ns: (start - least(starts.iter().copied())) * 1e9,
        names: files.keys().filter(|name| is_log(name)).cloned().collect(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(from_ms: u64, count: u64, rate: u64) -> Vec<u8> {
        (1..=count).map(|line| format!("{}, {rate}, 0, 0, 0\n", from_ms + line * 100)).collect::<String>().into_bytes()
    }

    fn files(second_from_ms: u64, offset_ms: i64) -> BTreeMap<String, Vec<u8>> {
        let clocks = format!(r#"{{"1": "0", "2": "{}"}}"#, offset_ms * 1_000_000);
        let mut files = BTreeMap::from([(CLOCKS_FILE.to_owned(), clocks.into_bytes())]);
        for kind in ["iops", "bw"] {
            files.insert(format!("guest-1_{kind}.1.log.127.0.0.1"), log(1_000_000, 20, 300));
            files.insert(format!("guest-2_{kind}.1.log.127.0.0.1"), log(second_from_ms, 20, 100));
        }
        files
    }

    #[test]
    fn a_total_is_of_the_time_in_which_all_were_active() {
        let found = common(&files(1_000_500, 0)).unwrap().unwrap();
        assert!((found.iops - 400.0).abs() < 1e-6 && (found.bandwidth - 400.0 * 1024.0).abs() < 1e-3, "{found:?}");
        assert!((found.fairness - 1.0 / 3.0).abs() < 1e-9 && (found.start_skew_ns - 5e8).abs() < 1e3, "{found:?}");
    }

    #[test]
    fn the_jobs_of_a_guest_are_added_up() {
        let mut files = files(1_000_000, 0);
        for kind in ["iops", "bw"] {
            files.insert(format!("guest-1_{kind}.2.log.127.0.0.1"), log(1_000_200, 20, 50));
        }
        let found = common(&files).unwrap().unwrap();
        assert!((found.iops - 450.0).abs() < 1e-6 && (found.fairness - 100.0 / 350.0).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn clocks_that_differ_are_brought_together() {
        let found = common(&files(4_000_500, -3_000_000)).unwrap().unwrap();
        assert!((found.start_skew_ns - 5e8).abs() < 1e3, "{found:?}");
    }

    #[test]
    fn guests_that_were_hardly_active_together_say_nothing() {
        assert!(common(&files(1_001_900, 0)).unwrap().is_err());
        assert!(common(&BTreeMap::new()).is_none());
        let mut cut = files(1_000_500, 0);
        cut.remove("guest-2_bw.1.log.127.0.0.1");
        assert!(common(&cut).unwrap().is_err());
    }
}
