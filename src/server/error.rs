//! What can go wrong between patternbench and a server.

use std::path::PathBuf;

use super::secret::UriProblem;

/// Why there is no server to work with. No message holds a secret.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ServerError {
    /// The connection string is none.
    #[error("failed to read the connection string{}: {problem}", from(.file))]
    BadUri {
        /// The file it stands in, if it does.
        file: Option<PathBuf>,
        /// What is wrong with it.
        problem: UriProblem,
    },
    /// The driver refuses the connection string.
    #[error("failed to understand {uri}: {message}")]
    UriRefusedByDriver {
        /// The connection string without its secrets.
        uri: String,
        /// What the driver says.
        message: String,
    },
    /// The file with the connection string cannot be read.
    #[error("failed to read {}: {message}; it holds the connection string on one line", file.display())]
    UriFile {
        /// The file.
        file: PathBuf,
        /// What the system says.
        message: String,
    },
    /// The connection string asks for what would falsify a measurement.
    #[error("refused {uri}: {what}; {remedy}")]
    UnfitUri {
        /// The connection string without its secrets.
        uri: String,
        /// What it asks for.
        what: String,
        /// What to do.
        remedy: String,
    },
    /// Two options contradict each other.
    #[error("{0}")]
    Contradiction(String),
    /// No server answers.
    #[error("failed to connect to {uri}: {message}; start mongod there, or pass --server embedded")]
    Unreachable {
        /// The connection string without its secrets.
        uri: String,
        /// What the driver says.
        message: String,
    },
    /// The server does not accept the credentials.
    #[error("failed to authenticate at {uri}: {message}; check user, password and authSource of the connection string")]
    Authentication {
        /// The connection string without its secrets.
        uri: String,
        /// What the server says.
        message: String,
    },
    /// There is no such program.
    #[error("failed to find {}: {remedy}", program.display())]
    NoProgram {
        /// The program.
        program: PathBuf,
        /// What to do.
        remedy: String,
    },
    /// The program cannot be started.
    #[error("failed to start {}: {message}", program.display())]
    CannotStart {
        /// The program.
        program: PathBuf,
        /// What the system says.
        message: String,
    },
    /// A server of ours ended by itself.
    #[error("{} ended by itself ({status}){}{}", program.display(), kept(.log), quoted(.log_tail))]
    Died {
        /// The program.
        program: PathBuf,
        /// Exit code or signal, in words.
        status: String,
        /// The log's last lines.
        log_tail: String,
        /// Where the whole log was kept.
        log: Option<PathBuf>,
    },
    /// A server of ours does not answer.
    #[error("{} did not answer within {seconds} s; it was stopped{}", program.display(), quoted(.log_tail))]
    NotReady {
        /// The program.
        program: PathBuf,
        /// How long it was waited for.
        seconds: u64,
        /// The log's last lines.
        log_tail: String,
    },
    /// The server does not do what it was asked.
    #[error("failed to {what} at {host}: {message}")]
    Command {
        /// What was asked.
        what: String,
        /// The server.
        host: String,
        /// What it says.
        message: String,
    },
}

impl ServerError {
    /// Whether the options or the connection string are at fault, rather than a server.
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            Self::BadUri { .. } | Self::UriRefusedByDriver { .. } | Self::UriFile { .. } | Self::Contradiction(_)
        )
    }
}

fn from(file: &Option<PathBuf>) -> String {
    file.as_ref().map(|file| format!(" in {}", file.display())).unwrap_or_default()
}

fn kept(log: &Option<PathBuf>) -> String {
    log.as_ref().map(|log| format!("; its log is {}", log.display())).unwrap_or_default()
}

fn quoted(log_tail: &str) -> String {
    if log_tail.is_empty() { "; its log is empty".to_owned() } else { format!("; its log ends with\n{log_tail}") }
}
