//! Hidden differences: facts that nobody declared, in which the members of a group differ.

use std::collections::BTreeSet;

use super::{MetricSamples, Results};

/// Signs of footnotes, in order; after the last they are doubled.
const SIGNS: &[&str] = &["†", "‡", "§", "¶"];

impl Results {
    /// The facts in which the runs differ that some samples come from, and, where these are several, the programs that made
    /// their outputs and how they came to be. Empty where the samples have everything that is known in common.
    pub fn hidden_in(&self, group: &[&MetricSamples]) -> Vec<String> {
        let samples = || group.iter().flat_map(|one| &one.samples);
        let runs: BTreeSet<usize> = samples().map(|sample| sample.run).collect();
        let differing: Vec<BTreeSet<&String>> =
            runs.iter().filter_map(|run| self.runs.get(*run)).map(|run| run.differs.iter().collect()).collect();
        let in_any: BTreeSet<&String> = differing.iter().flatten().copied().collect();
        let is_shared = |fact: &&String| differing.iter().all(|facts| facts.contains(*fact));
        let mut found: Vec<String> = in_any.into_iter().filter(|fact| !is_shared(fact)).cloned().collect();
        let of_sample = |sample: &super::Sample| {
            let file = self.given.iter().find(|file| file.run == sample.run && file.object == sample.object)?;
            Some(file.tool.as_str())
        };
        let tools: BTreeSet<&str> =
            samples().filter(|sample| !sample.origin.is_measured()).filter_map(of_sample).collect();
        if tools.len() > 1 {
            found.push(format!("outputs of {}", tools.into_iter().collect::<Vec<_>>().join(" and ")));
        }
        let origins: BTreeSet<&str> = samples().map(|sample| sample.origin.word()).collect();
        if origins.len() > 1 {
            found.push(format!("how they came to be ({})", origins.into_iter().collect::<Vec<_>>().join(" and ")));
        }
        found
    }
}

/// The footnotes of a table: the same words have the same sign.
#[derive(Debug, Default)]
pub struct Footnotes(Vec<String>);

impl Footnotes {
    /// The sign for some facts, after a no-break space; nothing for none.
    pub fn mark(&mut self, facts: &[String]) -> String {
        if facts.is_empty() {
            return String::new();
        }
        let text = facts.join("; ");
        let place = self.0.iter().position(|known| *known == text).unwrap_or_else(|| {
            self.0.push(text);
            self.0.len() - 1
        });
        format!("\u{a0}{}", sign(place))
    }

    /// Each sign with its words.
    pub fn notes(&self) -> impl Iterator<Item = (String, &str)> {
        self.0.iter().enumerate().map(|(place, text)| (sign(place), text.as_str()))
    }
}

fn sign(place: usize) -> String {
    SIGNS[place % SIGNS.len()].repeat(place / SIGNS.len() + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sample of a run.
    fn of_run(run: usize) -> MetricSamples {
        let sample = super::super::Sample {
            replicate: 1,
            value: 1.0,
            object: crate::digest::Digest::of(b""),
            pointer: String::new(),
            files: Default::default(),
            job: crate::digest::Digest::of(b""),
            run,
            unit: None,
            origin: Default::default(),
            printed: None,
        };
        MetricSamples { metric: crate::measurement::Metric::new("iops"), unit: "1/s".to_owned(), samples: vec![sample] }
    }

    #[test]
    fn a_group_is_marked_where_its_own_members_differ() {
        let record = |differs: &[&str]| {
            let text = serde_json::json!({
                "run": "r", "profile": "default", "chain": "", "length": 0, "created": "", "program": "",
                "environment": "hardware", "is_sealed": true, "recoveries": 0, "outcomes": {}, "waivers": {},
                "differs": differs, "remarks": [], "preparations": [],
            });
            serde_json::from_value::<super::super::RunRecord>(text).unwrap()
        };
        let runs = vec![
            record(&[]),
            record(&["cpu.governor: powersave, was performance"]),
            record(&["cpu.governor: powersave, was performance"]),
        ];
        let results = Results { runs, ..super::super::empty() };
        assert_eq!(results.hidden_in(&[&of_run(0)]), [] as [&str; 0]);
        assert_eq!(results.hidden_in(&[&of_run(0), &of_run(1)]), ["cpu.governor: powersave, was performance"]);
        assert_eq!(results.hidden_in(&[&of_run(1), &of_run(2)]), [] as [&str; 0], "they have it in common");
    }

    #[test]
    fn the_same_words_have_the_same_sign() {
        let mut notes = Footnotes::default();
        let (one, other) = (["a".to_owned()], ["b".to_owned()]);
        assert_eq!(
            [notes.mark(&one), notes.mark(&other), notes.mark(&one), notes.mark(&[])],
            ["\u{a0}†".to_owned(), "\u{a0}‡".to_owned(), "\u{a0}†".to_owned(), String::new()]
        );
        assert_eq!(notes.notes().collect::<Vec<_>>(), [("†".to_owned(), "a"), ("‡".to_owned(), "b")]);
        assert_eq!(sign(4), "††");
    }
}
