//! What cannot be planned: wrong usage, found before anything is touched.

use crate::value::{RenderError, WorldError};

/// Why there is no plan.
#[derive(Debug, Clone, thiserror::Error)]
pub enum PlanError {
    /// `--set` names a parameter that the scenario does not have.
    #[error("scenario {scenario} has no parameter `{name}`; {hint}")]
    UnknownParameter {
        /// The scenario.
        scenario: String,
        /// What was named.
        name: String,
        /// The nearest name, or all of them.
        hint: String,
    },
    /// `--set` gives a value of the wrong kind.
    #[error("--set {name}={text}: parameter `{name}` of scenario {scenario} is {wanted}")]
    BadValue {
        /// The scenario.
        scenario: String,
        /// The parameter.
        name: String,
        /// What was given.
        text: String,
        /// What it takes, with its article.
        wanted: &'static str,
    },
    /// A parameter's value is out of its bounds.
    #[error("parameter `{name}` of scenario {scenario} is {value}, {bound}; change it with --set {name}=…")]
    OutOfBounds {
        /// The scenario.
        scenario: String,
        /// The parameter.
        name: String,
        /// Its value.
        value: String,
        /// The bound that it breaks, in words.
        bound: String,
    },
    /// `--models` names a model that the scenario does not have.
    #[error("scenario {scenario} has no model `{name}`; {hint}")]
    UnknownModel {
        /// The scenario.
        scenario: String,
        /// What was named.
        name: String,
        /// The nearest name, or all of them.
        hint: String,
    },
    /// `--models` leaves nothing to compare.
    #[error("scenario {scenario}: --models leaves only `{model}`, and a comparison needs two; add one of {others}")]
    OneModel {
        /// The scenario.
        scenario: String,
        /// The only model left.
        model: String,
        /// The other models.
        others: String,
    },
    /// A number on the command line is out of range.
    #[error("{option} is {value}, and must lie between {low} and {high}")]
    OutOfRange {
        /// The option.
        option: &'static str,
        /// Its value.
        value: String,
        /// The smallest value that works.
        low: String,
        /// The largest value that works.
        high: String,
    },
    /// Options that contradict each other.
    #[error("{what}")]
    Contradiction {
        /// What, and what to do.
        what: &'static str,
    },
    /// Something that this version does not measure.
    #[error("this version cannot measure {what}")]
    Unsupported {
        /// What.
        what: &'static str,
    },
    /// The dataset cannot be resolved under these parameters.
    #[error("failed to resolve the dataset of scenario {scenario}: {source}")]
    World {
        /// The scenario.
        scenario: String,
        /// Why.
        source: WorldError,
    },
    /// Partitions or indexes of a model cannot be told under these parameters.
    #[error("failed to lay out model {model} of scenario {scenario}: {source}")]
    Layout {
        /// The scenario.
        scenario: String,
        /// The model.
        model: String,
        /// Why.
        source: RenderError,
    },
    /// An argument cannot be rendered.
    #[error(
        "failed to render the arguments of operation {operation} (number {number}) of scenario {scenario}: {source}"
    )]
    Arguments {
        /// The scenario.
        scenario: String,
        /// The operation.
        operation: String,
        /// Its number.
        number: u64,
        /// Why.
        source: RenderError,
    },
}
