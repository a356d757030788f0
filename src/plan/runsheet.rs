//! The run sheet: what a person sets, clicks or types for each job in order, and under which name to save what comes out.

use std::collections::BTreeMap;

use super::{Case, Plan, Reason};
use crate::document::{Block, Column, Document, Inline, Table, TitleBlock};
use crate::manifest::Experiment;
use crate::tool;

/// A run sheet.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct RunSheet {
    /// What is done to run a job; several jobs share one.
    pub procedures: Vec<Vec<String>>,
    /// The jobs, in order.
    pub entries: Vec<Entry>,
}

/// One job, or several whose results stand in one output.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Entry {
    /// From 1.
    pub number: usize,
    /// What is to be set: factor and level.
    pub set: Vec<(String, String)>,
    /// Those of them that the job before had otherwise.
    pub changed: Vec<String>,
    /// What is done to bring the arm about.
    pub arm: Vec<String>,
    /// Which procedure, from 1.
    pub procedure: usize,
    /// From 1.
    pub replicate: u64,
    /// From 1, where the design has sessions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<u64>,
    /// The name of the file to save.
    pub save_as: String,
    /// How many jobs of the plan it answers.
    pub jobs: usize,
    /// The rows of the output that are wanted, where the settings choose among several.
    pub rows: Vec<String>,
}

/// The run sheet of the jobs that wait for a person.
pub fn of(experiment: &Experiment, plan: &Plan, reasons: &[Reason]) -> RunSheet {
    let mut sheet = RunSheet { procedures: vec![], entries: vec![] };
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let waiting = plan.jobs.iter().zip(reasons).filter(|(_, reason)| **reason == Reason::ByHand);
    for (job, _) in waiting {
        let case = &plan.cases[job.case];
        let (Some(manual), Some(tool)) = (&case.manual, tool::find(&case.tool)) else { continue };
        let save_as = format!("{}_r{}.{}", manual.file, job.replicate, tool.extension());
        if let Some(place) = places.get(&save_as) {
            sheet.entries[*place].jobs += 1;
            sheet.entries[*place].rows.extend(row_of(tool, case));
            narrow(&mut sheet.entries[*place], case);
            continue;
        }
        places.insert(save_as.clone(), sheet.entries.len());
        let mut steps = case.work().map(|work| work.steps(case.timing)).unwrap_or_default();
        if steps.is_empty() {
            steps.push(format!(
                "Run {} for the workload `{}`, with the settings of the job, and save all that it prints. The manifest names no command: ask its author, and note what you typed.",
                case.tool, case.workload
            ));
        }
        steps.splice(0..0, fills(experiment));
        if let Some(workload) = experiment.workloads.get(&case.workload) {
            steps.splice(0..0, workload.steps.iter().cloned());
        }
        let arm = case.factors.get("arm").and_then(|arm| experiment.arms.get(arm));
        let known = sheet.procedures.iter().position(|one| *one == steps);
        let procedure = known.unwrap_or_else(|| {
            sheet.procedures.push(steps);
            sheet.procedures.len() - 1
        });
        sheet.entries.push(Entry {
            number: sheet.entries.len() + 1,
            set: case.factors.iter().map(|(factor, level)| (factor.clone(), level.clone())).collect(),
            changed: vec![],
            arm: arm.map(|arm| arm.steps.clone()).unwrap_or_default(),
            procedure: procedure + 1,
            replicate: job.replicate,
            session: job.session,
            save_as,
            jobs: 1,
            rows: row_of(tool, case).into_iter().collect(),
        });
    }
    note_changes(&mut sheet.entries);
    sheet
}

/// The row of an output that a case is read from.
fn row_of(tool: &dyn tool::Tool, case: &Case) -> Option<String> {
    let is_selector = |(name, _): &(String, String)| tool.selectors().contains(&name.as_str());
    let words: Vec<String> = case.work()?.describe().into_iter().filter(is_selector).map(|(_, value)| value).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// What is done to devices before anything counts.
fn fills(experiment: &Experiment) -> Vec<String> {
    let one = |step: &crate::manifest::Precondition| {
        let passes = step.fill.passes.unwrap_or(1);
        let times = if passes == 1 { "once".to_owned() } else { format!("{passes} times") };
        format!("Before the first job of all: write {} from its start to its end, {times}.", step.fill.device.value)
    };
    experiment.design.precondition.iter().map(one).collect()
}

/// A factor in which cases of one output differ only chooses among its rows: nobody sets it.
fn narrow(entry: &mut Entry, case: &Case) {
    entry.set.retain(|(factor, level)| case.factors.get(factor) == Some(level));
}

fn note_changes(entries: &mut [Entry]) {
    for at in 0..entries.len() {
        let before = if at == 0 { vec![] } else { entries[at - 1].set.clone() };
        let is_other = |pair: &&(String, String)| !before.contains(pair);
        entries[at].changed = entries[at].set.iter().filter(is_other).map(|(factor, _)| factor.clone()).collect();
    }
}

/// As text for a terminal or a printer.
pub fn text(experiment: &Experiment, sheet: &RunSheet) -> String {
    let mut lines =
        vec![format!("Run sheet: {} ({} {})", experiment.title, experiment.name.value, experiment.version.value)];
    for (number, steps) in sheet.procedures.iter().enumerate() {
        lines.push(format!("\nProcedure {}", number + 1));
        let mut step_number = 0;
        for step in steps {
            if let Some(indented) = step.strip_prefix("    ") {
                lines.push(format!("       {indented}"));
            } else {
                step_number += 1;
                lines.push(format!("  {step_number}. {step}"));
            }
        }
    }
    let mut session = None;
    for entry in &sheet.entries {
        let is_new_session = entry.session != session;
        session = entry.session;
        if let Some(number) = session.filter(|_| is_new_session) {
            lines.push(format!("\nSession {number}: set up anew, so that nothing of the session before is left"));
        }
        lines.push(format!("\n[ ] {}. procedure {}, replicate {}", entry.number, entry.procedure, entry.replicate));
        for (factor, level) in &entry.set {
            let mark = if entry.changed.contains(factor) && entry.number > 1 { "  <- change" } else { "" };
            lines.push(format!("      set   {factor} = {level}{mark}"));
        }
        // what brings an arm about is done when the arm changes, and in each session
        if is_new_session || entry.changed.iter().any(|factor| factor == "arm") {
            lines.extend(entry.arm.iter().map(|step| format!("      do    {step}")));
        }
        let jobs = if entry.jobs > 1 { format!("   (answers {} jobs)", entry.jobs) } else { String::new() };
        lines.push(format!("      save  {}{jobs}", entry.save_as));
        if !entry.rows.is_empty() {
            lines.push(format!("      holds {}", entry.rows.join("; ")));
        }
        lines.push("      done at ____________  by ____________  remarks ______________________________".to_owned());
    }
    lines.push(format!("\nThen: benchpaper import experiments/{} FOLDER", experiment.name.value));
    lines.join("\n")
}

/// Steps with numbers; what is typed stands in a block of its own.
fn numbered(steps: &[String]) -> Vec<Block> {
    let (mut blocks, mut number) = (vec![], 0);
    for step in steps {
        match (step.strip_prefix("    "), blocks.last_mut()) {
            (Some(typed), Some(Block::Code(code))) => {
                code.push('\n');
                code.push_str(typed);
            }
            (Some(typed), _) => blocks.push(Block::Code(typed.to_owned())),
            (None, _) => {
                number += 1;
                let mut text = vec![Inline::Strong(format!("{number}.")), Inline::text(" ")];
                for (at, part) in step.split('`').enumerate().filter(|(_, part)| !part.is_empty()) {
                    text.push(if at % 2 == 1 { Inline::Code(part.to_owned()) } else { Inline::text(part) });
                }
                blocks.push(Block::Paragraph(text));
            }
        }
    }
    blocks
}

/// A job as the row of a table: what is set, and the name of the file with the rows that it must hold.
fn row(entry: &Entry) -> Vec<Vec<Inline>> {
    let words = |text: &str| vec![Inline::text(text)];
    let mut set: Vec<Inline> =
        entry.session.map(|session| Inline::text(format!("session {session}: "))).into_iter().collect();
    for (number, (factor, level)) in entry.set.iter().enumerate() {
        if number > 0 {
            set.push(Inline::text(", "));
        }
        let text = format!("{factor} = {level}");
        let is_changed = entry.changed.contains(factor) && entry.number > 1;
        set.push(if is_changed { Inline::Strong(text) } else { Inline::Text(text) });
    }
    let mut file = vec![Inline::Code(entry.save_as.clone())];
    if !entry.rows.is_empty() {
        file.push(Inline::text(format!(", which holds {}", entry.rows.join("; "))));
    }
    vec![
        words(&format!("[  ] {}", entry.number)),
        set,
        words(&entry.procedure.to_string()),
        file,
        words("………………………"),
        words("………………………………"),
    ]
}

/// As a page to take along.
pub fn document(experiment: &Experiment, sheet: &RunSheet, date: String) -> Document {
    let words = |text: &str| vec![Inline::text(text)];
    let mut blocks = vec![Block::Heading { level: 1, text: words("Procedures") }];
    for (number, steps) in sheet.procedures.iter().enumerate() {
        blocks.push(Block::Heading { level: 2, text: words(&format!("Procedure {}", number + 1)) });
        blocks.extend(numbered(steps));
    }
    let arms: Vec<_> = experiment.arms.iter().filter(|(_, arm)| !arm.steps.is_empty()).collect();
    if !arms.is_empty() {
        blocks.push(Block::Heading { level: 1, text: words("Arms") });
        for (name, arm) in arms {
            blocks.push(Block::Heading { level: 2, text: words(name.value.as_str()) });
            blocks.extend(numbered(&arm.steps));
        }
    }
    blocks.push(Block::Heading { level: 1, text: words("Jobs") });
    let columns = ["", "Set", "Procedure", "Save as", "Done at, by", "Remarks"].map(Column::text).to_vec();
    let rows = sheet.entries.iter().map(row);
    let caption = "The jobs in order; what is set in bold differs from the job before".to_owned();
    blocks.push(Block::Table(Table { id: "jobs".to_owned(), caption, columns, rows: rows.collect() }));
    let import = Inline::Code(format!("benchpaper import experiments/{} FOLDER", experiment.name.value));
    blocks.push(Block::Paragraph(vec![Inline::text("The folder with all files goes to "), import, Inline::text(".")]));
    Document {
        title: TitleBlock {
            title: format!("Run sheet: {}", experiment.title),
            authors: experiment.authors.iter().map(|author| author.name.clone()).collect(),
            version: experiment.version.value.clone(),
            date,
            question: experiment.question.clone(),
            ..TitleBlock::default()
        },
        blocks,
        ..Document::default()
    }
}
