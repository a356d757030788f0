//! Why a verb could not do its work, and the exit code that goes with it.

use crate::diagnostic::Diagnostic;
use crate::os::git::GitError;
use crate::run::RunError;
use crate::store::StoreError;
use crate::verify::VerifyError;

/// Why a verb could not do its work.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Somebody's text is at fault.
    Input(Vec<Diagnostic>),
    /// Something else is, with an exit code and a way out.
    Other { code: u8, message: String, help: Option<String> },
}

impl Failure {
    /// Bad input or usage.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Other { code: 2, message: message.into(), help: None }
    }

    /// Evidence is missing, or the world failed.
    pub(crate) fn incomplete(message: impl Into<String>) -> Self {
        Self::Other { code: 3, message: message.into(), help: None }
    }

    /// With a way out.
    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        match self {
            Self::Other { code, message, .. } => Self::Other { code, message, help: Some(help.into()) },
            input => input,
        }
    }

    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Input(_) => 2,
            Self::Other { code, .. } => *code,
        }
    }

    /// Reading or writing a path failed.
    pub(crate) fn io(path: &std::path::Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.display().to_string();
        move |error| {
            use std::io::ErrorKind::{FileTooLarge, InvalidInput, IsADirectory, NotADirectory, NotFound};
            let is_input =
                matches!(error.kind(), FileTooLarge | InvalidInput | IsADirectory | NotADirectory | NotFound);
            let code = if is_input { 2 } else { 3 };
            Self::Other { code, message: format!("{path}: {error}"), help: None }
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let code = if matches!(error, StoreError::Integrity { .. }) { 4 } else { 3 };
        let help = match error {
            StoreError::Busy { .. } => Some("Wait until the other benchpaper has ended.".to_owned()),
            StoreError::Integrity { .. } => {
                Some("`benchpaper store check` names all damage. Restore the file from a copy.".to_owned())
            }
            _ => None,
        };
        Self::Other { code, message: error.to_string(), help }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Store(error) => error.into(),
            RunError::Measuring => Self::incomplete(error.to_string())
                .help("Two measurements at once disturb each other; wait until it has ended."),
            RunError::Os { .. } => Self::incomplete(error.to_string()),
        }
    }
}

impl From<GitError> for Failure {
    fn from(error: GitError) -> Self {
        Self::usage(error.to_string())
    }
}

impl From<VerifyError> for Failure {
    fn from(error: VerifyError) -> Self {
        Self::Other { code: 4, message: error.to_string(), help: None }
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::Other { code: 70, message: error.to_string(), help: None }
    }
}

impl From<Vec<Diagnostic>> for Failure {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        Self::Input(diagnostics)
    }
}
