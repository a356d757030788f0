//! What a paper carries against what it is made of again: attachments, bytes, pages, numbers.

use super::report::{Again, Report};
use super::{Opened, VerifyError, identity_of};
use crate::cellmap::CellMap;
use crate::exact::Exact;
use crate::pdf;
use crate::render::{self};
use std::collections::BTreeSet;

/// The cases of the results are those of the manifest: a value can not be read by another tool's rules.
pub(super) fn check_plan(opened: &Opened<'_>, report: &mut Report) {
    let (plan, results) = (&opened.resolved.plan, &opened.input.results);
    let is_same = plan.settings == results.settings
        && plan.cases.len() == results.cases.len()
        && plan.cases.iter().zip(&results.cases).all(|(case, results)| *case == results.case);
    if !is_same {
        report.failures.push("the cases of the results are not those of the manifest".to_owned());
    }
}

/// Every attachment must be what rendering again attaches.
pub(super) fn compare_attachments(opened: &Opened<'_>, report: &mut Report) {
    let (paper, files) = (&opened.paper, &opened.files);
    let expected: BTreeSet<&str> = paper.attachments.iter().map(|one| one.name).collect();
    for one in &paper.attachments {
        if files.get(one.name) != Some(&one.bytes) {
            report.failures.push(format!("the attachment `{}` is not what the others make of it", one.name));
        }
    }
    for name in files.keys().filter(|name| !expected.contains(name.as_str())) {
        report.failures.push(format!("the attachment `{name}` does not belong to a paper"));
    }
}

#[cfg(feature = "pdf")]
pub(super) fn compare_bytes(opened: &Opened<'_>, report: &mut Report) -> Result<(), VerifyError> {
    let Opened { bytes, read, paper, input, .. } = opened;
    let made = render::format::pdf::write(paper, &identity_of(paper, input));
    let made = made
        .map_err(|problems| VerifyError(problems.into_iter().map(|one| one.message).collect::<Vec<_>>().join("; ")))?;
    if made == *bytes {
        report.rendered_again = Again::Same;
        return Ok(());
    }
    report.rendered_again = Again::Different;
    let again = pdf::read(&made).map_err(|error| VerifyError(error.to_string()))?;
    let differing: Vec<String> = pages_that_differ(&read.pages, &again.pages);
    let engine = format!("benchpaper {}", env!("CARGO_PKG_VERSION"));
    let is_other_program = input.context.program != engine;
    if differing.is_empty() && is_other_program {
        report.rendered_again = Again::TextConsistent;
        report.notes.push(format!("it was made by {}, so only its text could be compared", input.context.program));
        return Ok(());
    }
    if differing.is_empty() {
        report.failures.push("its bytes differ from those made again, though its text does not".to_owned());
    }
    report.failures.extend(differing);
    Ok(())
}

#[cfg(not(feature = "pdf"))]
pub(super) fn compare_bytes(_: &Opened<'_>, report: &mut Report) -> Result<(), VerifyError> {
    report.notes.push("this build can not write PDF, so nothing was rendered again".to_owned());
    Ok(())
}

/// The pages whose words differ, each with the first line that does.
pub(super) fn pages_that_differ(found: &[Vec<String>], expected: &[Vec<String>]) -> Vec<String> {
    let mut differing = vec![];
    if found.len() != expected.len() {
        differing.push(format!("it has {} pages, made again it has {}", found.len(), expected.len()));
    }
    for (number, (found, expected)) in found.iter().zip(expected).enumerate() {
        if found != expected {
            let line = found.iter().zip(expected).find(|(found, expected)| found != expected);
            let (found, expected) = line.map_or(("", ""), |(found, expected)| (found.as_str(), expected.as_str()));
            differing.push(format!("page {}: printed is `{found}`, made again it is `{expected}`", number + 1));
        }
    }
    differing
}

/// Every entry of the attached cell map: its digits round its exact value, it is what rendering again gives, and its
/// digits stand on a page.
pub(super) fn check_numbers(opened: &Opened<'_>, report: &mut Report) {
    let Opened { files, paper, read, .. } = opened;
    let attached: Option<CellMap> = files.get("cellmap.json").and_then(|bytes| serde_json::from_slice(bytes).ok());
    let Some(attached) = attached else {
        report.failures.push("the attachment `cellmap.json` can not be read".to_owned());
        return;
    };
    if attached.entries.len() != paper.cellmap.entries.len() {
        let (found, expected) = (attached.entries.len(), paper.cellmap.entries.len());
        report.failures.push(format!("its cell map has {found} numbers, made again there are {expected}"));
    }
    let text: String = read.pages.iter().flatten().map(String::as_str).collect::<Vec<_>>().join("\n");
    for (entry, again) in attached.entries.iter().zip(&paper.cellmap.entries) {
        report.numbers.checked += 1;
        let printed = entry.token.replace('-', "−");
        let problem = if entry != again {
            Some(format!("made again it is `{}`", again.token))
        } else if !rounds_to_token(entry) {
            Some("its digits do not round its exact value".to_owned())
        } else if !text.contains(&printed) {
            Some("its digits stand on no page".to_owned())
        } else {
            None
        };
        if let Some(problem) = problem {
            report.numbers.failed += 1;
            report.failures.push(format!("number {} `{}` ({}): {problem}", entry.place.order, entry.token, entry.name));
        }
    }
}

pub(super) fn rounds_to_token(entry: &crate::cellmap::Entry) -> bool {
    let fraction = |text: &str| {
        let (numerator, denominator) = text.split_once('/').unwrap_or((text, "1"));
        Exact::parse(numerator).ok()?.divide(&Exact::parse(denominator).ok()?)
    };
    let exact = fraction(&entry.exact).zip(fraction(&entry.rounding.divisor));
    let shown = exact.and_then(|(exact, divisor)| exact.divide(&divisor));
    shown.is_some_and(|shown| shown.round(entry.rounding.decimals) == entry.token)
}
