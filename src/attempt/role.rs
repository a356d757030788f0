//! The roles of the objects of an attempt: what each of them is, as the journal spells it.
//!
//! The spelling is a file format. A role of a later version is kept as it is.

use std::fmt;

/// What an object of an attempt is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// `stdout`: what the measuring program printed, or the file that was imported.
    Stdout,
    /// `stderr`.
    Stderr,
    /// `file/NAME`: a file that the program wrote.
    File(String),
    /// `source/NAME`: a picture or page that imported numbers were copied from.
    Source(String),
    /// `guests/boot`: how the guests of a job were booted; jobs of one boot have the same object.
    Boot,
    /// `guest-N/…`.
    Guest {
        /// From 1.
        number: u64,
        /// What it is of that guest.
        part: GuestRole,
    },
    /// `round-N/…`: of a round before the launch that counts.
    Round {
        /// From 1.
        number: u64,
        /// What it is of that round.
        role: Box<Role>,
    },
    /// A role that this version does not know.
    Other(String),
}

/// What an object of a guest is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum GuestRole {
    /// `facts`: what the guest said of itself when it was ready.
    Facts,
    /// `console`.
    Console,
    /// `disk-NAME`: what a conversion of a disk gave.
    Disk(String),
    /// `STEP/…`: an output of a step before the first job, such as `fill-data-1`.
    Step {
        /// The step.
        name: String,
        /// What it is of that step.
        role: Box<Role>,
    },
}

impl Role {
    /// A role of a guest, by its number from 1.
    pub fn guest(number: u64, part: GuestRole) -> Self {
        Self::Guest { number, part }
    }

    /// The role that a journal spells so.
    pub fn parse(text: &str) -> Self {
        Self::known(text).unwrap_or_else(|| Self::Other(text.to_owned()))
    }

    fn known(text: &str) -> Option<Self> {
        let numbered = |rest: &str| -> Option<(u64, String)> {
            let (number, rest) = rest.split_once('/')?;
            // a number has one spelling
            let parsed = number.parse::<u64>().ok().filter(|parsed| parsed.to_string() == number)?;
            Some((parsed, rest.to_owned()))
        };
        match text {
            "stdout" => return Some(Self::Stdout),
            "stderr" => return Some(Self::Stderr),
            "guests/boot" => return Some(Self::Boot),
            _ => {}
        }
        if let Some(name) = text.strip_prefix("file/") {
            return Some(Self::File(name.to_owned()));
        }
        if let Some(name) = text.strip_prefix("source/") {
            return Some(Self::Source(name.to_owned()));
        }
        if let Some(rest) = text.strip_prefix("round-") {
            let (number, role) = numbered(rest)?;
            return Some(Self::Round { number, role: Box::new(Self::parse(&role)) });
        }
        let (number, part) = numbered(text.strip_prefix("guest-")?)?;
        Some(Self::Guest { number, part: GuestRole::known(&part)? })
    }
}

impl GuestRole {
    fn known(text: &str) -> Option<Self> {
        match text {
            "facts" => return Some(Self::Facts),
            "console" => return Some(Self::Console),
            _ => {}
        }
        if let Some((name, role)) = text.split_once('/') {
            return Some(Self::Step { name: name.to_owned(), role: Box::new(Role::parse(role)) });
        }
        Some(Self::Disk(text.strip_prefix("disk-")?.to_owned()))
    }
}

impl fmt::Display for Role {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdout => formatter.write_str("stdout"),
            Self::Stderr => formatter.write_str("stderr"),
            Self::File(name) => write!(formatter, "file/{name}"),
            Self::Source(name) => write!(formatter, "source/{name}"),
            Self::Boot => formatter.write_str("guests/boot"),
            Self::Guest { number, part } => write!(formatter, "guest-{number}/{part}"),
            Self::Round { number, role } => write!(formatter, "round-{number}/{role}"),
            Self::Other(text) => formatter.write_str(text),
        }
    }
}

impl fmt::Display for GuestRole {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Facts => formatter.write_str("facts"),
            Self::Console => formatter.write_str("console"),
            Self::Disk(name) => write!(formatter, "disk-{name}"),
            Self::Step { name, role } => write!(formatter, "{name}/{role}"),
        }
    }
}

/// The roles of the objects that exact replicates must have byte for byte alike.
pub fn exact_roles() -> [Role; 3] {
    [Role::Stdout, Role::guest(1, GuestRole::Console), Role::guest(1, GuestRole::Facts)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_is_read_and_written_alike() {
        let all = [
            "stdout",
            "stderr",
            "file/guest-1_iops.1.log",
            "file/a/b",
            "source/page.png",
            "guests/boot",
            "guest-1/facts",
            "guest-12/console",
            "guest-1/disk-data",
            "guest-2/fill-data-1/stdout",
            "round-3/file/x",
            "round-1/guest-1/facts",
            "guest-01/facts",
            "guest-1/later",
            "guest-x/facts",
            "round-/stdout",
            "something/new",
            "",
        ];
        for text in all {
            assert_eq!(Role::parse(text).to_string(), text);
        }
        assert_eq!(
            Role::parse("guest-01/facts"),
            Role::Other("guest-01/facts".to_owned()),
            "another spelling is no guest"
        );
        let fill = GuestRole::Step { name: "fill-data-1".to_owned(), role: Box::new(Role::Stdout) };
        assert_eq!(Role::parse("guest-2/fill-data-1/stdout"), Role::guest(2, fill));
    }
}
