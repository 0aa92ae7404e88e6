//! The file as written.
//!
//! Required fields are optional here, so that everything else is checked even where one of them is missing.

use serde::Deserialize;

use super::duration::Length;
use crate::source::{At, Dict, List, Soft};

/// A simulated server.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a simulated server")]
pub(super) struct SimulationFile {
    pub(super) time: Option<Soft<TimeFile>>,
    pub(super) concurrency: Option<Soft<At<i64>>>,
    pub(super) stalls: Option<Soft<List<At<StallFile>>>>,
    pub(super) generator: Option<Soft<GeneratorFile>>,
    pub(super) default: Option<Soft<At<BehaviourFile>>>,
    pub(super) models: Option<Soft<Dict<Soft<OperationsFile>>>>,
}

/// How the operations of a model behave.
pub(super) type OperationsFile = Dict<Soft<At<BehaviourFile>>>;

/// How time passes.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(super) enum TimeFile {
    #[serde(rename = "virtual")]
    Virtual,
    #[serde(rename = "real")]
    Real,
}

/// Times at which the whole server stands still.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a stall")]
pub(super) struct StallFile {
    pub(super) every: Option<Soft<At<Length>>>,
    pub(super) lasts: Option<Soft<At<Length>>>,
    pub(super) after: Option<Soft<At<Length>>>,
}

/// The load generator itself.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a load generator")]
pub(super) struct GeneratorFile {
    pub(super) cost: Option<Soft<At<Length>>>,
}

/// How an operation behaves.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "the behaviour of an operation")]
pub(super) struct BehaviourFile {
    pub(super) latency: Option<Soft<At<LatencyFile>>>,
    pub(super) errors: Option<Soft<At<ErrorsFile>>>,
    pub(super) grows: Option<Soft<At<GrowsFile>>>,
    pub(super) drift: Option<Soft<At<f64>>>,
    pub(super) between_windows: Option<Soft<At<f64>>>,
    pub(super) between_restarts: Option<Soft<At<f64>>>,
    pub(super) empty: Option<Soft<At<f64>>>,
    pub(super) answers: Option<Soft<AnswersFile>>,
}

/// Growth with a parameter of the scenario.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "growth with a parameter")]
pub(super) struct GrowsFile {
    pub(super) with: Option<Soft<At<String>>>,
    pub(super) unit: Option<Soft<At<f64>>>,
    pub(super) exponent: Option<Soft<At<f64>>>,
    pub(super) fixed: Option<Soft<At<f64>>>,
}

/// A distribution.
#[derive(Debug, Deserialize)]
pub(super) enum LatencyFile {
    #[serde(rename = "constant")]
    Constant(At<Length>),
    #[serde(rename = "uniform")]
    Uniform((At<Length>, At<Length>)),
    #[serde(rename = "exponential")]
    Exponential(ExponentialFile),
    #[serde(rename = "lognormal")]
    LogNormal(LogNormalFile),
    #[serde(rename = "pareto")]
    Pareto(ParetoFile),
    #[serde(rename = "mixture")]
    Mixture(At<List<PartFile>>),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an exponential distribution")]
pub(super) struct ExponentialFile {
    pub(super) mean: At<Length>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a lognormal distribution")]
pub(super) struct LogNormalFile {
    pub(super) median: At<Length>,
    pub(super) sigma: At<f64>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a pareto distribution")]
pub(super) struct ParetoFile {
    pub(super) minimum: At<Length>,
    pub(super) shape: At<f64>,
}

/// A part of a mixture.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a part of a mixture")]
pub(super) struct PartFile {
    pub(super) share: At<f64>,
    pub(super) of: LatencyFile,
}

/// Failures.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "errors")]
pub(super) struct ErrorsFile {
    pub(super) share: At<f64>,
    pub(super) kind: At<String>,
}

/// What operations answer.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(super) enum AnswersFile {
    #[serde(rename = "agree")]
    Agree,
    #[serde(rename = "differ")]
    Differ,
}
