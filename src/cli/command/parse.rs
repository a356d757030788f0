//! `parse`: what a tool's output says.

use std::io::Read as _;
use std::path::Path;

use crate::cli::arguments::ParseArguments;
use crate::cli::failure::Failure;
use crate::cli::{Session, show};
use crate::measurement::{Reading, Status};
use crate::tool::{self, Outputs};

const FILE_LIMIT_BYTES: u64 = 1 << 30;

pub(crate) fn run(session: &Session, arguments: &ParseArguments) -> Result<u8, Failure> {
    let mut worst = Status::Ok;
    let mut readings = vec![];
    for file in &arguments.files {
        let bytes = read(session, file)?;
        let reading = reading(&bytes, arguments.tool.as_deref(), file)?;
        worst = worst.max(reading.status);
        readings.push((file, reading));
    }
    match (session.is_json, readings.as_slice()) {
        (true, [(_, reading)]) => show::print_json(reading)?,
        (true, several) => show::print_json(&several.iter().map(|(_, reading)| reading).collect::<Vec<_>>())?,
        (false, several) => several.iter().for_each(|(file, reading)| show_reading(file, reading)),
    }
    Ok(match worst {
        Status::Ok => 0,
        Status::Invalid => 1,
        Status::Failed => 2,
    })
}

fn read(session: &Session, file: &Path) -> Result<Vec<u8>, Failure> {
    if file.as_os_str() != "-" {
        return session.os.read(file, FILE_LIMIT_BYTES).map_err(Failure::io(file));
    }
    let mut bytes = vec![];
    std::io::stdin().take(FILE_LIMIT_BYTES).read_to_end(&mut bytes).map_err(Failure::io(file))?;
    Ok(bytes)
}

fn reading(bytes: &[u8], named: Option<&str>, file: &Path) -> Result<Reading, Failure> {
    let known = || tool::TOOLS.iter().map(|tool| tool.name()).collect::<Vec<_>>().join(", ");
    let tool = match named {
        Some(name) => tool::find(name).ok_or_else(|| Failure::usage(format!("no tool is called `{name}`")).help(format!("There are: {}.", known())))?,
        None => tool::recognise(bytes).ok_or_else(|| {
            Failure::usage(format!("{}: no tool's output is recognised", file.display())).help(format!("Name it with `--tool`: {}.", known()))
        })?,
    };
    Ok(tool.read(None, Outputs { stdout: bytes, stderr: &[] }))
}

fn show_reading(file: &Path, reading: &Reading) {
    let status = match reading.status {
        Status::Ok => "ok",
        Status::Invalid => "invalid",
        Status::Failed => "failed",
    };
    show::print(&format!("{}: {} {}, {status}", file.display(), reading.tool, reading.tool_version));
    for remark in &reading.diagnostics {
        let word = if remark.severity == crate::diagnostic::Severity::Error { "error" } else { "warning" };
        show::print(&format!("  {word} {}: {}", remark.code, remark.message));
    }
    let rows: Vec<Vec<String>> = reading
        .measurements
        .iter()
        .map(|one| {
            let labels = one.labels.iter().map(|(label, value)| format!("{label}={value}")).collect::<Vec<_>>().join(" ");
            vec![one.metric.to_string(), labels, one.value.to_string(), one.unit.clone(), one.pointer.chars().take(60).collect()]
        })
        .collect();
    if !rows.is_empty() {
        show::print(&show::table(&["metric", "of", "value", "unit", "place"], &rows, &[2]));
    }
}
