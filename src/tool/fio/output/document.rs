//! The document that all outputs of fio become.

use super::super::options::{Histogram, Options, Percentiles};
use serde::Deserialize;
use std::borrow::Cow;

/// What fio said of one run.
#[derive(Deserialize, Default)]
pub(in crate::tool::fio) struct Document<'a> {
    #[serde(rename = "fio version", borrow)]
    pub(in crate::tool::fio) version: Cow<'a, str>,
    #[serde(default, borrow, rename = "global options")]
    pub(in crate::tool::fio) options: Options<'a>,
    #[serde(default, borrow)]
    pub(in crate::tool::fio) jobs: Vec<Job<'a>>,
    #[serde(default, borrow)]
    pub(in crate::tool::fio) client_stats: Vec<Job<'a>>,
    /// Where it ends too early, in formats other than JSON.
    #[serde(skip)]
    pub(in crate::tool::fio) cut: Option<String>,
}

#[derive(Deserialize, Default)]
pub(in crate::tool::fio) struct Job<'a> {
    /// Where it stands, in formats other than JSON.
    #[serde(skip)]
    pub(in crate::tool::fio) place: String,
    /// Which of several runs it belongs to, in formats that hold several.
    #[serde(skip)]
    pub(in crate::tool::fio) run: Option<usize>,
    /// The most operations in flight, where the options say.
    #[serde(skip)]
    pub(in crate::tool::fio) outstanding: Option<f64>,
    #[serde(default)]
    pub(in crate::tool::fio) groupid: i64,
    #[serde(default, borrow)]
    pub(in crate::tool::fio) jobname: Cow<'a, str>,
    #[serde(default, borrow)]
    pub(in crate::tool::fio) hostname: Option<Cow<'a, str>>,
    pub(in crate::tool::fio) port: Option<u64>,
    #[serde(default)]
    pub(in crate::tool::fio) error: i64,
    #[serde(default, borrow, rename = "job options")]
    pub(in crate::tool::fio) options: Options<'a>,
    pub(in crate::tool::fio) read: Option<Direction<'a>>,
    pub(in crate::tool::fio) write: Option<Direction<'a>>,
    pub(in crate::tool::fio) trim: Option<Direction<'a>>,
    pub(in crate::tool::fio) mixed: Option<Direction<'a>>,
    #[serde(borrow)]
    pub(in crate::tool::fio) sync: Option<Synced<'a>>,
    pub(in crate::tool::fio) steadystate: Option<SteadyState>,
}

impl Job<'_> {
    /// Whether a steady state was asked for and not reached.
    pub(in crate::tool::fio) fn has_missed_steady_state(&self) -> bool {
        self.steadystate.as_ref().is_some_and(|state| state.attained == 0)
    }
}

/// Whether what was asked for was reached; the criterion that is printed beside it does not say.
#[derive(Deserialize)]
pub(in crate::tool::fio) struct SteadyState {
    #[serde(default)]
    pub(super) attained: i64,
}

/// What fsync and its kin cost, which no direction counts.
#[derive(Deserialize)]
pub(in crate::tool::fio) struct Synced<'a> {
    #[serde(borrow)]
    pub(in crate::tool::fio) lat_ns: Option<Latency<'a>>,
}

#[derive(Deserialize, Default)]
pub(in crate::tool::fio) struct Direction<'a> {
    #[serde(default)]
    pub(in crate::tool::fio) io_bytes: f64,
    pub(in crate::tool::fio) bw_bytes: Option<f64>,
    /// KiB/s.
    pub(in crate::tool::fio) bw: Option<f64>,
    /// Printed before 3.0, when `lat` and `clat` were microseconds.
    #[serde(borrow)]
    pub(in crate::tool::fio) lat: Option<Latency<'a>>,
    #[serde(borrow)]
    pub(in crate::tool::fio) clat: Option<Latency<'a>>,
    /// Whether it was printed before 3.0.
    #[serde(skip)]
    pub(in crate::tool::fio) is_old: bool,
    /// Whether the number of operations was not printed, and follows from rate and time.
    #[serde(skip)]
    pub(in crate::tool::fio) has_estimated_operations: bool,
    #[serde(default)]
    pub(in crate::tool::fio) iops: f64,
    #[serde(default)]
    pub(in crate::tool::fio) runtime: f64,
    #[serde(default)]
    pub(in crate::tool::fio) total_ios: f64,
    #[serde(default)]
    pub(in crate::tool::fio) short_ios: f64,
    #[serde(default)]
    pub(in crate::tool::fio) drop_ios: f64,
    #[serde(borrow)]
    pub(in crate::tool::fio) lat_ns: Option<Latency<'a>>,
    #[serde(borrow)]
    pub(in crate::tool::fio) clat_ns: Option<Latency<'a>>,
}

#[derive(Deserialize, Default)]
pub(in crate::tool::fio) struct Latency<'a> {
    #[serde(default)]
    pub(in crate::tool::fio) min: f64,
    #[serde(default)]
    pub(in crate::tool::fio) max: f64,
    #[serde(default)]
    pub(in crate::tool::fio) mean: f64,
    #[serde(rename = "N")]
    pub(in crate::tool::fio) count: Option<f64>,
    #[serde(default, borrow)]
    pub(in crate::tool::fio) percentile: Percentiles<'a>,
    /// How many operations took how long, of json+.
    #[serde(default)]
    pub(in crate::tool::fio) bins: Histogram,
}

impl Direction<'_> {
    /// Brings what was printed before 3.0 to the units of later versions, and fills in what was not printed.
    pub(in crate::tool::fio) fn normalize(&mut self, is_old: bool) {
        if is_old {
            self.is_old = true;
            self.io_bytes *= 1024.0;
            self.bw_bytes = self.bw.map(|bandwidth| bandwidth * 1024.0);
            self.lat_ns = self.lat.take().map(Latency::in_nanoseconds);
            self.clat_ns = self.clat.take().map(Latency::in_nanoseconds);
        }
        if self.bw_bytes.is_none() && self.io_bytes <= 0.0 {
            self.bw_bytes = self.bw.map(|bandwidth| bandwidth * 1024.0);
        }
        if self.total_ios <= 0.0 && self.iops > 0.0 && self.runtime > 0.0 {
            self.has_estimated_operations = true;
            self.total_ios = self.iops * self.runtime / 1000.0;
        }
    }

    /// What the keys of latencies are called in this version.
    pub(super) fn latency_keys(&self) -> (&'static str, &'static str) {
        if self.is_old { ("lat", "clat") } else { ("lat_ns", "clat_ns") }
    }
}

impl Latency<'_> {
    /// Out of microseconds.
    pub(super) fn in_nanoseconds(mut self) -> Self {
        [&mut self.min, &mut self.max, &mut self.mean].into_iter().for_each(|value| *value *= 1000.0);
        self.percentile.0.iter_mut().for_each(|(_, value)| *value *= 1000.0);
        self.bins.0.iter_mut().for_each(|(value, _)| *value *= 1000.0);
        self
    }
}
