//! fio's terse lines, versions 2 to 5: fields between semicolons, one line a job. Latencies are microseconds, amounts KiB.
//!
//! A direction has 41 fields; version 5 adds six of samples. Version 3 has reads and writes, all others trims, too.

use std::borrow::Cow;

use super::super::text;
use super::options::Percentiles;
use super::output::{Direction, Document, Job, Latency};

/// How many percentiles a direction prints; those that were not asked for are `0%=0`.
const PERCENTILES: usize = 20;

/// The fields after the directions: 5 of the processor, 7 of depths, 10 and 12 of latencies.
const AFTER_DIRECTIONS: usize = 34;

/// Whether a line is terse output.
pub(super) fn is_terse(line: &str) -> bool {
    let mut fields = line.split(';');
    let version = fields.next().unwrap_or_default();
    let is_numbered = matches!(version, "3" | "4" | "5") && fields.next().is_some_and(|one| one.starts_with("fio-"));
    (is_numbered || version == "2") && line.split(';').nth(40).is_some()
}

/// Reads all jobs of a text. `Err` says which line is cut.
pub(super) fn document(text: &str) -> Result<Document<'_>, String> {
    let mut document = Document::default();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if !is_terse(line) {
            continue;
        }
        let fields: Vec<&str> = line.split(';').collect();
        let (version, head) = if fields[0] == "2" { ("", 1) } else { (fields[1], 2) };
        document.version = Cow::Borrowed(version);
        let job = job(&fields, head, number).ok_or_else(|| format!("line {} is cut", number + 1))?;
        document.jobs.push(job);
    }
    Ok(document)
}

fn job<'a>(fields: &[&'a str], head: usize, line: usize) -> Option<Job<'a>> {
    let mut job = Job {
        jobname: Cow::Borrowed(fields.get(head)?),
        groupid: fields.get(head + 1)?.parse().ok()?,
        error: fields.get(head + 2)?.parse().ok()?,
        place: text::place(line),
        ..Job::default()
    };
    let mut rest = &fields[head + 3..];
    let has_samples = fields[0] == "5";
    for place in [&mut job.read, &mut job.write, &mut job.trim] {
        // what follows the directions is the share of the processor
        if rest.first()?.ends_with('%') {
            break;
        }
        let (values, after) = direction(rest, has_samples)?;
        *place = Some(values);
        rest = after;
    }
    // shares of the processor, depths and latencies follow: a line that ends before them was cut
    (rest.len() >= AFTER_DIRECTIONS).then_some(job)
}

/// One direction and the fields after it.
fn direction<'a, 'b>(fields: &'b [&'a str], has_samples: bool) -> Option<(Direction<'a>, &'b [&'a str])> {
    const BEFORE_PERCENTILES: usize = 12;
    let number = |at: usize| fields.get(at)?.parse::<f64>().ok();
    let latency = |at: usize| {
        let scaled = |at: usize| number(at).map(|value| value * 1000.0);
        Some(Latency { min: scaled(at)?, max: scaled(at + 1)?, mean: scaled(at + 2)?, ..Latency::default() })
    };
    let mut values = Direction {
        io_bytes: number(0)? * 1024.0,
        bw_bytes: Some(number(1)? * 1024.0),
        iops: number(2)?,
        runtime: number(3)?,
        clat_ns: Some(latency(8)?),
        ..Direction::default()
    };
    let percentiles = fields.get(BEFORE_PERCENTILES..BEFORE_PERCENTILES + PERCENTILES)?;
    let percentile = |field: &&'a str| {
        let (key, value) = field.split_once("%=")?;
        let (percent, value) = (key.parse::<f64>().ok()?, value.parse::<f64>().ok()?);
        (percent > 0.0).then(|| (Cow::Owned(format!("{percent:.6}")), value * 1000.0))
    };
    if let Some(latency) = &mut values.clat_ns {
        latency.percentile = Percentiles(percentiles.iter().filter_map(percentile).collect());
    }
    values.lat_ns = Some(latency(BEFORE_PERCENTILES + PERCENTILES)?);
    values.normalize(false);
    let end = BEFORE_PERCENTILES + PERCENTILES + 4 + 5 + if has_samples { 6 } else { 0 };
    Some((values, fields.get(end..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn direction_text(iops: u64, samples: &str) -> String {
        let percentiles =
            (1..=PERCENTILES).map(|at| if at == 15 { "99.000000%=1500".to_owned() } else { "0%=0".to_owned() });
        format!(
            "{};{};{iops};2000;0;0;0.0;0.0;10;2000;390.5;1.0;{};11;2001;400.25;1.0;1;2;100.0%;3.0;1.0{samples}",
            iops * 8,
            iops * 4,
            percentiles.collect::<Vec<_>>().join(";")
        )
    }

    fn line(version: u64) -> String {
        let samples = if version == 5 { ";9;1;2;3.0;1.0;9" } else { "" };
        let head = if version == 2 { "2;j;0;0".to_owned() } else { format!("{version};fio-3.33;j;0;0") };
        let mut directions = vec![direction_text(1000, samples), direction_text(0, samples)];
        if version != 3 {
            directions.push(direction_text(0, samples));
        }
        let shares = vec!["0.0%"; AFTER_DIRECTIONS - 5].join(";");
        format!("{head};{};1.5%;2.5%;100;0;5;{shares}", directions.join(";"))
    }

    #[test]
    fn every_version_is_read() {
        for version in 2..=5 {
            let text = line(version);
            assert!(is_terse(&text), "{version}");
            let document = document(&text).unwrap();
            let read = document.jobs[0].read.as_ref().unwrap();
            assert_eq!((read.iops, read.bw_bytes, read.runtime), (1000.0, Some(4_096_000.0), 2000.0), "{version}");
            assert_eq!(read.lat_ns.as_ref().unwrap().mean, 400_250.0);
            assert_eq!(read.clat_ns.as_ref().unwrap().percentile.0, [(Cow::Borrowed("99.000000"), 1_500_000.0)]);
            assert_eq!(document.jobs[0].trim.is_some(), version != 3, "{version}");
        }
    }

    #[test]
    fn a_cut_line_is_said() {
        let text = line(3);
        let cut = text.find("1.5%").unwrap();
        assert!(document(&text[..cut]).is_err());
        assert!(document(&text[..text.rfind(";0.0%").unwrap()]).is_err());
        assert!(!is_terse("3;fio-3.33;j;0"));
        assert!(!is_terse("2;a;b"));
    }
}
