//! The file system under the test files: type, options, and whether it is memory.

use std::path::Path;

use super::{Fact, Scope, read_text};

pub(super) fn read(scope: &Scope<'_>) -> Vec<(String, Fact)> {
    let Ok(mounts) = read_text(scope.os, "/proc/self/mounts") else {
        return vec![("type".to_owned(), Fact::Unavailable("/proc/self/mounts can not be read".to_owned()))];
    };
    let below = nearest_existing(scope);
    let Some(Mount { kind, options, device }) = mount_of(&mounts, &below) else {
        return vec![("type".to_owned(), Fact::Unavailable("no mount holds the scratch folder".to_owned()))];
    };
    let device = if device.starts_with("/dev/") { device } else { "none" };
    vec![
        ("type".to_owned(), Fact::Measured(kind.to_owned())),
        ("options".to_owned(), Fact::Measured(options.to_owned())),
        ("device".to_owned(), Fact::Measured(device.to_owned())),
    ]
}

/// The scratch folder, or the first folder above it that exists.
fn nearest_existing(scope: &Scope<'_>) -> std::path::PathBuf {
    let mut path = scope.scratch;
    loop {
        if let Ok(found) = scope.os.canonical(path) {
            return found;
        }
        match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => path = parent,
            _ => return std::path::PathBuf::from("/"),
        }
    }
}

/// A mount: what it is of, and how.
struct Mount<'a> {
    kind: &'a str,
    options: &'a str,
    device: &'a str,
}

/// The mount that holds a path: the longest mount point that begins it, the last of equals.
fn mount_of<'a>(mounts: &'a str, path: &Path) -> Option<Mount<'a>> {
    let mut best: Option<(usize, Mount<'_>)> = None;
    for line in mounts.lines() {
        let mut words = line.split(' ');
        let (Some(device), Some(point), Some(kind), Some(options)) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            continue;
        };
        let point = point.replace("\\040", " ");
        if path.starts_with(&point) && best.as_ref().is_none_or(|(length, _)| point.len() >= *length) {
            best = Some((point.len(), Mount { kind, options, device }));
        }
    }
    best.map(|(_, found)| found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_mount_point_holds_a_path() {
        let mounts = "/dev/a / ext4 rw 0 0\ntmpfs /tmp tmpfs rw 0 0\n/dev/b /tmp/x xfs rw 0 0\n";
        let kind = |path: &str| mount_of(mounts, Path::new(path)).unwrap().kind;
        assert_eq!((kind("/tmp/x/y"), kind("/tmp/xy"), kind("/home")), ("xfs", "tmpfs", "ext4"));
    }
}
