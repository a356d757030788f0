//! One verb a file.

pub(crate) mod audit;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod diff;
pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod init;
pub(crate) mod inventory;
pub(crate) mod lock;
pub(crate) mod man;
pub(crate) mod mark;
pub(crate) mod parse;
pub(crate) mod plan;
pub(crate) mod post;
pub(crate) mod publish;
pub(crate) mod render;
pub(crate) mod results;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod store;
pub(crate) mod supervise;
pub(crate) mod trace;
pub(crate) mod verify;
