//! Parts of fio's JSON that are read key by key: options, percentiles, histograms. Duplicate keys are kept as they come.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// The options that matter for checks; the last of duplicates counts.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct Options<'a> {
    pub(super) bs: Option<Cow<'a, str>>,
    pub(super) engine: Option<Cow<'a, str>>,
    pub(super) iodepth: Option<Cow<'a, str>>,
    pub(super) numjobs: Option<Cow<'a, str>>,
    pub(super) runtime: Option<Cow<'a, str>>,
    pub(super) is_time_based: bool,
    pub(super) is_limited: bool,
    pub(super) has_split: bool,
}

impl<'a> Options<'a> {
    /// These options where they are given, those of the whole file otherwise.
    pub(super) fn over(&self, global: &Self) -> Options<'a> {
        let first = |one: &Option<Cow<'a, str>>, other: &Option<Cow<'a, str>>| one.clone().or_else(|| other.clone());
        Options {
            bs: first(&self.bs, &global.bs),
            engine: first(&self.engine, &global.engine),
            iodepth: first(&self.iodepth, &global.iodepth),
            numjobs: first(&self.numjobs, &global.numjobs),
            runtime: first(&self.runtime, &global.runtime),
            is_time_based: self.is_time_based || global.is_time_based,
            is_limited: self.is_limited || global.is_limited,
            has_split: self.has_split || global.has_split,
        }
    }

    /// The most operations in flight of one job; none where the engine is not named.
    pub(super) fn outstanding(&self) -> Option<f64> {
        let depth = || self.iodepth.as_deref().unwrap_or("1").trim().parse::<f64>().ok();
        self.engine.as_deref()?;
        if self.is_synchronous() { Some(1.0) } else { depth() }
    }

    /// Whether so many rows may be fewer than there were jobs.
    pub(super) fn may_be_grouped(&self, rows: usize) -> bool {
        let jobs = self.numjobs.as_deref().map_or(Some(1), |text| text.trim().parse::<usize>().ok());
        jobs.is_none_or(|jobs| jobs > rows)
    }

    /// Whether the engine holds one operation whatever its depth.
    pub(super) fn is_synchronous(&self) -> bool {
        self.engine.as_deref().is_some_and(|engine| super::settings::SYNCHRONOUS.contains(&engine))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Options<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OptionsVisitor;
        impl<'de> Visitor<'de> for OptionsVisitor {
            type Value = Options<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("options of a job")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut options = Options::default();
                while let Some(key) = map.next_key::<Cow<'de, str>>()? {
                    let place = match &*key {
                        "bs" | "blocksize" => &mut options.bs,
                        "ioengine" => &mut options.engine,
                        "iodepth" => &mut options.iodepth,
                        "numjobs" => &mut options.numjobs,
                        "runtime" => &mut options.runtime,
                        other => {
                            options.has_split |= matches!(other, "bssplit" | "bsrange" | "blocksize_range");
                            options.is_limited |= other.starts_with("rate") || other.starts_with("thinktime");
                            if other == "time_based" {
                                options.is_time_based = map.next_value::<Text<'de>>()?.0 != "0";
                            } else {
                                map.next_value::<IgnoredAny>()?;
                            }
                            continue;
                        }
                    };
                    *place = Some(map.next_value::<Text<'de>>()?.0);
                }
                Ok(options)
            }

            // fio 3.41 prints the global options of each section as one list; the last section counts
            fn visit_seq<A: SeqAccess<'de>>(self, mut sections: A) -> Result<Self::Value, A::Error> {
                let mut options = Options::default();
                while let Some(section) = sections.next_element::<Options<'de>>()? {
                    options = section;
                }
                Ok(options)
            }
        }
        deserializer.deserialize_any(OptionsVisitor)
    }
}

#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// Percentiles in the order printed; duplicate keys are kept, those that stand for nothing are not.
#[derive(Debug, Default)]
pub(in super::super) struct Percentiles<'a>(pub(super) Vec<(Cow<'a, str>, f64)>);

impl<'de: 'a, 'a> Deserialize<'de> for Percentiles<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PercentilesVisitor;
        impl<'de> Visitor<'de> for PercentilesVisitor {
            type Value = Percentiles<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("percentiles")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut found = vec![];
                while let Some((key, value)) = map.next_entry::<Cow<'de, str>, f64>()? {
                    if key != "0.00" {
                        found.push((key, value));
                    }
                }
                Ok(Percentiles(found))
            }
        }
        deserializer.deserialize_map(PercentilesVisitor)
    }
}

/// How many operations took how long: nanoseconds and counts, in the order printed.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct Histogram(pub(super) Vec<(f64, f64)>);

impl Histogram {
    /// The bins of several together, sorted by time.
    pub(super) fn merged<'a>(parts: impl Iterator<Item = &'a Self>) -> Self {
        let mut bins: Vec<(f64, f64)> = parts.flat_map(|part| part.0.iter().copied()).collect();
        bins.sort_by(|one, other| one.0.total_cmp(&other.0));
        Self(bins)
    }

    /// The least time that this share of all operations did not take longer than, as fio finds it; bins are sorted.
    pub(super) fn percentile(&self, percent: f64) -> Option<f64> {
        let all: f64 = self.0.iter().map(|(_, count)| count).sum();
        let mut seen = 0.0;
        let reached = |(_, count): &&(f64, f64)| {
            seen += count;
            seen >= percent / 100.0 * all
        };
        if all > 0.0 { self.0.iter().find(reached).map(|(time, _)| *time) } else { None }
    }
}

impl<'de> Deserialize<'de> for Histogram {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct HistogramVisitor;
        impl<'de> Visitor<'de> for HistogramVisitor {
            type Value = Histogram;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("bins of latencies")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut bins = vec![];
                while let Some((key, count)) = map.next_entry::<Cow<'de, str>, f64>()? {
                    if let (Ok(time), true) = (key.parse::<f64>(), count > 0.0) {
                        bins.push((time, count));
                    }
                }
                Ok(Histogram(bins))
            }
        }
        deserializer.deserialize_map(HistogramVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn histograms_are_merged_and_percentiles_never_averaged() {
        let one: Histogram = serde_json::from_str(r#"{"100":98,"500":1,"700":1}"#).unwrap();
        let other: Histogram = serde_json::from_str(r#"{"100":0,"300":100}"#).unwrap();
        let merged = Histogram::merged([&one, &other].into_iter());
        assert_eq!((merged.percentile(49.0), merged.percentile(50.0)), (Some(100.0), Some(300.0)));
        assert_eq!(
            (merged.percentile(99.0), merged.percentile(99.5), merged.percentile(100.0)),
            (Some(300.0), Some(500.0), Some(700.0))
        );
        assert_eq!(Histogram::default().percentile(50.0), None);
    }

    #[test]
    fn the_last_of_duplicate_options_counts() {
        let text = r#"{"bs":"4k","bs":"8k","ioengine":"psync","iodepth":"32","time_based":"0","rate_iops":"100"}"#;
        let options: Options<'_> = serde_json::from_str(text).unwrap();
        assert_eq!(options.bs.as_deref(), Some("8k"));
        assert!(options.is_synchronous() && options.is_limited && !options.is_time_based);
        assert_eq!(options.outstanding(), Some(1.0));
        assert!(!options.may_be_grouped(1));
    }
}
