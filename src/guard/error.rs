//! Why something may not be touched.

use crate::words::MarkerState;

/// A refusal, or a failure on the way to a decision. In every case nothing foreign was touched.
#[derive(Debug, Clone, thiserror::Error)]
pub enum GuardError {
    /// A database cannot have this name.
    #[error("failed to name a database after `{name}`: {why}")]
    BadName {
        /// The name.
        name: String,
        /// What is wrong with it.
        why: String,
    },
    /// The server is not this machine's and nobody said that it may be loaded.
    #[error("refused to load {hosts}, which is not this machine: if that is what you want, add {flags}{situation}")]
    NotAllowed {
        /// Hosts without consent.
        hosts: String,
        /// The flags that give it.
        flags: String,
        /// Set members, foreign databases and connections, on lines of their own.
        situation: String,
    },
    /// Others use the server, or may.
    #[error(
        "refused to load {host}, which is not patternbench's alone: {reason}; if its other users do not mind, add --shared-server{situation}"
    )]
    Shared {
        /// The server.
        host: String,
        /// Who else uses it.
        reason: String,
        /// Set members, foreign databases and connections, on lines of their own.
        situation: String,
    },
    /// A database of that name is not patternbench's.
    #[error(
        "refused to touch database {name}: it holds {what} and no marker of patternbench; nothing was changed. Rename it, or drop it yourself"
    )]
    Foreign {
        /// The database.
        name: String,
        /// What was seen in it.
        what: String,
    },
    /// A database has the same name in other letters.
    #[error(
        "refused to make database {name}: {other} differs only in capital letters, which servers do not tell apart; rename or drop {other} yourself"
    )]
    CaseClash {
        /// The database.
        name: String,
        /// The other.
        other: String,
    },
    /// Another run works with the database.
    #[error(
        "refused to touch database {name}: {owner} works with it, last heard {silence_seconds} s ago; wait until it ends (an owner silent for 30 s is taken for dead)"
    )]
    LiveOwner {
        /// The database.
        name: String,
        /// The other run.
        owner: String,
        /// How long ago it gave a sign of life.
        silence_seconds: u64,
    },
    /// A run kept data there that were made from another file.
    #[error(
        "refused to replace database {name}: run {run} kept it, made from another version of the scenario file ({file}…); `patternbench clean --kept` drops it"
    )]
    KeptFromOtherFile {
        /// The database.
        name: String,
        /// The run that kept it.
        run: String,
        /// The beginning of the file's SHA-256.
        file: String,
    },
    /// The marker is no longer this run's.
    #[error(
        "refused to touch database {name} any more: its marker {found}; it was taken while this run was silent, or removed by hand"
    )]
    Lost {
        /// The database.
        name: String,
        /// What the marker says now.
        found: String,
    },
    /// The server did not do what it was asked.
    #[error("failed to {what} database {name}: {message}")]
    Server {
        /// What was asked.
        what: &'static str,
        /// The database.
        name: String,
        /// What the server says.
        message: String,
    },
}

/// How a database's content is told in a survey.
pub(super) fn in_words(state: MarkerState) -> &'static str {
    match state {
        MarkerState::Loading => "half loaded",
        MarkerState::Pristine => "loaded",
        MarkerState::Used => "used",
        MarkerState::Kept => "kept",
    }
}
