//! The beginning of a claims file out of a table, with a guess of what its columns are.

use std::fmt::Write as _;

use super::table::records;
use crate::printed::{DecimalMark, Printed, PrintedError, unit_of};

/// What a head says of a column: the words that it holds, the role, and the unit where the head names none.
const HEADS: &[(&[&str], &str, &str)] = &[
    (&["read", "iops"], "read_iops", "1/s"),
    (&["write", "iops"], "write_iops", "1/s"),
    (&["iops"], "iops", "1/s"),
    (&["block"], "block_size", "KiB"),
    (&["bs"], "block_size", "KiB"),
    (&["queue"], "queue_depth", "1"),
    (&["depth"], "queue_depth", "1"),
    (&["iodepth"], "queue_depth", "1"),
    (&["qd"], "queue_depth", "1"),
    (&["numjobs"], "jobs", "1"),
    (&["jobs"], "jobs", "1"),
    (&["99.999"], "latency_p99.999", "ms"),
    (&["99.99"], "latency_p99.99", "ms"),
    (&["99.9"], "latency_p99.9", "ms"),
    (&["99"], "latency_p99", "ms"),
    (&["95"], "latency_p95", "ms"),
    (&["90"], "latency_p90", "ms"),
    (&["50"], "latency_p50", "ms"),
    (&["median"], "latency_p50", "ms"),
    (&["max", "lat"], "latency_max", "ms"),
    (&["min", "lat"], "latency_min", "ms"),
    (&["lat"], "latency_mean", "ms"),
    (&["runtime"], "duration", "s"),
    (&["duration"], "duration", "s"),
    (&["replicates"], "replicates", "1"),
    (&["guests"], "guests", "1"),
    (&["vms"], "guests", "1"),
    (&["gain"], "gain", "%"),
    (&["change"], "gain", "%"),
    (&["improvement"], "gain", "%"),
    (&["cpu"], "cpu", "%"),
];

/// A claims file for a table. `Err` says why it is no table.
pub fn scaffold(text: &str, name: &str) -> Result<String, String> {
    let records = records(text)?;
    let Some(((_, heads), rows)) = records.split_first().filter(|(_, rows)| !rows.is_empty()) else {
        return Err("it has no heads with rows below them".to_owned());
    };
    let cells = || rows.iter().flat_map(|(_, row)| row);
    // nothing is guessed of a single mark; a table in which many cells only read with a comma has commas
    let reads = |mark: DecimalMark| cells().filter(|cell| Printed::parse(cell, mark, None).is_ok()).count();
    let has_commas = reads(DecimalMark::Comma) > reads(DecimalMark::Point);
    let decimal = if has_commas { "\n    decimal: comma" } else { "" };
    let mut made = format!(
        "format: {}\npaper: {{title: Title of the paper, authors: Who wrote it, cite: Where it is}}\n\ntables:\n  results:\n    place: Table 1\n    file: {}{decimal}\n    columns:\n",
        super::FORMAT,
        quoted(name)
    );
    let mut names: Vec<String> = vec![];
    for (at, head) in heads.iter().enumerate() {
        let column: Vec<&str> = rows.iter().filter_map(|(_, row)| row.get(at).map(String::as_str)).collect();
        let numbers = column.iter().filter(|cell| is_number(cell)).count();
        let is_number = numbers > 0 && numbers * 2 >= column.len();
        let slug = slug_of(head, at);
        let slug = if names.contains(&slug) { format!("{slug}_{}", at + 1) } else { slug };
        let guess = if is_number { guess(head, &column) } else { String::new() };
        let _ = writeln!(made, "      {slug}: {{head: {}{guess}}}", quoted(head));
        names.push(slug);
    }
    made.push_str("    facts:                              # what holds for some rows: block size, operations in flight\n      - {when: {}, set: {}}\n\n");
    made.push_str("context: {}                             # replicates: 1, link: 25 Gbit/s, tool: fio 3.28\nundisclosed: [replicates]\n\n");
    made.push_str("claims:\n  - id: first\n    text: What the paper says\n    checks: [{check: U1, table: results}]\n");
    Ok(made)
}

/// A name that expressions can have for a column.
fn slug_of(head: &str, at: usize) -> String {
    let plain = |one: char| if one.is_ascii_alphanumeric() { one.to_ascii_lowercase() } else { '_' };
    let slug: String = head.chars().map(plain).collect();
    let parts: Vec<&str> = slug.split('_').filter(|part| !part.is_empty()).collect();
    let slug = parts.join("_");
    let is_name = slug.starts_with(|one: char| one.is_ascii_alphabetic()) && slug.len() <= 60;
    if is_name { slug } else { format!("column_{}", at + 1) }
}

fn is_number(cell: &str) -> bool {
    matches!(
        Printed::parse(cell, DecimalMark::Point, None),
        Ok(_) | Err(PrintedError::Mark { .. } | PrintedError::Dimension { .. })
    )
}

/// Role and unit, where the head or the cells say them.
fn guess(head: &str, cells: &[&str]) -> String {
    let lower = head.to_lowercase();
    let words: Vec<&str> = head.split(['(', ')', '[', ']', ' ', ',', '/']).filter(|word| !word.is_empty()).collect();
    let unit = head.split(['(', ')', '[', ']', ' ', ',']).filter(|word| !word.is_empty()).rev().find_map(unit_of);
    let of_cells = cells.iter().find_map(|cell| {
        let printed = Printed::parse(cell, DecimalMark::Point, None).ok()?;
        printed.token().contains(char::is_alphabetic).then(|| printed.unit())
    });
    let symbol = unit.or(of_cells).map(|unit| unit.symbol()).filter(|symbol| *symbol != "1");
    let has = |word: &&str| match word.len() {
        1..=2 => words.iter().any(|one| one.to_lowercase().trim_start_matches('p') == &**word),
        _ => lower.contains(*word),
    };
    let is_time = symbol.is_none_or(|symbol| ["s", "ms", "µs", "ns", "min", "h"].contains(&symbol));
    let fits = |role: &str| is_time || !role.starts_with("latency");
    let known = HEADS.iter().find(|(wanted, role, _)| wanted.iter().all(has) && fits(role));
    let (role, unit) = match (known, symbol) {
        (Some((_, role, unit)), symbol) => (*role, symbol.unwrap_or(unit)),
        (None, Some(symbol)) if symbol.ends_with("/s") && symbol.contains('B') => ("bandwidth", symbol),
        (None, Some(symbol)) if is_time => ("latency_mean", symbol),
        (None, symbol) => return format!(", unit: {}", quoted(symbol.unwrap_or("1"))),
    };
    let dim = super::role::dim_of(role);
    let is_right = unit_of(unit).is_some_and(|unit| dim == Some(crate::printed::Dim::of(unit.dimension())));
    if is_right { format!(", role: {role}, unit: {}", quoted(unit)) } else { format!(", unit: {}", quoted(unit)) }
}

fn quoted(text: &str) -> String {
    serde_json::Value::String(crate::diagnostic::printable(text)).to_string()
}
