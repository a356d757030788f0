//! JSON among other text: tools print warnings before it, and some print it twice.

use serde::Deserialize;

use crate::measurement::Reading;

/// The words under which a tool reports what it found.
pub(super) struct Codes {
    /// There is no JSON, or it is damaged.
    pub(super) json: &'static str,
    /// Text stands around it.
    pub(super) around: &'static str,
    /// There are several documents.
    pub(super) documents: &'static str,
}

/// The last complete JSON document of a text that may hold others and words between them.
pub(super) fn last<'a, T: Deserialize<'a>>(bytes: &'a [u8], codes: &Codes, reading: &mut Reading) -> Option<T> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    // checked once as a whole, UTF-8 need not be checked string by string; other bytes may still stand around the JSON
    let text = std::str::from_utf8(bytes).ok();
    let mut found: Vec<T> = vec![];
    let mut error = None;
    let mut at = 0;
    while let Some(start) = next_brace(bytes, at) {
        if bytes[at..start].iter().any(|byte| !byte.is_ascii_whitespace()) {
            let around = String::from_utf8_lossy(&bytes[at..start]);
            reading.warn(codes.around, format!("text before the JSON: {}", around.trim()));
        }
        let next = match text {
            Some(text) => first(serde_json::Deserializer::from_str(&text[start..]).into_iter()),
            None => first(serde_json::Deserializer::from_slice(&bytes[start..]).into_iter()),
        };
        match next {
            Some(Ok((document, length))) => {
                at = start + length;
                found.push(document);
            }
            // words in braces are no document; what ends too early is one that was cut
            Some(Err(problem)) if !problem.is_eof() && found.is_empty() && !begins_object(&bytes[start..]) => {
                reading.warn(codes.around, "text in braces before the JSON");
                at = start + 1;
            }
            Some(Err(problem)) => {
                error = Some(problem);
                break;
            }
            None => break,
        }
    }
    if let Some(problem) = error {
        reading.fail(codes.json, format!("the JSON {}: {problem}", kind_of(&problem)));
        return None;
    }
    if found.len() > 1 {
        reading.warn(codes.documents, format!("{} documents; the last is read", found.len()));
    }
    if found.is_empty() {
        reading.fail(codes.json, "there is no JSON");
    }
    found.pop()
}

/// What is wrong with it, in a word.
fn kind_of(problem: &serde_json::Error) -> &'static str {
    match problem.classify() {
        serde_json::error::Category::Eof => "is cut",
        serde_json::error::Category::Data => "is not what this tool writes",
        _ => "is damaged",
    }
}

/// The last complete JSON document as it is, for whoever asks what else it says.
pub(super) fn value(bytes: &[u8]) -> Option<serde_json::Value> {
    const CODES: Codes = Codes { json: "", around: "", documents: "" };
    last(bytes, &CODES, &mut Reading::new(""))
}

/// The first document of a stream and its length in bytes.
fn first<'a, R: serde_json::de::Read<'a>, T: Deserialize<'a>>(
    mut stream: serde_json::StreamDeserializer<'a, R, T>,
) -> Option<serde_json::Result<(T, usize)>> {
    let document = stream.next()?;
    Some(document.map(|document| (document, stream.byte_offset())))
}

/// Whether a brace is followed by a key, or by nothing.
fn begins_object(bytes: &[u8]) -> bool {
    matches!(bytes[1..].trim_ascii_start().first(), Some(b'"' | b'}') | None)
}

/// The next opening brace that begins a line.
fn next_brace(bytes: &[u8], from: usize) -> Option<usize> {
    let begins_line = |at: usize| at == 0 || at == from || bytes[at - 1] == b'\n';
    (from..bytes.len()).find(|at| bytes[*at] == b'{' && begins_line(*at))
}
