//! The programs a run uses: hashed at its start, and again whenever what the file system says of them changes.

use std::io;
use std::path::PathBuf;

use crate::digest::Digest;
use crate::os::Stat;
use crate::place::Host;

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
    pub(super) async fn watch(host: &dyn Host, programs: &[String], files: &[PathBuf]) -> io::Result<Self> {
        let mut paths = vec![];
        for program in programs {
            paths.extend(host.find_program(program).await?);
        }
        paths.extend_from_slice(files);
        let mut inputs = vec![];
        for path in paths {
            let path = host.canonical(&path).await?;
            let (stat, (digest, _)) = (host.stat(&path).await?, host.digest(&path).await?);
            inputs.push(Input { path, stat, digest });
        }
        Ok(Self(inputs))
    }

    /// The first file whose bytes are no longer those of the start.
    pub(super) async fn changed(&mut self, host: &dyn Host) -> Option<String> {
        for input in &mut self.0 {
            let stat = host.stat(&input.path).await;
            if stat.as_ref().is_ok_and(|stat| *stat == input.stat) {
                continue;
            }
            match (host.digest(&input.path).await, stat) {
                (Ok((digest, _)), Ok(stat)) if digest == input.digest => input.stat = stat,
                _ => return Some(input.path.display().to_string()),
            }
        }
        None
    }
}
