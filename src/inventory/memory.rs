//! Memory: size, swap, huge pages.

use super::{Fact, Scope, read_fact, read_text};

pub(super) fn read(scope: &Scope<'_>) -> Vec<(String, Fact)> {
    let text = read_text(scope.os, "/proc/meminfo").unwrap_or_default();
    let size = |key: &str| from_meminfo(&text, key);
    vec![
        ("size".to_owned(), size("MemTotal")),
        ("swap".to_owned(), size("SwapTotal")),
        ("transparent_huge_pages".to_owned(), read_fact(scope.os, "/sys/kernel/mm/transparent_hugepage/enabled")),
    ]
}

/// `/proc/meminfo` prints KiB under the name kB; the fact is rounded down to whole MiB, for the kernel keeps a little.
fn from_meminfo(text: &str, key: &str) -> Fact {
    let kib = text
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| *name == key)
        .and_then(|(_, value)| value.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    match kib {
        Some(kib) => Fact::Measured(format!("{} MiB", kib / 1024)),
        None => Fact::Unavailable(format!("/proc/meminfo has no `{key}`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_s_kb_are_kib() {
        assert_eq!(from_meminfo("MemTotal:       2097152 kB", "MemTotal"), Fact::Measured("2048 MiB".to_owned()));
    }
}
