//! Hashes files with the library's own reader, as many at once as asked for: `hash_files THREADS FILE…`.
#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "a rig that is run by hand")]
#![expect(clippy::print_stdout, reason = "it prints what it found")]

use benchpaper::digest::Digest;

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let threads = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(1_usize);
    let files: Vec<String> = match arguments.next().as_deref() {
        Some("--list") => {
            let list = std::fs::read_to_string(arguments.next().unwrap_or_default())?;
            list.lines().map(str::to_owned).collect()
        }
        first => first.map(str::to_owned).into_iter().chain(arguments).collect(),
    };
    let hash = |files: &[String]| -> std::io::Result<Vec<Digest>> {
        files.iter().map(|file| Digest::of_reader(&mut std::fs::File::open(file)?).map(|(digest, _)| digest)).collect()
    };
    let size = files.len().div_ceil(threads.max(1)).max(1);
    let digests: Vec<std::io::Result<Vec<Digest>>> = std::thread::scope(|scope| {
        let workers: Vec<_> = files.chunks(size).map(|part| scope.spawn(move || hash(part))).collect();
        workers.into_iter().filter_map(|worker| worker.join().ok()).collect()
    });
    let mut text = String::new();
    for digest in digests {
        for digest in digest? {
            text.push_str(&format!("{digest}\n"));
        }
    }
    println!("{}", Digest::of(text.as_bytes()));
    Ok(())
}
