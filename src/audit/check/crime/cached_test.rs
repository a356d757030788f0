//! cached-test: the drive is measured, not a memory before it.

use crate::audit::check::{Card, Check};
use crate::audit::{Finding, Kind, Outcome, Subject, judge};
use crate::manifest::guest::CacheMode;
use crate::plan::Case;

/// the drive is measured, not a memory before it.
pub(in crate::audit::check) struct CachedTest;

const CARD: Card = Card {
    id: "cached-test",
    kind: Kind::Crime,
    title: "the drive is measured, not a memory before it",
    needs: &["direct", "host_cache"],
    explain: "Buffered reads and writes, a cache of the host, or data that fits into memory measure memory (Traeger et al., ACM Transactions on Storage 4 (2008) 5). It may be meant; then it is said.",
};

impl Check for CachedTest {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn run(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let Some(evidence) = &subject.evidence else {
            let cache = subject.word("host_cache").filter(|word| matches!(word.as_str(), "writeback" | "unsafe"));
            let buffered = subject.word("direct").filter(|word| matches!(word.as_str(), "false" | "no" | "0"));
            let is_known = subject.word("direct").is_some() || subject.word("host_cache").is_some();
            let words = match (&cache, &buffered) {
                (Some(cache), _) => format!("the host caches: {cache}"),
                (None, Some(_)) => "operations go through the page cache".to_owned(),
                (None, None) => "operations pass the caches by".to_owned(),
            };
            let verdict = if cache.is_some() || buffered.is_some() { Outcome::Fail } else { Outcome::Pass };
            let finding = is_known.then(|| judge::remark(&CARD, verdict, "direct", words));
            return judge::or_skip(&CARD, finding.into_iter().collect());
        };
        let treatments: Vec<&str> = evidence.experiment.treatment.iter().map(|one| one.value.as_str()).collect();
        let storage = evidence.plan.cases.iter().filter(|case| case.noise.is_none() && case.manual.is_none());
        let findings: Vec<Finding> = storage.filter_map(|case| of_case(case, &treatments)).collect();
        let wrong: Vec<Finding> = findings.iter().filter(|one| one.verdict > Outcome::Pass).cloned().collect();
        match (findings.is_empty(), wrong.is_empty()) {
            (true, _) => judge::or_skip(&CARD, vec![]),
            (false, true) => {
                let words = format!("{} cases pass the caches by, or are about them", findings.len());
                vec![judge::remark(&CARD, Outcome::Pass, "cases", words)]
            }
            (false, false) => wrong,
        }
    }
}

/// What a case that reads or writes storage does with caches; one that is about caching is no crime.
fn of_case(case: &Case, treatments: &[&str]) -> Option<Finding> {
    let direct = case.settings.stored().get("direct").and_then(serde_json::Value::as_bool)?;
    let is_about = treatments.iter().any(|one| one.contains("cache") || one.contains("direct"));
    let disks = case.guest.iter().flat_map(|guest| &guest.disks);
    let cached = disks.filter(|disk| disk.cache == CacheMode::Writeback).map(|disk| disk.name.clone()).next();
    let (verdict, words) = match (direct, cached) {
        _ if is_about => (Outcome::Pass, "caching is what is compared".to_owned()),
        (false, _) => (Outcome::Fail, "operations go through the page cache".to_owned()),
        (true, Some(disk)) => (Outcome::Warn, format!("the host caches the disk {disk} of the guest")),
        (true, None) => (Outcome::Pass, String::new()),
    };
    Some(judge::remark(&CARD, verdict, &case.label(), words))
}
