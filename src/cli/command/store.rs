//! `store`: check and prune.

use std::collections::BTreeSet;

use crate::cli::arguments::{StoreArguments, StoreVerb};
use crate::cli::failure::Failure;
use crate::cli::workspace::Workspace;
use crate::cli::{Session, show};
use crate::store::check::references;
use crate::store::{Layout, Reader, check, prune};

pub(crate) fn run(session: &Session, arguments: &StoreArguments) -> Result<u8, Failure> {
    let layout = Workspace::here(session)?.layout();
    match &arguments.verb {
        StoreVerb::Check => {
            let report = check::check(&*session.os, &layout)?;
            let code = if !report.failures.is_empty() {
                4
            } else if report.missing.is_empty() {
                0
            } else {
                3
            };
            if session.is_json {
                show::print_json(&report)?;
                return Ok(code);
            }
            show::print(&format!("{} runs, {} objects checked", report.runs, report.objects));
            report.failures.iter().for_each(|failure| show::print(&format!("FAILED   {failure}")));
            report.missing.iter().for_each(|object| show::print(&format!("missing  {object}")));
            report
                .unsealed
                .iter()
                .for_each(|run| show::print(&format!("open     run {run} was interrupted or is running")));
            report.unreferenced.iter().for_each(|path| show::print(&format!("unused   {path}")));
            Ok(code)
        }
        StoreVerb::Show { digest } => show_object(session, &layout, digest),
        StoreVerb::Prune { yes } => {
            let plan = if *yes { prune::execute(&*session.os, &layout)? } else { prune::plan(&*session.os, &layout)? };
            if session.is_json {
                show::print_json(&plan)?;
            } else {
                let word = if *yes { "removed" } else { "would remove" };
                plan.remove.iter().for_each(|path| show::print(&format!("{word} {}", path.display())));
                show::print(&format!("{word} {} files", plan.remove.len()));
            }
            if plan.refused.is_empty() {
                return Ok(0);
            }
            let message =
                format!("nothing is removed while something is damaged or missing: {}", plan.refused.join("; "));
            Err(Failure::Other { code: 4, message, help: None })
        }
    }
}

/// Prints an object as it is.
fn show_object(session: &Session, layout: &Layout, wanted: &str) -> Result<u8, Failure> {
    let mut reader = Reader::open(&*session.os, layout)?;
    let mut named = BTreeSet::new();
    for run in layout.run_ids(&*session.os)? {
        named.extend(reader.load(&run)?.events().flat_map(references));
    }
    let prefix = wanted.strip_prefix("sha256:").unwrap_or(wanted);
    let found: Vec<_> = named.iter().filter(|digest| digest.hex().starts_with(prefix)).collect();
    match found.as_slice() {
        [digest] => {
            show::print_bytes(&reader.get(digest)?);
            Ok(0)
        }
        several => Err(Failure::usage(format!("{} objects begin with `{prefix}`, expected one", several.len()))),
    }
}
