//! How a model's operation behaves.

use super::Latency;
use crate::backend::CallErrorKind;
use crate::units::Share;

/// How an operation of a model behaves.
#[derive(Debug, Clone, PartialEq)]
pub struct Behaviour {
    /// Time in service.
    pub latency: Latency,
    /// Failures.
    pub errors: Option<Errors>,
    /// How much longer it takes at the end of the measured operation numbers than at their start, as a part.
    pub drift: f64,
    /// Standard deviation of the logarithm of a factor that all operations of one window share.
    pub between_windows: f64,
    /// The same for all windows of one restart.
    pub between_restarts: f64,
    /// Operations that find nothing.
    pub empty: Share,
    /// What it answers.
    pub answers: Answers,
}

/// Failures of an operation.
#[derive(Debug, Clone, PartialEq)]
pub struct Errors {
    /// How many of its operations fail.
    pub share: Share,
    /// The kind under which they are counted.
    pub kind: CallErrorKind,
}

/// What operations answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Answers {
    /// The same in every model.
    #[default]
    Agree,
    /// Something else than the other models.
    Differ,
}
