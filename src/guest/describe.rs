//! Guests for the tables of a paper: setting and value.

use super::{DiskSpec, Spec};
use crate::manifest::guest::Controller;

impl Spec {
    /// For the tables of a paper: setting and value.
    pub fn describe(&self) -> Vec<(String, String)> {
        let mut rows = vec![
            ("guests".to_owned(), self.count.to_string()),
            ("virtual processors".to_owned(), self.vcpus.to_string()),
            ("memory".to_owned(), format!("{} MiB", self.memory_bytes >> 20)),
            ("board".to_owned(), self.machine.to_string()),
            ("accelerator".to_owned(), self.accelerator.to_string()),
            ("guests are booted".to_owned(), self.reboot.word().replace('-', " ")),
        ];
        if let Some(shift) = self.instruction_time_shift {
            rows.push(("an instruction takes".to_owned(), format!("{} ns", 1_u64 << shift)));
        }
        if !self.command_line.is_empty() {
            rows.push(("kernel command line".to_owned(), self.command_line.clone()));
        }
        rows.extend(self.disks.iter().flat_map(DiskSpec::describe));
        for volume in &self.volumes {
            let lvm = if volume.lvm { ", LVM" } else { "" };
            rows.push((
                format!("volume {}", volume.name),
                format!("{} over {}{lvm}", volume.raid, volume.over.join(", ")),
            ));
        }
        if let Some(network) = &self.network {
            let functions = match network.virtual_functions {
                0 => String::new(),
                count => format!(", {count} virtual functions"),
            };
            rows.push(("network card".to_owned(), format!("{}{functions}", network.card)));
        }
        rows
    }
}

impl DiskSpec {
    /// One row a property, so that a table shows what differs between cases by itself.
    fn describe(&self) -> Vec<(String, String)> {
        let row = |property: &str, value: String| (format!("disk {}, {property}", self.name), value);
        let mut rows =
            vec![row("size", format!("{} MiB", self.bytes >> 20)), row("controller", self.controller.to_string())];
        if self.controller == Controller::Memory {
            return rows;
        }
        rows.push(row("format", self.format.to_string()));
        rows.push(row("cache", self.cache.to_string()));
        rows.push(row("aio", self.aio.to_string()));
        match (&self.image, &self.converted_from) {
            (Some((file, _)), _) => rows.push(row("begins as", file.clone())),
            (None, Some(format)) => rows.push(row("converted from", format.to_string())),
            (None, None) => {}
        }
        rows
    }
}
