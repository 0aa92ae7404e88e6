//! The one place that turns an error into a message and an exit code.

use std::fmt::Display;
use std::process::ExitCode;

use crate::guard::GuardError;
use crate::record::RecordError;
use crate::run::RunError;
use crate::server::ServerError;

/// How the program ends (design, section 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Done.
    Done,
    /// A measured condition failed (`--fail-on`).
    ConditionFailed,
    /// Wrong usage or scenario file.
    Usage,
    /// The models disagree.
    Parity,
    /// The server cannot be reached, was lost, or refused; or something else of the environment failed.
    Server,
    /// Too many failed operations.
    FailedOperations,
    /// Interrupted by the user.
    Interrupted,
}

impl Exit {
    /// The process's exit code.
    pub const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::ConditionFailed => 1,
            Self::Usage => 2,
            Self::Parity => 3,
            Self::Server => 4,
            Self::FailedOperations => 5,
            Self::Interrupted => 130,
        }
    }

    /// What it means, in words.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::ConditionFailed => "a measured condition failed",
            Self::Usage => "wrong usage or scenario file",
            Self::Parity => "the models disagree",
            Self::Server => "the server",
            Self::FailedOperations => "too many failed operations",
            Self::Interrupted => "interrupted",
        }
    }

    /// The order in which several outcomes are weighed: 130, 4, 5, 3, 2, 1, 0.
    const fn gravity(self) -> u8 {
        match self {
            Self::Interrupted => 6,
            Self::Server => 5,
            Self::FailedOperations => 4,
            Self::Parity => 3,
            Self::Usage => 2,
            Self::ConditionFailed => 1,
            Self::Done => 0,
        }
    }

    /// The graver of two outcomes.
    #[must_use]
    pub const fn max(self, other: Self) -> Self {
        if other.gravity() > self.gravity() { other } else { self }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// Why a command ended early: what the user reads, and the exit code.
#[derive(Debug)]
pub struct Failure {
    /// How the program ends.
    pub exit: Exit,
    /// What the user reads, without `error:`.
    pub message: String,
}

impl Failure {
    /// A failure of that kind.
    pub fn new(exit: Exit, message: impl Display) -> Self {
        Self { exit, message: message.to_string() }
    }

    /// Wrong usage.
    pub fn usage(message: impl Display) -> Self {
        Self::new(Exit::Usage, message)
    }
}

impl From<ServerError> for Failure {
    fn from(error: ServerError) -> Self {
        let unfit = matches!(error, ServerError::UnfitUri { .. });
        let exit = if unfit || error.is_usage() { Exit::Usage } else { Exit::Server };
        Self::new(exit, error)
    }
}

impl From<GuardError> for Failure {
    fn from(error: GuardError) -> Self {
        Self::new(Exit::Server, error)
    }
}

impl From<RecordError> for Failure {
    fn from(error: RecordError) -> Self {
        Self::new(Exit::Server, error)
    }
}

impl RunError {
    /// How the program ends after it.
    pub(super) const fn exit(&self) -> Exit {
        match self {
            Self::Plan(_) | Self::Usage(_) | Self::Scenario { .. } | Self::Load { .. } => Exit::Usage,
            Self::Disagreement { .. } => Exit::Parity,
            Self::TooManyFailures { .. } | Self::TooManyEmpty { .. } | Self::FailsEverywhere { .. } => {
                Exit::FailedOperations
            }
            Self::Interrupted => Exit::Interrupted,
            _ => Exit::Server,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Exit;

    #[test]
    fn of_several_outcomes_the_gravest_stands() {
        let order = [
            Exit::Interrupted,
            Exit::Server,
            Exit::FailedOperations,
            Exit::Parity,
            Exit::Usage,
            Exit::ConditionFailed,
            Exit::Done,
        ];
        for (graver, &a) in order.iter().enumerate() {
            for &b in &order[graver..] {
                assert_eq!(a.max(b), a);
                assert_eq!(b.max(a), a);
            }
        }
    }
}
