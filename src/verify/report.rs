//! What was checked, and how it came out.

use serde::Serialize;

/// What was checked, and how it came out. The JSON shape is stable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Printed numbers.
    pub numbers: Count,
    /// Raw objects.
    pub objects: ObjectCount,
    /// What rendering again gave.
    pub rendered_again: Again,
    /// What the paper rests on besides itself.
    pub anchored: Anchor,
    /// Attempts that the paper uses and a person marked invalid later.
    pub superseded: u64,
    /// Everything that is wrong, each with its place.
    pub failures: Vec<String>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// How many were checked, and failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Count {
    /// Checked.
    pub checked: u64,
    /// Of these, not right.
    pub failed: u64,
}

/// How many objects were checked, were not at hand, and failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct ObjectCount {
    /// Checked.
    pub checked: u64,
    /// Not at hand.
    pub missing: u64,
    /// Of those checked, not right.
    pub failed: u64,
}

/// What rendering again gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Again {
    /// The same bytes.
    Same,
    /// Another engine's bytes, the same words on every page.
    TextConsistent,
    /// Something else.
    Different,
    /// It was not possible.
    Skipped,
}

/// What a paper rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Anchor {
    /// Nothing but itself.
    None,
    /// The commit it names is the one that is checked out.
    Commit,
}

impl Report {
    pub(super) fn new() -> Self {
        Self {
            numbers: Count::default(),
            objects: ObjectCount::default(),
            rendered_again: Again::Skipped,
            anchored: Anchor::None,
            superseded: 0,
            failures: vec![],
            notes: vec![],
        }
    }

    /// The exit code: 4 where anything is wrong, 3 where evidence is missing, the bytes could not be made again or
    /// nothing was checked, 0 otherwise. Strictly, an attempt that was marked invalid later is no evidence either.
    pub fn exit_code(&self, is_strict: bool) -> u8 {
        if !self.failures.is_empty() {
            return 4;
        }
        let is_incomplete = self.numbers.checked == 0 || self.rendered_again != Again::Same || self.objects.missing > 0;
        if is_incomplete || (is_strict && self.superseded > 0) { 3 } else { 0 }
    }
}
