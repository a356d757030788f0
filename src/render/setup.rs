//! The parts of a paper that say what was measured, and on what: facts, disclosure, workloads, factors, arms.

use std::collections::BTreeSet;

use super::Scope;
use super::part::{Part, captioned, named};
use super::sections::cell;
use crate::document::{Block, Column, Inline, Table};
use crate::inventory::Fact;
use crate::words::Word;

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
        rows.push(vec![cell(path.as_str()), cell(value), scope.code("fact", fact.state())]);
    }
    if !not_affected.is_empty() {
        rows.push(vec![
            scope.sentence(Word::NotAffected),
            cell(not_affected.join(", ")),
            scope.code("fact", "measured"),
        ]);
        rows.sort_by_key(|row| format!("{:?}", row[0]));
    }
    for (host, declared) in scope.experiment.hosts.iter() {
        for (path, value) in declared.declared.iter() {
            let path = format!("{}.{}", host.value, path.value);
            rows.push(vec![cell(path), cell(value.as_str()), scope.code("fact", "declared")]);
        }
    }
    let columns = vec![
        Column::text(scope.text(Word::Property)),
        Column::text(scope.text(Word::Value)),
        Column::text(scope.text(Word::Origin)),
    ];
    let is_saved = scope.experiment.is_all_manual();
    let caption = scope.text(if is_saved { Word::FactsSavedCaption } else { Word::FactsCaption });
    let mut blocks = vec![];
    if !rows.is_empty() || !is_saved {
        blocks.push(Block::Table(Table { id: "facts".to_owned(), caption, columns, rows }));
    }
    blocks.extend(guests(scope));
    if let Some(disclosure) = &scope.experiment.disclosure {
        for (fact, reason) in disclosure.waived.iter() {
            let (subject, reason) = (Inline::Code(fact.value.to_string()), Inline::text(reason.as_str()));
            blocks.push(scope.paragraph(Word::DisclosureWaived { subject, reason }));
        }
        let owed = crate::results::owed(scope.experiment, scope.results);
        if !owed.is_empty() {
            blocks.push(scope.paragraph(Word::DisclosureOwed { subjects: Inline::text(owed.join(", ")) }));
        }
    }
    blocks
}

/// What guests said of themselves, and what they booted; a fact that differs shows each value with how often it was said.
fn guests(scope: &Scope<'_>) -> Option<Block> {
    let said = &scope.results.guest_facts;
    if said.is_empty() {
        return None;
    }
    let times =
        |value: &String, count: u64| scope.text(Word::ValueTimes { value: value.as_str().into(), count: count.into() });
    let show = |values: &std::collections::BTreeMap<String, u64>| match values.len() {
        1 => values.keys().next().cloned().unwrap_or_default(),
        0..=8 => values.iter().map(|(value, count)| times(value, *count)).collect::<Vec<_>>().join(", "),
        count => scope.text(Word::DifferentValues { count: count.into() }),
    };
    let mut rows: Vec<_> = said
        .iter()
        .map(|(path, values)| vec![cell(path.as_str()), cell(show(values)), scope.code("fact", "measured")])
        .collect();
    for (name, image) in &scope.lock.images {
        let mut add = |property: &str, value: String| {
            rows.push(vec![cell(format!("{name}.{property}")), cell(value), scope.code("fact", "pinned")])
        };
        add("kernel", image.kernel.to_string());
        add("initramfs", image.initramfs.to_string());
        let packages = image.packages.iter().map(|package| format!("{} {}", package.name, package.version));
        add("packages", packages.collect::<Vec<_>>().join(", "));
        if let Some(compiler) = &image.compiler {
            add("compiler", compiler.clone());
        }
    }
    let columns = vec![
        Column::text(scope.text(Word::Property)),
        Column::text(scope.text(Word::Value)),
        Column::text(scope.text(Word::Origin)),
    ];
    Some(Block::Table(Table { id: "guests".to_owned(), caption: scope.text(Word::GuestsCaption), columns, rows }))
}

/// The settings of each workload, as the tool has them. Settings that a factor changes show all their values.
pub(crate) fn workloads(scope: &Scope<'_>) -> Vec<Block> {
    let mut names: Vec<&str> = scope.plan.cases.iter().map(|case| case.workload.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let mut blocks: Vec<Block> = names.into_iter().filter_map(|name| workload_table(scope, name)).collect();
    let guests = scope.plan.cases.iter().filter_map(|case| case.guest.as_ref()).map(|guest| guest.describe());
    let mut rows = settings(guests);
    if !rows.is_empty() {
        let specs = scope.plan.cases.iter().filter_map(|case| case.guest.as_ref());
        let emulators: BTreeSet<&str> = specs.map(|spec| spec.hypervisor().emulator().name).collect();
        for emulator in emulators {
            if let Some(version) = scope.results.facts.value(&format!("tool.{emulator}.version")) {
                rows.insert(0, vec![scope.sentence(Word::Hypervisor), cell(version)]);
            }
        }
        let columns = vec![Column::text(scope.text(Word::Setting)), Column::text(scope.text(Word::Value))];
        let caption = scope.text(Word::GuestSettingsCaption);
        blocks.push(Block::Table(Table { id: "guest-settings".to_owned(), caption, columns, rows }));
    }
    blocks
}

/// Settings of several cases in one table: a setting that differs shows all its values.
fn settings(cases: impl Iterator<Item = Vec<(String, String)>>) -> Vec<Vec<Vec<Inline>>> {
    const CASES_MAX: usize = 1_000;
    let mut rows: Vec<(String, Vec<String>)> = vec![];
    for (setting, value) in cases.take(CASES_MAX).flatten() {
        match rows.iter_mut().find(|(one, _)| *one == setting) {
            Some((_, values)) if values.contains(&value) => {}
            Some((_, values)) => values.push(value),
            None => rows.push((setting, vec![value])),
        }
    }
    let show = |values: Vec<String>| match values.len() {
        0..=12 => values.join(", "),
        count => format!("{}, … ({count})", values[..3].join(", ")),
    };
    rows.into_iter().map(|(setting, values)| vec![cell(setting), cell(show(values))]).collect()
}

/// None where a tool has no settings that are known.
fn workload_table(scope: &Scope<'_>, name: &str) -> Option<Block> {
    let cases = scope.plan.cases.iter().filter(|case| case.workload == name);
    let described = cases.filter_map(|case| Some(case.work()?.describe()));
    let rows = settings(described);
    let columns = vec![Column::text(scope.text(Word::Setting)), Column::text(scope.text(Word::Value))];
    let caption = scope.text(Word::WorkloadCaption { workload: name.into() });
    (!rows.is_empty()).then(|| Block::Table(Table { id: format!("workload-{name}"), caption, columns, rows }))
}

/// Factors, levels, and what is left out.
pub(crate) fn matrix(scope: &Scope<'_>) -> Vec<Block> {
    let show = |levels: &[crate::manifest::Level]| {
        let texts: Vec<&str> = levels.iter().take(16).map(|level| level.text.as_str()).collect();
        let rest = if levels.len() > 16 { format!(", … ({})", levels.len()) } else { String::new() };
        format!("{}{rest}", texts.join(", "))
    };
    let mut blocks = vec![];
    for (number, part) in scope.experiment.matrix.parts().enumerate() {
        let rows = part.factors.iter().map(|(name, levels)| vec![cell(name.value.as_str()), cell(show(&levels.0))]);
        let columns = vec![Column::text(scope.text(Word::Factor)), Column::text(scope.text(Word::Levels))];
        let one = Part { title: part.title, number };
        let caption = captioned(scope.text(Word::MatrixCaption), one);
        blocks.push(Block::Table(Table { id: named("matrix", one), caption, columns, rows: rows.collect() }));
    }
    if !scope.experiment.arms.is_empty() {
        let arms = scope.experiment.arms.iter();
        let rows = arms.map(|(name, arm)| {
            vec![cell(name.value.as_str()), cell(shown(arm)), cell(arm.why.clone().unwrap_or_default())]
        });
        let columns = vec![
            Column::text(scope.text(Word::Arm)),
            Column::text(scope.text(Word::ArmSettings)),
            Column::text(scope.text(Word::Reason)),
        ];
        let caption = scope.text(Word::ArmsCaption);
        blocks.push(Block::Table(Table { id: "arms".to_owned(), caption, columns, rows: rows.collect() }));
    }
    if !scope.resolved.excluded.is_empty() {
        let rows = scope
            .resolved
            .excluded
            .iter()
            .map(|(case, reason)| vec![cell(case.as_str()), cell(reason.as_str())])
            .collect();
        let columns = vec![Column::text(scope.text(Word::LeftOut)), Column::text(scope.text(Word::Reason))];
        blocks.push(Block::Table(Table {
            id: "excluded".to_owned(),
            caption: scope.text(Word::ExcludedCaption),
            columns,
            rows,
        }));
    }
    blocks
}

/// The settings of an arm in one line.
fn shown(arm: &crate::manifest::Arm) -> String {
    let set = arm.set.iter().map(crate::manifest::node::Node::shown);
    let guests = arm.guests.iter().map(|node| format!("guests: {}", node.shown()));
    set.chain(guests).collect::<Vec<_>>().join("; ")
}
