//! The workload of fio: read from the manifest, written as a job file.

mod job_file;

use super::super::Context;
use crate::manifest::node::{Node, Value};
use crate::manifest::shape::{Fields, Problems, Share, Size, Spanned, decode_word};
use crate::name::Name;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub(super) use job_file::{fill_file, guest_file, job_file};

/// The engines that do nothing but read and write the file they are given.
pub(super) const ENGINES: &[&str] =
    &["libaio", "io_uring", "psync", "sync", "pvsync", "pvsync2", "vsync", "posixaio", "mmap", "null"];

/// Engines that hold one operation a job, whatever `iodepth` says.
pub(super) const SYNCHRONOUS: &[&str] = &["psync", "sync", "pvsync", "pvsync2", "vsync", "mmap"];

/// Access patterns, and whether they mix directions.
pub(super) const PATTERNS: &[(&str, bool)] = &[
    ("read", false),
    ("write", false),
    ("randread", false),
    ("randwrite", false),
    ("rw", true),
    ("readwrite", true),
    ("randrw", true),
    ("trim", false),
    ("randtrim", false),
];

/// The options that are passed on. All others are refused: those that execute, load or open something, and the aliases
/// and inverses of what the manifest has keys for, which would make the paper say something else than was done.
pub(super) const PASSED_ON: &[&str] = &[
    "allrandrepeat",
    "buffer_compress_chunk",
    "buffer_compress_percentage",
    "clat_percentiles",
    "cpus_allowed",
    "cpus_allowed_policy",
    "create_fsync",
    "create_serialize",
    "dedupe_percentage",
    "end_fsync",
    "fadvise_hint",
    "fallocate",
    "fdatasync",
    "fixedbufs",
    "force_async",
    "fsync",
    "fsync_on_close",
    "hipri",
    "invalidate",
    "iodepth_batch",
    "iodepth_batch_complete_max",
    "iodepth_batch_complete_min",
    "iodepth_batch_submit",
    "iodepth_low",
    "lat_percentiles",
    "latency_percentile",
    "latency_target",
    "latency_window",
    "nice",
    "nonvectored",
    "norandommap",
    "numa_cpu_nodes",
    "overwrite",
    "percentage_random",
    "percentile_list",
    "prio",
    "prioclass",
    "random_distribution",
    "random_generator",
    "randrepeat",
    "randseed",
    "rate",
    "rate_iops",
    "rate_min",
    "rate_process",
    "refill_buffers",
    "registerfiles",
    "scramble_buffers",
    "slat_percentiles",
    "sqthread_poll",
    "sync",
    "thinktime",
    "thinktime_blocks",
    "thread",
    "zero_buffers",
];

/// Options whose place is a key of the workload or of the design.
pub(super) const ELSEWHERE: &[(&str, &str)] = &[
    ("bs", "block_size"),
    ("blocksize", "block_size"),
    ("size", "working_set"),
    ("filesize", "working_set"),
    ("runtime", "design.runtime"),
    ("ramp_time", "design.ramp_time"),
    ("time_based", "design.runtime"),
    ("rw", "rw"),
    ("readwrite", "rw"),
    ("iodepth", "iodepth"),
    ("numjobs", "numjobs"),
    ("direct", "direct"),
    ("rwmixread", "rwmixread"),
    ("rwmixwrite", "rwmixread"),
    ("ioengine", "engine"),
    ("group_reporting", "numjobs"),
];

/// The settings that are hashed. Sizes are bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Settings {
    pub(super) engine: String,
    pub(super) direct: bool,
    pub(super) rw: String,
    pub(super) rwmixread_percent: Option<u64>,
    pub(super) block_size_bytes: u64,
    pub(super) numjobs: u64,
    pub(super) iodepth: u64,
    pub(super) device: String,
    pub(super) working_set_bytes: u64,
    pub(super) options: BTreeMap<String, String>,
}

impl Settings {
    /// The most operations in flight.
    pub(super) fn outstanding_max(&self) -> u64 {
        let depth = if SYNCHRONOUS.contains(&self.engine.as_str()) { 1 } else { self.iodepth };
        depth * self.numjobs
    }
}

pub(super) fn resolve(node: &Node, context: &Context<'_>, problems: &mut Problems) -> Option<Settings> {
    let mut fields = Fields::open(node, "a fio workload", problems)?;
    let engine = fields.take::<Option<Node>>("engine", problems);
    let direct = fields.take::<Option<bool>>("direct", problems);
    let rw = fields.take::<Node>("rw", problems);
    let mix = fields.take::<Option<Spanned<Share>>>("rwmixread", problems);
    let block_size = fields.take::<Spanned<Size>>("block_size", problems);
    let numjobs = fields.take::<Option<Spanned<u64>>>("numjobs", problems);
    let iodepth = fields.take::<Option<Spanned<u64>>>("iodepth", problems);
    let device = fields.take::<Spanned<Name>>("device", problems);
    let working_set = fields.take::<Option<Spanned<Share>>>("working_set", problems);
    let options = fields.take::<Option<Node>>("options", problems);
    fields.finish(problems);
    let engine = match engine? {
        Some(node) => word(&node, ENGINES, problems),
        None => Some("psync"),
    };
    let patterns: Vec<&str> = PATTERNS.iter().map(|(pattern, _)| *pattern).collect();
    let rw = rw.and_then(|node| word(&node, &patterns, problems));
    let (numjobs, iodepth) = (within(numjobs?, 1024, problems), within(iodepth?, 65_536, problems));
    let size = device.as_ref().and_then(|device| device_size(device, context, problems));
    let options = read_options(options?.as_ref(), problems);
    let (engine, rw, block_size) = (engine?, rw?, block_size?);
    let mix = check_mix(rw, mix?, node, problems);
    check_block_size(&block_size, size?, problems)?;
    let is_direct = direct?.unwrap_or(false);
    if let Some(device) = device.as_ref().filter(|device| is_direct && context.is_buffered(device.value.as_str())) {
        let message = format!("`direct: true` on `{}`, which lies in memory", device.value);
        problems.error("fio::direct", device.span, message, "Leave `direct` away.");
        return None;
    }
    let working_set_bytes = working_set_bytes(size?, working_set?, block_size.value.base(), problems);
    if iodepth? > 1 && SYNCHRONOUS.contains(&engine) {
        let help = "Use `engine: libaio` or `io_uring`, or leave `iodepth` away.";
        problems.warn(
            "fio::iodepth",
            node.span,
            format!("`iodepth` does nothing with the synchronous engine `{engine}`"),
            help,
        );
    }
    Some(Settings {
        engine: engine.to_owned(),
        direct: is_direct,
        rw: rw.to_owned(),
        rwmixread_percent: mix?,
        block_size_bytes: block_size.value.base(),
        numjobs: numjobs?,
        iodepth: iodepth?,
        device: device?.value.as_str().to_owned(),
        working_set_bytes: working_set_bytes?,
        options: options?,
    })
}

fn check_block_size(block_size: &Spanned<Size>, device_bytes: u64, problems: &mut Problems) -> Option<()> {
    let message = match block_size.value.base() {
        0 => "the block size is 0",
        bytes if bytes > 1 << 30 => "the block size is more than 1 GiB",
        bytes if bytes > device_bytes => "the block size is larger than the device",
        _ => return Some(()),
    };
    problems.error("fio::block-size", block_size.span, message, "Write `block_size: 4 KiB`.");
    None
}

fn word<'a>(node: &Node, words: &[&'a str], problems: &mut Problems) -> Option<&'a str> {
    let words: Vec<(&str, &'a str)> = words.iter().map(|word| (*word, *word)).collect();
    decode_word(node, &words, problems)
}

fn within(number: Option<Spanned<u64>>, most: u64, problems: &mut Problems) -> Option<u64> {
    match number {
        None => Some(1),
        Some(number) if (1..=most).contains(&number.value) => Some(number.value),
        Some(number) => {
            problems.error(
                "fio::range",
                number.span,
                format!("{}, expected 1 to {most}", number.value),
                "Write a number in this range.",
            );
            None
        }
    }
}

fn device_size(device: &Spanned<Name>, context: &Context<'_>, problems: &mut Problems) -> Option<u64> {
    if let Some(size) = context.devices.get(device.value.as_str()) {
        return Some(*size);
    }
    crate::manifest::unknown_reference("device", device, context.devices.keys().map(String::as_str), problems);
    None
}

/// The share of reads belongs to mixed patterns, and is a whole number of percent.
fn check_mix(rw: &str, mix: Option<Spanned<Share>>, node: &Node, problems: &mut Problems) -> Option<Option<u64>> {
    let is_mixed = PATTERNS.iter().any(|(pattern, is_mixed)| *pattern == rw && *is_mixed);
    match mix {
        None if is_mixed => {
            let help = "Add `rwmixread: 70 %`; the default of 50 % is rarely meant.";
            problems.error("fio::rwmixread", node.span, format!("`{rw}` without `rwmixread`"), help);
            None
        }
        None => Some(None),
        Some(mix) if !is_mixed => {
            problems.error(
                "fio::rwmixread",
                mix.span,
                format!("`rwmixread` does nothing with `{rw}`"),
                "Leave it away, or use `randrw`.",
            );
            None
        }
        Some(mix) => {
            let percent =
                crate::exact::Exact::parse(mix.value.quantity().number()).ok().and_then(|value| value.to_u64());
            let percent = percent.filter(|percent| *percent <= 100);
            if percent.is_none() {
                problems.error(
                    "fio::rwmixread",
                    mix.span,
                    "expected a whole number from 0 % to 100 %",
                    "fio takes whole percents.",
                );
            }
            percent.map(Some)
        }
    }
}

/// The part of the device that is used, down to whole blocks.
fn working_set_bytes(
    size: u64,
    share: Option<Spanned<Share>>,
    block_size: u64,
    problems: &mut Problems,
) -> Option<u64> {
    let fraction = share.as_ref().map_or(1.0, |share| share.value.fraction());
    let bytes = (size as f64 * fraction) as u64 / block_size.max(1) * block_size.max(1);
    let is_good = fraction > 0.0 && fraction <= 1.0 && bytes >= block_size;
    if !is_good {
        let span = share.map_or_else(Default::default, |share| share.span);
        let message = "the working set is empty, or larger than the device";
        problems.error("fio::working-set", span, message, "Write a share of the device, such as `100 %`.");
    }
    is_good.then_some(bytes)
}

fn read_options(node: Option<&Node>, problems: &mut Problems) -> Option<BTreeMap<String, String>> {
    let Some(node) = node else { return Some(BTreeMap::new()) };
    let Value::Map(entries) = &node.value else {
        problems.expected(node, "options by fio's own names", "Write `options: {end_fsync: 1}`.");
        return None;
    };
    let before = problems.count();
    let mut options = BTreeMap::new();
    for (key, value) in entries {
        if let Some((_, elsewhere)) = ELSEWHERE.iter().find(|(option, _)| *option == key.text) {
            problems.error(
                "fio::option",
                key.span,
                format!("the option `{}` has its own key", key.text),
                format!("Use `{elsewhere}`."),
            );
        } else if !PASSED_ON.contains(&key.text.as_str()) {
            let help = match crate::name::nearest(&key.text, PASSED_ON.iter().copied()) {
                Some(meant) => {
                    format!("Did you mean `{meant}`? Options that execute, load or open something are not passed on.")
                }
                None => "Options that execute, load or open something are not passed on.".to_owned(),
            };
            problems.error("fio::option", key.span, format!("the option `{}` is refused", key.text), help);
        }
        let text = match &value.value {
            Value::Bool(value) => Some(if *value { "1" } else { "0" }.to_owned()),
            _ => value.scalar().filter(|text| is_safe_value(text)),
        };
        match text {
            Some(text) => {
                options.insert(key.text.clone(), text);
            }
            None => {
                let help = "Values hold letters, digits and `_.,:/+%-` only, so that none can become another option.";
                problems.error(
                    "fio::option-value",
                    value.span,
                    format!("{} as the value of `{}`", value.kind(), key.text),
                    help,
                );
            }
        }
    }
    (problems.count() == before).then_some(options)
}

pub(super) fn is_safe_value(text: &str) -> bool {
    let is_safe = |byte: u8| byte.is_ascii_alphanumeric() || b"_.,:/+%-".contains(&byte);
    !text.is_empty() && !text.starts_with('/') && !text.contains("..") && text.bytes().all(is_safe)
}

pub(super) fn describe(settings: &Settings) -> Vec<(String, String)> {
    let mut rows = vec![
        ("engine", settings.engine.clone()),
        ("direct", if settings.direct { "yes" } else { "no" }.to_owned()),
        ("access pattern", settings.rw.clone()),
        ("block size", readable_bytes(settings.block_size_bytes)),
        ("jobs", settings.numjobs.to_string()),
        ("queue depth", settings.iodepth.to_string()),
        ("working set", readable_bytes(settings.working_set_bytes)),
        ("latency", "means are of total, percentiles of completion latency; syncs are counted apart".to_owned()),
    ];
    if let Some(percent) = settings.rwmixread_percent {
        rows.push(("reads", format!("{percent} %")));
    }
    let rows = rows.into_iter().map(|(key, value)| (key.to_owned(), value));
    rows.chain(settings.options.iter().map(|(key, value)| (key.clone(), value.clone()))).collect()
}

fn readable_bytes(bytes: u64) -> String {
    for (unit, size) in [("GiB", 1_u64 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)] {
        if bytes >= size && bytes.is_multiple_of(size) {
            return format!("{} {unit}", bytes / size);
        }
    }
    format!("{bytes} B")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;
    use crate::tool::Timing;

    fn resolved(text: &str) -> (Option<Settings>, Vec<&'static str>) {
        let source = Source::new("x.yaml", text);
        let node = crate::manifest::node::parse(&source).0.unwrap();
        let mut problems = Problems::new(&source);
        let devices = BTreeMap::from([("test".to_owned(), 1 << 20)]);
        let none = BTreeMap::new();
        let context = Context { devices: &devices, buffered: &[], factors: &BTreeMap::new(), files: &none };
        let settings = resolve(&node, &context, &mut problems);
        (settings, problems.into_sorted().into_iter().map(|problem| problem.code).collect())
    }

    #[test]
    fn a_workload_becomes_a_job_file() {
        let (settings, problems) = resolved(
            "{engine: libaio, direct: true, rw: randrw, rwmixread: 70 %, block_size: 4 KiB, iodepth: 8, device: test, options: {end_fsync: 1}}",
        );
        assert!(problems.is_empty(), "{problems:?}");
        let file = job_file(&settings.unwrap(), Timing { ramp_time_ns: 500_000_000, runtime_ns: 2_000_000_000 });
        insta::assert_snapshot!(file, @r"
        [job]
        filename=test
        ioengine=libaio
        direct=1
        rw=randrw
        rwmixread=70
        bs=4096
        size=1048576
        numjobs=1
        iodepth=8
        group_reporting=1
        time_based=1
        runtime=2000000us
        ramp_time=500000us
        end_fsync=1
        ");
    }

    #[test]
    fn no_value_becomes_an_option_and_nothing_is_executed() {
        let base = "rw: read, block_size: 4 KiB, device: test";
        for (options, code) in [
            ("options: {exec_prerun: reboot}", "fio::option"),
            ("options: {end_fsync: \"1\\nexec_prerun=reboot\"}", "fio::option-value"),
            ("options: {\"a\\nexec_prerun\": 1}", "fio::option"),
            ("options: {rate: \"${HOME}\"}", "fio::option-value"),
            ("options: {bs: 4k}", "fio::option"),
            ("engine: \"external:/tmp/x.so\"", "manifest::word"),
        ] {
            let (settings, problems) = resolved(&format!("{{{base}, {options}}}"));
            assert!(settings.is_none() && problems == [code], "{options}: {problems:?}");
        }
    }

    #[test]
    fn mixes_without_a_share_and_shares_without_a_mix_are_refused() {
        assert_eq!(resolved("{rw: randrw, block_size: 4 KiB, device: test}").1, ["fio::rwmixread"]);
        assert_eq!(resolved("{rw: read, rwmixread: 70 %, block_size: 4 KiB, device: test}").1, ["fio::rwmixread"]);
        assert_eq!(
            resolved("{rw: read, block_size: 4096, device: tset}").1,
            ["manifest::unit-missing", "manifest::unknown-reference"]
        );
    }
}
