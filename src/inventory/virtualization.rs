//! Whether this machine is itself a guest, and of what.

use super::{Fact, Scope, read_fact, read_text};

pub(super) fn read(scope: &Scope<'_>) -> Vec<(String, Fact)> {
    let cpuinfo = read_text(scope.os, "/proc/cpuinfo").unwrap_or_default();
    let is_guest = cpuinfo
        .lines()
        .any(|line| line.starts_with("flags") && line.split_whitespace().any(|flag| flag == "hypervisor"));
    let role = if is_guest { "guest" } else { "host" };
    let mut facts = vec![("role".to_owned(), Fact::Measured(role.to_owned()))];
    if is_guest {
        facts.push(("vendor".to_owned(), read_fact(scope.os, "/sys/class/dmi/id/sys_vendor")));
        facts.push(("product".to_owned(), read_fact(scope.os, "/sys/class/dmi/id/product_name")));
    }
    let has_kvm = crate::os::is_there(scope.os, std::path::Path::new("/dev/kvm")).unwrap_or(false);
    facts.push(("kvm".to_owned(), Fact::Measured(if has_kvm { "present" } else { "absent" }.to_owned())));
    facts
}
