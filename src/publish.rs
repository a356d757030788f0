//! Publishing: a paper is made, verified and frozen under its version. It never measures.
//!
//! What must stay true: other bytes are never put under a published version, a folder appears whole or not at all, and
//! git keeps the evidence that a published paper needs.

use std::path::{Path, PathBuf};

use crate::os::{self, Os};
use crate::render::Paper;

/// A file of a report: its path within the folder, and its bytes.
pub type ReportFile = (String, Vec<u8>);

/// What came of freezing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frozen {
    /// The folder is new.
    Written,
    /// The folder was there, with the same bytes.
    Unchanged,
    /// The folder was there, and these files differ.
    Refused(Vec<String>),
}

/// The files of a report.
pub fn files(paper: &Paper, pdf: Vec<u8>) -> Vec<ReportFile> {
    let cellmap = paper.attachments.iter().find(|one| one.name == "cellmap.json");
    let mut files = vec![("paper.md".to_owned(), paper.markdown.clone().into_bytes()), ("paper.pdf".to_owned(), pdf)];
    files.extend(cellmap.map(|one| ("cellmap.json".to_owned(), one.bytes.clone())));
    files.extend(
        paper.document.drawings.iter().map(|(name, svg)| (format!("figures/{name}"), svg.clone().into_bytes())),
    );
    files.sort();
    files
}

/// Puts the files into a new folder, or compares them with what is there.
pub fn freeze(os: &dyn Os, folder: &Path, files: &[ReportFile]) -> std::io::Result<Frozen> {
    if os::is_there(os, folder)? {
        let differing = differing(os, folder, files)?;
        return Ok(if differing.is_empty() { Frozen::Unchanged } else { Frozen::Refused(differing) });
    }
    write_folder(os, folder, files)?;
    Ok(Frozen::Written)
}

/// Replaces a draft's folder.
pub fn replace(os: &dyn Os, folder: &Path, files: &[ReportFile]) -> std::io::Result<()> {
    if os::is_there(os, folder)? {
        if differing(os, folder, files)?.is_empty() {
            return Ok(());
        }
        let old = os::temporary_beside(os, folder)?;
        os.rename(folder, &old)?;
        write_folder(os, folder, files)?;
        return os::remove_tree(os, &old);
    }
    write_folder(os, folder, files)
}

/// Writes all files into a temporary folder, then gives it its name.
fn write_folder(os: &dyn Os, folder: &Path, files: &[ReportFile]) -> std::io::Result<()> {
    if let Some(parent) = folder.parent() {
        os::create_folders(os, parent)?;
    }
    let temporary = os::temporary_beside(os, folder)?;
    let written = (|| {
        os.create_folder(&temporary)?;
        for (name, bytes) in files {
            let path = temporary.join(name);
            if let Some(parent) = path.parent() {
                os::create_folders(os, parent)?;
            }
            let mut file = os.create_file(&path)?;
            file.append(bytes)?;
            file.sync()?;
            os::sync_parent(os, &path)?;
        }
        os.sync_folder(&temporary)?;
        os.rename(&temporary, folder)
    })();
    if written.is_err() {
        let _ = os::remove_tree(os, &temporary);
    }
    written?;
    os::sync_parent(os, folder)
}

/// The files that differ, are missing, or are too many, sorted.
pub fn differing(os: &dyn Os, folder: &Path, files: &[ReportFile]) -> std::io::Result<Vec<String>> {
    let mut found = vec![];
    for (name, bytes) in files {
        match os.read(&folder.join(name), 1 << 30) {
            Ok(there) if there == *bytes => {}
            Ok(_) => found.push(format!("{name} differs")),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => found.push(format!("{name} is not there")),
            Err(error) => return Err(error),
        }
    }
    for path in below(os, folder, "")? {
        if !files.iter().any(|(name, _)| *name == path) {
            found.push(format!("{path} is there"));
        }
    }
    found.sort();
    Ok(found)
}

fn below(os: &dyn Os, folder: &Path, prefix: &str) -> std::io::Result<Vec<String>> {
    let mut found = vec![];
    for name in os.list(folder)? {
        let (path, shown) = (folder.join(&name), format!("{prefix}{name}"));
        match os.stat(&path)?.kind {
            os::Kind::Folder => found.extend(below(os, &path, &format!("{shown}/"))?),
            _ => found.push(shown),
        }
    }
    Ok(found)
}

/// The lines that make git keep some runs and loose objects, and nothing else of the store.
pub fn kept_by_git(existing: &str, paths: &[PathBuf]) -> String {
    let mut lines: Vec<String> = existing.lines().map(str::to_owned).collect();
    if lines.is_empty() {
        lines =
            ["# What published reports rest on is kept; `benchpaper publish` adds to this list.", "*", "!.gitignore"]
                .map(str::to_owned)
                .to_vec();
    }
    for path in paths {
        let mut at = String::new();
        let parts: Vec<String> =
            path.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
        for (number, part) in parts.iter().enumerate() {
            at = format!("{at}/{part}");
            let line = if number + 1 == parts.len() { format!("!{at}") } else { format!("!{at}/") };
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_keeps_what_is_named_and_the_folders_above_it() {
        let first = kept_by_git("", &[PathBuf::from("runs/a/head")]);
        assert!(first.ends_with("*\n!.gitignore\n!/runs/\n!/runs/a/\n!/runs/a/head\n"), "{first}");
        assert_eq!(kept_by_git(&first, &[PathBuf::from("runs/a/head")]), first);
    }
}
