//! An attempt as it is recorded: the roles of its objects, what its tool reads in them, and how the journal of a run begins.
//!
//! Whoever runs, imports, replays, collects or verifies asks here, so that one output gives the same values everywhere.

mod genesis;
mod output;
mod role;

pub use genesis::Start;
pub use output::{Output, headline};
pub use role::{GuestRole, Role, exact_roles};

/// An object of an attempt that is not stored yet.
pub type Object = (Role, Vec<u8>);
