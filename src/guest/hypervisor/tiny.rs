//! A hypervisor that exists in tests only.

use super::{Cabling, Hypervisor, ImageStep, Program, Spec, TooOld};
use crate::manifest::guest::Machine;

/// Tiny.
pub(crate) struct Tiny;

impl Hypervisor for Tiny {
    fn word(&self) -> &'static str {
        "Tiny"
    }

    fn emulator(&self) -> Program {
        Program { name: "tiny-vm", package: "tiny" }
    }

    fn image_tool(&self) -> Program {
        Program { name: "tiny-disk", package: "tiny" }
    }

    fn default_machine(&self) -> Machine {
        Machine::Pc
    }

    fn overhead_bytes(&self) -> u64 {
        1 << 20
    }

    fn argv(&self, spec: &Spec, cabling: &Cabling) -> Vec<String> {
        vec!["tiny-vm".to_owned(), format!("{}/{}", cabling.number, spec.count)]
    }

    fn image_argv(&self, step: &ImageStep<'_>) -> Vec<String> {
        let word = match step {
            ImageStep::Create { .. } => "create",
            ImageStep::Convert { .. } => "convert",
            ImageStep::Resize { .. } => "resize",
            ImageStep::Inspect { .. } => "inspect",
        };
        vec!["tiny-disk".to_owned(), word.to_owned()]
    }

    fn virtual_size_bytes(&self, inspected: &[u8]) -> Option<u64> {
        String::from_utf8_lossy(inspected).trim().parse().ok()
    }

    fn too_old(&self, _: &Spec, _: &str) -> Option<TooOld> {
        None
    }
}
