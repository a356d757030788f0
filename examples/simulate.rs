//! Simulated truth, 20,000 times a scenario: how often intervals hold what they should, and how often nothing is called
//! something.
//!
//! `cargo run --release --example simulate [SIMULATIONS] [SEED]`; exit 1 where a promise is not kept.
#![expect(clippy::print_stdout, reason = "it prints what it found")]
#![expect(clippy::unwrap_used, reason = "what the simulations make is never empty")]

#[path = "../tests/simulated.rs"]
mod simulated;

fn main() -> std::process::ExitCode {
    let mut arguments = std::env::args().skip(1).filter_map(|text| text.parse::<u64>().ok());
    let (simulations, seed) = (arguments.next().unwrap_or(20_000), arguments.next().unwrap_or(1));
    let mut is_right = true;
    for outcome in simulated::all(simulations as usize, seed) {
        let word = match (outcome.is_asserted, outcome.is_right()) {
            (false, _) => "told",
            (true, true) => "kept",
            (true, false) => "BROKEN",
        };
        is_right &= outcome.is_right();
        println!(
            "{word:7} {:6.2} %  ({:.1} to {:.1} %)  {}",
            outcome.share * 100.0,
            outcome.bounds.0 * 100.0,
            outcome.bounds.1 * 100.0,
            outcome.name
        );
    }
    std::process::ExitCode::from(u8::from(!is_right))
}
