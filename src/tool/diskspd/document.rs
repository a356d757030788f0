//! DiskSpd's XML (`-Rxml`): counts of each thread and target, from which rates are made.

use std::sync::Arc;

use super::super::{Answers, Question};
use super::{TESTED_NEWEST, check_enough};
use crate::law;
use crate::measurement::{Labels, Reading};
use crate::xml::{self, Element};

/// The percentiles that become metrics, as they are printed.
const PERCENTILES: &[(f64, &str)] = &[
    (0.0, "latency_min"),
    (50.0, "latency_p50"),
    (75.0, "latency_p75"),
    (90.0, "latency_p90"),
    (95.0, "latency_p95"),
    (99.0, "latency_p99"),
    (99.9, "latency_p99.9"),
    (99.99, "latency_p99.99"),
    (100.0, "latency_max"),
];

pub(super) fn read(bytes: &[u8]) -> Reading {
    let mut reading = Reading::new("diskspd");
    let root = match xml::parse(bytes) {
        Ok(root) => root,
        Err(error) => {
            reading.fail("diskspd::xml", format!("the XML is cut or damaged: {error}"));
            return reading;
        }
    };
    let tool = root.child("System").and_then(|system| system.child("Tool"));
    reading.tool_version = tool.and_then(|tool| tool.value("Version")).unwrap_or_default().to_owned();
    reading.check_version("diskspd::version", TESTED_NEWEST);
    let spans: Vec<(usize, &Element)> = root.all("TimeSpan").collect();
    if spans.is_empty() {
        reading.fail("diskspd::no-results", "it holds no results");
    }
    let several = spans.len() > 1;
    for (number, span) in spans {
        let at = format!("/Results/TimeSpan/{number}");
        let name = several.then(|| (number + 1).to_string());
        measure(span, (&at, name.as_deref()), &mut reading);
        check_product(&root, span, &mut reading);
    }
    reading
}

/// Bytes and operations of a time span: of reads and of writes.
fn counts(span: &Element) -> Option<[(f64, f64); 2]> {
    let mut counts = [(0.0, 0.0); 2];
    for thread in span.all("Thread").map(|(_, thread)| thread) {
        for target in thread.all("Target").map(|(_, target)| target) {
            for (count, names) in counts.iter_mut().zip([("ReadBytes", "ReadCount"), ("WriteBytes", "WriteCount")]) {
                let number = |name: &str| target.value(name)?.parse::<f64>().ok().filter(|value| *value >= 0.0);
                count.0 += number(names.0)?;
                count.1 += number(names.1)?;
            }
        }
    }
    Some(counts)
}

fn measure(span: &Element, (at, name): (&str, Option<&str>), reading: &mut Reading) {
    let seconds = span.value("TestTimeSeconds").and_then(|text| text.parse::<f64>().ok()).filter(|value| *value > 0.0);
    let (Some(seconds), Some(counts)) = (seconds, counts(span)) else {
        reading.fail("diskspd::no-results", format!("{at}: it has no times or counts"));
        return;
    };
    let all = (counts[0].0 + counts[1].0, counts[0].1 + counts[1].1);
    check_enough((Some(seconds), all.1), reading);
    let directions = [("read", "Read", counts[0]), ("write", "Write", counts[1]), ("all", "Total", all)];
    for (direction, title, (bytes, operations)) in directions.into_iter().filter(|(_, _, (_, count))| *count > 0.0) {
        let mut labels = match direction {
            "all" => Labels::computed(),
            _ => Labels::from([("direction".to_owned(), direction.to_owned())]),
        };
        labels.extend(name.map(|name| ("timespan".to_owned(), name.to_owned())));
        let labels = Arc::new(labels);
        let (count, size) = match title {
            "Total" => ("IOCount".to_owned(), "BytesCount".to_owned()),
            _ => (format!("{title}Count"), format!("{title}Bytes")),
        };
        let places = |name: &str| format!("{at}/Thread/*/Target/*/{name} {at}/TestTimeSeconds");
        reading.measure(&labels, ("iops", operations / seconds), places(&count));
        reading.measure(&labels, ("bandwidth", bytes / seconds), places(&size));
        reading.measure(&labels, ("operations", operations), format!("{at}/Thread/*/Target/*/{count}"));
        reading.measure(&labels, ("bytes", bytes), format!("{at}/Thread/*/Target/*/{size}"));
        if direction == "all" {
            reading.measure(&labels, ("runtime", seconds * 1e9), format!("{at}/TestTimeSeconds"));
        }
        if let Some(latency) = span.child("Latency") {
            measure_latency(latency, (title, at), &labels, reading);
        }
    }
}

fn measure_latency(latency: &Element, (title, at): (&str, &str), labels: &Arc<Labels>, reading: &mut Reading) {
    let milliseconds = |text: Option<&str>| text.and_then(|text| text.parse::<f64>().ok()).map(|value| value * 1e6);
    let mean = format!("Average{title}Milliseconds");
    if let Some(value) = milliseconds(latency.value(&mean)) {
        reading.measure(labels, ("latency_mean", value), format!("{at}/Latency/{mean}"));
    }
    for (number, bucket) in latency.all("Bucket") {
        let percentile = bucket.value("Percentile").and_then(|text| text.parse::<f64>().ok());
        let known = PERCENTILES.iter().find(|(one, _)| percentile.is_some_and(|found| (found - one).abs() < 1e-9));
        let name = format!("{title}Milliseconds");
        if let (Some((_, metric)), Some(value)) = (known, milliseconds(bucket.value(&name))) {
            reading.measure(labels, (metric, value), format!("{at}/Latency/Bucket/{number}/{name}"));
        }
    }
}

/// All targets of the profile, whichever time span they belong to.
fn targets(root: &Element) -> Vec<&Element> {
    let spans = root.child("Profile").and_then(|profile| profile.child("TimeSpans"));
    let spans = spans.into_iter().flat_map(|spans| spans.all("TimeSpan")).map(|(_, span)| span);
    let targets = spans.filter_map(|span| span.child("Targets")).flat_map(|targets| targets.all("Target"));
    targets.map(|(_, target)| target).collect()
}

/// Operations of one size must add up to the bytes.
fn check_product(root: &Element, span: &Element, reading: &mut Reading) {
    let sizes: Vec<f64> = targets(root).iter().filter_map(|target| target.value("BlockSize")?.parse().ok()).collect();
    let (Some(size), Some(counts)) = (sizes.first(), counts(span)) else { return };
    let (bytes, operations) = (counts[0].0 + counts[1].0, counts[0].1 + counts[1].1);
    if sizes.iter().all(|other| other == size) && !law::is_bandwidth_consistent(bytes, operations, *size) {
        reading.invalidate("diskspd::bandwidth", format!("{operations} operations × {size} B is not {bytes} B"));
    }
}

pub(super) fn answers(bytes: &[u8]) -> Answers {
    let Ok(root) = xml::parse(bytes) else { return Answers::new() };
    let mut answers = Answers::new();
    let mut add = |question: Question, value: Option<String>| answers.extend(value.map(|value| (question, value)));
    let targets = targets(&root);
    if let Some(target) = targets.first() {
        let of = |name: &str| target.value(name).map(str::to_owned);
        add(Question::Target, of("Path"));
        add(Question::BlockSize, of("BlockSize").map(|size| format!("{size} B")));
        add(Question::WorkingSet, of("FileSize").map(|size| format!("{size} B file")));
        let depth = of("RequestCount").zip(of("ThreadsPerFile"));
        add(Question::Concurrency, depth.map(|(depth, threads)| format!("{depth} × {threads} threads")));
        let order = of("RandomAccess").map(|random| if random == "true" { "random" } else { "sequential" });
        let mix = of("WriteRatio").map(|ratio| format!("{ratio} % writes"));
        add(Question::Access, order.zip(mix).map(|(order, mix)| format!("{order}, {mix}")));
        add(Question::Direct, of("DisableOSCache").map(|off| format!("cache of the system off: {off}")));
        add(Question::Sync, of("WriteThrough").map(|through| format!("write through: {through}")));
        let pattern = target.child("WriteBufferContent").and_then(|content| content.value("Pattern"));
        add(Question::Compressibility, pattern.map(|pattern| format!("pattern: {pattern}")));
    }
    let profile = root.child("Profile").and_then(|profile| profile.child("TimeSpans"));
    let span = profile.and_then(|spans| spans.child("TimeSpan"));
    add(Question::Ramp, span.and_then(|span| span.value("Warmup")).map(|seconds| format!("{seconds} s")));
    let asked = span.and_then(|span| span.value("Duration")).map(|seconds| format!("{seconds} s asked"));
    let real = root.child("TimeSpan").and_then(|span| span.value("TestTimeSeconds"));
    let real = real.map(|seconds| format!("{seconds} s measured"));
    add(Question::Duration, [asked, real].into_iter().flatten().reduce(|one, other| format!("{one}, {other}")));
    add(Question::Date, root.child("System").and_then(|system| system.value("RunTime")).map(str::to_owned));
    answers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measurement::Status;

    const TEXT: &str = "<Results><System><Tool><Version>2.1.0</Version></Tool></System>
        <Profile><TimeSpans><TimeSpan><Targets><Target><BlockSize>4096</BlockSize></Target></Targets></TimeSpan></TimeSpans></Profile>
        <TimeSpan><TestTimeSeconds>2.00</TestTimeSeconds>
        <Latency><AverageTotalMilliseconds>0.5</AverageTotalMilliseconds><Bucket><Percentile>99</Percentile><TotalMilliseconds>1.25</TotalMilliseconds></Bucket></Latency>
        <Thread><Target><ReadBytes>409600</ReadBytes><ReadCount>100</ReadCount><WriteBytes>0</WriteBytes><WriteCount>0</WriteCount></Target></Thread>
        <Thread><Target><ReadBytes>819200</ReadBytes><ReadCount>200</ReadCount><WriteBytes>0</WriteBytes><WriteCount>0</WriteCount></Target></Thread>
        </TimeSpan></Results>";

    #[test]
    fn threads_are_added_up_over_the_time_of_the_test() {
        let reading = read(TEXT.as_bytes());
        assert_eq!(reading.status, Status::Ok, "{:?}", reading.diagnostics);
        let total = |metric: &str| {
            let is_total =
                |one: &&crate::measurement::Measurement| one.metric.as_str() == metric && one.labels.is_result();
            reading.measurements.iter().find(is_total).unwrap().value
        };
        assert_eq!((total("iops"), total("bandwidth")), (150.0, 614_400.0));
        assert_eq!((total("latency_mean"), total("latency_p99")), (500_000.0, 1_250_000.0));
        assert!(!reading.measurements.iter().any(|one| one.labels.get("direction").is_some_and(|one| one == "write")));
    }

    #[test]
    fn missing_counts_a_wrong_size_and_a_cut_are_no_results() {
        assert_eq!(read(TEXT.replace("<ReadCount>100</ReadCount>", "").as_bytes()).status, Status::Failed);
        assert_eq!(read(TEXT.replace(">4096<", ">65536<").as_bytes()).status, Status::Invalid);
        assert_eq!(read(&TEXT.as_bytes()[..TEXT.len() - 20]).status, Status::Failed);
        assert_eq!(read(b"<Results></Results>").status, Status::Failed);
    }
}
