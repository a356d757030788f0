//! `post`: a short block about a result, with the answers that readers always ask for.

use std::path::Path;

use crate::cli::arguments::PostArguments;
use crate::cli::command::parse;
use crate::cli::failure::Failure;
use crate::cli::{Session, show};
use crate::measurement::Status;
use crate::summary::{self, Input};

pub(crate) fn run(session: &Session, arguments: &PostArguments) -> Result<u8, Failure> {
    let (mut inputs, mut names): (Vec<Input>, Vec<String>) = (vec![], vec![]);
    for file in &arguments.files {
        let bytes = parse::read(session, file)?;
        let tool = parse::tool_of(&bytes, arguments.tool.as_deref(), file)?;
        let input = Input::of(tool, &bytes, &file_name(file));
        if inputs.iter().any(|other| other.digest == input.digest) {
            show::note(&format!("{} holds the same bytes as another; it counts once", file.display()));
        } else {
            names.push(file_name(file));
            inputs.push(input);
        }
    }
    if let Some(difference) = summary::difference(&inputs) {
        let message = format!("outputs of different tests: {difference}");
        return Err(Failure::usage(message).help("Give the files of one test; several are taken as replicates."));
    }
    if let Some(other) = inputs.iter().find(|one| one.reading.tool != inputs[0].reading.tool) {
        let message = format!("outputs of {} and {}", inputs[0].reading.tool, other.reading.tool);
        return Err(Failure::usage(message).help("Give the files of one tool; several are taken as replicates."));
    }
    let lines = summary::block(&inputs, &names, arguments.form);
    if session.is_json {
        show::print_json(&serde_json::json!({"lines": lines}))?;
    } else {
        show::print(&lines.join("\n"));
    }
    let worst = inputs.iter().map(|one| one.reading.status).max();
    Ok(match worst {
        Some(Status::Failed) => 2,
        Some(Status::Invalid) => 1,
        _ if inputs.iter().any(|one| !one.reading.reason().is_empty()) => 1,
        _ => 0,
    })
}

fn file_name(file: &Path) -> String {
    file.file_name().map_or_else(|| "standard input".to_owned(), |name| name.to_string_lossy().into_owned())
}
