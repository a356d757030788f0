//! fio's job files, and the options that its JSON repeats, as the beginning of a manifest.

use std::collections::BTreeMap;

use super::super::draft::{Draft, quoted, workload_name};
use super::settings::{ELSEWHERE, ENGINES, PASSED_ON, PATTERNS, SYNCHRONOUS, is_safe_value};
use super::{answers, check};

/// The sections of a job file: name and options in order.
type Sections = Vec<(String, Vec<(String, String)>)>;

/// Whether a text looks like a job file: a section, and an option of fio in it.
fn is_job_file(text: &str) -> bool {
    let mut has_section = false;
    text.lines().map(str::trim).any(|line| {
        has_section |= line.starts_with('[') && line.ends_with(']');
        let key = line.split('=').next().unwrap_or_default().trim();
        let is_known = ELSEWHERE.iter().any(|(option, _)| *option == key) || key == "filename";
        has_section && is_known && line.contains('=')
    })
}

/// The beginning of a manifest, out of a job file or out of the options in a JSON output.
pub(super) fn draft(bytes: &[u8]) -> Option<Draft> {
    if let Some((options, job)) = answers::options(bytes) {
        let name = job.get("jobname").and_then(|name| name.as_str()).unwrap_or("job").to_owned();
        return Some(of_sections(vec![(name, options.into_iter().collect())]));
    }
    let text = std::str::from_utf8(bytes).ok().filter(|text| is_job_file(text))?;
    Some(of_sections(sections(text)))
}

fn sections(text: &str) -> Sections {
    let mut global: Vec<(String, String)> = vec![];
    let mut sections: Sections = vec![];
    let mut in_global = false;
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with([';', '#']) {
            continue;
        }
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            in_global = name == "global";
            if !in_global {
                sections.push((name.to_owned(), global.clone()));
            }
            continue;
        }
        let (key, value) = line.split_once('=').unwrap_or((line, "1"));
        let pair = (key.trim().to_owned(), value.trim().to_owned());
        match sections.last_mut().filter(|_| !in_global) {
            Some((_, options)) => options.push(pair),
            None => global.push(pair),
        }
    }
    sections
}

fn of_sections(sections: Sections) -> Draft {
    let mut draft = Draft {
        metrics: ["iops", "bandwidth", "latency_mean", "latency_p99"].map(str::to_owned).to_vec(),
        ..Draft::default()
    };
    let has_several = sections.len() > 1;
    let is_one_by_one = sections
        .iter()
        .skip(1)
        .all(|(_, options)| options.iter().any(|(key, _)| key == "stonewall" || key == "wait_for_previous"));
    if has_several && !is_one_by_one {
        draft.left_out.push("its jobs run at once; here they are workloads that run one after the other".to_owned());
    }
    for (name, options) in sections {
        let known: Vec<String> = draft.workloads.iter().map(|(name, _)| name.clone()).collect();
        let name = workload_name(&name, &known);
        // the last of duplicate options counts
        let options: BTreeMap<String, String> = options.into_iter().collect();
        let settings = settings(&name, &options, &mut draft);
        draft.workloads.push((name, settings));
    }
    draft.left_out.sort();
    draft.left_out.dedup();
    draft
}

fn settings(name: &str, options: &BTreeMap<String, String>, draft: &mut Draft) -> Vec<(String, String)> {
    let of = |keys: &[&str]| keys.iter().find_map(|key| options.get(*key)).map(String::as_str);
    let mut settings = vec![("tool".to_owned(), "fio".to_owned())];
    let mut add = |key: &str, value: String| settings.push((key.to_owned(), value));
    let engine = of(&["ioengine"]).filter(|engine| ENGINES.contains(engine));
    match (engine, of(&["ioengine"])) {
        (Some(engine), _) => add("engine", quoted(engine)),
        (None, Some(other)) => draft.left_out.push(format!("{name}: ioengine={other}, which is not passed on")),
        (None, None) => {}
    }
    let is_direct = of(&["direct"]).is_some_and(|value| value != "0") || of(&["buffered"]) == Some("0");
    if is_direct {
        add("direct", "true".to_owned());
    }
    let rw = of(&["rw", "readwrite"]).unwrap_or("read");
    let known = PATTERNS.iter().find(|(pattern, _)| *pattern == rw);
    if known.is_none() {
        draft.left_out.push(format!("{name}: rw={rw}, which is not known; `read` stands for it"));
    }
    let (pattern, is_mixed) = known.copied().unwrap_or(("read", false));
    add("rw", pattern.to_owned());
    if is_mixed {
        let writes =
            of(&["rwmixwrite"]).and_then(|percent| percent.parse::<u64>().ok()).map(|percent| 100 - percent.min(100));
        let reads = of(&["rwmixread"]).and_then(|percent| percent.parse::<u64>().ok()).or(writes).unwrap_or(50);
        add("rwmixread", format!("{reads} %"));
    }
    let block_size = of(&["bs", "blocksize"]).unwrap_or("4k");
    let bytes = check::block_size_bytes(block_size).filter(|bytes| *bytes >= 1.0);
    if bytes.is_none() {
        draft.left_out.push(format!("{name}: bs={block_size}, which is no single size; 4 KiB stands for it"));
    }
    add("block_size", size(bytes.unwrap_or(4096.0)));
    for key in ["numjobs", "iodepth"] {
        let is_nothing = key == "iodepth" && engine.is_none_or(|engine| SYNCHRONOUS.contains(&engine));
        if let Some(number) =
            of(&[key]).and_then(|text| text.parse::<u64>().ok()).filter(|number| *number > 1 && !is_nothing)
        {
            add(key, number.to_string());
        }
    }
    add("device", "test".to_owned());
    for key in ["filename", "directory"] {
        if let Some(place) = of(&[key]) {
            draft.left_out.push(format!("{name}: {key}={place}; a file in the scratch folder stands for it"));
        }
    }
    timing(options, draft);
    if let Some(bytes) =
        of(&["size", "filesize"]).and_then(check::block_size_bytes).filter(|bytes| *bytes >= 1_048_576.0)
    {
        draft.size.get_or_insert_with(|| size(bytes));
    }
    if let Some(passed) = passed_on(name, options, draft) {
        settings.push(("options".to_owned(), passed));
    }
    settings
}

fn timing(options: &BTreeMap<String, String>, draft: &mut Draft) {
    if let Some(time) = options.get("runtime").and_then(|text| seconds(text)) {
        draft.runtime.get_or_insert(time);
    }
    if let Some(time) = options.get("ramp_time").and_then(|text| seconds(text)) {
        draft.ramp_time.get_or_insert(time);
    }
}

/// `60`, `60s`, `1m`, `500ms`.
fn seconds(text: &str) -> Option<String> {
    let end = text.find(|one: char| !one.is_ascii_digit()).unwrap_or(text.len());
    let number: u64 = text[..end].parse().ok()?;
    let unit = match &text[end..] {
        "" | "s" => "s",
        "m" => "min",
        "h" => "h",
        "ms" => "ms",
        _ => return None,
    };
    Some(format!("{number} {unit}"))
}

fn size(bytes: f64) -> String {
    let units = [(1_073_741_824.0, "GiB"), (1_048_576.0, "MiB"), (1024.0, "KiB")];
    let whole = units.iter().find(|(scale, _)| bytes >= *scale && (bytes / scale).fract() == 0.0);
    whole.map_or_else(|| format!("{bytes} B"), |(scale, unit)| format!("{} {unit}", bytes / scale))
}

/// The options that are passed on as they are; all others are named with the reason.
fn passed_on(name: &str, options: &BTreeMap<String, String>, draft: &mut Draft) -> Option<String> {
    // what has no meaning for what is measured, or is said elsewhere
    const SILENT: &[&str] = &[
        "name",
        "filename",
        "directory",
        "stonewall",
        "wait_for_previous",
        "buffered",
        "output-format",
        "wait",
        "new_group",
    ];
    let mut passed = vec![];
    for (key, value) in options {
        if ELSEWHERE.iter().any(|(option, _)| option == key) || SILENT.contains(&key.as_str()) {
            continue;
        }
        if PASSED_ON.contains(&key.as_str()) && is_safe_value(value) {
            let value = if value.parse::<f64>().is_ok() { value.clone() } else { quoted(value) };
            passed.push(format!("{key}: {value}"));
        } else {
            draft.left_out.push(format!("{name}: {key}={value}, which is not passed on"));
        }
    }
    (!passed.is_empty()).then(|| format!("{{{}}}", passed.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "; a comment\n[global]\nioengine=libaio\ndirect=1\nsize=4g\nruntime=60\nramp_time=10s\nexec_prerun=rm -rf /\n\n[Rand Read]\nrw=randread\nbs=4k\niodepth=32\nrate_iops=100\n\n[mix]\nstonewall\nrw=randrw\nbs=64k\nrwmixwrite=30\nnumjobs=4\n";

    #[test]
    fn sections_become_workloads_and_nothing_is_dropped_in_silence() {
        let draft = draft(FILE.as_bytes()).unwrap();
        let shown: Vec<String> = draft
            .workloads
            .iter()
            .map(|(name, settings)| {
                format!(
                    "{name}: {}",
                    settings.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(" ")
                )
            })
            .collect();
        assert_eq!(
            shown,
            [
                "rand-read: tool=fio engine=libaio direct=true rw=randread block_size=4 KiB iodepth=32 device=test options={rate_iops: 100}",
                "mix: tool=fio engine=libaio direct=true rw=randrw rwmixread=70 % block_size=64 KiB numjobs=4 device=test",
            ]
        );
        assert_eq!(
            (draft.size.as_deref(), draft.runtime.as_deref(), draft.ramp_time.as_deref()),
            (Some("4 GiB"), Some("60 s"), Some("10 s"))
        );
        assert!(
            draft.left_out.iter().all(|one| one.contains("exec_prerun")) && draft.left_out.len() == 2,
            "{:?}",
            draft.left_out
        );
    }

    #[test]
    fn an_output_has_its_options() {
        let text = r#"{"fio version":"fio-3.33","global options":{"ioengine":"psync"},"jobs":[{"jobname":"j","job options":{"rw":"write","bs":"1m","iodepth":"8"}}]}"#;
        let draft = draft(text.as_bytes()).unwrap();
        assert_eq!(
            draft.workloads[0].1.iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>(),
            ["tool", "engine", "rw", "block_size", "device"]
        );
        assert!(super::draft(b"[section]\ncolour=red\n").is_none());
    }
}
