//! The programs that jobs use: version and digest.

use super::{Fact, Program, Scope};
use crate::digest::Digest;

pub(super) fn read(scope: &Scope<'_>) -> Vec<(String, Fact)> {
    scope.programs.iter().flat_map(|program| facts_of(scope, program)).collect()
}

fn facts_of(scope: &Scope<'_>, inspected: &Program) -> Vec<(String, Fact)> {
    let program = inspected.name.as_str();
    let name = program.rsplit('/').next().unwrap_or(program);
    let Some(path) = scope.os.find_program(program) else {
        let reason = format!("`{program}` is not installed");
        return vec![
            (format!("{name}.version"), Fact::Unavailable(reason.clone())),
            (format!("{name}.sha256"), Fact::Unavailable(reason)),
        ];
    };
    let hashed = scope
        .os
        .canonical(&path)
        .and_then(|path| scope.os.open(&path))
        .and_then(|mut file| Digest::of_reader(&mut *file));
    let digest = hashed
        .map_or_else(|error| Fact::Unavailable(error.to_string()), |(digest, _)| Fact::Measured(digest.to_string()));
    vec![
        (format!("{name}.version"), version(scope, inspected, &path.display().to_string())),
        (format!("{name}.sha256"), digest),
    ]
}

fn version(scope: &Scope<'_>, program: &Program, path: &str) -> Fact {
    if !program.answers_version {
        return Fact::Unavailable("only its digest identifies it".to_owned());
    }
    match scope.os.capture(&[path, "--version"]) {
        Ok(captured) if captured.is_success => {
            let text = String::from_utf8_lossy(&captured.stdout);
            let line = crate::diagnostic::printable(text.lines().next().unwrap_or_default().trim());
            Fact::Measured(line.strip_prefix("fio-").unwrap_or(&line).to_owned())
        }
        Ok(_) => Fact::Unavailable("`--version` failed".to_owned()),
        Err(error) => Fact::Unavailable(error.to_string()),
    }
}
