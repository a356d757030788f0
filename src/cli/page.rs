//! A document as a PDF that stands for itself: no attachments, nothing to verify.

use crate::cli::failure::Failure;
use crate::document::Document;

#[cfg(feature = "pdf")]
pub(crate) fn pdf(document: Document, time_s: i64) -> Result<Vec<u8>, Failure> {
    use crate::render::format::pdf::{Identity, write};
    let ident = crate::digest::Digest::of(document.title.title.as_bytes()).hex();
    let paper = crate::render::Paper { document, ..Default::default() };
    Ok(write(&paper, &Identity { ident, time_s })?)
}

#[cfg(not(feature = "pdf"))]
pub(crate) fn pdf(_: Document, _: i64) -> Result<Vec<u8>, Failure> {
    Err(Failure::usage("this build can not write PDF").help("Leave `--out` away."))
}
