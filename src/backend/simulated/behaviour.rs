//! How a model's operation behaves.

use super::Latency;
use crate::backend::CallErrorKind;
use crate::source::Span;
use crate::units::Share;
use crate::value::Parameters;

/// How an operation of a model behaves.
#[derive(Debug, Clone, PartialEq)]
pub struct Behaviour {
    /// Time in service.
    pub latency: Latency,
    /// How it grows with a parameter of the scenario.
    pub grows: Option<Grows>,
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

/// Growth with a parameter: a latency is multiplied by fixed + (value ÷ unit)^exponent.
#[derive(Debug, Clone, PartialEq)]
pub struct Grows {
    /// The parameter.
    pub parameter: String,
    /// Where the file names it.
    pub place: Span,
    /// The value at which the part that grows is 1.
    pub unit: f64,
    /// The exponent.
    pub exponent: f64,
    /// The part that does not grow.
    pub fixed: f64,
}

impl Grows {
    /// The factor under these parameters; 1 where the parameter is none of them or is no number.
    pub fn factor(&self, parameters: &Parameters) -> f64 {
        let value = parameters.get(&self.parameter).and_then(|value| match value {
            bson::Bson::Int32(value) => Some(f64::from(*value)),
            bson::Bson::Int64(value) => Some(*value as f64),
            bson::Bson::Double(value) => Some(*value),
            _ => None,
        });
        value.map_or(1.0, |value| self.fixed + (value / self.unit).powf(self.exponent))
    }
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
