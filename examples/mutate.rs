//! A million outputs that were cut, repeated, swapped and corrupted at random are read: none may crash or hang the reader.
//!
//! `cargo run --release --example mutate [COUNT] [SEED]` from the root of the repository.
#![expect(clippy::disallowed_methods, reason = "a rig reads its samples itself")]
#![expect(clippy::print_stdout, reason = "it prints what it did")]

use benchpaper::inventory::saved;
use benchpaper::measurement::Status;
use benchpaper::tool::{self, Outputs};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};

fn samples() -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let mut found = vec![];
    for folder in std::fs::read_dir("tests/outputs")?.flatten() {
        let Ok(files) = std::fs::read_dir(folder.path()) else { continue };
        for file in files.flatten() {
            let name = file.file_name().to_string_lossy().into_owned();
            found.push((name, std::fs::read(file.path())?));
        }
    }
    found.sort();
    Ok(found)
}

/// One to eight changes at random places.
fn mutate(bytes: &mut Vec<u8>, others: &[(String, Vec<u8>)], random: &mut ChaCha20Rng) {
    let mut below = |most: usize| (random.next_u64() % most.max(1) as u64) as usize;
    for _ in 0..=below(8) {
        let (at, length) = (below(bytes.len()), below(64) + 1);
        let end = (at + length).min(bytes.len());
        match below(8) {
            0 => bytes.truncate(at),
            1 if at < bytes.len() => bytes[at] = below(256) as u8,
            2 if at < bytes.len() => bytes[at] ^= 1 << below(8),
            3 => drop(bytes.drain(at..end)),
            4 => {
                let part = bytes[at..end].to_vec();
                let place = below(bytes.len() + 1);
                bytes.splice(place..place, part.iter().copied().cycle().take(part.len() * (below(16) + 1)));
            }
            5 => {
                const WORDS: &[&str] =
                    &["-1", "0", "1e309", "NaN", "18446744073709551616", "\"", "<", "{", "]", "\u{feff}", "é", "\n"];
                let word = WORDS[below(WORDS.len())];
                bytes.splice(at..end.min(at + below(8)), word.bytes());
            }
            6 => {
                let (_, other) = &others[below(others.len())];
                let from = below(other.len());
                let part = other[from..(from + length * 8).min(other.len())].to_vec();
                bytes.splice(at..at, part);
            }
            _ => bytes.rotate_left(at),
        }
    }
}

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1).filter_map(|one| one.parse::<u64>().ok());
    let (count, seed) = (arguments.next().unwrap_or(1_000_000), arguments.next().unwrap_or(1));
    let samples = samples()?;
    let mut random = ChaCha20Rng::seed_from_u64(seed);
    let (mut read, mut ok, mut slowest) = (0_u64, 0_u64, std::time::Duration::ZERO);
    let begun = std::time::Instant::now();
    for _ in 0..count {
        let (name, bytes) = &samples[(random.next_u64() % samples.len() as u64) as usize];
        let mut bytes = bytes.clone();
        mutate(&mut bytes, &samples, &mut random);
        let started = std::time::Instant::now();
        let decoded = tool::decode(&bytes);
        let _ = saved::read(&[(name.clone(), bytes.clone())]);
        if let Some(tool) = tool::recognise(&decoded) {
            let outputs = Outputs::named(&bytes, name);
            let reading = tool.parse(outputs);
            assert!(reading.measurements.iter().all(|one| one.value.is_finite()), "{name}: a value that is none");
            assert!(reading.status != Status::Failed || reading.measurements.is_empty(), "{name}: values of a failure");
            let _ = (tool.answers(outputs), tool.draft(&decoded));
            read += 1;
            ok += u64::from(reading.status == Status::Ok);
        }
        slowest = slowest.max(started.elapsed());
    }
    println!(
        "{count} mutated inputs in {:.1} s: {read} recognised, {ok} of them still ok, the slowest took {slowest:?}",
        begun.elapsed().as_secs_f64()
    );
    Ok(())
}
