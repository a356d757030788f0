//! `trace`: from a printed number to the bytes it came from.

use super::verify::{in_child, layout_of, limit_this_process, paper_path};
use crate::cellmap::{CellMap, Entry};
use crate::cli::arguments::TraceArguments;
use crate::cli::failure::Failure;
use crate::cli::{Session, show};
use crate::pdf;
use crate::store::Reader;
use crate::store::history::history;
use crate::verify;

/// The most numbers shown.
const SHOWN_MAX: usize = 20;

pub(crate) fn run(session: &Session, arguments: &TraceArguments) -> Result<u8, Failure> {
    if !arguments.limited {
        return in_child(session);
    }
    limit_this_process()?;
    let path = paper_path(session, &arguments.paper);
    let bytes = session.os.read(&path, pdf::FILE_LIMIT_BYTES).map_err(Failure::io(&path))?;
    let (files, _) = verify::attachments(&bytes)?;
    let map = files.get("cellmap.json").ok_or_else(|| Failure::usage("the paper has no cell map"))?;
    let map: CellMap = serde_json::from_slice(map)?;
    let found: Vec<&Entry> = map.entries.iter().filter(|entry| is_meant(entry, &arguments.token)).collect();
    if found.is_empty() {
        let message = format!("no number of the paper is `{}` or has it in its name", arguments.token);
        return Err(Failure::Other {
            code: 1,
            message,
            help: Some("`#12` is the twelfth number of the paper.".to_owned()),
        });
    }
    if session.is_json {
        show::print_json(&found)?;
        return Ok(0);
    }
    let input = verify::input_of(&files)?;
    let layout = layout_of(session, &path);
    let mut reader = None;
    if let Some(layout) = &layout {
        let name = input.resolve()?.experiment.name.value;
        let mut opened = Reader::open(&*session.os, layout)?;
        history(&*session.os, layout, &mut opened, &name)?;
        reader = Some(opened);
    }
    for entry in found.iter().take(SHOWN_MAX) {
        show_entry(entry, reader.as_ref());
    }
    if found.len() > SHOWN_MAX {
        show::note(&format!("{} more; name it more closely", found.len() - SHOWN_MAX));
    }
    show::print(&format!(
        "manifest {}, commit {}",
        crate::digest::Digest::of(input.manifest.as_bytes()),
        input.context.commit.as_deref().unwrap_or("none")
    ));
    Ok(0)
}

fn is_meant(entry: &Entry, wanted: &str) -> bool {
    if let Some(order) = wanted.strip_prefix('#') {
        return order.parse() == Ok(entry.place.order);
    }
    let plain = wanted.replace('−', "-");
    let plain = plain.strip_prefix('+').unwrap_or(&plain);
    entry.token == plain || entry.name.contains(wanted)
}

fn show_entry(entry: &Entry, reader: Option<&Reader<'_>>) {
    let place = &entry.place;
    let cell = match (&place.table, place.row, place.column) {
        (Some(table), Some(row), Some(column)) => format!(", table {table}, row {row}, column {column}"),
        _ => String::new(),
    };
    show::print(&format!("#{} {} {}  {}", place.order, entry.token, entry.unit, entry.name));
    show::print(&format!("├ section {}{cell}", place.section));
    show::print(&format!(
        "├ exact {} ÷ {}, rounded {} to {} decimals",
        entry.exact, entry.rounding.divisor, entry.rounding.mode, entry.rounding.decimals
    ));
    if entry.evidence.is_empty() {
        show::print("└ it is set by the manifest or counted in the record");
        return;
    }
    for (number, evidence) in entry.evidence.iter().enumerate() {
        let branch = if number + 1 == entry.evidence.len() { "└" } else { "├" };
        let bar = if branch == "└" { " " } else { "│" };
        if evidence.files.is_empty() {
            show::print(&format!("{branch} {} {}", evidence.object, evidence.pointer));
        } else {
            show::print(&format!("{branch} {} beside", evidence.object));
            for (name, digest) in &evidence.files {
                show::print(&format!("{bar}   {digest} {name}"));
            }
        }
        let held = reader.map_or_else(|| "the store is not at hand".to_owned(), |reader| held(reader, evidence));
        show::print(&format!("{bar}   {held}  job {}  run {}", evidence.job.short(), evidence.run));
    }
}

/// The lines that a place names in a text, decoded as their reader has them.
fn lines(bytes: &[u8], pointer: &str) -> String {
    let text = String::from_utf8_lossy(&crate::encoding::decode(bytes)).into_owned();
    let number = |place: &str| place.strip_prefix("line/")?.split('/').next()?.parse::<usize>().ok();
    let line = |number: usize| text.lines().nth(number.checked_sub(1)?).map(|line| line.trim().to_owned());
    let found: Vec<String> = pointer.split(' ').filter_map(number).filter_map(line).collect();
    if found.is_empty() { format!("{} bytes", bytes.len()) } else { format!("`{}`", found.join("` `")) }
}

/// What stands at the place, read from the object.
fn held(reader: &Reader<'_>, evidence: &crate::document::Evidence) -> String {
    let bytes = match reader.get(&evidence.object) {
        Ok(bytes) => bytes,
        Err(error) => return error.to_string(),
    };
    let Ok(json) = serde_json::from_slice::<serde_json::Value>(&bytes) else { return lines(&bytes, &evidence.pointer) };
    let values = evidence.pointer.split(' ').filter_map(|pointer| json.pointer(pointer)).map(ToString::to_string);
    let values: Vec<String> = values.collect();
    if values.is_empty() { format!("{} bytes", bytes.len()) } else { format!("= {}", values.join(", ")) }
}
