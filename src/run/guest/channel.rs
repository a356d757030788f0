//! The channel to a guest: commands to its second serial port, sections back.

use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use crate::guest::script::{END, SECTION};
use crate::place::Pipes;

/// The largest section, in bytes.
const SECTION_BYTES_MAX: usize = 256 << 20;
/// The longest line between sections, in bytes.
const LINE_BYTES_MAX: u64 = 1 << 16;

/// Why nothing more comes from a guest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Broken {
    /// The hypervisor has ended.
    Closed,
    /// What came is no section.
    Garbled(String),
}

/// How much all sections of one launch may hold together, in bytes.
const SECTIONS_BYTES_MAX: usize = 512 << 20;
/// What is kept of a hypervisor's complaints, in bytes.
const COMPLAINTS_BYTES_MAX: usize = 1 << 20;

/// The host's end.
pub(super) struct Channel {
    input: Box<dyn AsyncWrite + Unpin + Send>,
    output: Box<dyn AsyncBufRead + Unpin + Send>,
    complaints: tokio::task::JoinHandle<Vec<u8>>,
}

/// Sections in the order they came.
pub(super) type Sections = Vec<(String, Vec<u8>)>;

impl Channel {
    /// A hypervisor that complains much is never kept waiting: what it says is read all the time.
    pub(super) fn new(pipes: Pipes) -> Self {
        let Pipes { input, output, mut errors } = pipes;
        let complaints = tokio::spawn(async move {
            let (mut kept, mut buffer) = (vec![], [0; 4096]);
            while let Ok(count @ 1..) = errors.read(&mut buffer).await {
                let room = COMPLAINTS_BYTES_MAX.saturating_sub(kept.len());
                kept.extend_from_slice(&buffer[..count.min(room)]);
            }
            kept
        });
        Self { input, output, complaints }
    }

    /// Sends commands.
    pub(super) async fn send(&mut self, commands: &str) -> Result<(), Broken> {
        let written = self.input.write_all(commands.as_bytes()).await;
        let flushed = if written.is_ok() { self.input.flush().await } else { written };
        flushed.map_err(|_| Broken::Closed)
    }

    /// The next section; text between sections is passed over.
    pub(super) async fn section(&mut self) -> Result<(String, Vec<u8>), Broken> {
        loop {
            let mut line = vec![];
            let mut limited = (&mut self.output).take(LINE_BYTES_MAX);
            let count = limited.read_until(b'\n', &mut line).await.map_err(|_| Broken::Closed)?;
            if count == 0 {
                return Err(Broken::Closed);
            }
            let text = String::from_utf8_lossy(&line);
            let Some((name, number)) = text.trim_end().strip_prefix(SECTION).and_then(|rest| rest.rsplit_once(' '))
            else {
                continue;
            };
            if name == END {
                return Ok((END.to_owned(), number.as_bytes().to_vec()));
            }
            let length = number.parse::<usize>().ok().filter(|length| *length <= SECTION_BYTES_MAX);
            let Some(length) = length else {
                return Err(Broken::Garbled(format!("the section `{name}` with the length `{number}`")));
            };
            let mut bytes = vec![0; length];
            self.output.read_exact(&mut bytes).await.map_err(|_| Broken::Closed)?;
            return Ok((name.to_owned(), bytes));
        }
    }

    /// All sections up to the end of a launch, and its exit code.
    pub(super) async fn sections(&mut self) -> Result<(Sections, i32), Broken> {
        let (mut sections, mut held) = (vec![], 0);
        loop {
            let (name, bytes) = self.section().await?;
            // a section counts for more than its bytes, so that empty ones end too
            held += bytes.len() + 1024;
            if held > SECTIONS_BYTES_MAX {
                return Err(Broken::Garbled(format!("more than {SECTIONS_BYTES_MAX} bytes")));
            }
            if name == END {
                let code = String::from_utf8_lossy(&bytes).parse().unwrap_or(-1);
                return Ok((sections, code));
            }
            sections.push((name, bytes));
        }
    }

    /// What the hypervisor complained of, after it has ended.
    pub(super) async fn complaints(&mut self) -> Vec<u8> {
        const WAIT: std::time::Duration = std::time::Duration::from_secs(2);
        let ended = tokio::time::timeout(WAIT, &mut self.complaints).await;
        ended.ok().and_then(Result::ok).unwrap_or_default()
    }
}
