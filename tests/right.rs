//! Outputs of tools that are right break no rule: each is made a table as a paper would print it, and audited.

use std::collections::BTreeMap;
use std::path::Path;

use benchpaper::audit::{Kind, Outcome, audit, own};
use benchpaper::claims::{self, role};
use benchpaper::exact::Exact;
use benchpaper::measurement::Status;
use benchpaper::printed::{DecimalMark, Dim, Printed, as_a_paper, scale_of};
use benchpaper::source::Source;
use benchpaper::tool::Question;
use benchpaper::tool::{self, Outputs};
use benchpaper::unit::Unit;

/// What an output says that it was made with, as facts of its rows: block size, and the most operations in flight.
fn facts(answers: &tool::Answers, clients: usize) -> Vec<(String, String)> {
    let mut found = vec![];
    let size = answers.get(&Question::BlockSize).and_then(|text| Printed::parse(text, DecimalMark::Point, None).ok());
    if let Some(size) = size.filter(|size| size.dim() == Dim { bytes: 1, seconds: 0 }) {
        found.push(("block_size".to_owned(), size.token().to_owned()));
    }
    let depth = answers.get(&Question::Concurrency).and_then(|text| {
        let numbers = text.split("iodepth ").nth(1)?;
        let mut numbers =
            numbers.split(|one: char| !one.is_ascii_digit()).filter_map(|part| part.parse::<usize>().ok());
        Some(numbers.next()? * numbers.next().unwrap_or(1))
    });
    if let Some(depth) = depth {
        found.push(("outstanding".to_owned(), (depth * clients).to_string()));
    }
    found
}

/// How many digits a number has, zeros at its beginning left out.
fn digits(text: &str) -> usize {
    text.chars().filter(char::is_ascii_digit).collect::<String>().trim_start_matches('0').len()
}

/// A claims file with a row for each set of labels; none where nothing was measured.
fn as_paper(bytes: &[u8], name: &str) -> Option<String> {
    let decoded = tool::decode(bytes);
    let tool = tool::recognise(&decoded)?;
    let reading = tool.parse(Outputs::named(bytes, name));
    if reading.status != Status::Ok {
        return None;
    }
    let mut rows: BTreeMap<String, BTreeMap<&str, String>> = BTreeMap::new();
    for one in &reading.measurements {
        let role_name = own::name_of(one.metric.as_str());
        let (Some((known, ..)), Some(unit)) =
            (role::ROLES.iter().find(|(known, ..)| *known == role_name), Unit::parse(one.unit))
        else {
            continue;
        };
        let Some(value) = Exact::from_float(one.value) else { continue };
        let dim = Dim::of(unit.dimension());
        let Some(computed) = as_a_paper(&(&value * &scale_of(unit)), dim).filter(|_| role::dim_of(known) == Some(dim))
        else {
            continue;
        };
        // nobody prints more digits than the tool did
        let as_tool = one.printed.as_deref().and_then(|text| Printed::parse(text, DecimalMark::Point, None).ok());
        let printed = match as_tool.filter(|tool| tool.dim() == dim) {
            Some(tool) if digits(tool.digits()) < digits(computed.digits()) => tool,
            _ => computed,
        };
        let label = format!("{:?}", one.labels);
        let symbol = if dim == Dim::NONE { "" } else { printed.unit().symbol() };
        let has_unit = printed.token().contains(char::is_alphabetic) || symbol.is_empty();
        let token = if has_unit { printed.token().to_owned() } else { format!("{} {symbol}", printed.token()) };
        rows.entry(label).or_default().insert(known, token);
    }
    let roles: std::collections::BTreeSet<&str> = rows.values().flat_map(|row| row.keys().copied()).collect();
    if roles.is_empty() {
        return None;
    }
    let clients: std::collections::BTreeSet<&String> =
        reading.measurements.iter().filter_map(|one| one.labels.get("client")).collect();
    let set = facts(&tool.answers(Outputs::named(bytes, name)), clients.len().max(1));
    let set: Vec<String> = set.iter().map(|(name, value)| format!("{name}: \"{value}\"")).collect();
    let unit = |role: &str| match role::dim_of(role).map(|dim| (dim.bytes, dim.seconds)) {
        Some((1, -1)) => "B/s",
        Some((1, 0)) => "B",
        Some((0, 1)) => "s",
        Some((0, -1)) => "1/s",
        _ => "1",
    };
    let columns: Vec<String> =
        roles.iter().map(|role| format!("\"{role}\": {{role: {role}, unit: \"{}\"}}", unit(role))).collect();
    let cells = |(label, row): (&String, &BTreeMap<&str, String>)| {
        let cells = roles.iter().map(|role| row.get(role).map_or("\"–\"".to_owned(), |token| format!("\"{token}\"")));
        format!("[{}, {}]", serde_json::Value::from(label.as_str()), cells.collect::<Vec<_>>().join(", "))
    };
    let rows: Vec<String> = rows.iter().map(cells).collect();
    Some(format!(
        "format: benchpaper/claims@1\npaper: {{title: x}}\ntables:\n  t:\n    columns: {{labels: {{}}, {}}}\n    rows: [{}]\n    facts: [{{set: {{tool: {}, {}}}}}]\nclaims: []\n",
        columns.join(", "),
        rows.join(", "),
        tool.name(),
        set.join(", ")
    ))
}

/// The hard and physical checks that fail on an output.
fn broken(path: &Path) -> Option<(usize, Vec<String>)> {
    let bytes = std::fs::read(path).unwrap();
    let text = as_paper(&bytes, path.file_name().unwrap().to_str().unwrap())?;
    let (loaded, found) = claims::parse(&Source::new("claims.yaml", &text), &|name| Err(name.to_owned()));
    let loaded = loaded.unwrap_or_else(|| {
        panic!("{}: {:?}\n{text}", path.display(), found.iter().map(|one| &one.message).collect::<Vec<_>>())
    });
    let audit = audit(&loaded, None);
    let hard = audit.checks.iter().filter(|one| matches!(one.kind, Kind::Hard | Kind::Physical));
    let compared = hard.clone().filter(|one| matches!(one.verdict, Outcome::Pass | Outcome::Fail)).count();
    let failed = hard.filter(|one| one.verdict == Outcome::Fail);
    Some((
        compared,
        failed.map(|one| format!("{} {}: {} {:?}", one.check, one.place.label, one.detail, one.assumption)).collect(),
    ))
}

#[test]
fn right_outputs_of_tools_break_no_hard_rule() {
    let corpora = std::iter::once("tests/outputs".to_owned()).chain(std::env::var("BENCHPAPER_CORPUS").ok());
    let (mut files, mut compared, mut wrong) = (0, 0, vec![]);
    for corpus in corpora {
        for folder in std::fs::read_dir(&corpus).unwrap().flatten().filter(|entry| entry.path().is_dir()) {
            for file in std::fs::read_dir(folder.path()).unwrap().flatten() {
                let name = format!("{}/{}", folder.file_name().display(), file.file_name().display());
                let Some((count, failed)) = broken(&file.path()) else { continue };
                (files, compared) = (files + 1, compared + count);
                if !failed.is_empty() {
                    wrong.push((name, failed));
                }
            }
        }
    }
    println!("{files} outputs, {compared} comparisons");
    assert!(wrong.is_empty(), "{} files: {wrong:#?}", wrong.len());
    assert!(files > 30 && compared > 100, "{files} files, {compared} comparisons");
}
