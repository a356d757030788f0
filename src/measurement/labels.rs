//! What a measurement is of: the labels that an output gives its rows, and whether the row is a result.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};

use serde::{Serialize, Serializer};

/// Whether a row counts as a result of its output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Role {
    /// One row of several: shown, and a result only where a workload selects it.
    #[default]
    Row,
    /// The result, as the tool printed it.
    Reported,
    /// The result, computed by this program from several rows.
    Computed,
}

impl Role {
    /// The key under which a role stands in JSON, among the labels.
    pub const KEY: &'static str = "aggregate";

    /// The value in JSON: `aggregate: "true"` marks what this program computed, `"false"` what the tool printed. A row that
    /// is no result has no such key.
    const fn stored(self) -> Option<&'static str> {
        match self {
            Self::Row => None,
            Self::Reported => Some("false"),
            Self::Computed => Some("true"),
        }
    }
}

/// The labels of a measurement, such as `direction`, `client` and `job`, and its role.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Labels {
    names: BTreeMap<String, String>,
    /// Whether it is a result.
    pub role: Role,
}

impl Labels {
    /// A row without labels.
    pub fn new() -> Self {
        Self::default()
    }

    /// A result that the tool printed, without labels.
    pub fn reported() -> Self {
        Self { role: Role::Reported, ..Self::default() }
    }

    /// A result that this program computed, without labels.
    pub fn computed() -> Self {
        Self { role: Role::Computed, ..Self::default() }
    }

    /// Whether it is a result.
    pub fn is_result(&self) -> bool {
        self.role != Role::Row
    }

    /// As they stand in JSON: the role among the labels.
    pub fn stored(&self) -> BTreeMap<&str, &str> {
        let names = self.names.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        names.chain(self.role.stored().map(|value| (Role::KEY, value))).collect()
    }
}

impl Deref for Labels {
    type Target = BTreeMap<String, String>;

    fn deref(&self) -> &Self::Target {
        &self.names
    }
}

impl DerefMut for Labels {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.names
    }
}

impl<const N: usize> From<[(String, String); N]> for Labels {
    fn from(names: [(String, String); N]) -> Self {
        Self { names: names.into(), role: Role::Row }
    }
}

impl FromIterator<(String, String)> for Labels {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(names: I) -> Self {
        Self { names: names.into_iter().collect(), role: Role::Row }
    }
}

impl Serialize for Labels {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.stored().serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_is_no_label_but_stands_among_them_in_json() {
        let mut labels = Labels::from([("client".to_owned(), "a".to_owned())]);
        assert!(!labels.is_result());
        assert_eq!(serde_json::to_string(&labels).unwrap(), r#"{"client":"a"}"#);
        labels.role = Role::Computed;
        assert_eq!((labels.len(), labels.is_result()), (1, true));
        assert_eq!(serde_json::to_string(&labels).unwrap(), r#"{"aggregate":"true","client":"a"}"#);
        assert_eq!(serde_json::to_string(&Labels::reported()).unwrap(), r#"{"aggregate":"false"}"#);
    }
}
