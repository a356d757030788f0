//! `export`: the record of an experiment as one file.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;

use crate::cli::arguments::ExportArguments;
use crate::cli::failure::Failure;
use crate::cli::{Session, show, workspace};
use crate::digest::Digest;
use crate::os::{self, WritableFile};
use crate::store::check::references;
use crate::store::history::history;
use crate::store::{Reader, StoreError, bundle};

/// A file of ours as the standard library writes.
struct Out(Box<dyn WritableFile>);

impl io::Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.append(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.sync()
    }
}

pub(crate) fn run(session: &Session, arguments: &ExportArguments) -> Result<u8, Failure> {
    let loaded = workspace::load(session, &arguments.experiment.experiment)?;
    let (name, layout) = (&loaded.experiment.name.value, loaded.workspace.layout());
    let path = arguments.out.clone().unwrap_or_else(|| PathBuf::from(format!("{name}.tar")));
    if os::is_there(&*session.os, &path).map_err(Failure::io(&path))? {
        return Err(Failure::usage(format!("{} is there already", path.display())).help("Name a new file by `--out`."));
    }
    let mut reader = Reader::open(&*session.os, &layout)?;
    let history = history(&*session.os, &layout, &mut reader, name)?;
    if history.runs.is_empty() {
        return Err(Failure::incomplete(format!("`{name}` has no run")).help(loaded.way_to_results()));
    }
    let named: BTreeSet<Digest> =
        history.runs.iter().flat_map(|(_, journal)| journal.events()).flat_map(references).collect();
    for digest in named {
        if !reader.holds(&digest)? {
            return Err(StoreError::Missing(digest).into());
        }
    }
    let temporary = os::temporary_beside(&*session.os, &path).map_err(Failure::io(&path))?;
    let out = session.os.create_file(&temporary).map_err(Failure::io(&temporary))?;
    let written = bundle::write(&*session.os, &layout, &history, Out(out));
    if written.is_err() {
        let _ = session.os.remove_file(&temporary);
    }
    let files = written?;
    session.os.rename(&temporary, &path).map_err(Failure::io(&path))?;
    os::sync_parent(&*session.os, &path).map_err(Failure::io(&path))?;
    if session.is_json {
        show::print_json(&serde_json::json!({"bundle": path, "runs": history.runs.len(), "files": files}))?;
    } else {
        show::print(&format!("{} ({} runs, {files} files)", path.display(), history.runs.len()));
    }
    Ok(0)
}
