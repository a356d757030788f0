//! CrystalDiskMark, versions 3 to 8: the text that its window copies or saves.
//!
//! MB are 10^6 bytes, KB and KiB in the name of a test are 1024 bytes. A result is the best of its passes, which the file
//! does not print. Tables whose IOPS and MB/s contradict each other are refused: templates that were never measured.

mod rows;

use super::{
    Answers, Context, Draft, LaunchPlan, Outputs, Question, Timing, Tool, Workload, manual, metrics, text, workload,
};
use crate::manifest::node::Node;
use crate::manifest::shape::{Fields, Problems, Size, Spanned, words};
use crate::measurement::{Metric, Reading};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

use rows::{Test, answers, passes, read, test_size_bytes};

/// CrystalDiskMark.
pub(super) struct CrystalDiskMark;

words! {
    /// Which column of a test is the result.
    pub enum Direction {
        /// Reads.
        Read = "read",
        /// Writes.
        Write = "write",
        /// Reads and writes together.
        Mix = "mix",
    }
}

/// The settings that are hashed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
struct Settings {
    test: String,
    direction: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    size_bytes: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    passes: Option<u64>,
}

impl Settings {
    fn select(&self) -> BTreeMap<String, String> {
        let pairs = [("test", &self.test), ("direction", &self.direction)];
        pairs.into_iter().map(|(label, value)| (label.to_owned(), value.clone())).collect()
    }
}

impl Tool for CrystalDiskMark {
    fn name(&self) -> &'static str {
        "crystaldiskmark"
    }

    fn resolve(&self, settings: &Node, _: &Context<'_>, problems: &mut Problems) -> Option<serde_json::Value> {
        let mut fields = Fields::open(settings, "a CrystalDiskMark workload", problems)?;
        let test = fields.take::<Spanned<String>>("test", problems);
        let direction = fields.take::<Direction>("direction", problems);
        let size = fields.take::<Option<Size>>("size", problems);
        let passes = fields.take::<Option<Spanned<u64>>>("passes", problems);
        fields.finish(problems);
        let (test, direction, size, passes) = (test?, direction?, size?, passes?);
        let Some(known) = Test::of(&test.value).filter(|test| !test.is_random || test.block_size_bytes.is_some())
        else {
            let message = format!("`{}` names no test", test.value);
            let help = "Write it as the window does: `SEQ 1 MiB Q8T1`, `RND 4 KiB Q32T1`, or `SEQ Q32T1` in versions before 7.";
            problems.error("crystaldiskmark::test", test.span, message, help);
            return None;
        };
        if let Some(passes) = passes.as_ref().filter(|passes| !(1..=9).contains(&passes.value)) {
            let message = format!("{} passes, expected 1 to 9", passes.value);
            problems.error("crystaldiskmark::passes", passes.span, message, "Write a number that the window offers.");
            return None;
        }
        let settings = Settings {
            test: known.label(),
            direction: direction.word().to_owned(),
            size_bytes: size.map(|size| size.base()),
            passes: passes.map(|passes| passes.value),
        };
        serde_json::to_value(settings).ok()
    }

    fn selectors(&self) -> &'static [&'static str] {
        &["test", "direction"]
    }

    fn recognises(&self, bytes: &[u8]) -> bool {
        let head = text::head(bytes);
        text::holds(head, "CrystalDiskMark ") || text::holds(head, "AmorphousDiskMark ")
    }

    fn workload(&self, stored: &serde_json::Value) -> Option<Option<Arc<dyn Workload>>> {
        Some(workload::parsed::<Settings>(stored))
    }

    fn parse(&self, outputs: Outputs<'_>) -> Reading {
        read(&String::from_utf8_lossy(&text::decode(outputs.stdout))).close()
    }

    fn answers(&self, outputs: Outputs<'_>) -> Answers {
        answers(&String::from_utf8_lossy(&text::decode(outputs.stdout)))
    }

    fn draft(&self, bytes: &[u8]) -> Option<Draft> {
        let reading = self.recognises(bytes).then(|| self.parse(Outputs::of(bytes)))?;
        let levels = |label: &str| {
            let mut found: Vec<String> = vec![];
            for value in reading.measurements.iter().filter_map(|one| one.labels.get(label)) {
                if !found.contains(value) {
                    found.push(value.clone());
                }
            }
            found
        };
        let settings = [("tool", self.name()), ("test", "{factor: test}"), ("direction", "{factor: direction}")];
        let mut settings = settings.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec();
        let text = String::from_utf8_lossy(bytes);
        settings.extend(test_size_bytes(&text).map(|bytes| ("size".to_owned(), format!("{} MiB", bytes >> 20))));
        settings.extend(passes(&text).map(|passes| ("passes".to_owned(), passes.to_string())));
        Some(Draft {
            workloads: vec![("disk".to_owned(), settings)],
            factors: ["test", "direction"].map(|label| (label.to_owned(), levels(label))).to_vec(),
            is_manual: true,
            metrics: ["bandwidth", "iops"].map(str::to_owned).to_vec(),
            ..Draft::default()
        })
    }

    fn conditions(&self, outputs: Outputs<'_>) -> Answers {
        let mut answers = self.answers(outputs);
        answers.retain(|question, _| matches!(question, Question::WorkingSet | Question::Passes));
        answers
    }

    fn metrics(&self) -> Vec<Metric> {
        metrics(METRICS)
    }
}

/// What counts as a result, the most telling first.
const METRICS: &[&str] = &["iops", "bandwidth", "latency_mean"];

impl Workload for Settings {
    fn launch(&self, _: Timing) -> Result<LaunchPlan, String> {
        Err("`crystaldiskmark` is run by a person; write `execution: manual` beside it".to_owned())
    }

    fn steps(&self, _: Timing) -> Vec<String> {
        let size = match self.size_bytes {
            None => "the same test size each time".to_owned(),
            Some(bytes) if bytes >= 1 << 30 && bytes.is_multiple_of(1 << 30) => {
                format!("a test size of {} GiB", bytes >> 30)
            }
            Some(bytes) => format!("a test size of {} MiB", bytes >> 20),
        };
        let passes = self.passes.map_or("the same number of".to_owned(), |passes| passes.to_string());
        vec![
            "Close every other program, and open CrystalDiskMark.".to_owned(),
            format!("In the row of lists above the results choose {passes} passes and {size}."),
            PROFILE.to_owned(),
            "Choose the drive under test; check its letter twice.".to_owned(),
            "Click `All` and wait until the clock in the title has ended.".to_owned(),
            "File > Save (text), in older versions Edit > Copy and paste into an editor.".to_owned(),
        ]
    }

    fn read(&self, outputs: Outputs<'_>) -> Reading {
        manual::choose(CrystalDiskMark.parse(outputs), &self.select())
    }

    fn was_made_with(&self, outputs: Outputs<'_>) -> Option<bool> {
        let reading = self.read(outputs);
        let text = String::from_utf8_lossy(&text::decode(outputs.stdout)).into_owned();
        let (size, passes) = (test_size_bytes(&text), passes(&text));
        let is_other = |wanted: Option<u64>, found: Option<u64>| wanted.zip(found).is_some_and(|(one, two)| one != two);
        let is_same = !is_other(self.size_bytes, size) && !is_other(self.passes, passes);
        Some(is_same && reading.status != crate::measurement::Status::Failed)
    }

    fn metrics(&self) -> Vec<Metric> {
        metrics(METRICS)
    }

    fn describe(&self) -> Vec<(String, String)> {
        let settings = self.clone();
        vec![("test".to_owned(), settings.test), ("direction".to_owned(), settings.direction)]
            .into_iter()
            .chain(settings.size_bytes.map(|bytes| ("test size".to_owned(), format!("{} MiB", bytes >> 20))))
            .chain(settings.passes.map(|passes| ("passes, the best of which counts".to_owned(), passes.to_string())))
            .collect()
    }
}

/// Where the window has a test: the profiles of version 8 differ in their rows.
const PROFILE: &str = "See that the results have every row that the job wants; if not, choose another profile, or the tests under Settings. Leave all else, and the data random.";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::Status;

    fn file(version: &str, rows: &str) -> String {
        format!(
            "CrystalDiskMark {version} x64 (C) 2007-2026 someone\n\n{rows}\n  Test : 64 MiB [D: 1.0% (1.0/100.0 GiB)] (x3)\n    OS : Windows [10.0]\n"
        )
    }

    fn value(reading: &Reading, test: &str, direction: &str, metric: &str) -> Option<f64> {
        let is_it = |one: &&crate::measurement::Measurement| {
            one.metric.as_str() == metric && one.labels["test"] == test && one.labels["direction"] == direction
        };
        reading.measurements.iter().find(is_it).map(|one| one.value)
    }

    #[test]
    fn every_generation_of_rows_is_read() {
        let three = read(&file(
            "3.0.9",
            "   Sequential Read :   120.500 MB/s\n    Random Read 4KB (QD=32) :    40.960 MB/s [ 10000.0 IOPS]",
        ));
        assert_eq!(three.status, Status::Ok, "{:?}", three.diagnostics);
        assert_eq!(value(&three, "SEQ Q1T1", "read", "bandwidth"), Some(120_500_000.0));
        assert_eq!(value(&three, "RND 4KiB Q32T1", "read", "iops"), Some(10_000.0));
        let six = read(&file(
            "6.0.1",
            "  Random Read 4KiB (Q=  8,T= 8) :   40.960 MB/s [  10000.0 IOPS]\n   Sequential Read (Q= 32,T= 1) :    91.000 MB/s",
        ));
        assert_eq!(value(&six, "RND 4KiB Q8T8", "read", "bandwidth"), Some(40_960_000.0));
        assert_eq!(value(&six, "SEQ Q32T1", "read", "bandwidth"), Some(91_000_000.0));
        let eight = read(&file(
            "8.0.5",
            "[Read]\n  SEQ    1MiB (Q=  8, T= 1):   104.858 MB/s [    100.0 IOPS] < 80000.00 us>\n[Mix] Read 70%/Write 30%\n  RND    4KiB (Q=  1, T= 1):     4.096 MB/s [   1000.0 IOPS] <  1000.00 us>",
        ));
        assert_eq!(eight.status, Status::Ok, "{:?}", eight.diagnostics);
        assert_eq!(value(&eight, "SEQ 1MiB Q8T1", "read", "latency_mean"), Some(80_000_000.0));
        assert_eq!(value(&eight, "RND 4KiB Q1T1", "mix", "iops"), Some(1000.0));
    }

    #[test]
    fn a_template_a_contradiction_and_a_cut_row_are_refused() {
        let row = |rate: &str, iops: &str, depth: u64| {
            format!("  Random Read 4KiB (Q= {depth},T= 1) :   {rate} MB/s [  {iops} IOPS]\n")
        };
        let template = [row("40.1", "10000.0", 1), row("50.1", "10000.0", 2), row("60.1", "10000.0", 4)].concat();
        assert!(read(&file("6.0.1", &template)).reason().contains("template"));
        assert_eq!(read(&file("6.0.1", &row("41.960", "10000.0", 1))).status, Status::Failed);
        let whole = file("6.0.1", &row("40.960", "10000.0", 1));
        let cut = whole.find("IOPS]").unwrap();
        assert_eq!(read(&whole[..cut]).status, Status::Failed);
        assert_eq!(read("CrystalDiskMark 8.0.1\n").status, Status::Failed);
    }

    #[test]
    fn the_settings_choose_one_test() {
        let text = file(
            "6.0.1",
            "  Random Read 4KiB (Q= 32,T= 1) :   40.960 MB/s [  10000.0 IOPS]\n Random Write 4KiB (Q= 32,T= 1) :   20.480 MB/s [   5000.0 IOPS]",
        );
        let settings =
            serde_json::json!({"test": "RND 4KiB Q32T1", "direction": "write", "size_bytes": 1, "passes": 5});
        let chosen = CrystalDiskMark.workload(&settings).flatten().unwrap().read(Outputs::of(text.as_bytes()));
        assert_eq!(chosen.measurements.iter().map(|one| one.value).collect::<Vec<_>>(), [5000.0, 20_480_000.0]);
        let other = serde_json::json!({"test": "SEQ Q32T1", "direction": "write", "size_bytes": 1, "passes": 5});
        let other = CrystalDiskMark.workload(&other).flatten().unwrap();
        assert_eq!(other.was_made_with(Outputs::of(text.as_bytes())), Some(false));
    }

    #[test]
    fn a_test_is_named_as_the_window_names_it() {
        let label = |name: &str| Test::of(name).map(Test::label);
        assert_eq!(label("SEQ 1 MiB Q8T1").as_deref(), Some("SEQ 1MiB Q8T1"));
        assert_eq!(label("RND4K Q32T16").as_deref(), Some("RND 4KiB Q32T16"));
        assert_eq!(label("Sequential Read (T= 1)").as_deref(), Some("SEQ Q1T1"));
        assert_eq!(label("Random Read 4KB (QD=32)").as_deref(), Some("RND 4KiB Q32T1"));
        assert_eq!(label("trim"), None);
    }
}
