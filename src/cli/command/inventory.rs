//! `inventory`: the facts of this machine.

use crate::cli::arguments::InventoryArguments;
use crate::cli::failure::Failure;
use crate::cli::workspace::Workspace;
use crate::cli::{Session, show};
use crate::inventory::{self, Fact};

pub(crate) fn run(session: &Session, arguments: &InventoryArguments) -> Result<u8, Failure> {
    let scratch = Workspace::here(session).map(|workspace| workspace.root).unwrap_or_else(|_| ".".into());
    let programs = if arguments.programs.is_empty() { vec!["fio".to_owned()] } else { arguments.programs.clone() };
    let scope = inventory::Scope { os: &*session.os, scratch: &scratch, programs: &programs };
    let found = inventory::collect(&scope);
    if session.is_json {
        show::print_json(&found)?;
        return Ok(0);
    }
    if arguments.fragment {
        let values = found.0.iter().filter_map(|(path, fact)| Some((path.clone(), fact.value()?.to_owned())));
        let declared: std::collections::BTreeMap<String, String> = values.collect();
        let fragment = std::collections::BTreeMap::from([("declared", declared)]);
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
