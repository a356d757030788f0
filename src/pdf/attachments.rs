//! The files inside a PDF.

use std::collections::HashSet;

use hayro_interpret::hayro_syntax::object::{Array, Dict, Stream, String as PdfString};
use hayro_interpret::hayro_syntax::xref::XRef;

use super::structure::{decode, resolved};
use super::{PdfError, STREAM_LIMIT_BYTES, TOTAL_LIMIT_BYTES, refuse};

const ATTACHMENTS_MAX: usize = 256;
const DEPTH_MAX: usize = 16;

/// Text of a PDF string: UTF-16 with a mark, UTF-8, or bytes as letters.
pub(super) fn text_of(bytes: &[u8]) -> String {
    if let Some(rest) = bytes.strip_prefix(&[0xfe, 0xff]) {
        let units: Vec<u16> = rest.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect();
        return String::from_utf16_lossy(&units);
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_or_else(|_| bytes.iter().map(|byte| char::from(*byte)).collect(), str::to_owned)
}

/// All attachments: name and bytes. Names are never used as paths.
pub(super) fn read<'a>(
    xref: &'a XRef,
    catalog: &Dict<'a>,
    findings: &mut Vec<String>,
) -> Result<Vec<(String, Vec<u8>)>, PdfError> {
    let mut specifications = vec![];
    if let Some(tree) = catalog.get::<Dict<'_>>("Names").and_then(|names| names.get::<Dict<'_>>("EmbeddedFiles")) {
        walk(xref, &tree, 0, &mut specifications)?;
    }
    let mut total = 0;
    let mut found: Vec<(String, Vec<u8>)> = vec![];
    let mut names = HashSet::new();
    for specification in specifications {
        let name = ["UF", "F"].iter().find_map(|key| specification.get::<PdfString<'_>>(*key));
        let name = name.map(|name| text_of(name.as_bytes())).unwrap_or_default();
        let name = name.strip_prefix("attachments/").unwrap_or(&name).to_owned();
        let Some(stream) = specification.get::<Dict<'_>>("EF").and_then(|files| files.get::<Stream<'_>>("F")) else {
            findings.push(format!("the attachment `{name}` has no bytes"));
            continue;
        };
        let bytes = decode(&stream, STREAM_LIMIT_BYTES)?;
        total += bytes.len();
        if total > TOTAL_LIMIT_BYTES {
            return refuse("its attachments are too large");
        }
        if !names.insert(name.clone()) {
            findings.push(format!("two attachments are called `{name}`"));
        }
        found.push((name, bytes));
    }
    Ok(found)
}

/// All file specifications of a name tree.
fn walk<'a>(xref: &'a XRef, node: &Dict<'a>, depth: usize, found: &mut Vec<Dict<'a>>) -> Result<(), PdfError> {
    if depth > DEPTH_MAX || found.len() > ATTACHMENTS_MAX {
        return refuse("it has too many attachments");
    }
    if let Some(pairs) = node.get::<Array<'_>>("Names") {
        for (number, item) in pairs.raw_iter().enumerate().filter(|(number, _)| number % 2 == 1) {
            let specification = resolved(xref, item).and_then(|object| object.into_dict());
            found.push(specification.ok_or_else(|| PdfError(format!("attachment {number} can not be read")))?);
        }
    }
    if let Some(kids) = node.get::<Array<'_>>("Kids") {
        for item in kids.raw_iter().take(ATTACHMENTS_MAX) {
            let kid = resolved(xref, item).and_then(|object| object.into_dict());
            walk(xref, &kid.ok_or_else(|| PdfError("its names can not be read".to_owned()))?, depth + 1, found)?;
        }
    }
    Ok(())
}
