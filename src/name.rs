//! Names that people give and identities that the program makes, each a type of its own.
//!
//! A name becomes part of paths, options and captions, so it is parsed once, at the door: letters, digits, `-`, `_` and
//! `.`, beginning with a letter or digit, at most 64 characters.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

/// The longest name, in characters.
const NAME_LENGTH_MAX: usize = 64;

/// A name given by a person: of an experiment, a factor, a workload, an arm.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Name(String);

/// A text is no name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no name: use letters, digits, `-`, `_` and `.`, first a letter or digit, at most 64 characters")]
pub struct NameError(String);

impl Name {
    /// The name with this text.
    pub fn new(text: &str) -> Result<Self, NameError> {
        let first_is_good = text.chars().next().is_some_and(|first| first.is_ascii_alphanumeric());
        let all_are_good = text.chars().all(|one| one.is_ascii_alphanumeric() || matches!(one, '-' | '_' | '.'));
        if first_is_good && all_are_good && text.len() <= NAME_LENGTH_MAX {
            Ok(Self(text.to_owned()))
        } else {
            Err(NameError(text.chars().take(80).collect()))
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

impl std::borrow::Borrow<str> for Name {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        Self::new(&text).map_err(serde::de::Error::custom)
    }
}

/// The identity of one run: 20 hexadecimal digits, random, so that no two folders of a laboratory collide.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct RunId(String);

impl RunId {
    /// The identity made of these random bytes.
    pub fn from_random(bytes: [u8; 10]) -> Self {
        Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// The identity with this text.
    pub fn new(text: &str) -> Result<Self, NameError> {
        let good = text.len() == 20 && text.bytes().all(|one| matches!(one, b'0'..=b'9' | b'a'..=b'f'));
        if good { Ok(Self(text.to_owned())) } else { Err(NameError(text.chars().take(80).collect())) }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

impl<'de> Deserialize<'de> for RunId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        Self::new(&text).map_err(serde::de::Error::custom)
    }
}

/// A text as part of a file's name: letters and digits, all else one dash.
pub fn slug(text: &str) -> String {
    let mut slug = String::with_capacity(text.len());
    for one in text.chars() {
        if one.is_alphanumeric() || (one == '.' && !slug.ends_with(['.', '-'])) {
            slug.extend(one.to_lowercase());
        } else if !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.trim_matches(['-', '.']).to_owned()
}

/// The candidate nearest to a misspelt word, where one is near enough to be meant (a third of its letters off at most).
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|candidate| (edit_distance(word, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= candidate.len().max(word.len()).div_ceil(3).min(3))
        .min()
        .map(|(_, candidate)| candidate)
}

/// The number of letters to insert, delete, replace or swap with a neighbour, within the length that a name may have.
fn edit_distance(from: &str, to: &str) -> usize {
    let short = |word: &str| word.chars().take(NAME_LENGTH_MAX).collect::<String>();
    strsim::osa_distance(&short(from), &short(to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_becomes_part_of_a_name() {
        assert_eq!(slug("4 KiB"), "4-kib");
        assert_eq!(slug("SEQ 1 MiB / Q8"), "seq-1-mib-q8");
        assert_eq!(slug("../../etc"), "etc");
    }

    #[test]
    fn a_name_can_not_become_a_path_or_an_option() {
        for text in ["", "-x", "../x", "a/b", "a b", "a,b", "a\nb", ".x"] {
            assert!(Name::new(text).is_err(), "{text:?}");
        }
        assert_eq!(Name::new("rand-read_4.k").unwrap().as_str(), "rand-read_4.k");
    }

    #[test]
    fn the_nearest_word_is_the_one_meant() {
        let words = ["block_size", "iodepth", "numjobs"];
        assert_eq!(nearest("blocksize", words), Some("block_size"));
        assert_eq!(nearest("iodpeth", words), Some("iodepth"));
        assert_eq!(nearest("colour", words), None);
    }
}
