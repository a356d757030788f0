//! Honest papers, none of which may be called wrong, and the same with one number off by a factor between a half and two:
//! how many of those are found, by which check.
//!
//! `cargo run --release --example honest [COUNT] [SEED]`.
#![expect(clippy::print_stdout, reason = "it prints what it found")]

use std::collections::BTreeMap;

use benchpaper::audit::{Audit, Kind, Outcome, audit};
use benchpaper::claims;
use benchpaper::source::Source;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};

#[path = "../tests/honest.rs"]
mod honest;

fn audited(text: &str) -> Option<Audit> {
    let (loaded, _) = claims::parse(&Source::new("claims.yaml", text), &|name| Err(name.to_owned()));
    loaded.map(|loaded| audit(&loaded, None))
}

fn main() {
    let mut arguments = std::env::args().skip(1).filter_map(|text| text.parse::<u64>().ok());
    let (count, seed) = (arguments.next().unwrap_or(100_000), arguments.next().unwrap_or(1));
    let mut random = ChaCha20Rng::seed_from_u64(seed);
    let (mut false_alarms, mut found, mut refused) = (0_u64, 0_u64, 0_u64);
    let mut by_check: BTreeMap<&str, u64> = BTreeMap::new();
    for _ in 0..count {
        match audited(&honest::honest(&mut random, None)) {
            Some(audit) => false_alarms += u64::from(audit.has_findings()),
            None => refused += 1,
        }
        let share = (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        let Some(audit) = audited(&honest::honest(&mut random, Some(2_f64.powf(2.0 * share - 1.0)))) else {
            refused += 1;
            continue;
        };
        found += u64::from(audit.has_findings());
        let findings = audit.claims.iter().flat_map(|claim| &claim.checks).chain(&audit.checks);
        let failed = findings.filter(|one| one.verdict == Outcome::Fail && one.kind != Kind::Suspicion);
        let checks: std::collections::BTreeSet<&str> =
            failed.map(|one| one.check).filter(|id| *id != "claim").collect();
        checks.into_iter().for_each(|check| *by_check.entry(check).or_default() += 1);
    }
    println!("{count} honest papers: {false_alarms} false alarms, {refused} not read");
    println!("{count} papers with one wrong number: {:.1} % found", found as f64 / count as f64 * 100.0);
    for (check, hits) in by_check {
        println!("  {check}: {:.1} %", hits as f64 / count as f64 * 100.0);
    }
}
