//! What an attempt left behind, as its tool reads it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::{Object, Role};
use crate::digest::Digest;
use crate::measurement::{Metric, Reading};
use crate::plan::Case;
use crate::store::event::Finished;
use crate::store::{Reader, StoreError};
use crate::tool::{Outputs, Tool, find};

/// The output of an attempt: what was printed, the files beside it that the tool reads, and its name where it was imported.
pub struct Output<'a> {
    stdout: Cow<'a, [u8]>,
    files: BTreeMap<String, Vec<u8>>,
    name: &'a str,
}

impl<'a> Output<'a> {
    /// Of objects that are not stored yet.
    pub fn of_objects(case: &Case, objects: &'a [Object]) -> Self {
        let stdout = objects.iter().find(|(role, _)| *role == Role::Stdout).map_or(&[] as &[u8], |(_, bytes)| bytes);
        let files = objects.iter().filter_map(|(role, bytes)| Some((file_read(case, role)?, bytes.clone())));
        Self { stdout: Cow::Borrowed(stdout), files: files.collect(), name: "" }
    }

    /// Of a file that somebody handed in.
    pub fn of_file(name: &'a str, bytes: &'a [u8]) -> Self {
        Self { stdout: Cow::Borrowed(bytes), files: BTreeMap::new(), name }
    }

    /// Of a recorded attempt; none where it has no output.
    pub fn of_finished(
        case: &Case,
        finished: &'a Finished,
        reader: &'a Reader<'_>,
    ) -> Result<Option<Self>, StoreError> {
        let roles = finished.objects.iter().map(|(role, object)| (Role::parse(role), object.digest));
        let roles: BTreeMap<Role, Digest> = roles.collect();
        let Some(stdout) = roles.get(&Role::Stdout) else { return Ok(None) };
        let stdout = reader.get(stdout)?;
        let mut files = BTreeMap::new();
        for (role, digest) in &roles {
            if let Some(name) = file_read(case, role) {
                files.insert(name, reader.get(digest)?.into_owned());
            }
        }
        Ok(Some(Self { stdout, files, name: finished.given_name().unwrap_or_default() }))
    }

    /// Of its objects by digest: standard output, and files by role (`file/NAME`).
    pub fn of_digests(
        stdout: &Digest,
        files: &BTreeMap<String, Digest>,
        name: &'a str,
        reader: &'a Reader<'_>,
    ) -> Result<Self, StoreError> {
        let stdout = reader.get(stdout)?;
        let mut read = BTreeMap::new();
        for (role, digest) in files {
            if let Role::File(name) = Role::parse(role) {
                read.insert(name, reader.get(digest)?.into_owned());
            }
        }
        Ok(Self { stdout, files: read, name })
    }

    /// As tools take it.
    pub fn outputs(&self) -> Outputs<'_> {
        Outputs { stdout: &self.stdout, files: &self.files, name: self.name }
    }

    /// What it says by the settings of a case; none where no tool reads them.
    pub fn read(&self, case: &Case) -> Option<Reading> {
        Some(case.work()?.read(self.outputs()))
    }

    /// Whether it says that it was made with other settings than those of a case.
    pub fn contradicts(&self, case: &Case) -> bool {
        case.work().and_then(|work| work.was_made_with(self.outputs())) == Some(false)
    }
}

/// The name of a file of an attempt, where the tool of its case reads it.
fn file_read(case: &Case, role: &Role) -> Option<String> {
    let tool: &dyn Tool = find(&case.tool)?;
    match role {
        Role::File(name) if tool.reads_file(name) => Some(name.clone()),
        _ => None,
    }
}

/// The value that a progress line shows: the result of the case's most telling metric.
pub fn headline(case: &Case, reading: &Reading) -> Option<(Metric, f64)> {
    let metric = case.work()?.metrics().into_iter().next()?;
    let value = reading.result(&metric)?.value;
    Some((metric, value))
}
