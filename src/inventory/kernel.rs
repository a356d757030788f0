//! The operating system: family, distribution, kernel and its command line.

use super::{Fact, Scope, read_fact, read_text};

pub(super) fn read(scope: &Scope<'_>) -> Vec<(String, Fact)> {
    let release = read_text(scope.os, "/etc/os-release").unwrap_or_default();
    let name = release
        .lines()
        .find_map(|line| line.strip_prefix("PRETTY_NAME="))
        .map_or(Fact::Unavailable("/etc/os-release has no PRETTY_NAME".to_owned()), |name| {
            Fact::Measured(name.trim_matches('"').to_owned())
        });
    vec![
        ("family".to_owned(), Fact::Measured(std::env::consts::OS.to_owned())),
        ("architecture".to_owned(), Fact::Measured(std::env::consts::ARCH.to_owned())),
        ("name".to_owned(), name),
        ("kernel".to_owned(), read_fact(scope.os, "/proc/sys/kernel/osrelease")),
        ("kernel_build".to_owned(), read_fact(scope.os, "/proc/sys/kernel/version")),
        ("command_line".to_owned(), command_line(read_fact(scope.os, "/proc/cmdline"))),
    ]
}

/// The kernel's command line may hold addresses and identifiers of disks: their values are left out, and so is all that
/// follows `--`, which is meant for the first process.
fn command_line(fact: Fact) -> Fact {
    const PRIVATE: &[&str] = &[
        "init",
        "rdinit",
        "root",
        "ip",
        "resume",
        "nfsroot",
        "BOOT_IMAGE",
        "netdev",
        "ifname",
        "hostname",
        "rd.luks.uuid",
        "cryptdevice",
    ];
    let Fact::Measured(text) = fact else { return fact };
    let hide = |word: &str| match word.split_once('=') {
        Some((key, _)) if PRIVATE.contains(&key) => format!("{key}=…"),
        _ => word.to_owned(),
    };
    let words = text.split_whitespace().take_while(|word| *word != "--");
    Fact::Measured(words.map(hide).collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_stay_private() {
        let fact = command_line(Fact::Measured("quiet root=UUID=12 ip=10.0.0.2 mitigations=off -- --key x".to_owned()));
        assert_eq!(fact, Fact::Measured("quiet root=… ip=… mitigations=off".to_owned()));
    }
}
