//! The journal of a run: lines that each carry the hash of all before them.
//!
//! A line is `{"chain":"<64 hexadecimal digits>","event":<JSON>}`; its chain is the tagged hash of the previous chain's
//! 32 bytes and the exact bytes of the event. Recovery takes the valid prefix up to the last commit.

use std::io;

use serde::{Deserialize, Serialize};

use super::event::{Event, Genesis};
use super::{Layout, StoreError};
use crate::digest::Digest;
use crate::name::RunId;
use crate::os::Files;

const CHAIN_TAG: &str = "benchpaper/journal-line@1";
const LINE_START: &[u8] = b"{\"chain\":\"";
const LINE_MIDDLE: &[u8] = b"\",\"event\":";

/// The longest journal that is read, in bytes.
pub(super) const JOURNAL_LIMIT_BYTES: u64 = 4 << 30;

/// What `head` says: how much of the journal is known to be durable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Head {
    pub(super) run: RunId,
    pub(super) length: u64,
    pub(super) chain: String,
}

/// The chain before the first line.
pub(super) fn chain_start() -> Digest {
    Digest::tagged(CHAIN_TAG, &[])
}

/// Appends one line to a buffer and returns its chain.
pub(super) fn append_line(buffer: &mut Vec<u8>, previous: &Digest, event: &Event) -> Result<Digest, serde_json::Error> {
    let event = serde_json::to_vec(event)?;
    let chain = Digest::tagged(CHAIN_TAG, &[previous.as_bytes(), &event]);
    buffer.extend_from_slice(LINE_START);
    buffer.extend_from_slice(chain.hex().as_bytes());
    buffer.extend_from_slice(LINE_MIDDLE);
    buffer.extend_from_slice(&event);
    buffer.extend_from_slice(b"}\n");
    Ok(chain)
}

/// Takes a line (without its end) apart: its stated chain and the bytes of its event.
fn split_line(line: &[u8]) -> Option<(Digest, &[u8])> {
    let rest = line.strip_prefix(LINE_START)?;
    let chain = Digest::from_hex(std::str::from_utf8(rest.get(..64)?).ok()?).ok()?;
    let event = rest[64..].strip_prefix(LINE_MIDDLE)?.strip_suffix(b"}")?;
    Some((chain, event))
}

/// A committed line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// What it says.
    pub event: Event,
    /// Its chain.
    pub chain: Digest,
    /// The byte after it.
    pub end: u64,
}

/// The committed part of a run's journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Journal {
    /// Its lines; the first is the genesis.
    pub lines: Vec<Line>,
    /// The length of the committed part in bytes.
    pub length: u64,
    /// The chain of its last line.
    pub chain: Digest,
    /// The bytes after the committed part: an uncommitted or torn tail.
    pub tail: Vec<u8>,
    /// The bytes of the pack that belong to the record.
    pub pack_bytes: u64,
    /// Whether the run was sealed.
    pub is_sealed: bool,
}

impl Journal {
    /// What the run is of.
    pub fn genesis(&self) -> Option<&Genesis> {
        match self.lines.first().map(|line| &line.event) {
            Some(Event::Genesis(genesis)) => Some(genesis),
            _ => None,
        }
    }

    /// The events in order.
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        self.lines.iter().map(|line| &line.event)
    }
}

/// Reads and checks the journal of a run against its head.
pub fn read_journal(os: &dyn Files, layout: &Layout, run: &RunId) -> Result<Journal, StoreError> {
    let folder = layout.run(run);
    let head_path = folder.join("head");
    let head_bytes = os.read(&head_path, 4096).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => StoreError::integrity(head_path.display().to_string(), "it is missing"),
        _ => StoreError::Io { path: head_path.clone(), error },
    })?;
    let head: Head = serde_json::from_slice(&head_bytes)
        .map_err(|error| StoreError::integrity(head_path.display().to_string(), error.to_string()))?;
    let path = folder.join("journal.jsonl");
    let bytes = os.read(&path, JOURNAL_LIMIT_BYTES).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => StoreError::integrity(path.display().to_string(), "it is missing"),
        _ => StoreError::Io { path: path.clone(), error },
    })?;
    let journal = parse(&bytes, &path.display().to_string())?;
    check_head(&journal, &head, &path.display().to_string())?;
    match journal.genesis() {
        Some(genesis) if genesis.run == *run && head.run == *run => Ok(journal),
        _ => Err(StoreError::integrity(path.display().to_string(), "its genesis or head names another run")),
    }
}

/// The committed prefix of a journal's bytes, or an integrity failure.
fn parse(bytes: &[u8], shown: &str) -> Result<Journal, StoreError> {
    let mut chain = chain_start();
    let mut lines: Vec<Line> = vec![];
    let mut at = 0;
    let mut committed = (0, 0, chain, 0);
    let mut damage = None;
    while at < bytes.len() {
        let Some(length) = bytes[at..].iter().position(|byte| *byte == b'\n') else { break };
        let Some((next, event)) = read_line(&bytes[at..at + length], &chain) else {
            damage = Some(lines.len() + 1);
            break;
        };
        chain = next;
        at += length + 1;
        if let Event::Commit { pack_bytes, .. } = event {
            committed = (at, lines.len() + 1, chain, pack_bytes);
        }
        lines.push(Line { event, chain, end: at as u64 });
    }
    if let Some(line) = damage
        && has_commit_after(&bytes[at..])
    {
        return Err(StoreError::integrity(format!("{shown} line {line}"), "it is damaged, and commits follow it"));
    }
    let (length, count, chain, pack_bytes) = committed;
    lines.truncate(count);
    let is_sealed = lines.iter().rev().nth(1).is_some_and(|line| matches!(line.event, Event::Sealed { .. }));
    let tail = bytes[length..].to_vec();
    if is_sealed && !tail.is_empty() {
        return Err(StoreError::integrity(shown, "bytes follow the seal"));
    }
    Ok(Journal { lines, length: length as u64, chain, tail, pack_bytes, is_sealed })
}

/// The chain and event of a line that follows `previous`.
fn read_line(line: &[u8], previous: &Digest) -> Option<(Digest, Event)> {
    let (stated, event) = split_line(line)?;
    let chain = Digest::tagged(CHAIN_TAG, &[previous.as_bytes(), event]);
    let event = if chain == stated { serde_json::from_slice(event).ok()? } else { return None };
    Some((chain, event))
}

/// Whether any commit after a damaged place is valid against the chain stated just before it.
fn has_commit_after(bytes: &[u8]) -> bool {
    let lines: Vec<_> = bytes.split(|byte| *byte == b'\n').map(split_line).collect();
    lines.windows(2).any(|pair| match pair {
        [Some((previous, _)), Some((stated, event))] => {
            let is_valid = Digest::tagged(CHAIN_TAG, &[previous.as_bytes(), event]) == *stated;
            is_valid && event.starts_with(b"{\"type\":\"commit\"")
        }
        _ => false,
    })
}

/// The head must lie on the chain, and nothing it covers may be gone.
fn check_head(journal: &Journal, head: &Head, shown: &str) -> Result<(), StoreError> {
    if head.length > journal.length {
        let detail = format!("{} bytes are valid, but the head covers {}", journal.length, head.length);
        return Err(StoreError::integrity(shown, detail));
    }
    let is_on_chain = journal.lines.iter().any(|line| line.end == head.length && line.chain.hex() == head.chain);
    if is_on_chain { Ok(()) } else { Err(StoreError::integrity(shown, "the head is not on its chain: a fork")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<u8> {
        let mut bytes = vec![];
        let mut chain = chain_start();
        for count in 0..3 {
            let note = Event::Disturbed { what: format!("event {count}") };
            chain = append_line(&mut bytes, &chain, &note).unwrap();
            chain = append_line(&mut bytes, &chain, &Event::Commit { count: 1, pack_bytes: count }).unwrap();
        }
        bytes
    }

    #[test]
    fn the_committed_prefix_is_read_and_a_torn_tail_is_set_apart() {
        let mut bytes = sample();
        let length = bytes.len() as u64;
        bytes.extend_from_slice(b"{\"chain\":\"00");
        let journal = parse(&bytes, "j").unwrap();
        assert_eq!((journal.lines.len(), journal.length, journal.tail.len()), (6, length, 12));
    }

    #[test]
    fn any_flipped_byte_before_the_last_commit_is_found() {
        let bytes = sample();
        let lines: Vec<usize> =
            bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at).collect();
        let last_commit_start = lines[lines.len() - 2] + 1;
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            let found = parse(&damaged, "j");
            let is_seen = found.as_ref().map_or(true, |journal| journal.length < bytes.len() as u64);
            assert!(is_seen, "byte {at}");
            if at + 2 < lines[lines.len() - 4] {
                assert!(found.is_err(), "byte {at} of {last_commit_start} lies before later commits");
            }
        }
    }
}
