//! What the names of files say: rules of a manifest, and the names of a run sheet.

use super::{File, file_of};
use crate::manifest::ImportRule;
use crate::name::slug;
use crate::plan::Plan;
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};

/// A rule with its pattern.
pub(super) struct Rule<'a> {
    pub(super) rule: &'a ImportRule,
    pub(super) pattern: Regex,
    pub(super) factors: Vec<String>,
}

impl<'a> Rule<'a> {
    pub(super) fn of(rule: &'a ImportRule, plan: &Plan) -> Option<Self> {
        let known: BTreeSet<&str> =
            plan.cases.iter().flat_map(|case| case.factors.keys().map(String::as_str)).collect();
        let mut pattern = String::from("(?is)^");
        let mut factors = vec![];
        let mut rest = rule.file.value.as_str();
        while let Some(at) = rest.find(['{', '*']) {
            pattern.push_str(&regex::escape(&rest[..at]));
            if rest[at..].starts_with('*') {
                pattern.push_str(".*");
                rest = &rest[at + 1..];
                continue;
            }
            let (name, after) = rest[at + 1..].split_once('}')?;
            if name != "replicate" && !known.contains(name) {
                return None;
            }
            pattern.push_str(if name == "replicate" { "0*([0-9]{1,6})" } else { "(.+?)" });
            factors.push(name.to_owned());
            rest = after;
        }
        pattern.push_str(&regex::escape(rest));
        pattern.push('$');
        Some(Self { rule, pattern: Regex::new(&pattern).ok()?, factors })
    }

    /// What the name of a file says: levels as parts of names, and the replicate.
    pub(super) fn said(&self, name: &str) -> Option<(BTreeMap<String, String>, Option<u64>)> {
        let captures = self.pattern.captures(name)?;
        let mut levels: BTreeMap<String, String> = BTreeMap::new();
        let mut replicate = self.rule.replicate;
        for (at, factor) in self.factors.iter().enumerate() {
            let text = captures.get(at + 1)?.as_str();
            if factor == "replicate" {
                replicate = text.parse().ok();
            } else {
                levels.insert(factor.clone(), compact(text));
            }
        }
        for (factor, level) in self.rule.levels.iter() {
            levels.insert(factor.value.to_string(), compact(&level.scalar()?));
        }
        Some((levels, replicate))
    }
}

/// Letters and digits only, so that `4 KiB`, `4-KiB` and `4kib` are one level.
pub(super) fn compact(text: &str) -> String {
    slug(text).chars().filter(|one| one.is_alphanumeric() || *one == '.').collect()
}

pub(super) type Named = (Vec<usize>, Option<u64>);

pub(super) fn by_rule(plan: &Plan, jobs: &[usize], (file, rules): (&File, &[Rule<'_>])) -> Option<Named> {
    let (levels, replicate) = rules.iter().find_map(|rule| rule.said(&file.name))?;
    let has_levels = |job: &&usize| {
        let case = &plan.cases[plan.jobs[**job].case];
        levels.iter().all(|(factor, level)| case.factors.get(factor).is_some_and(|found| compact(found) == *level))
    };
    Some((jobs.iter().filter(has_levels).copied().collect(), replicate))
}

/// The name that the run sheet gives: levels, `_r` and the replicate, and any ending.
pub(super) fn by_stem(plan: &Plan, jobs: &[usize], name: &str) -> Option<Named> {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_lowercase();
    // what browsers add to a name that is there already
    let copy = stem.strip_suffix(')').and_then(|rest| rest.rsplit_once(" ("));
    let stem =
        copy.filter(|(_, number)| number.parse::<u64>().is_ok()).map_or(stem.clone(), |(stem, _)| stem.to_owned());
    let numbered = stem.rsplit_once("_r").and_then(|(stem, number)| Some((stem, number.parse::<u64>().ok()?)));
    let (stem, replicate) = numbered.map_or((stem.as_str(), None), |(stem, number)| (stem, Some(number)));
    let is_it = |job: &&usize| file_of(&plan.cases[plan.jobs[**job].case]) == stem;
    let found: Vec<usize> = jobs.iter().filter(is_it).copied().collect();
    (!found.is_empty()).then_some((found, replicate))
}
