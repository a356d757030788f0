//! Block devices: model, firmware, size, scheduler, queue.

use std::path::Path;

use super::{Fact, Scope, read_fact, read_text};

pub(super) fn read(scope: &Scope<'_>) -> Vec<(String, Fact)> {
    let folder = "/sys/block";
    let names = scope.os.list(Path::new(folder)).unwrap_or_default();
    let is_disk = |name: &&String| !["loop", "ram", "zram", "fd", "sr"].iter().any(|prefix| name.starts_with(prefix));
    let mut facts = vec![];
    for name in names.iter().filter(is_disk) {
        let mut add = |fact: &str, file: &str| {
            facts.push((format!("{name}.{fact}"), read_fact(scope.os, &format!("{folder}/{name}/{file}"))));
        };
        add("model", "device/model");
        add("firmware", "device/firmware_rev");
        add("rotational", "queue/rotational");
        add("write_cache", "queue/write_cache");
        add("requests", "queue/nr_requests");
        add("logical_block_size", "queue/logical_block_size");
        let scheduler = read_text(scope.os, &format!("{folder}/{name}/queue/scheduler"));
        facts.push((
            format!("{name}.scheduler"),
            scheduler.map_or_else(|error| Fact::Unavailable(error.to_string()), |text| chosen(&text)),
        ));
        let sectors =
            read_text(scope.os, &format!("{folder}/{name}/size")).ok().and_then(|text| text.parse::<u64>().ok());
        let size = sectors.map_or(Fact::Unavailable("no size".to_owned()), |sectors| {
            Fact::Measured(format!("{} MiB", sectors / 2048))
        });
        facts.push((format!("{name}.size"), size));
    }
    facts
}

/// The scheduler in brackets.
fn chosen(text: &str) -> Fact {
    let chosen = text.split_whitespace().find_map(|word| word.strip_prefix('[')?.strip_suffix(']'));
    Fact::Measured(chosen.unwrap_or(text).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheduler_in_brackets_is_the_one_in_use() {
        assert_eq!(chosen("none [mq-deadline] kyber"), Fact::Measured("mq-deadline".to_owned()));
        assert_eq!(chosen("none"), Fact::Measured("none".to_owned()));
    }
}
