//! The forms of a paper. Each writes the same document.

pub mod markdown;
#[cfg(feature = "pdf")]
pub mod pdf;
