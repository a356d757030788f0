//! What interrupts a run: signals to this process, or a word from whoever started the run.

use tokio::signal::unix::{Signal, SignalKind, signal};
#[cfg(test)]
use tokio::sync::mpsc;

use super::RunError;

/// What may interrupt a run.
#[derive(Default)]
pub enum Interrupts {
    /// SIGINT, SIGTERM and SIGHUP.
    #[default]
    Signals,
    #[cfg(test)]
    /// Words from elsewhere in the program; each is the name of what interrupts.
    Words(mpsc::UnboundedReceiver<String>),
}

/// The interrupts of a run in progress.
pub(super) enum Signals {
    OfProcess {
        interrupt: Signal,
        terminate: Signal,
        hangup: Signal,
    },
    #[cfg(test)]
    Words(mpsc::UnboundedReceiver<String>),
}

impl Signals {
    pub(super) fn new(interrupts: Interrupts) -> Result<Self, RunError> {
        match interrupts {
            Interrupts::Signals => {}
            #[cfg(test)]
            Interrupts::Words(words) => return Ok(Self::Words(words)),
        }
        let open = |kind| signal(kind).map_err(RunError::while_doing("listening for signals"));
        Ok(Self::OfProcess {
            interrupt: open(SignalKind::interrupt())?,
            terminate: open(SignalKind::terminate())?,
            hangup: open(SignalKind::hangup())?,
        })
    }

    /// The name of the next one.
    pub(super) async fn next(&mut self) -> String {
        match self {
            Self::OfProcess { interrupt, terminate, hangup } => tokio::select! {
                _ = interrupt.recv() => "SIGINT".to_owned(),
                _ = terminate.recv() => "SIGTERM".to_owned(),
                _ = hangup.recv() => "SIGHUP".to_owned(),
            },
            #[cfg(test)]
            Self::Words(words) => match words.recv().await {
                Some(word) => word,
                None => std::future::pending().await,
            },
        }
    }
}
