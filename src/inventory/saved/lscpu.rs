//! `lscpu`, as text and as JSON, nested or flat: processors, cores, nodes, microcode, mitigations, hypervisor.

use super::{Found, Reader, fact, json};
use crate::inventory::Fact;

pub(super) const READER: Reader = Reader { name: "lscpu", commands: &[], recognises, read };

fn recognises(text: &str) -> bool {
    let is_text =
        text.lines().any(|line| line.starts_with("CPU op-mode(s):") || line.starts_with("On-line CPU(s) list:"));
    is_text || text.contains("\"lscpu\"") || text.starts_with("lscpu: ")
}

fn read(text: &str, _: &str) -> Found {
    let fields = if text.contains("\"lscpu\"") { from_json(text)? } else { from_text(text) };
    if fields.is_empty() {
        return Err(text.lines().next().unwrap_or("it is empty").to_owned());
    }
    Ok(facts(&fields))
}

type Fields = Vec<(String, String)>;

fn from_text(text: &str) -> Fields {
    // what follows the comment is a table for programs
    let lines = text.lines().take_while(|line| !line.starts_with('#'));
    let fields = lines.filter_map(|line| line.split_once(':'));
    let fields = fields.map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned()));
    fields.filter(|(key, value)| key != "lscpu" && !value.is_empty()).collect()
}

fn from_json(text: &str) -> Result<Fields, String> {
    let document = json(text)?;
    let mut fields = vec![];
    let mut open: Vec<&serde_json::Value> =
        document.get("lscpu").and_then(|list| list.as_array()).into_iter().flatten().rev().collect();
    while let Some(item) = open.pop() {
        let of = |key: &str| item.get(key).and_then(|value| value.as_str());
        if let (Some(field), Some(data)) = (of("field"), of("data")) {
            fields.push((field.trim_end_matches(':').to_owned(), data.to_owned()));
        }
        let children = item.get("children").and_then(|list| list.as_array());
        open.extend(children.into_iter().flatten().rev());
    }
    Ok(fields)
}

fn facts(fields: &Fields) -> Vec<(String, Fact)> {
    let all =
        |key: &str| fields.iter().filter(|(one, _)| one == key).map(|(_, value)| value.as_str()).collect::<Vec<_>>();
    let first = |key: &str| all(key).first().copied();
    let mut found: Vec<(String, Fact)> = vec![];
    let mut add = |path: &str, value: Fact| found.push((path.to_owned(), value));
    let mut models = all("Model name");
    models.dedup();
    add("cpu.model", fact(&models.join(" + ")));
    for (key, path) in [
        ("Vendor ID", "cpu.vendor"),
        ("CPU(s)", "cpu.threads"),
        ("NUMA node(s)", "cpu.numa_nodes"),
        ("Microcode version", "cpu.microcode"),
        ("Frequency boost", "cpu.boost"),
        ("CPU max MHz", "cpu.mhz_max"),
        ("L3 cache", "cpu.l3_cache"),
        ("L3", "cpu.l3_cache"),
        ("Architecture", "os.architecture"),
    ] {
        if let Some(value) = first(key) {
            add(path, fact(value));
        }
    }
    counts(fields, &mut add);
    let vendor = first("Hypervisor vendor");
    add("virtualization.role", Fact::Measured(if vendor.is_some() { "guest" } else { "host" }.to_owned()));
    if let Some(vendor) = vendor {
        add("virtualization.vendor", fact(vendor));
    }
    for (key, value) in fields {
        if let Some(name) = key.strip_prefix("Vulnerability ") {
            add(&format!("cpu.mitigation.{}", name.to_lowercase().replace(' ', "_")), fact(value));
        }
    }
    found
}

/// Sockets and cores; of several kinds of cores the sum.
fn counts(fields: &Fields, add: &mut dyn FnMut(&str, Fact)) {
    let numbers = |key: &str| -> Option<Vec<u64>> {
        let values = fields.iter().filter(|(one, _)| one == key).map(|(_, value)| value.parse().ok());
        values.collect::<Option<Vec<u64>>>().filter(|values| !values.is_empty())
    };
    let (cores, sockets) = (numbers("Core(s) per socket"), numbers("Socket(s)"));
    match (cores, sockets) {
        (Some(cores), Some(sockets)) if cores.len() == sockets.len() => {
            let all: u64 = cores
                .iter()
                .zip(&sockets)
                .map(|(cores, sockets)| cores.saturating_mul(*sockets))
                .fold(0, u64::saturating_add);
            add("cpu.cores", Fact::Measured(all.to_string()));
            if sockets.len() == 1 {
                add("cpu.sockets", Fact::Measured(sockets[0].to_string()));
            }
        }
        _ => add("cpu.cores", Fact::Unavailable("it does not count cores by sockets".to_owned())),
    }
    if let Some(threads) = numbers("Thread(s) per core") {
        let is_on = threads.iter().any(|threads| *threads > 1);
        add("cpu.smt", Fact::Measured(if is_on { "on" } else { "off" }.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Architecture: x86_64\nCPU op-mode(s): 64-bit\nCPU(s): 8\nVendor ID: V\nModel name: X 1\nThread(s) per core: 2\nCore(s) per socket: 2\nSocket(s): 2\nVulnerability Spectre v2: Mitigation; x\n# table\nCPU,Core\n";

    fn value(text: &str, path: &str) -> Option<String> {
        read(text, "")
            .unwrap()
            .into_iter()
            .find(|(one, _)| one == path)
            .and_then(|(_, fact)| fact.value().map(str::to_owned))
    }

    #[test]
    fn text_and_both_forms_of_json_say_the_same() {
        let flat = r#"{"lscpu":[{"field":"CPU(s):","data":"8"},{"field":"Model name:","data":"X 1"},{"field":"Core(s) per socket:","data":"2"},{"field":"Socket(s):","data":"2"}]}"#;
        let nested = r#"{"lscpu":[{"field":"CPU(s):","data":"8"},{"field":"Vendor ID:","data":"V","children":[{"field":"Model name:","data":"X 1","children":[{"field":"Core(s) per socket:","data":"2"},{"field":"Socket(s):","data":"2"}]}]}]}"#;
        for text in [TEXT, flat, nested] {
            assert!(recognises(text));
            assert_eq!(
                (value(text, "cpu.cores").as_deref(), value(text, "cpu.model").as_deref()),
                (Some("4"), Some("X 1"))
            );
        }
        assert_eq!(value(TEXT, "cpu.mitigation.spectre_v2").as_deref(), Some("Mitigation; x"));
        assert_eq!(value(TEXT, "cpu.smt").as_deref(), Some("on"));
    }

    #[test]
    fn two_kinds_of_cores_are_added_and_an_error_is_no_machine() {
        let text = "CPU op-mode(s): 64-bit\nModel name: A\nCore(s) per socket: 4\nSocket(s): 1\nModel name: B\nCore(s) per socket: 2\nSocket(s): 1\n";
        assert_eq!(
            (value(text, "cpu.cores").as_deref(), value(text, "cpu.model").as_deref()),
            (Some("6"), Some("A + B"))
        );
        assert!(read("lscpu: unrecognized option '--x'\nTry 'lscpu --help'\n", "").is_err());
    }
}
