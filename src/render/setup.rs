//! The parts of a paper that say what was measured, and on what: facts, disclosure, workloads, factors, arms.

use super::Scope;
use super::sections::{WORDS, cell, filled, paragraph};
use crate::document::{Block, Column, Inline, Table};
use crate::inventory::Fact;
use crate::manifest::Disclosure;

/// The machine.
pub(crate) fn setup(scope: &Scope<'_>) -> Vec<Block> {
    let mut rows = vec![];
    let mut not_affected = vec![];
    for (path, fact) in &scope.results.facts.0 {
        if let (Some(name), Some("Not affected")) = (path.strip_prefix("cpu.mitigation."), fact.value()) {
            not_affected.push(name);
            continue;
        }
        let value = match fact {
            Fact::Measured(value) | Fact::Declared(value) => value.clone(),
            Fact::Unavailable(reason) => reason.clone(),
        };
        rows.push(vec![cell(path.as_str()), cell(value), cell(fact.state())]);
    }
    if !not_affected.is_empty() {
        rows.push(vec![cell(WORDS.not_affected), cell(not_affected.join(", ")), cell("measured")]);
        rows.sort_by_key(|row| format!("{:?}", row[0]));
    }
    for (host, declared) in scope.experiment.hosts.iter() {
        for (path, value) in declared.declared.iter() {
            let path = format!("{}.{}", host.value, path.value);
            rows.push(vec![cell(path), cell(value.as_str()), cell("declared")]);
        }
    }
    let columns = vec![Column::text(WORDS.property), Column::text(WORDS.value), Column::text(WORDS.origin)];
    let mut blocks =
        vec![Block::Table(Table { id: "facts".to_owned(), caption: WORDS.facts_caption.to_owned(), columns, rows })];
    if let Some(disclosure) = &scope.experiment.disclosure {
        for (fact, reason) in disclosure.waived.iter() {
            let parts = vec![Inline::Code(fact.value.to_string()), Inline::text(reason.as_str())];
            blocks.push(paragraph(WORDS.disclosure_waived, parts));
        }
        let owed = owed(scope, disclosure);
        if !owed.is_empty() {
            blocks.push(paragraph(WORDS.disclosure_owed, vec![Inline::text(owed.join(", "))]));
        }
    }
    blocks
}

/// The facts that a paper of this kind should give and that are neither known, declared nor waived.
fn owed(scope: &Scope<'_>, disclosure: &Disclosure) -> Vec<String> {
    let declared = scope.experiment.hosts.iter().flat_map(|(_, host)| host.declared.names());
    let waived = disclosure.waived.names();
    let settled: Vec<&str> = declared.chain(waived).collect();
    let is_known = |wanted: &str| {
        let (start, end) = wanted.split_once('*').unwrap_or((wanted, ""));
        let fits = |path: &str| match wanted.contains('*') {
            true => path.starts_with(start) && path.ends_with(end),
            false => path == wanted,
        };
        let mut facts = scope.results.facts.0.iter().filter(|(path, _)| fits(path)).peekable();
        settled.iter().any(|path| fits(path) || *path == wanted)
            || (facts.peek().is_some() && facts.all(|(_, fact)| fact.value().is_some()))
    };
    disclosure.profile.facts().iter().filter(|wanted| !is_known(wanted)).map(|wanted| (*wanted).to_owned()).collect()
}

/// The settings of each workload, as the tool has them. Settings that a factor changes show all their values.
pub(crate) fn workloads(scope: &Scope<'_>) -> Vec<Block> {
    let mut names: Vec<&str> = scope.plan.cases.iter().map(|case| case.workload.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(|name| workload_table(scope, name)).collect()
}

fn workload_table(scope: &Scope<'_>, name: &str) -> Block {
    let mut rows: Vec<(String, Vec<String>)> = vec![];
    let cases = scope.plan.cases.iter().filter(|case| case.workload == name);
    for case in cases.take(1_000) {
        let described = crate::tool::find(&case.tool).map(|tool| tool.describe(&case.settings)).unwrap_or_default();
        let guest = case.guest.as_ref().map(|guest| guest.describe()).unwrap_or_default();
        for (setting, value) in described.into_iter().chain(guest) {
            match rows.iter_mut().find(|(one, _)| *one == setting) {
                Some((_, values)) if values.contains(&value) => {}
                Some((_, values)) => values.push(value),
                None => rows.push((setting, vec![value])),
            }
        }
    }
    let show = |values: Vec<String>| match values.len() {
        0..=12 => values.join(", "),
        count => format!("{}, … ({count})", values[..3].join(", ")),
    };
    let rows = rows.into_iter().map(|(setting, values)| vec![cell(setting), cell(show(values))]).collect();
    let columns = vec![Column::text(WORDS.setting), Column::text(WORDS.value)];
    Block::Table(Table { id: format!("workload-{name}"), caption: filled(WORDS.workload_caption, name), columns, rows })
}

/// Factors, levels, and what is left out.
pub(crate) fn matrix(scope: &Scope<'_>) -> Vec<Block> {
    let show = |levels: &[crate::manifest::Level]| {
        let texts: Vec<&str> = levels.iter().take(16).map(|level| level.text.as_str()).collect();
        let rest = if levels.len() > 16 { format!(", … ({})", levels.len()) } else { String::new() };
        format!("{}{rest}", texts.join(", "))
    };
    let factors = scope.experiment.matrix.factors.iter();
    let rows = factors.map(|(name, levels)| vec![cell(name.value.as_str()), cell(show(&levels.0))]).collect();
    let columns = vec![Column::text(WORDS.factor), Column::text(WORDS.levels)];
    let mut blocks =
        vec![Block::Table(Table { id: "matrix".to_owned(), caption: WORDS.matrix_caption.to_owned(), columns, rows })];
    if !scope.experiment.arms.is_empty() {
        let arms = scope.experiment.arms.iter();
        let rows = arms.map(|(name, arm)| {
            vec![cell(name.value.as_str()), cell(shown(arm)), cell(arm.why.clone().unwrap_or_default())]
        });
        let columns = vec![Column::text(WORDS.arm), Column::text(WORDS.sets), Column::text(WORDS.reason)];
        let caption = WORDS.arms_caption.to_owned();
        blocks.push(Block::Table(Table { id: "arms".to_owned(), caption, columns, rows: rows.collect() }));
    }
    if !scope.excluded.is_empty() {
        let rows =
            scope.excluded.iter().map(|(case, reason)| vec![cell(case.as_str()), cell(reason.as_str())]).collect();
        let columns = vec![Column::text(WORDS.left_out), Column::text(WORDS.reason)];
        blocks.push(Block::Table(Table {
            id: "excluded".to_owned(),
            caption: WORDS.excluded_caption.to_owned(),
            columns,
            rows,
        }));
    }
    blocks
}

/// The settings of an arm in one line.
fn shown(arm: &crate::manifest::Arm) -> String {
    let parts = [&arm.set, &arm.guests].into_iter().flatten().map(|node| node.shown());
    parts.collect::<Vec<_>>().join("; ")
}
