//! Processors: model, counts, SMT, microcode, mitigations, frequency control.

use std::collections::BTreeSet;

use super::{Fact, Scope, read_fact, read_text};

pub(super) fn read(scope: &Scope<'_>) -> Vec<(String, Fact)> {
    let mut facts = match read_text(scope.os, "/proc/cpuinfo") {
        Ok(text) => from_cpuinfo(&text),
        Err(error) => vec![("model".to_owned(), Fact::Unavailable(format!("/proc/cpuinfo: {error}")))],
    };
    let mut add = |path: &str, file: &str| facts.push((path.to_owned(), read_fact(scope.os, file)));
    add("smt", "/sys/devices/system/cpu/smt/control");
    add("governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
    add("frequency_driver", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver");
    add("idle_driver", "/sys/devices/system/cpu/cpuidle/current_driver");
    add("clock_source", "/sys/devices/system/clocksource/clocksource0/current_clocksource");
    facts.push(("numa_nodes".to_owned(), nodes(scope)));
    let mitigations = std::path::Path::new("/sys/devices/system/cpu/vulnerabilities");
    for name in scope.os.list(mitigations).unwrap_or_default() {
        let path = format!("{}/{name}", mitigations.display());
        facts.push((format!("mitigation.{name}"), read_fact(scope.os, &path)));
    }
    facts
}

/// How many NUMA nodes are online, out of a list such as `0-1,3`.
fn nodes(scope: &Scope<'_>) -> Fact {
    let list = read_fact(scope.os, "/sys/devices/system/node/online");
    let Fact::Measured(text) = &list else { return list };
    match count_of_list(text) {
        Some(count) => Fact::Measured(count.to_string()),
        None => Fact::Unavailable(format!("`{text}` is no list of nodes")),
    }
}

fn count_of_list(text: &str) -> Option<u64> {
    text.trim().split(',').try_fold(0, |count, range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last) = (first.parse::<u64>().ok()?, last.parse::<u64>().ok()?);
        Some(count + last.checked_sub(first)? + 1)
    })
}

fn from_cpuinfo(text: &str) -> Vec<(String, Fact)> {
    let values = |key: &str| -> Vec<&str> {
        text.lines()
            .filter_map(|line| line.split_once(':'))
            .filter(|(name, _)| name.trim() == key)
            .map(|(_, value)| value.trim())
            .collect()
    };
    let first = |key: &str| match values(key).first() {
        Some(value) if !value.is_empty() => Fact::Measured((*value).to_owned()),
        _ => Fact::Unavailable(format!("/proc/cpuinfo has no `{key}`")),
    };
    let distinct = |values: Vec<&str>| values.into_iter().collect::<BTreeSet<_>>().len().max(1);
    let sockets = distinct(values("physical id"));
    let cores_each: usize = values("cpu cores").first().and_then(|value| value.parse().ok()).unwrap_or(1);
    vec![
        ("model".to_owned(), first("model name")),
        ("vendor".to_owned(), first("vendor_id")),
        ("microcode".to_owned(), first("microcode")),
        ("sockets".to_owned(), Fact::Measured(sockets.to_string())),
        ("cores".to_owned(), Fact::Measured((sockets * cores_each).to_string())),
        ("threads".to_owned(), Fact::Measured(values("processor").len().max(1).to_string())),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_nodes_is_counted() {
        assert_eq!((count_of_list("0"), count_of_list("0-1,3"), count_of_list("x")), (Some(1), Some(3), None));
    }

    #[test]
    fn two_sockets_of_two_cores_are_four() {
        let one = |id: usize, socket: usize| {
            format!("processor\t: {id}\nmodel name\t: X 1\nphysical id\t: {socket}\ncpu cores\t: 2\n\n")
        };
        let text: String = (0..8).map(|id| one(id, id / 4)).collect();
        let facts = from_cpuinfo(&text);
        let value = |path: &str| facts.iter().find(|(one, _)| one == path).unwrap().1.value().map(str::to_owned);
        assert_eq!(value("cores").as_deref(), Some("4"));
        assert_eq!(value("threads").as_deref(), Some("8"));
        assert_eq!(value("microcode"), None);
    }
}
