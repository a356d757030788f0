//! benchpaper: performance whitepapers that carry their own proof.
//!
//! The order of the modules is the law: paragraphs are layers, a module imports only from paragraphs above its own, and
//! siblings never import each other. `tests/tidy.rs` enforces it.

pub mod digest;
pub mod encoding;
pub mod exact;
pub mod name;
pub mod source;
pub mod unit;
pub mod words;
pub mod xml;

pub mod diagnostic;
pub mod interval;
pub mod quantity;

pub mod document;
pub mod law;
pub mod measurement;
pub mod printed;
pub mod statistics;

pub mod cellmap;
pub mod expression;

pub mod os;

pub mod store;

pub mod image;
pub mod inventory;
pub mod paper;
pub mod pdf;

pub mod place;

pub mod manifest;

pub mod claims;
pub mod guest;
pub mod tool;

pub mod lock;

pub mod plan;

pub mod attempt;

pub mod import;
pub mod run;

pub mod results;

pub mod compare;

pub mod audit;
pub mod diff;

pub mod render;

pub mod summary;
pub mod verify;

pub mod publish;

pub mod cli;
