//! SHA-256 digests, and the canonical bytes a value is hashed over.
//!
//! A digest names bytes; a tagged digest names bytes in one role, so that a hash made for one purpose can never be
//! passed off for another. What must stay true: equal values give equal canonical bytes on every machine (RFC 8785).

use std::fmt;
use std::io::Read;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::Digest as _;

/// How much is read at once when a stream is hashed, in bytes.
const READ_SIZE_BYTES: usize = 512 * 1024;

/// The SHA-256 digest of some bytes; printed as `sha256:` and 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

/// A text is no digest: it lacks the `sha256:` prefix or has not 64 hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no digest: expected `sha256:` and 64 hexadecimal digits")]
pub struct DigestError(String);

impl Digest {
    /// The digest of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self(sha2::Sha256::digest(bytes).into())
    }

    /// The digest of `tag`, a zero byte and the parts one after the other. The caller keeps the parts unambiguous.
    pub fn tagged(tag: &str, parts: &[&[u8]]) -> Self {
        let mut hasher = Hasher::new();
        hasher.update(tag.as_bytes());
        hasher.update(&[0]);
        for part in parts {
            hasher.update(part);
        }
        hasher.finish()
    }

    /// The tagged digest of a value's canonical JSON.
    pub fn of_value(tag: &str, value: &impl Serialize) -> Result<Self, serde_json::Error> {
        Ok(Self::tagged(tag, &[&canonical_json(value)?]))
    }

    /// Reads to the end and returns the digest and the length in bytes.
    pub fn of_reader(reader: &mut dyn Read) -> std::io::Result<(Self, u64)> {
        let mut buffer = vec![0; READ_SIZE_BYTES];
        let mut hasher = Hasher::new();
        let mut length = 0;
        loop {
            match reader.read(&mut buffer) {
                Ok(0) => return Ok((hasher.finish(), length)),
                Ok(count) => {
                    hasher.update(&buffer[..count]);
                    length += count as u64;
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The digest whose bytes these are.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// 64 lower-case hexadecimal digits.
    pub fn hex(&self) -> String {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = String::with_capacity(64);
        for byte in self.0 {
            text.push(DIGITS[usize::from(byte >> 4)] as char);
            text.push(DIGITS[usize::from(byte & 15)] as char);
        }
        text
    }

    /// The digest with these 64 hexadecimal digits.
    pub fn from_hex(text: &str) -> Result<Self, DigestError> {
        let digits = text.as_bytes();
        let mut bytes = [0; 32];
        if digits.len() != 64 {
            return Err(DigestError(text.chars().take(80).collect()));
        }
        for (index, byte) in bytes.iter_mut().enumerate() {
            let high = hex_value(digits[2 * index]);
            let low = hex_value(digits[2 * index + 1]);
            match (high, low) {
                (Some(high), Some(low)) => *byte = high << 4 | low,
                _ => return Err(DigestError(text.chars().take(80).collect())),
            }
        }
        Ok(Self(bytes))
    }

    /// The first twelve hexadecimal digits, to show to people.
    pub fn short(&self) -> String {
        self.hex()[..12].to_owned()
    }
}

const fn hex_value(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

/// A digest in the making.
pub struct Hasher(sha2::Sha256);

impl Hasher {
    /// Nothing hashed yet.
    pub fn new() -> Self {
        Self(sha2::Sha256::new())
    }

    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest of all bytes added.
    pub fn finish(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

impl Default for Hasher {
    fn default() -> Self {
        Self::new()
    }
}

/// The RFC 8785 bytes of a value. Integers beyond 2^53 and decimals that matter are to be given as strings.
pub fn canonical_json(value: &impl Serialize) -> Result<Vec<u8>, serde_json::Error> {
    serde_json_canonicalizer::to_vec(value)
}

impl fmt::Display for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "sha256:{}", self.hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

impl FromStr for Digest {
    type Err = DigestError;

    fn from_str(text: &str) -> Result<Self, DigestError> {
        let digits = text.strip_prefix("sha256:").ok_or_else(|| DigestError(text.chars().take(80).collect()))?;
        Self::from_hex(digits)
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_of_abc_is_that_of_fips_180() {
        let text = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(Digest::of(b"abc").to_string(), text);
        assert_eq!(text.parse::<Digest>().unwrap(), Digest::of(b"abc"));
    }

    #[test]
    fn a_stream_has_the_digest_of_its_bytes() {
        let bytes = vec![7; READ_SIZE_BYTES + 3];
        let (digest, length) = Digest::of_reader(&mut &bytes[..]).unwrap();
        assert_eq!((digest, length), (Digest::of(&bytes), bytes.len() as u64));
    }

    #[test]
    fn tags_keep_roles_apart() {
        assert_ne!(Digest::tagged("a", &[b"x"]), Digest::tagged("b", &[b"x"]));
        assert_ne!(Digest::tagged("a", &[b"x"]), Digest::of(b"ax"));
    }

    #[test]
    fn upper_case_and_short_digests_are_refused() {
        assert!("sha256:BA".parse::<Digest>().is_err());
        assert!("md5:00".parse::<Digest>().is_err());
        assert!(Digest::from_hex(&"G".repeat(64)).is_err());
    }

    #[test]
    fn canonical_json_sorts_keys() {
        let value: serde_json::Value = serde_json::from_str(r#"{"b":1,"a":"x"}"#).unwrap();
        assert_eq!(canonical_json(&value).unwrap(), br#"{"a":"x","b":1}"#);
    }
}
