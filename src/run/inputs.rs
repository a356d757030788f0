//! The programs a run uses: hashed at its start, and again whenever what the file system says of them changes.

use std::io;
use std::path::PathBuf;

use crate::digest::Digest;
use crate::os::{Os, Stat};

/// Files that must not change while jobs run.
#[derive(Default)]
pub(super) struct Inputs(Vec<Input>);

struct Input {
    path: PathBuf,
    stat: Stat,
    digest: Digest,
}

impl Inputs {
    /// Hashes the files and the programs that are found; a program that is missing fails each job that starts it.
    pub(super) fn watch(os: &dyn Os, programs: &[String], files: &[PathBuf]) -> io::Result<Self> {
        let mut inputs = vec![];
        let programs = programs.iter().filter_map(|program| os.find_program(program));
        for path in programs.chain(files.iter().cloned()) {
            let path = os.canonical(&path)?;
            let (stat, digest) = (os.stat(&path)?, hash(os, &path)?);
            inputs.push(Input { path, stat, digest });
        }
        Ok(Self(inputs))
    }

    /// The first file whose bytes are no longer those of the start.
    pub(super) fn changed(&mut self, os: &dyn Os) -> Option<String> {
        for input in &mut self.0 {
            let stat = os.stat(&input.path);
            if stat.as_ref().is_ok_and(|stat| *stat == input.stat) {
                continue;
            }
            match (hash(os, &input.path), stat) {
                (Ok(digest), Ok(stat)) if digest == input.digest => input.stat = stat,
                _ => return Some(input.path.display().to_string()),
            }
        }
        None
    }
}

fn hash(os: &dyn Os, path: &std::path::Path) -> io::Result<Digest> {
    let mut file = os.open(path)?;
    Ok(Digest::of_reader(&mut *file)?.0)
}
