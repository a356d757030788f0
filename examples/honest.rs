//! Honest papers, none of which may be called wrong, and the same with one number off by a factor between a half and two:
//! how many of those are found, by which check.
//!
//! `cargo run --release --example honest [COUNT] [SEED]`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it prints what it found")]

use std::collections::{BTreeMap, BTreeSet};

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

/// What some papers came to.
#[derive(Default)]
struct Tally {
    false_alarms: u64,
    found: u64,
    refused: u64,
    by_check: BTreeMap<&'static str, u64>,
}

/// The checks that fail and are no mere suspicion.
fn failed(audit: &Audit) -> BTreeSet<&'static str> {
    let findings = audit.claims.iter().flat_map(|claim| &claim.checks).chain(&audit.checks);
    let failed = findings.filter(|one| one.verdict == Outcome::Fail && one.kind != Kind::Suspicion);
    failed.map(|one| one.check).filter(|id| *id != "claim").collect()
}

fn papers(count: u64, seed: u64) -> Tally {
    let mut random = ChaCha20Rng::seed_from_u64(seed);
    let mut tally = Tally::default();
    for _ in 0..count {
        let text = honest::honest(&mut random, None);
        match audited(&text) {
            Some(audit) if audit.has_findings() => {
                tally.false_alarms += 1;
                if tally.false_alarms < 4 {
                    eprintln!("{:?}\n{text}", failed(&audit));
                }
            }
            Some(_) => {}
            None => tally.refused += 1,
        }
        let share = (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        let Some(audit) = audited(&honest::honest(&mut random, Some(2_f64.powf(2.0 * share - 1.0)))) else {
            tally.refused += 1;
            continue;
        };
        tally.found += u64::from(audit.has_findings());
        failed(&audit).into_iter().for_each(|check| *tally.by_check.entry(check).or_default() += 1);
    }
    tally
}

fn main() {
    let mut arguments = std::env::args().skip(1).filter_map(|text| text.parse::<u64>().ok());
    let (count, seed) = (arguments.next().unwrap_or(100_000), arguments.next().unwrap_or(1));
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
    let workers: Vec<_> = (0..threads)
        .map(|number| {
            let share = count / threads + u64::from(number < count % threads);
            std::thread::spawn(move || papers(share, seed * 1_000 + number))
        })
        .collect();
    let mut all = Tally::default();
    for tally in workers.into_iter().filter_map(|worker| worker.join().ok()) {
        all.false_alarms += tally.false_alarms;
        all.found += tally.found;
        all.refused += tally.refused;
        tally.by_check.into_iter().for_each(|(check, hits)| *all.by_check.entry(check).or_default() += hits);
    }
    println!("{count} honest papers: {} false alarms, {} not read", all.false_alarms, all.refused);
    println!("{count} papers with one wrong number: {:.1} % found", all.found as f64 / count as f64 * 100.0);
    for (check, hits) in all.by_check {
        println!("  {check}: {:.1} %", hits as f64 / count as f64 * 100.0);
    }
}
