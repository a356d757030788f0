//! What fio's JSON says of how it was run: its options, and what a reader asks.

use super::super::{Answers, Question, documents};
use super::check;
use super::settings::{SYNCHRONOUS, Settings};

/// The options of a job as fio prints them, with those of the whole file.
type Options = std::collections::BTreeMap<String, String>;

/// The options of the first job of a JSON document, global ones first.
pub(super) fn options(bytes: &[u8]) -> Option<(Options, serde_json::Value)> {
    let document = documents::value(bytes)?;
    let job = ["jobs", "client_stats"].iter().find_map(|key| document.get(key)?.get(0))?.clone();
    let mut options = Options::new();
    let global = document.get("global options");
    let global = global.and_then(|global| if global.is_array() { global.get(0) } else { Some(global) });
    for entries in [global, job.get("job options")].into_iter().flatten().filter_map(|value| value.as_object()) {
        let text = |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        options.extend(
            entries
                .iter()
                .filter(|(key, _)| !matches!(key.as_str(), "hostname" | "port"))
                .map(|(key, value)| (key.clone(), text(value))),
        );
    }
    Some((options, job))
}

/// Whether an output was made with the access, block size, depth, jobs and engine of a workload; none where it has no
/// options.
pub(super) fn was_made_with(settings: &Settings, bytes: &[u8]) -> Option<bool> {
    let (options, _) = options(bytes)?;
    let of = |keys: &[&str]| keys.iter().find_map(|key| options.get(*key)).map(String::as_str);
    let rw = of(&["rw", "readwrite"]).unwrap_or("read");
    let is_same_rw =
        rw == settings.rw || (matches!(rw, "rw" | "readwrite") && matches!(settings.rw.as_str(), "rw" | "readwrite"));
    let block = check::block_size_bytes(of(&["bs", "blocksize"]).unwrap_or("4k"))?;
    let number = |key: &str| of(&[key]).map_or(Some(1), |text| text.trim().parse::<u64>().ok());
    let depth =
        if SYNCHRONOUS.contains(&settings.engine.as_str()) { Some(settings.iodepth) } else { number("iodepth") };
    let engine = of(&["ioengine"]).unwrap_or("psync");
    let is_mix = of(&["rwmixread"])
        .and_then(|percent| percent.parse::<u64>().ok())
        .or_else(|| Some(100 - of(&["rwmixwrite"])?.parse::<u64>().ok()?.min(100)));
    let is_same_mix = settings.rwmixread_percent.is_none_or(|wanted| is_mix.unwrap_or(50) == wanted);
    Some(
        is_same_rw
            && is_same_mix
            && block == settings.block_size_bytes as f64
            && depth == Some(settings.iodepth)
            && number("numjobs") == Some(settings.numjobs)
            && engine == settings.engine,
    )
}

pub(super) fn answers(bytes: &[u8]) -> Answers {
    let Some((options, job)) = options(bytes).filter(|(options, _)| !options.is_empty()) else { return Answers::new() };
    let of = |key: &str| options.get(key).cloned();
    let is_on = |key: &str| options.get(key).map(|value| if value == "0" { "no" } else { "yes" }.to_owned());
    let mut answers = Answers::new();
    let mut add = |question: Question, value: Option<String>| answers.extend(value.map(|value| (question, value)));
    add(Question::Command, command(&options));
    add(Question::Target, of("filename").or_else(|| of("directory").map(|folder| format!("files in {folder}"))));
    let buffered = is_on("buffered").map(|on| if on == "yes" { "no".to_owned() } else { "yes".to_owned() });
    add(Question::Direct, is_on("direct").or(buffered).or(Some("no, which is fio's default".to_owned())));
    add(Question::Sync, sync(&options));
    add(
        Question::Access,
        of("rw").or_else(|| of("readwrite")).map(|rw| match of("rwmixread") {
            Some(mix) => format!("{rw}, {mix} % reads"),
            None => rw,
        }),
    );
    add(Question::BlockSize, of("bs").or_else(|| of("blocksize")).or_else(|| of("bssplit")).or_else(|| of("bsrange")));
    let (engine, depth) = (of("ioengine"), of("iodepth"));
    let jobs = jobs_of(bytes, of("numjobs"));
    add(
        Question::Concurrency,
        Some(match (engine, depth) {
            (Some(engine), Some(depth)) => format!("{engine}, iodepth {depth} × {jobs}"),
            (Some(engine), None) => format!("{engine}, iodepth 1 × {jobs}"),
            (None, depth) => format!("default engine, iodepth {} × {jobs}", depth.as_deref().unwrap_or("1")),
        }),
    );
    add(Question::WorkingSet, of("size").or_else(|| of("filesize")).map(|size| format!("{size} a job")));
    add(Question::Compressibility, Some(compressibility(&options)));
    let limits: Vec<String> = options
        .iter()
        .filter(|(key, _)| key.starts_with("rate") || key.starts_with("thinktime"))
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    add(Question::Limit, (!limits.is_empty()).then(|| limits.join(" ")));
    add(Question::Ramp, Some(of("ramp_time").map_or_else(|| "none".to_owned(), seconds)));
    add(Question::Duration, duration(&options, &job));
    add(Question::Drive, drives(bytes));
    answers
}

/// The options as they would be typed.
fn command(options: &Options) -> Option<String> {
    let words: Vec<String> = options
        .iter()
        .map(|(key, value)| if value.is_empty() { format!("--{key}") } else { format!("--{key}={value}") })
        .map(|word| quoted(&word))
        .collect();
    (!words.is_empty()).then(|| format!("fio {} (from its job options)", words.join(" ")))
}

/// A word as a shell takes it for one: an option of a stranger must not become a command of whoever pastes it.
fn quoted(word: &str) -> String {
    let is_plain = |one: char| one.is_ascii_alphanumeric() || "-_=.,:/%+@".contains(one);
    if word.chars().all(is_plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

/// How many jobs there are, of how many clients.
fn jobs_of(bytes: &[u8], numjobs: Option<String>) -> String {
    let document = documents::value(bytes).unwrap_or_default();
    let of = |key: &str| document.get(key).and_then(serde_json::Value::as_array).cloned().unwrap_or_default();
    let clients = of("client_stats");
    let rows = clients.iter().filter(|row| row.get("jobname").and_then(|name| name.as_str()) != Some("All clients"));
    let hosts: std::collections::BTreeSet<String> =
        rows.clone().map(|row| format!("{:?} {:?}", row.get("hostname"), row.get("port"))).collect();
    let count = if clients.is_empty() { of("jobs").len() } else { rows.count() };
    let asked = numjobs.and_then(|text| text.trim().parse::<usize>().ok()).unwrap_or(1);
    let jobs = count.max(asked);
    let jobs = format!("{jobs} job{}", if jobs == 1 { "" } else { "s" });
    if hosts.len() > 1 { format!("{jobs} on {} clients", hosts.len()) } else { jobs }
}

/// What fio's text says of its first job: `job: (g=0): rw=randread, bs=(R) 4096B-4096B, …, ioengine=libaio, iodepth=32`.
pub(super) fn of_text(text: &str) -> Answers {
    let mut answers = Answers::new();
    let Some((_, line)) = text.lines().find_map(|line| line.split_once(": (g=")) else { return answers };
    let after = |key: &str| line.split_once(key).map(|(_, rest)| rest);
    let word = |key: &str| after(key)?.split(',').next().map(|word| word.trim().to_owned());
    let mut add = |question: Question, value: Option<String>| answers.extend(value.map(|value| (question, value)));
    add(Question::Access, word("rw="));
    add(Question::BlockSize, after("bs=").and_then(|rest| rest.split(", ioengine").next()).map(str::to_owned));
    let jobs =
        text.lines().filter_map(|line| line.split_once(", jobs=")).filter_map(|(_, rest)| rest.split(')').next());
    let jobs: u64 = jobs.filter_map(|count| count.parse::<u64>().ok()).sum();
    let depth = word("ioengine=").zip(word("iodepth="));
    let jobs = format!("{jobs} job{}", if jobs == 1 { "" } else { "s" });
    add(Question::Concurrency, depth.map(|(engine, depth)| format!("{engine}, iodepth {depth} × {jobs}")));
    answers
}

fn seconds(text: String) -> String {
    if text.bytes().all(|byte| byte.is_ascii_digit()) { format!("{text} s") } else { text }
}

fn sync(options: &Options) -> Option<String> {
    let asked: Vec<String> = ["sync", "fsync", "fdatasync", "end_fsync"]
        .iter()
        .filter_map(|key| options.get(*key).filter(|value| *value != "0").map(|value| format!("{key}={value}")))
        .collect();
    Some(if asked.is_empty() { "none asked for".to_owned() } else { asked.join(" ") })
}

fn compressibility(options: &Options) -> String {
    let of = |key: &str| options.get(key);
    if of("zero_buffers").is_some_and(|value| value != "0") {
        return "zeros: compresses to nothing".to_owned();
    }
    match of("buffer_compress_percentage") {
        Some(percent) => format!("{percent} % compressible"),
        None if of("refill_buffers").is_some_and(|value| value != "0") => "random, refilled for each write".to_owned(),
        None => "fio's default, random buffers that are reused".to_owned(),
    }
}

fn duration(options: &Options, job: &serde_json::Value) -> Option<String> {
    let milliseconds = ["read", "write", "trim", "mixed"]
        .iter()
        .filter_map(|key| job.get(key)?.get("runtime")?.as_f64())
        .fold(0.0, f64::max);
    let asked = options.get("runtime").map(|text| format!("{} asked", seconds(text.clone())));
    let real = (milliseconds > 0.0).then(|| format!("{:.1} s measured", milliseconds / 1000.0));
    [asked, real].into_iter().flatten().reduce(|one, other| format!("{one}, {other}"))
}

/// The names of the disks that fio counted, which are no models.
fn drives(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let at = text.rfind("\"disk_util\"")?;
    let names: Vec<&str> =
        text[at..].split("\"name\" : \"").skip(1).filter_map(|rest| rest.split('"').next()).take(4).collect();
    (!names.is_empty()).then(|| format!("{} (no model)", names.join(", ")))
}
