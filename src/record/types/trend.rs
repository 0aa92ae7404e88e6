//! The history of a results folder: what `patternbench trend --json` prints.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::run::Tool;
use crate::units::Ratio;
use crate::words::{Mode, Product, Profile, Role, Tracked};

/// The version of the layout that this program writes.
pub const TREND_SCHEMA: &str = "patternbench.trend/1";

/// The history of a results folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrendRecord {
    /// The layout's version: [`TREND_SCHEMA`].
    pub schema: String,
    /// The program that made it.
    pub tool: Tool,
    /// The runs, from the oldest to the newest; all other places refer to them by their place here, from 0.
    pub runs: Vec<TrendRun>,
    /// One entry per scenario and workload, by name.
    pub scenarios: Vec<TrendScenario>,
}

/// A run in a history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TrendRun {
    /// The name of its folder.
    pub folder: String,
    /// When it began, RFC 3339 in UTC.
    pub started_at: String,
    /// The user's name for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The version of the program that measured it.
    pub tool_version: String,
    /// The product measured.
    pub product: Product,
    /// Its version.
    pub version: String,
}

/// The history of a scenario under a workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrendScenario {
    /// The scenario's name.
    pub name: String,
    /// The workload's name.
    pub workload: String,
    /// Runs whose figures belong beside each other; the line with the newest run first.
    pub lines: Vec<TrendLine>,
}

/// Runs on one kind of server, under one profile, with one set of parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrendLine {
    /// The product.
    pub product: Product,
    /// Its version.
    pub version: String,
    /// Its host without port; `this machine` for servers that patternbench started.
    pub host: String,
    /// The profile.
    pub profile: Profile,
    /// How load was offered: response times under open load, service times under closed.
    pub mode: Mode,
    /// The scenario's parameters.
    pub parameters: BTreeMap<String, Value>,
    /// The runs in which the scenario was measured to its end.
    pub runs: Vec<usize>,
    /// The operations, the heaviest first, the whole mix (`all`) last.
    pub operations: Vec<TrendOperation>,
}

/// The history of an operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrendOperation {
    /// The operation, or `all`.
    pub operation: String,
    /// Whether the server executes it unlike mongod, in naive or the pattern, as the newest run says.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub engine_limited: bool,
    /// The p95 of each model, then the speed-up of each model but naive.
    pub series: Vec<TrendSeries>,
}

/// A figure over runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrendSeries {
    /// What is followed.
    pub of: Tracked,
    /// The model.
    pub model: String,
    /// What it stands for.
    pub role: Role,
    /// The figure in the runs that have one, in their order; other runs are gaps.
    pub points: Vec<TrendPoint>,
    /// Where it changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<TrendChange>,
}

/// A figure in a run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrendPoint {
    /// The run.
    pub run: usize,
    /// The figure: µs for p95.
    pub value: f64,
    /// Lower end of its 95 % interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// Upper end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
}

/// A step in a figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TrendChange {
    /// The first run after the step.
    pub run: usize,
    /// The median before it, back to the step before.
    pub before: f64,
    /// The median after it, up to the next step.
    pub after: f64,
    /// After ÷ before.
    pub ratio: Ratio,
    /// Whether users are worse off: a higher latency, a lower speed-up.
    pub worse: bool,
    /// What else changed with that run: the program's version, the scenario file, the data, the load generator's machine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub with: Vec<String>,
}
