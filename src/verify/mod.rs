//! Verification: a paper is made again from what it carries, and every number is read again from what it cites.
//!
//! Nothing derived is trusted: not the cell map, not the index. A paper that is consistent with itself is not therefore
//! authentic; `anchored` says what it rests on. Nothing checked is never success.

mod document;
mod record;
mod report;

use crate::diagnostic::Diagnostic;
use crate::digest::Digest;
use crate::pdf;
use crate::plan::Resolved;
use crate::render::format::pdf::Identity;
use crate::render::{self, Input, Paper};
use std::collections::BTreeMap;

use document::{check_numbers, check_plan, compare_attachments, compare_bytes};
pub use record::Record;
use record::{check_objects, check_record, objects};
pub use report::{Again, Anchor, Count, ObjectCount, Report};

/// A paper that can not be verified at all.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct VerifyError(String);

/// The files inside a PDF of ours.
pub fn attachments(bytes: &[u8]) -> Result<(BTreeMap<String, Vec<u8>>, pdf::Report), VerifyError> {
    let report = pdf::read(bytes).map_err(|error| VerifyError(error.to_string()))?;
    Ok((report.attachments.iter().cloned().collect(), report))
}

/// What a paper was made of, out of its attachments.
pub fn input_of(files: &BTreeMap<String, Vec<u8>>) -> Result<Input, VerifyError> {
    let bytes = |name: &str| files.get(name).ok_or_else(|| VerifyError(format!("the attachment `{name}` is missing")));
    let text = |name: &str| {
        String::from_utf8(bytes(name)?.clone())
            .map_err(|_| VerifyError(format!("the attachment `{name}` is not UTF-8")))
    };
    let broken =
        |name: &str, error: serde_json::Error| VerifyError(format!("the attachment `{name}` can not be read: {error}"));
    Ok(Input {
        manifest: text("experiment.yaml")?,
        lock: text("experiment.lock.yaml")?,
        prose: text("prose.md")?,
        results: serde_json::from_slice(bytes("results.json")?).map_err(|error| broken("results.json", error))?,
        context: serde_json::from_slice(bytes("context.json")?).map_err(|error| broken("context.json", error))?,
        is_rehearsal: false,
    })
}

/// The identity that a paper's PDF has.
pub fn identity_of(paper: &Paper, input: &Input) -> Identity {
    let (name, version) = (paper.experiment.as_bytes(), paper.document.title.version.as_bytes());
    let ident = Digest::tagged("benchpaper/ident@1", &[name, b"\0", version]);
    Identity { ident: ident.hex(), time_s: input.context.time_s }
}

/// A PDF of ours that was opened: what it carries, and the paper that this makes again.
pub struct Opened<'a> {
    bytes: &'a [u8],
    files: BTreeMap<String, Vec<u8>>,
    read: pdf::Report,
    /// What the paper was made of.
    pub input: Input,
    /// Its manifest, lock and plan.
    pub resolved: Resolved,
    /// The paper, made again.
    pub paper: Paper,
}

impl<'a> Opened<'a> {
    /// Reads the attachments of a PDF and makes the paper again from them.
    pub fn open(bytes: &'a [u8]) -> Result<Self, VerifyError> {
        let (files, read) = attachments(bytes)?;
        let input = input_of(&files)?;
        let failed = |diagnostics: Vec<Diagnostic>| {
            let reasons: Vec<String> = diagnostics.into_iter().map(|one| one.message).collect();
            VerifyError(format!("it can not be rendered again: {}", reasons.join("; ")))
        };
        let resolved = input.resolve().map_err(failed)?;
        let paper = render::render(&input, &resolved).map_err(failed)?;
        Ok(Self { bytes, files, read, input, resolved, paper })
    }
}

/// Verifies a PDF; where the record is at hand, also against journals and raw objects.
pub fn verify(opened: &Opened<'_>, record: Option<&Record<'_>>) -> Result<Report, VerifyError> {
    let mut report = Report::new();
    report.failures.extend(opened.read.findings.iter().map(|finding| format!("PDF: {finding}")));
    check_plan(opened, &mut report);
    compare_attachments(opened, &mut report);
    compare_bytes(opened, &mut report)?;
    check_numbers(opened, &mut report);
    match record {
        Some(record) => {
            check_objects(&opened.input.results, record.reader, &mut report);
            check_record(opened, record, &mut report);
        }
        None => {
            report.objects.missing = objects(&opened.input.results).len() as u64;
            report.notes.push("the store of the experiment is not at hand: raw objects were not checked".to_owned());
        }
    }
    if opened.input.context.is_draft {
        report.notes.push("this is a draft".to_owned());
    }
    Ok(report)
}
