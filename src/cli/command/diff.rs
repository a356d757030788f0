//! `diff`: what differs between two records of an experiment, and what may be concluded.

use super::verify::{in_child, limit_this_process};
use crate::audit::{self, Evidence};
use crate::claims;
use crate::cli::arguments::{DiffArguments, Format};
use crate::cli::failure::Failure;
use crate::cli::side::{self, Found};
use crate::cli::{Session, show};
use crate::compare::Verdict;
use crate::diff::{self, ClaimChange, Diff, Kind, Row, Side};
use crate::os;
use crate::render::ENGLISH;
use crate::render::format::markdown;
use crate::source::Source;

/// The width of a terminal.
const WIDTH: usize = 100;

pub(crate) fn run(session: &Session, arguments: &DiffArguments) -> Result<u8, Failure> {
    if arguments.sides.iter().any(|given| side::is_paper(session, given)) {
        if !arguments.limited {
            return in_child(session);
        }
        limit_this_process()?;
    }
    let profile = arguments.profile.as_deref();
    let found: Result<Vec<Found>, Failure> =
        arguments.sides.iter().map(|given| side::find(session, given, profile)).collect();
    let found = found?;
    let [a, b] = found.as_slice() else { return series(session, &found) };
    for side in [&a.side, &b.side] {
        if is_empty(side) {
            show::note(&format!("warning: {} has no results", side.name));
        }
    }
    let diff = diff::diff(&a.side, &b.side, claims_of((a, b)));
    if let Some(folder) = &arguments.isolate {
        isolate(session, folder, (&diff, &a.side, &b.side))?;
    }
    match session.format {
        Format::Json => show::print_json(&diff)?,
        Format::Markdown => {
            let date: String = os::timestamp(session.os.now_ns()).chars().take(10).collect();
            show::print(&markdown::write(&diff::report(&diff, &date), &ENGLISH));
        }
        Format::Sarif => return Err(Failure::usage("a diff is no SARIF: use text, json or markdown")),
        Format::Text => text(&diff, arguments.all),
    }
    if is_empty(&a.side) || is_empty(&b.side) {
        return Ok(3);
    }
    Ok(u8::from(diff.is_different()))
}

fn is_empty(side: &Side) -> bool {
    side.results.cases.iter().all(|case| case.metrics.is_empty())
}

/// Claims whose verdict differs between what the two sides measured.
fn claims_of((a, b): (&Found, &Found)) -> Vec<ClaimChange> {
    let Some(text) = b.claims.as_ref().or(a.claims.as_ref()) else { return vec![] };
    let (Some(loaded), _) = claims::parse(&Source::new("claims.yaml", text), &|name| Err(name.to_owned())) else {
        return vec![];
    };
    if loaded.claims.paper.ours != Some(true) {
        return vec![];
    }
    let verdicts = |side: &Side| {
        let evidence = Evidence::of_results(&side.experiment, &side.plan, &side.results);
        audit::audit(&loaded, Some(evidence)).claims
    };
    let (one, other) = (verdicts(&a.side), verdicts(&b.side));
    let changed = one.into_iter().zip(other).filter(|(one, other)| one.verdict != other.verdict);
    changed
        .map(|(one, other)| ClaimChange {
            id: one.id,
            text: one.text,
            a: one.verdict.word().to_owned(),
            b: other.verdict.word().to_owned(),
        })
        .collect()
}

/// Writes the manifests that separate causes.
fn isolate(session: &Session, folder: &std::path::Path, (diff, a, b): (&Diff, &Side, &Side)) -> Result<(), Failure> {
    let (made, fixed) = diff::isolate::isolate(diff, a, b);
    for one in &made {
        let folder = folder.join(&one.name);
        os::create_folders(&*session.os, &folder).map_err(Failure::io(&folder))?;
        let path = folder.join("experiment.yaml");
        if os::is_there(&*session.os, &path).unwrap_or(false) {
            return Err(Failure::usage(format!("{} is there already", path.display())));
        }
        os::write_atomically(&*session.os, &path, one.manifest.as_bytes()).map_err(Failure::io(&path))?;
        show::note(&format!("{} changes {} alone", path.display(), one.cause));
    }
    for cause in &fixed {
        show::note(&format!("no manifest changes {cause}: run the first side again where it is as on the second"));
    }
    if made.is_empty() && fixed.is_empty() {
        show::note("there is nothing to separate: at most one cause differs");
    }
    Ok(())
}

/// For a terminal of 100 columns.
fn text(diff: &Diff, is_all: bool) {
    show::print(&format!("{}  →  {}", diff.a, diff.b));
    show::print("");
    show::wrap(&diff.attribution(), WIDTH).iter().for_each(|line| show::print(line));
    for caveat in &diff.caveats {
        show::wrap(&format!("note: {caveat}"), WIDTH).iter().for_each(|line| show::print(line));
    }
    let folded = diff.factors.iter().filter(|factor| factor.kind == Kind::Prose).count();
    let listed = diff.factors.iter().filter(|factor| is_all || factor.kind != Kind::Prose);
    let rows: Vec<Vec<String>> = listed
        .map(|factor| {
            let side = |text: &Option<String>| short(text.as_deref().unwrap_or("–"), 24);
            vec![factor.kind.word().to_owned(), short(&factor.path, 40), side(&factor.a), side(&factor.b)]
        })
        .collect();
    if !rows.is_empty() {
        show::print("\nwhat was pinned");
        show::print(&show::table(&["", "path", "A", "B"], &rows, &[]));
        for kind in kinds(diff, is_all) {
            show::print(&format!("  {}: {}", kind.word(), kind.meaning()));
        }
    }
    if folded > 0 && !is_all {
        show::print(&format!("({folded} differences that people read and jobs do not: `--all` shows them)"));
    }
    results(diff, is_all);
    if !diff.claims.is_empty() {
        show::print("\nclaims whose verdict differs");
        for claim in &diff.claims {
            show::print(&format!("  {}: {} → {}  {}", claim.id, claim.a, claim.b, claim.text));
        }
    }
}

/// The kinds of differences that are listed.
fn kinds(diff: &Diff, is_all: bool) -> std::collections::BTreeSet<Kind> {
    let listed = diff.factors.iter().filter(|factor| is_all || factor.kind != Kind::Prose);
    listed.map(|factor| factor.kind).collect()
}

fn results(diff: &Diff, is_all: bool) {
    if diff.results.is_empty() {
        show::print("\nno side has results");
        return;
    }
    let is_same = |row: &&Row| row.why == diff::SAME_OBJECTS;
    let is_listed = |row: &&Row| is_all || (row.verdict != Verdict::Equivalent && !is_same(row));
    let listed: Vec<&Row> = diff.results.iter().filter(is_listed).collect();
    if !listed.is_empty() {
        show::print("\nwhat came out");
        let rows: Vec<Vec<String>> = listed
            .iter()
            .map(|row| {
                let verdict = format!("{} {}", row.verdict.sign(), row.verdict.word());
                [vec![verdict, short(&row.levels, 26)], row.figures().to_vec()].concat()
            })
            .collect();
        let heads = ["", "case", "metric", "A", "B", "change", "interval (level)", "p (BH)"];
        show::print(&show::table(&heads, &rows, &[3, 4, 5, 6, 7]));
        let has_more = |row: &&&Row| !row.why.is_empty() || row.needed.is_some() || !row.hidden.is_empty();
        for row in listed.iter().filter(|row| !is_same(row)).filter(has_more) {
            for line in show::wrap(&format!("{} {}: {}", row.levels, row.metric, row.said()), WIDTH - 2) {
                show::print(&format!("  {line}"));
            }
        }
    }
    let mut counts: std::collections::BTreeMap<Verdict, usize> = Default::default();
    for row in &diff.results {
        *counts.entry(row.verdict).or_default() += 1;
    }
    let counted: Vec<String> = counts.iter().map(|(verdict, count)| format!("{count} {}", verdict.word())).collect();
    show::print(&format!("\n{} comparisons: {}", diff.results.len(), counted.join(", ")));
    let folded = diff.results.iter().filter(|row| row.verdict == Verdict::Equivalent && !is_same(row)).count();
    if folded > 0 && !is_all {
        show::print(&format!("{folded} that are equivalent are not listed: `--all` lists them"));
    }
    let same = diff.results.iter().filter(is_same).count();
    if same > 0 {
        show::print(&format!("{same} of them rest on the same raw objects: nothing was measured in between"));
    }
    let undecided = diff.results.iter().filter_map(|row| row.needed);
    if let Some(most) = undecided.max() {
        show::print(&format!("to decide what is open for want of replicates, a fresh run needs up to {most};"));
        show::print("adding to these until it looks right does not count");
    }
    let methods: std::collections::BTreeSet<(&str, &str)> =
        diff.results.iter().filter_map(|row| row.ratio).map(|ratio| (ratio.method, ratio.estimand)).collect();
    for (method, estimand) in methods {
        let words = format!("method: {method}; estimated: {estimand}");
        show::wrap(&words, WIDTH).iter().for_each(|line| show::print(line));
    }
}

fn short(text: &str, most: usize) -> String {
    if text.chars().count() <= most { text.to_owned() } else { text.chars().take(most - 1).chain(['…']).collect() }
}

/// Many sides in the order of time: where a metric of a case seems to change for good.
fn series(session: &Session, found: &[Found]) -> Result<u8, Failure> {
    let sides: Vec<&Side> = found.iter().map(|one| &one.side).collect();
    let series = diff::series(&sides);
    match session.format {
        Format::Json => show::print_json(&series)?,
        _ => {
            show::print(&format!("{} sides, {} series", sides.len(), series.len()));
            for one in &series {
                show::print(&format!("  {} {}: {}", one.case, one.metric, one.said()));
            }
        }
    }
    Ok(u8::from(series.iter().any(|one| one.change.is_some())))
}
