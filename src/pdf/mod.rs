//! Reading a PDF that a stranger may have made: its attachments, its text, and whatever a paper must not have.
//!
//! Everything is bounded: file size, inflated size, objects, depth, drawing operations. The parser underneath may still
//! panic, recurse or take long on a hostile file, so a command that reads strangers' files does it in a child process
//! with limits on memory and time.

mod attachments;
mod structure;
mod text;

use std::panic::{AssertUnwindSafe, catch_unwind};

use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::hayro_syntax::object::Dict;

/// The largest file, in bytes.
pub const FILE_LIMIT_BYTES: u64 = 256 << 20;
/// The largest inflated stream, in bytes.
const STREAM_LIMIT_BYTES: usize = 128 << 20;
/// All inflated streams together, in bytes.
const TOTAL_LIMIT_BYTES: usize = 512 << 20;
/// The stack of the reading thread, for a parser that recurses.
const STACK_BYTES: usize = 256 << 20;

/// What a PDF holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// What a paper must not have: revisions, actions, scripts, layers, annotations other than links.
    pub findings: Vec<String>,
    /// The files inside: name and bytes.
    pub attachments: Vec<(String, Vec<u8>)>,
    /// The text of each page, one line a line, in the order it is drawn.
    pub pages: Vec<Vec<String>>,
}

/// The file is no PDF that can be read within the limits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PdfError(pub(crate) String);

fn refuse<T>(message: impl Into<String>) -> Result<T, PdfError> {
    Err(PdfError(message.into()))
}

/// Reads a PDF on a thread with a deep stack; a panic of the parser is an error.
pub fn read(bytes: &[u8]) -> Result<Report, PdfError> {
    if bytes.len() as u64 > FILE_LIMIT_BYTES {
        return refuse(format!("it is larger than {FILE_LIMIT_BYTES} bytes"));
    }
    if !bytes.starts_with(b"%PDF-") {
        return refuse("it does not begin with %PDF-");
    }
    let owned = bytes.to_vec();
    let work =
        move || catch_unwind(AssertUnwindSafe(|| read_here(owned))).unwrap_or_else(|_| refuse("it can not be parsed"));
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work);
    let thread = thread.map_err(|error| PdfError(error.to_string()))?;
    thread.join().unwrap_or_else(|_| refuse("it can not be parsed"))
}

fn read_here(bytes: Vec<u8>) -> Result<Report, PdfError> {
    let mut report = Report::default();
    structure::check_inflation(&bytes)?;
    structure::check_revisions(&bytes, &mut report.findings)?;
    let pdf = Pdf::new(bytes).map_err(|error| PdfError(format!("it can not be opened: {error:?}")))?;
    structure::check_objects(&pdf, &mut report.findings)?;
    let xref = pdf.xref();
    let catalog = xref.get::<Dict<'_>>(xref.root_id()).ok_or_else(|| PdfError("it has no catalog".to_owned()))?;
    structure::check_catalog(&catalog, &mut report.findings);
    structure::check_pages(&pdf, &catalog, &mut report.findings)?;
    report.attachments = attachments::read(xref, &catalog, &mut report.findings)?;
    report.pages = text::read(&pdf, &mut report.findings)?;
    report.findings.sort();
    report.findings.dedup();
    Ok(report)
}
