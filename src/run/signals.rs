//! What interrupts a run: signals to this process, or a word from whoever started the run.

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;

use super::RunError;

/// What may interrupt a run.
#[derive(Default)]
pub enum Interrupts {
    /// SIGINT, SIGTERM and SIGHUP.
    #[default]
    Signals,
    /// Words from elsewhere in the program; each is the name of what interrupts.
    Words(mpsc::UnboundedReceiver<String>),
}

/// The interrupts of a run in progress.
pub(super) enum Signals {
    OfProcess { interrupt: Signal, terminate: Signal, hangup: Signal },
    Words(mpsc::UnboundedReceiver<String>),
}

impl Signals {
    pub(super) fn new(interrupts: Interrupts) -> Result<Self, RunError> {
        if let Interrupts::Words(words) = interrupts {
            return Ok(Self::Words(words));
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
            Self::Words(words) => match words.recv().await {
                Some(word) => word,
                None => std::future::pending().await,
            },
        }
    }
}
