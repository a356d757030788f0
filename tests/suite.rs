//! All integration tests, in one program: the typesetting engine takes long to link.
#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests make and look at real files")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that fails says so by panicking")]

mod laboratory;

// the tool that `docs/adding-a-tool.md` adds, compiled as if it stood in `src/tool`
use benchpaper::tool::{Outputs, Tool};
use benchpaper::{measurement, unit};
#[path = "../docs/ioping.rs"]
mod ioping;

mod audit;
mod corpus;
mod determinism;
mod diff;
mod documents;
mod evidence;
mod faults;
mod guests;
mod honest;
mod imports;
mod kills;
mod manifests;
mod outputs;
mod pipeline;
mod right;
mod sessions;
mod simulated;
mod tampering;
mod tidy;
