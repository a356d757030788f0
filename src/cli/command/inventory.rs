//! `inventory`: the facts of this machine.

use std::collections::BTreeMap;
use std::path::Path;

use crate::cli::arguments::InventoryArguments;
use crate::cli::failure::Failure;
use crate::cli::workspace::Workspace;
use crate::cli::{Session, show};
use crate::inventory::saved::{self, Saved};
use crate::inventory::{self, Fact};
use crate::os::Kind;
use crate::plan;

/// The largest saved output that is read, in bytes.
const FILE_LIMIT_BYTES: u64 = 64 << 20;
/// The most saved outputs.
const FILES_MAX: usize = 10_000;

pub(crate) fn run(session: &Session, arguments: &InventoryArguments) -> Result<u8, Failure> {
    if let Some(folder) = &arguments.from {
        return from_folder(session, folder);
    }
    let scratch = Workspace::here(session).map(|workspace| workspace.root).unwrap_or_else(|_| ".".into());
    let programs = if arguments.programs.is_empty() { vec!["fio".to_owned()] } else { arguments.programs.clone() };
    let programs = plan::inspected(&programs);
    let scope = inventory::Scope { os: &*session.os, scratch: &scratch, programs: &programs };
    let found = inventory::collect(&scope);
    if session.is_json {
        show::print_json(&found)?;
        return Ok(0);
    }
    if arguments.fragment {
        let values = found.0.iter().filter_map(|(path, fact)| Some((path.clone(), fact.value()?.to_owned())));
        let declared: BTreeMap<String, String> = values.collect();
        let fragment = BTreeMap::from([("declared", declared)]);
        show::print(&serde_yaml::to_string(&fragment).map_err(|error| Failure::incomplete(error.to_string()))?);
        return Ok(0);
    }
    let rows: Vec<Vec<String>> = found
        .0
        .iter()
        .map(|(path, fact)| {
            let value = match fact {
                Fact::Measured(value) | Fact::Declared(value) | Fact::Unavailable(value) => {
                    value.chars().take(90).collect()
                }
            };
            vec![path.clone(), value, fact.state().to_owned()]
        })
        .collect();
    show::print(&show::table(&["fact", "value", "how known"], &rows, &[]));
    Ok(0)
}

/// The facts that a folder of saved outputs says, as the fragment of a manifest.
fn from_folder(session: &Session, folder: &Path) -> Result<u8, Failure> {
    let os = &*session.os;
    let real = os.canonical(folder).map_err(Failure::io(folder))?;
    let (mut files, mut left_out) = (vec![], vec![]);
    for name in os.list(&real).map_err(Failure::io(folder))?.into_iter().filter(|name| !name.starts_with('.')) {
        let path = real.join(&name);
        // links are not followed: nothing outside the folder is read
        match os.stat(&path).map_err(Failure::io(&path))?.kind {
            Kind::File => match os.read(&path, FILE_LIMIT_BYTES) {
                Ok(bytes) => files.push((name, bytes)),
                Err(error) => left_out.push(format!("{name}: {error}")),
            },
            Kind::Folder => left_out.push(format!("{name}: a folder; name it by itself")),
            _ => left_out.push(format!("{name}: it is no file")),
        }
        if files.len() > FILES_MAX {
            return Err(Failure::usage(format!("more than {FILES_MAX} files")).help("Read them in parts."));
        }
    }
    let mut saved = saved::read(&files);
    saved.problems.splice(0..0, left_out);
    let owed = saved::owed(&saved.facts);
    if session.is_json {
        show::print_json(
            &serde_json::json!({"facts": saved.facts, "origins": saved.origins, "problems": saved.problems, "owed": owed}),
        )?;
    } else {
        show::print(&fragment(&saved)?);
        saved.problems.iter().for_each(|problem| show::note(&format!("warning: {problem}")));
        if !owed.is_empty() {
            show::note("a trustworthy storage paper also discloses, and these outputs do not say:");
            owed.iter().for_each(|one| show::note(&format!("  {}: {}", one.what, one.from)));
        }
    }
    if saved.origins.is_empty() {
        return Err(Failure::usage(format!("{}: no output in it is understood", folder.display())));
    }
    Ok(u8::from(!saved.problems.is_empty()))
}

/// The part of a manifest that says what was found, and where.
fn fragment(saved: &Saved) -> Result<String, Failure> {
    let mut text = String::from(
        "# Facts of a machine, read from saved outputs. Keep the outputs in `inventory/` beside the manifest.\n",
    );
    let mut facts = BTreeMap::new();
    for (path, fact) in &saved.facts.0 {
        let (Some(value), Some(origin)) = (fact.value(), saved.origins.get(path)) else { continue };
        let one = BTreeMap::from([
            ("measured", value.to_owned()),
            ("object", origin.object.to_string()),
            ("file", origin.file.clone()),
        ]);
        facts.insert(path.clone(), one);
    }
    let yaml = serde_yaml::to_string(&facts).map_err(|error| Failure::incomplete(error.to_string()))?;
    text.push_str("hosts:\n  sut:\n    role: sut\n    access: none\n    facts:\n");
    yaml.lines().for_each(|line| text.push_str(&format!("      {line}\n")));
    for (path, fact) in &saved.facts.0 {
        if let Fact::Unavailable(reason) = fact {
            text.push_str(&format!("# not known: {path} ({reason})\n"));
        }
    }
    Ok(text)
}
