//! The documents are executed: each command of their console blocks, in a copy of the repository.
//!
//! A block that begins with ```` ```console ```` holds commands after `$ ` and what they print; `…` stands for anything.
//! `# exit N` after a command names an exit code other than 0.

use std::path::Path;
use std::process::Command;

use crate::laboratory::copy;

struct Step {
    command: String,
    code: i32,
    output: Vec<String>,
}

fn steps(text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = vec![];
    let mut is_inside = false;
    for line in text.lines() {
        if line.starts_with("```") {
            is_inside = line == "```console";
        } else if is_inside {
            match line.strip_prefix("$ ") {
                Some(command) => {
                    let split = command.split_once(" # exit ");
                    let (command, code) =
                        split.map_or((command, 0), |(command, code)| (command, code.parse().unwrap()));
                    steps.push(Step { command: command.to_owned(), code, output: vec![] });
                }
                None => steps.last_mut().unwrap().output.push(line.to_owned()),
            }
        }
    }
    steps
}

/// Whether a line is as shown, `…` standing for anything.
fn fits(shown: &str, line: &str) -> bool {
    let mut rest = line;
    for (number, part) in shown.split('…').enumerate() {
        let Some(at) = rest.find(part) else { return false };
        if number == 0 && at != 0 {
            return false;
        }
        rest = &rest[at + part.len()..];
    }
    shown.ends_with('…') || rest.is_empty()
}

#[test]
fn the_readme_names_every_function_of_templates() {
    let text = std::fs::read_to_string("README.md").unwrap();
    for function in benchpaper::render::functions() {
        assert!(text.contains(&format!("`{}(", function.name)), "README.md says nothing of {}()", function.name);
    }
}

#[test]
fn every_command_of_the_readme_does_what_it_shows() {
    let steps = steps(&std::fs::read_to_string("README.md").unwrap());
    assert!(steps.len() >= 8, "{} commands", steps.len());
    let folder = tempfile::tempdir().unwrap();
    for part in ["experiments", "artifacts", "reports", "schema", "tests/outputs"] {
        if Path::new(part).exists() {
            copy(Path::new(part), &folder.path().join(part));
        }
    }
    let program = Path::new(crate::laboratory::program());
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    for step in steps {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("exec 2>&1; {}", step.command)]).current_dir(folder.path()).env("PATH", &path);
        command.env("BENCHPAPER_MEASURING_LOCK", folder.path().join("measuring.lock"));
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(step.code), "`{}` printed\n{said}", step.command);
        let mut lines = said.lines();
        for shown in step.output.iter().filter(|shown| shown.trim() != "…") {
            assert!(
                lines.any(|line| fits(shown.trim_end(), line.trim_end())),
                "`{}` does not print `{shown}`, but\n{said}",
                step.command
            );
        }
    }
}

#[test]
fn the_tool_that_a_document_adds_is_the_one_that_is_compiled() {
    let document = std::fs::read_to_string("docs/adding-a-tool.md").unwrap();
    let file = std::fs::read_to_string("docs/ioping.rs").unwrap();
    assert!(document.contains(&format!("```rust\n{}\n```", file.trim_end())), "copy docs/ioping.rs into the document");
    let table = std::fs::read_to_string("src/tool/mod.rs").unwrap();
    assert!(
        table.contains("\nmod iperf3;\n") && table.contains("    &iperf3::Iperf3,\n"),
        "the two lines look otherwise"
    );
    let tools = [crate::ioping::Ioping];
    let names: Vec<&str> = tools.iter().map(|tool| crate::Tool::name(tool)).collect();
    assert_eq!(names, ["ioping"]);
}
