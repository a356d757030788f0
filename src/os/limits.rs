//! A child process that limits its own memory and time before it reads a stranger's file.
#![expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "this is the door to the machine")]

use std::io;
use std::path::Path;
use std::process::Command;

use rustix::process::{Resource, Rlimit, setrlimit};

/// Limits this process for the rest of its life.
pub fn set(memory_bytes: u64, processor_s: u64) -> io::Result<()> {
    let limit = |most: u64| Rlimit { current: Some(most), maximum: Some(most) };
    setrlimit(Resource::As, limit(memory_bytes))?;
    setrlimit(Resource::Cpu, limit(processor_s))?;
    setrlimit(Resource::Core, limit(0))?;
    Ok(())
}

/// Runs this program with its own arguments and one more behind its verb (before any `--`); its exit code, or none where a
/// signal ended it.
pub fn repeat_in_child(program: &Path, verbs: &[&str], extra: &str) -> io::Result<Option<u8>> {
    let mut arguments: Vec<std::ffi::OsString> = std::env::args_os().skip(1).collect();
    let verb = arguments.iter().position(|one| one.to_str().is_some_and(|one| verbs.contains(&one)));
    arguments.insert(verb.map_or(0, |at| at + 1), extra.into());
    let status = Command::new(program).args(arguments).status()?;
    Ok(status.code().filter(|code| *code != 101).and_then(|code| u8::try_from(code).ok()))
}
