//! The structure of a PDF: revisions, objects, catalog, pages.

use std::collections::HashSet;
use std::io::Read as _;

use hayro_interpret::hayro_syntax::object::{Array, Dict, FromBytes as _, MaybeRef, Name, Object, Stream};
use hayro_interpret::hayro_syntax::xref::XRef;
use hayro_interpret::hayro_syntax::{Filter, Pdf};

use super::{PdfError, STREAM_LIMIT_BYTES, TOTAL_LIMIT_BYTES, refuse};

const PAGES_MAX: usize = 5_000;
const DEPTH_MAX: usize = 64;

/// Keys that make a file do something, hide something, or need a key.
const FORBIDDEN_KEYS: &[&[u8]] = &[
    b"JS",
    b"JavaScript",
    b"AA",
    b"OpenAction",
    b"AcroForm",
    b"XFA",
    b"RichMediaContent",
    b"OCProperties",
    b"OC",
    b"OCGs",
    b"Launch",
    b"Encrypt",
];

/// Kinds of action other than a jump within the file or a link.
const FORBIDDEN_ACTIONS: &[&[u8]] = &[
    b"JavaScript",
    b"Launch",
    b"GoToR",
    b"GoToE",
    b"SubmitForm",
    b"ImportData",
    b"ResetForm",
    b"Rendition",
    b"Hide",
    b"Named",
    b"Movie",
    b"Sound",
    b"SetOCGState",
    b"GoTo3DView",
    b"Thread",
];

fn find(haystack: &[u8], needle: &[u8], from: usize) -> Option<usize> {
    haystack.get(from..)?.windows(needle.len()).position(|window| window == needle).map(|at| at + from)
}

/// Inflates up to a limit: the bytes, and whether they end well.
fn inflate(bytes: &[u8], limit: usize) -> (Vec<u8>, bool) {
    let mut inflated = vec![];
    let is_ok = flate2::read::ZlibDecoder::new(bytes).take(limit as u64 + 1).read_to_end(&mut inflated).is_ok();
    (inflated, is_ok)
}

/// Refuses a file whose streams inflate to too much, before any parser sees it.
pub(super) fn check_inflation(bytes: &[u8]) -> Result<(), PdfError> {
    let (mut total, mut at) = (0, 0);
    while let Some(found) = find(bytes, b"stream", at) {
        at = found + 6;
        let mut start = at;
        start += usize::from(bytes.get(start) == Some(&b'\r'));
        start += usize::from(bytes.get(start) == Some(&b'\n'));
        if start > at {
            total += inflate(&bytes[start..], STREAM_LIMIT_BYTES).0.len();
        }
        if total > TOTAL_LIMIT_BYTES {
            return refuse("its streams inflate to too much");
        }
    }
    Ok(())
}

/// A paper has one revision, no encryption, and a cross-reference that needs no repair.
pub(super) fn check_revisions(bytes: &[u8], findings: &mut Vec<String>) -> Result<(), PdfError> {
    let tail = &bytes[bytes.len().saturating_sub(2048)..];
    if !tail.trim_ascii_end().ends_with(b"%%EOF") {
        findings.push("bytes follow the end of the file".to_owned());
    }
    let last = bytes
        .windows(9)
        .rposition(|window| window == b"startxref")
        .ok_or_else(|| PdfError("it has no startxref".to_owned()))?;
    let digits: String = bytes[last + 9..]
        .trim_ascii_start()
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .take(12)
        .map(|byte| char::from(*byte))
        .collect();
    let at: usize = digits.parse().map_err(|_| PdfError("its startxref is no number".to_owned()))?;
    let (trailer, is_stream) =
        trailer_at(bytes, at).ok_or_else(|| PdfError("its cross-reference can not be read".to_owned()))?;
    if trailer.contains_key("Encrypt") {
        return refuse("it is encrypted");
    }
    if trailer.contains_key("Prev") || trailer.contains_key("XRefStm") {
        findings.push("it has more than one revision".to_owned());
    }
    let widths_are_good = || trailer.get::<[u8; 3]>("W").is_some_and(|widths| widths[0] == 1 && widths[1] > 0);
    let size_is_good = trailer.get::<u32>("Size").is_some_and(|size| size < 2_000_000);
    if is_stream && (!widths_are_good() || !size_is_good || trailer.contains_key("Index")) {
        return refuse("its cross-reference stream is not as a paper's");
    }
    Ok(())
}

/// The trailer of a cross-reference table or stream, and whether it is a stream.
fn trailer_at(bytes: &[u8], at: usize) -> Option<(Dict<'_>, bool)> {
    let rest = bytes.get(at..)?;
    let start = at + rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
    if bytes[start..].starts_with(b"xref") {
        let trailer = find(bytes, b"trailer", start)? + 7;
        return Some((Dict::from_bytes(bytes[trailer..].trim_ascii_start())?, false));
    }
    let object = find(&bytes[..(start + 40).min(bytes.len())], b"obj", start)? + 3;
    Some((Dict::from_bytes(bytes[object..].trim_ascii_start())?, true))
}

/// The inflated bytes of a stream with at most one filter.
pub(super) fn decode(stream: &Stream<'_>, limit: usize) -> Result<Vec<u8>, PdfError> {
    let dict = stream.dict();
    let has_filter = dict.contains_key("Filter") || dict.contains_key("F");
    let raw = stream.raw_data();
    match (&stream.filters()[..], has_filter) {
        ([], false) if raw.len() <= limit => Ok(raw.into_owned()),
        ([Filter::FlateDecode], true) if !dict.contains_key("DecodeParms") => {
            let (bytes, is_ok) = inflate(&raw, limit);
            if bytes.len() > limit || !is_ok { refuse("a stream is damaged or too large") } else { Ok(bytes) }
        }
        _ => refuse("a stream has filters that a paper's has not"),
    }
}

/// Looks at every object: forbidden keys and actions, and how much its stream holds.
pub(super) fn check_objects(pdf: &Pdf, findings: &mut Vec<String>) -> Result<(), PdfError> {
    let (mut total, mut seen) = (0, 0);
    for object in pdf.objects() {
        seen += 1;
        scan(&object, 0, findings);
        if let Object::Stream(stream) = &object {
            let kind =
                |key: &str, name: &[u8]| stream.dict().get::<Name<'_>>(key).is_some_and(|found| &found[..] == name);
            if !kind("Type", b"XRef") && !kind("Type", b"ObjStm") {
                total += decode(stream, STREAM_LIMIT_BYTES)?.len();
            }
            if total > TOTAL_LIMIT_BYTES {
                return refuse("its streams inflate to too much");
            }
        }
    }
    if seen != pdf.len() {
        findings.push("some of its objects can not be read".to_owned());
    }
    Ok(())
}

fn scan(object: &Object<'_>, depth: usize, findings: &mut Vec<String>) {
    if depth > DEPTH_MAX {
        findings.push("its objects are nested too deep".to_owned());
        return;
    }
    match object {
        Object::Dict(dict) => scan_dict(dict, depth, findings),
        Object::Stream(stream) => scan_dict(stream.dict(), depth, findings),
        Object::Array(array) => {
            for item in array.raw_iter() {
                if let MaybeRef::NotRef(item) = item {
                    scan(&item, depth + 1, findings);
                }
            }
        }
        _ => {}
    }
}

fn scan_dict(dict: &Dict<'_>, depth: usize, findings: &mut Vec<String>) {
    for key in dict.keys() {
        if FORBIDDEN_KEYS.iter().any(|forbidden| *forbidden == &key[..]) {
            findings.push(format!("it has the key /{}", key.as_str()));
        }
        let Some(MaybeRef::NotRef(value)) = dict.get_raw::<Object<'_>>(&key[..]) else { continue };
        if &key[..] == b"S"
            && let Object::Name(name) = &value
            && FORBIDDEN_ACTIONS.iter().any(|forbidden| *forbidden == &name[..])
        {
            findings.push(format!("it has the action /{}", name.as_str()));
        }
        scan(&value, depth + 1, findings);
    }
}

/// The catalog names no script and no layer; its names are attachments and destinations.
pub(super) fn check_catalog(catalog: &Dict<'_>, findings: &mut Vec<String>) {
    for key in ["AcroForm", "OpenAction", "AA", "OCProperties", "Perms", "Collection", "URI", "Threads"] {
        if catalog.contains_key(key) {
            findings.push(format!("its catalog has /{key}"));
        }
    }
    let Some(names) = catalog.get::<Dict<'_>>("Names") else { return };
    for key in names.keys() {
        if !matches!(&key[..], b"EmbeddedFiles" | b"Dests") {
            findings.push(format!("its names have /{}", key.as_str()));
        }
    }
}

/// What a reference leads to.
pub(super) fn resolved<'a>(xref: &'a XRef, item: MaybeRef<Object<'a>>) -> Option<Object<'a>> {
    match item {
        MaybeRef::Ref(reference) => xref.get::<Object<'_>>(reference.into()),
        MaybeRef::NotRef(object) => Some(object),
    }
}

/// Every page is found by our own walk too, and its annotations are plain links.
pub(super) fn check_pages(pdf: &Pdf, catalog: &Dict<'_>, findings: &mut Vec<String>) -> Result<(), PdfError> {
    let root = catalog.get::<Dict<'_>>("Pages").ok_or_else(|| PdfError("it has no pages".to_owned()))?;
    let mut count = 0;
    let mut seen = HashSet::new();
    count_pages(pdf.xref(), &root, 0, (&mut count, &mut seen))?;
    let pages = pdf.pages();
    if count != pages.len() || root.get::<i64>("Count") != Some(count as i64) {
        findings.push("its page count does not agree with its pages".to_owned());
    }
    for (number, page) in pages.iter().enumerate() {
        let dict = page.raw();
        if dict.contains_key("AA") {
            findings.push(format!("page {} has actions", number + 1));
        }
        if !dict.contains_key("Annots") {
            continue;
        }
        let Some(annotations) = dict.get::<Array<'_>>("Annots") else {
            findings.push(format!("the annotations of page {} can not be read", number + 1));
            continue;
        };
        for item in annotations.raw_iter() {
            let annotation = resolved(pdf.xref(), item).and_then(|object| object.into_dict());
            if !annotation.is_some_and(|annotation| is_plain_link(&annotation)) {
                findings.push(format!("page {} has an annotation that is no plain link", number + 1));
            }
        }
    }
    Ok(())
}

fn count_pages<'a>(
    xref: &'a XRef,
    node: &Dict<'a>,
    depth: usize,
    (count, seen): (&mut usize, &mut HashSet<String>),
) -> Result<(), PdfError> {
    if depth > DEPTH_MAX {
        return refuse("its page tree is too deep");
    }
    let Some(kids) = node.get::<Array<'_>>("Kids") else { return refuse("its page tree is broken") };
    for item in kids.raw_iter() {
        if let MaybeRef::Ref(reference) = &item
            && !seen.insert(format!("{reference:?}"))
        {
            return refuse("its page tree names a page twice");
        }
        let Some(kid) = resolved(xref, item).and_then(|object| object.into_dict()) else {
            return refuse("its page tree has a kid that can not be read");
        };
        if kid.get::<Name<'_>>("Type").is_some_and(|name| &name[..] == b"Pages") {
            count_pages(xref, &kid, depth + 1, (count, seen))?;
        } else {
            *count += 1;
        }
        if *count > PAGES_MAX {
            return refuse("it has too many pages");
        }
    }
    Ok(())
}

fn is_plain_link(annotation: &Dict<'_>) -> bool {
    let is_link = annotation.get::<Name<'_>>("Subtype").is_some_and(|name| &name[..] == b"Link");
    let has_more = ["AP", "AA", "PA"].iter().any(|key| annotation.contains_key(*key));
    let action_is_plain = !annotation.contains_key("A")
        || annotation.get::<Dict<'_>>("A").is_some_and(|action| {
            let kind = action.get::<Name<'_>>("S");
            kind.is_some_and(|kind| matches!(&kind[..], b"GoTo" | b"URI")) && !action.contains_key("Next")
        });
    is_link && !has_more && action_is_plain
}
