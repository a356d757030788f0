//! The conversation with one guest, over the pipes of its hypervisor, and its console.

use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use super::GuestError;
use super::channel::{Broken, Channel, Sections};
use crate::diagnostic::printable;
use crate::guest::script;
use crate::os::Exit;
use crate::place::{Host, Running};

/// The most of a console that is kept, in bytes.
const CONSOLE_BYTES_MAX: u64 = 16 << 20;
/// The most that a guest may say of itself, in bytes.
const FACTS_BYTES_MAX: usize = 1 << 20;
/// How often a console's length is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// A guest that is talked to.
pub(super) struct Conversation {
    pub(super) number: u64,
    /// What the guest said of itself when it was ready.
    pub(super) facts: Vec<u8>,
    pub(super) process: Box<dyn Running>,
    host: Rc<dyn Host>,
    channel: Channel,
    console: PathBuf,
    console_seen: u64,
}

impl Conversation {
    pub(super) fn begin(
        number: u64,
        host: &Rc<dyn Host>,
        mut process: Box<dyn Running>,
        console: PathBuf,
    ) -> Result<Self, GuestError> {
        let pipes = process.pipes().ok_or_else(|| GuestError::new("a hypervisor without pipes"))?;
        let (channel, host) = (Channel::new(pipes), Rc::clone(host));
        Ok(Self { number, facts: vec![], process, host, channel, console, console_seen: 0 })
    }

    /// Waits for the facts.
    pub(super) async fn ready(&mut self) -> Result<(), GuestError> {
        loop {
            match self.channel.section().await {
                Ok((_, bytes)) if bytes.len() > FACTS_BYTES_MAX => {
                    return Err(GuestError::new(format!("guest {} says too much of itself", self.number)));
                }
                Ok((name, bytes)) if name == script::FACTS => {
                    self.facts = bytes;
                    return Ok(());
                }
                Ok(_) => {}
                Err(broken) => return Err(self.broken(broken).await),
            }
        }
    }

    /// Sends commands, where there are any, and takes what comes back, as long as the console does not overflow.
    pub(super) async fn talk(&mut self, commands: Option<&str>) -> Result<(Sections, i32), GuestError> {
        let (channel, host, console) = (&mut self.channel, &self.host, &self.console);
        let exchange = async {
            if let Some(commands) = commands {
                channel.send(commands).await?;
            }
            channel.sections().await
        };
        let watch = async {
            while host.stat(console).await.is_ok_and(|stat| stat.length <= CONSOLE_BYTES_MAX) {
                tokio::time::sleep(LOOK_EVERY).await;
            }
        };
        let done = tokio::select! {
            biased;
            done = exchange => done,
            () = watch => {
                return Err(GuestError::new(format!("guest {} prints too much to its console", self.number)));
            }
        };
        match done {
            Ok(done) => Ok(done),
            Err(broken) => Err(self.broken(broken).await),
        }
    }

    /// What the console said since the last look.
    pub(super) async fn console(&mut self) -> Vec<u8> {
        let read = self.host.read_range(&self.console, self.console_seen, CONSOLE_BYTES_MAX).await;
        let bytes = read.unwrap_or_default();
        self.console_seen += bytes.len() as u64;
        bytes
    }

    /// The last line of the console, where there is one.
    async fn last_of_console(&self) -> String {
        const TAIL_BYTES: u64 = 4096;
        let length = self.host.stat(&self.console).await.map_or(0, |stat| stat.length);
        let tail = self.host.read_range(&self.console, length.saturating_sub(TAIL_BYTES), TAIL_BYTES).await;
        let tail = String::from_utf8_lossy(&tail.unwrap_or_default()).into_owned();
        let line = tail.lines().map(str::trim).rfind(|line| !line.is_empty() && !line.starts_with("Rebooting"));
        line.map_or_else(String::new, |line| format!("; its console ends with `{}`", printable(line)))
    }

    /// Why the channel broke: what the hypervisor said, or how it ended.
    async fn broken(&mut self, broken: Broken) -> GuestError {
        if let Broken::Garbled(what) = broken {
            return GuestError::new(format!("guest {} sent {what}", self.number));
        }
        let complaints = self.channel.complaints().await;
        let exit = self.process.ended().await;
        let text = String::from_utf8_lossy(&complaints);
        let line = text.lines().rfind(|line| !line.trim().is_empty()).map(|line| line.trim().to_owned());
        let how = match (line, exit) {
            (Some(line), _) => printable(&line),
            (None, Ok(Exit::Code(code))) => format!("it ended with code {code}{}", self.last_of_console().await),
            (None, Ok(Exit::Signal(signal))) => format!("it was ended by signal {signal}"),
            (None, Err(error)) => error.to_string(),
        };
        GuestError::new(format!("guest {} is gone: {how}", self.number))
    }
}
