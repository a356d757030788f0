//! Network interfaces: driver, speed, MTU. Addresses are not read.

use std::path::Path;

use super::{Fact, Scope, read_fact, read_text};

pub(super) fn read(scope: &Scope<'_>) -> Vec<(String, Fact)> {
    let folder = "/sys/class/net";
    let mut facts = vec![];
    for name in scope.os.list(Path::new(folder)).unwrap_or_default() {
        let is_real = scope.os.stat(Path::new(&format!("{folder}/{name}/device"))).is_ok();
        if !is_real {
            continue;
        }
        facts.push((format!("{name}.mtu"), read_fact(scope.os, &format!("{folder}/{name}/mtu"))));
        let speed =
            read_text(scope.os, &format!("{folder}/{name}/speed")).ok().and_then(|text| text.parse::<u64>().ok());
        let speed = speed.map_or(Fact::Unavailable("the driver does not say".to_owned()), |mbit| {
            Fact::Measured(format!("{mbit} Mbit/s"))
        });
        facts.push((format!("{name}.speed"), speed));
        let driver = scope.os.canonical(Path::new(&format!("{folder}/{name}/device/driver"))).ok();
        let driver = driver.and_then(|path| Some(path.file_name()?.to_str()?.to_owned()));
        let driver = driver.map_or(Fact::Unavailable("no driver is bound".to_owned()), Fact::Measured);
        facts.push((format!("{name}.driver"), driver));
    }
    facts
}
