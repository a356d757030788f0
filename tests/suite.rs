//! All integration tests, in one program: the typesetting engine takes long to link.
#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "tests make and look at real files")]

mod laboratory;

mod corpus;
mod determinism;
mod documents;
mod faults;
mod kills;
mod manifests;
mod pipeline;
mod tampering;
mod tidy;
