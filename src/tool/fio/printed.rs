//! fio's text for people, versions 2 and 3, of one run, several runs, or a client with its servers.
//!
//! Rates are printed with three digits, so IOPS are taken from operations and time where both stand there. `KB/s` of
//! version 2 are KiB/s; version 3 writes `KiB/s`.

use std::borrow::Cow;

use super::super::text;
use super::options::{Options, Percentiles};
use super::output::{Direction, Document, Job, Latency};

/// Reads all jobs of a text; the rows of clients' totals are left out.
pub(super) fn document(text: &str) -> Document<'_> {
    let mut document = Document::default();
    let mut builder = Builder::default();
    for (number, line) in text.lines().enumerate() {
        let line = without_host(line, &mut builder);
        let trimmed = line.trim();
        if let Some(version) = version(trimmed) {
            document.version = Cow::Borrowed(version);
            if trimmed.starts_with("fio-") {
                builder.run += 1;
            }
        } else if let Some((name, options)) = parameters(trimmed) {
            builder.parameters.push((name, options));
        } else if let Some(job) = job(trimmed) {
            builder.finish(&mut document);
            builder.begin(job, number);
        } else if builder.job.is_some() {
            builder.line(trimmed);
        }
    }
    builder.finish(&mut document);
    let has_several_runs = builder.run > 1;
    for job in &mut document.jobs {
        job.run = job.run.filter(|_| has_several_runs);
    }
    document
}

/// What is known while lines are read.
#[derive(Default)]
struct Builder<'a> {
    run: usize,
    host: Option<&'a str>,
    parameters: Vec<(&'a str, Options<'a>)>,
    job: Option<Job<'a>>,
    direction: Option<(&'static str, Direction<'a>)>,
    done: Vec<(&'static str, Direction<'a>)>,
    percentiles: Option<(&'a str, f64)>,
    is_whole: bool,
}

/// A client's lines begin with the name of its host: `<host> job: (groupid=0, …`.
fn without_host<'a>(line: &'a str, builder: &mut Builder<'a>) -> &'a str {
    let Some((host, rest)) = line.strip_prefix('<').and_then(|rest| rest.split_once("> ")) else { return line };
    builder.host = Some(host);
    rest
}

/// `fio-3.33`, or `hostname=h, be=0, 64-bit, os=Linux, arch=x86-64, fio=fio-3.33, flags=1`.
fn version(line: &str) -> Option<&str> {
    let alone = line.strip_prefix("fio-").filter(|rest| rest.starts_with(|one: char| one.is_ascii_digit()));
    let of_client = || line.strip_prefix("hostname=")?.split(", ").find_map(|part| part.strip_prefix("fio="));
    match alone {
        Some(_) => Some(line),
        None => of_client(),
    }
}

/// `job: (g=0): rw=randread, bs=(R) 4096B-4096B, …, ioengine=libaio, iodepth=32`.
fn parameters(line: &str) -> Option<(&str, Options<'_>)> {
    let (name, rest) = line.split_once(": (g=")?;
    let mut options = Options::default();
    let after = |key: &str| {
        let at = rest.find(key)? + key.len();
        rest[at..].split([',', ' ']).next()
    };
    options.engine = after("ioengine=").map(Cow::Borrowed);
    options.iodepth = after("iodepth=").map(Cow::Borrowed);
    let sizes = rest.split_once("bs=").map(|(_, sizes)| sizes.split(", ioengine").next().unwrap_or_default());
    let sizes: Vec<&str> = sizes.unwrap_or_default().split([',', ' ', '/', '-', '(', ')']).collect();
    let mut sizes = sizes.into_iter().filter(|size| size.starts_with(|one: char| one.is_ascii_digit()));
    let first = sizes.next();
    options.has_split = sizes.any(|size| Some(size) != first);
    options.bs = first.map(Cow::Borrowed);
    Some((name, options))
}

/// `job: (groupid=0, jobs=2): err= 0: pid=7194: …`.
fn job(line: &str) -> Option<Job<'_>> {
    let (name, rest) = line.split_once(": (groupid=")?;
    let (group, rest) = rest.split_once(", jobs=")?;
    let (jobs, rest) = rest.split_once("): err=")?;
    let error = rest.trim_start().split(|one: char| !one.is_ascii_digit() && one != '-').next()?;
    let jobs: f64 = jobs.parse().ok()?;
    Some(Job {
        jobname: Cow::Borrowed(name),
        groupid: group.parse().ok()?,
        error: error.parse().ok()?,
        outstanding: Some(jobs),
        ..Job::default()
    })
}

impl<'a> Builder<'a> {
    fn begin(&mut self, mut job: Job<'a>, line: usize) {
        job.place = text::place(line);
        job.run = Some(self.run);
        job.hostname = self.host.map(Cow::Borrowed);
        let known = self.parameters.iter().rev().find(|(name, _)| *name == job.jobname);
        if let Some((_, options)) = known {
            job.options = options.clone();
            job.outstanding = options.outstanding().zip(job.outstanding).map(|(depth, jobs)| depth * jobs);
        } else {
            job.outstanding = None;
        }
        self.job = Some(job);
    }

    fn line(&mut self, line: &'a str) {
        if let Some((direction, values)) = direction(line) {
            self.done.extend(self.direction.take());
            self.direction = Some((direction, values));
        } else if let Some((kind, scale)) =
            line.split_once(" percentiles (").and_then(|(kind, unit)| Some((kind, scale(unit)?)))
        {
            self.percentiles = Some((kind, scale));
        } else if line.starts_with('|') {
            self.percentiles_line(line);
        } else if let Some((kind, latency)) = latency(line) {
            if let Some((_, values)) = &mut self.direction {
                match kind {
                    "lat" => values.lat_ns = Some(latency),
                    "clat" => values.clat_ns = Some(latency),
                    _ => {}
                }
            }
        } else if line.starts_with("issued") {
            self.is_whole = true;
            self.done.extend(self.direction.take());
            self.issued(line);
        } else if let (true, Some(job)) = (line.starts_with("fio: ") && line.contains("error="), &mut self.job) {
            job.error = job.error.max(1);
        }
    }

    /// `|  1.00th=[  548],  5.00th=[  860],`.
    fn percentiles_line(&mut self, line: &'a str) {
        let (Some((kind, scale)), Some((_, values))) = (self.percentiles, &mut self.direction) else { return };
        let latency = if kind == "lat" { &mut values.lat_ns } else { &mut values.clat_ns };
        let Percentiles(found) = &mut latency.get_or_insert_default().percentile;
        for part in line.split("],") {
            let Some((key, value)) = part.trim_start_matches(['|', ' ']).split_once("th=[") else { continue };
            let value = value.trim_end_matches(']').trim().parse::<f64>();
            if let (Ok(percent), Ok(value)) = (key.trim().parse::<f64>(), value) {
                found.push((Cow::Owned(format!("{percent:.6}")), value * scale));
            }
        }
    }

    /// `issued rwts: total=39740,39937,0,0 short=0,0,0,0 dropped=0,0,0,0`, or `total=r=1048576/w=0/d=0, short=…`.
    fn issued(&mut self, line: &str) {
        let counts = |key: &str| -> Vec<f64> {
            let rest = line.split_once(key).map_or("", |(_, rest)| rest);
            let end =
                rest.find(|one: char| one.is_alphabetic() && !matches!(one, 'r' | 'w' | 'd')).unwrap_or(rest.len());
            let numbers = rest[..end].split(|one: char| !one.is_ascii_digit());
            numbers.filter_map(|number| number.parse().ok()).collect()
        };
        let (total, short, dropped) = (counts("total="), counts("short="), counts("dropped="));
        let dropped = if dropped.is_empty() { counts("drop=") } else { dropped };
        for (direction, values) in &mut self.done {
            let at = ["read", "write", "trim"].iter().position(|one| one == direction);
            let count = |counts: &[f64]| match at {
                Some(at) => counts.get(at).copied().unwrap_or(0.0),
                None => counts.iter().take(3).sum(),
            };
            values.total_ios = count(&total);
            (values.short_ios, values.drop_ios) = (count(&short), count(&dropped));
            if values.total_ios > 0.0 && values.runtime > 0.0 {
                values.iops = values.total_ios * 1000.0 / values.runtime;
            }
        }
    }

    fn finish(&mut self, document: &mut Document<'a>) {
        self.done.extend(self.direction.take());
        self.percentiles = None;
        let is_whole = std::mem::take(&mut self.is_whole);
        let Some(mut job) = self.job.take() else { return };
        // every job that did something ends with what it issued
        if !is_whole && !self.done.is_empty() && job.error == 0 {
            document.cut.get_or_insert_with(|| job.place.clone());
        }
        for (direction, mut values) in self.done.drain(..) {
            values.normalize(false);
            match direction {
                "read" => job.read = Some(values),
                "write" => job.write = Some(values),
                "trim" => job.trim = Some(values),
                _ => job.mixed = Some(values),
            }
        }
        if job.jobname != "All clients" {
            document.jobs.push(job);
        }
    }
}

/// `read: IOPS=19.9k, BW=77.6MiB/s (81.3MB/s)(155MiB/2001msec)`, or `read : io=4096.0MB, bw=113691KB/s, iops=28422, runt= 36892msec`.
fn direction(line: &str) -> Option<(&'static str, Direction<'_>)> {
    let (name, rest) = line.split_once(':')?;
    let direction = ["read", "write", "trim", "mixed"].into_iter().find(|one| *one == name.trim())?;
    let after = |key: &str| rest.find(key).map(|at| rest[at + key.len()..].trim_start());
    let mut values = Direction::default();
    if let Some(iops) = after("IOPS=").or_else(|| after("iops=")) {
        values.iops = number(iops)?.0;
        let bandwidth = after("BW=").or_else(|| after("bw="))?;
        values.bw_bytes = bytes(bandwidth);
        let time = after("runt=").or_else(|| Some(rest.rsplit_once("msec")?.0.rsplit_once('/')?.1))?;
        values.runtime = text::number(time)?.0.parse().ok()?;
        return Some((direction, values));
    }
    None
}

/// A number with a decimal suffix, as fio shortens it: `19.9k`, `9119.9k`, `1.2M`.
fn number(text: &str) -> Option<(f64, &str)> {
    let (number, rest) = text::number(text)?;
    let value: f64 = number.parse().ok()?;
    let (scale, rest) = match rest.chars().next() {
        Some('k') => (1e3, &rest[1..]),
        Some('M') if !rest.starts_with("MiB") && !rest.starts_with("MB") => (1e6, &rest[1..]),
        Some('G') if !rest.starts_with("GiB") && !rest.starts_with("GB") => (1e9, &rest[1..]),
        _ => (1.0, rest),
    };
    Some((value * scale, rest))
}

/// Bytes a second: `77.6MiB/s`, `113691KB/s` (which are KiB), `51.9Mi` of a client, `512B/s`. Version 3 prints the rate
/// in powers of 1024 and of 1000, the one that `kb_base` names first, and bits where `unit_base` asks for them.
fn bytes(text: &str) -> Option<f64> {
    let (number, unit) = text::number(text)?;
    let value: f64 = number.parse().ok()?;
    let of_bits = if unit.contains("bit/s") { 0.125 } else { 1.0 };
    let is_decimal = unit.split_once(" (").is_some_and(|(first, second)| {
        first.ends_with("B/s") && !first.contains('i') && second.split(')').next().is_some_and(|one| one.contains('i'))
    }) || unit
        .split_whitespace()
        .next()
        .is_some_and(|first| first.ends_with("bit/s") && !first.contains("ibit"));
    if is_decimal {
        let scale = match unit.chars().next()? {
            'k' | 'K' => 1e3,
            'M' => 1e6,
            'G' => 1e9,
            'T' => 1e12,
            'B' | 'b' => 1.0,
            _ => return None,
        };
        return Some(value * scale * of_bits);
    }
    let scale = match unit.chars().next() {
        Some('K' | 'k') => 1024.0,
        Some('M') => 1_048_576.0,
        Some('G') => 1_073_741_824.0,
        Some('T') => 1_099_511_627_776.0,
        Some('B' | 'b') => 1.0,
        _ => return None,
    };
    Some(value * scale * of_bits)
}

/// Nanoseconds of a unit: `usec):`.
fn scale(unit: &str) -> Option<f64> {
    match unit.split(')').next()? {
        "nsec" => Some(1.0),
        "usec" => Some(1e3),
        "msec" => Some(1e6),
        "sec" => Some(1e9),
        _ => None,
    }
}

/// `clat (usec): min=39, max=84543, avg=1987.34, stdev=1061.22`; a histogram has no `min=`.
fn latency(line: &str) -> Option<(&str, Latency<'_>)> {
    let (kind, rest) = line.split_once(" (")?;
    let (unit, rest) = rest.split_once(':')?;
    if !rest.trim_start().starts_with("min=") {
        return None;
    }
    let scale = scale(unit.trim())?;
    let after = |key: &str| {
        let at = rest.find(key)? + key.len();
        number(&rest[at..]).map(|(value, _)| value * scale)
    };
    let (min, max, mean) = (after("min=")?, after("max=")?, after("avg=")?);
    Some((kind.trim(), Latency { min, max, mean, ..Latency::default() }))
}

#[cfg(test)]
mod tests {
    use super::super::super::Outputs;
    use super::super::output::interpret;
    use super::*;
    use crate::measurement::{Reading, Status};

    fn read(text: &str) -> Reading {
        let document = document(text);
        let mut reading = Reading::new("fio");
        interpret(&document, (Outputs::of(b""), None), &mut reading);
        reading
    }

    fn total(reading: &Reading, metric: &str) -> Option<f64> {
        let is_total = |one: &&crate::measurement::Measurement| one.metric.as_str() == metric && one.labels.is_result();
        reading.measurements.iter().find(is_total).map(|one| one.value)
    }

    const THREE: &str = "j: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=4\nfio-3.33\nStarting 1 process\n\nj: (groupid=0, jobs=1): err= 0: pid=1: now\n  read: IOPS=10.0k, BW=39.1MiB/s (41.0MB/s)(78.1MiB/2000msec)\n    clat (usec): min=10, max=20.5k, avg=390.00, stdev=1.00\n     lat (usec): min=11, max=20.5k, avg=400.00, stdev=1.00\n    clat percentiles (usec):\n     |  1.00th=[   10], 99.00th=[ 1500],\n     | 99.90th=[ 1600]\n  lat (usec)   : 250=0.38%, 500=81.25%\n     issued rwts: total=20001,0,0,0 short=0,0,0,0 dropped=0,0,0,0\n";
    const TWO: &str = "j: (g=0): rw=randread, bs=4K-4K/4K-4K/4K-4K, ioengine=libaio, iodepth=16\nfio-2.2.10\n\nj: (groupid=0, jobs=8): err= 0: pid=1: now\n  read : io=8192.0KB, bw=40960KB/s, iops=10240, runt=   2000msec\n     lat (msec): min=1, max=80, avg= 2.50, stdev=1.00\n     issued    : total=r=20480/w=0/d=0, short=r=0/w=0/d=0, drop=r=0/w=0/d=0\n";

    #[test]
    fn versions_three_and_two_are_read() {
        let reading = read(THREE);
        assert_eq!(reading.status, Status::Ok, "{:?}", reading.diagnostics);
        assert!(reading.diagnostics.is_empty(), "{:?}", reading.diagnostics);
        assert_eq!((total(&reading, "iops"), total(&reading, "latency_mean")), (Some(10_000.5), Some(400_000.0)));
        assert_eq!(
            (total(&reading, "latency_p99"), total(&reading, "latency_p99.9")),
            (Some(1_500_000.0), Some(1_600_000.0))
        );
        assert_eq!(total(&reading, "latency_max"), Some(20_500_000.0));
        assert_eq!(reading.measurements[0].pointer, "line/5/read/iops");
        let reading = read(TWO);
        assert_eq!((total(&reading, "iops"), total(&reading, "bandwidth")), (Some(10_240.0), Some(41_943_040.0)));
        assert_eq!(total(&reading, "latency_mean"), Some(2_500_000.0));
    }

    #[test]
    fn several_runs_are_rows_and_the_last_is_the_total() {
        let reading = read(&[THREE, TWO].concat());
        assert_eq!(total(&reading, "iops"), Some(10_240.0));
        let runs: Vec<&str> =
            reading.measurements.iter().filter_map(|one| Some(one.labels.get("run")?.as_str())).collect();
        assert!(runs.contains(&"1") && runs.contains(&"2"), "{runs:?}");
    }

    #[test]
    fn errors_wrong_rates_and_cuts_are_no_results() {
        assert_eq!(read(&THREE.replace("err= 0", "err=28")).status, Status::Failed);
        assert_eq!(read(&THREE.replace("39.1MiB/s", "78.1MiB/s")).status, Status::Invalid);
        assert_eq!(read(&THREE[..THREE.find("IOPS").unwrap()]).status, Status::Failed);
        assert_eq!(read("").status, Status::Failed);
    }
}
