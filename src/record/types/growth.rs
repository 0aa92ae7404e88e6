//! How the cost of operations grows with the data: what `run --verify-growth` finds.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::run::{Client, Server, Tool};
use crate::units::{Micros, Ratio};
use crate::words::{Profile, Role};

/// The version of the layout that this program writes.
pub const GROWTH_SCHEMA: &str = "patternbench.growth/1";

/// Scenarios at two sizes of their data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GrowthStudyRecord {
    /// The layout's version: [`GROWTH_SCHEMA`].
    pub schema: String,
    /// The program that wrote it.
    pub tool: Tool,
    /// Whether everything that was asked for was measured.
    pub complete: bool,
    /// When it began, RFC 3339 in UTC.
    pub started_at: String,
    /// The profile, which decides the smaller size.
    pub profile: Profile,
    /// The seed.
    pub seed: u64,
    /// The server measured.
    pub server: Server,
    /// The machine that generated the load.
    pub client: Client,
    /// One entry per scenario, workload and parameter, in the order measured.
    pub scenarios: Vec<GrownScenarioRecord>,
}

/// A scenario at two sizes of its data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GrownScenarioRecord {
    /// The scenario's name.
    pub name: String,
    /// The workload's name; absent where nothing could be grown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workload: Option<String>,
    /// SHA-256 of the scenario file.
    pub file_sha256: String,
    /// The parameter that was grown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameter: Option<String>,
    /// Its smaller value.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub small: Value,
    /// Its larger value: ten times the smaller, or its upper bound where that is less.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub large: Value,
    /// Whether its upper bound decides the larger value.
    #[serde(default)]
    pub bounded: bool,
    /// Why nothing was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The models, in the order of the file.
    #[serde(default)]
    pub models: Vec<GrownModelRecord>,
}

/// A model at two sizes of its data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GrownModelRecord {
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// Why it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
    /// Its operations by name.
    #[serde(default)]
    pub operations: BTreeMap<String, GrownOperationRecord>,
}

/// An operation of a model at two sizes of its data.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct GrownOperationRecord {
    /// How its cost is said to grow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declared: Option<String>,
    /// Median over the smaller data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub small_p50: Option<Micros>,
    /// Median over the larger data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub large_p50: Option<Micros>,
    /// Larger ÷ smaller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<Ratio>,
    /// Lower end of its 95 % interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<Ratio>,
    /// Upper end of its 95 % interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<Ratio>,
    /// Whether it is declared constant and is not: its interval lies above 1.5.
    #[serde(default)]
    pub marked: bool,
    /// Why there is no figure or no interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl GrowthStudyRecord {
    /// The operations that are declared constant and are not: scenario, model, operation and what was found.
    pub fn marked(&self) -> impl Iterator<Item = (&str, &str, &str, &GrownOperationRecord)> {
        self.scenarios.iter().flat_map(|scenario| {
            scenario.models.iter().flat_map(move |model| {
                let marked = model.operations.iter().filter(|(_, found)| found.marked);
                marked.map(move |(name, found)| (scenario.name.as_str(), model.name.as_str(), name.as_str(), found))
            })
        })
    }
}
