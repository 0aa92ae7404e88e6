//! What a history needs of a run: its header and its analysis, without the measurements, which are passed over unread.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::error::RecordError;
use super::file::RUN_FILE;
use super::listing::RunHeader;
use crate::units::Ratio;
use crate::words::{Metric, Mode, Role};

/// A run without its measurements.
#[derive(Debug, Clone, PartialEq)]
pub struct RunDigest {
    /// The name of its folder.
    pub folder: String,
    /// Its header.
    pub header: RunHeader,
    /// One entry per scenario and workload, in the order measured.
    pub scenarios: Vec<ScenarioDigest>,
}

/// What a history needs of a scenario under a workload. The fields are those of
/// [`ScenarioRecord`](super::ScenarioRecord).
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ScenarioDigest {
    /// The scenario's name.
    pub name: String,
    /// The workload's name.
    pub workload: String,
    /// Whether everything planned for it was measured.
    pub complete: bool,
    /// SHA-256 of the scenario file.
    pub file_sha256: String,
    /// Parameters in force.
    pub parameters: BTreeMap<String, Value>,
    /// SHA-256 over the dataset's rows.
    pub dataset_sha256: String,
    /// The plan.
    pub plan: PlanDigest,
    /// The models.
    pub models: Vec<ModelDigest>,
    /// The comparison.
    #[serde(default)]
    pub analysis: AnalysisDigest,
}

/// What a history needs of a plan.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct PlanDigest {
    /// How load is offered.
    pub mode: Mode,
    /// The model that is compared with itself, in a control run.
    #[serde(default)]
    pub control: Option<String>,
    /// The workload's operations and their weights.
    pub mix: BTreeMap<String, f64>,
}

/// What a history needs of a model.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct ModelDigest {
    /// The model's name.
    pub name: String,
    /// What it stands for.
    pub role: Role,
    /// Its operations.
    #[serde(default)]
    pub operations: BTreeMap<String, OperationDigest>,
}

/// What a history needs of a model's operation.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct OperationDigest {
    /// Why the server executes it unlike mongod.
    #[serde(default)]
    pub engine_limited: Option<String>,
}

/// What a history needs of the comparison.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
pub struct AnalysisDigest {
    /// By operation, then by metric.
    #[serde(default)]
    pub operations: BTreeMap<String, BTreeMap<Metric, ComparisonDigest>>,
}

/// Figures of naive and another model.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
pub struct ComparisonDigest {
    /// Naive's figure.
    #[serde(default)]
    pub naive: Option<f64>,
    /// The other model's figure.
    #[serde(default)]
    pub pattern: Option<f64>,
    /// Naive ÷ the other model's.
    #[serde(default)]
    pub speedup: Option<Ratio>,
    /// Lower end of its 95 % interval.
    #[serde(default)]
    pub low: Option<Ratio>,
    /// Upper end.
    #[serde(default)]
    pub high: Option<Ratio>,
    /// Further models against naive.
    #[serde(default)]
    pub others: BTreeMap<String, ComparisonDigest>,
}

#[derive(Deserialize)]
struct Measurements {
    #[serde(default)]
    scenarios: Vec<ScenarioDigest>,
}

impl RunDigest {
    /// Reads what a history needs of the record in a run's folder.
    ///
    /// # Errors
    /// When the file cannot be read, is no record, or has a layout that this version does not know.
    pub fn read(folder: &Path) -> Result<Self, RecordError> {
        let header = RunHeader::read(folder)?;
        let path = folder.join(RUN_FILE);
        let bytes = std::fs::read(&path).map_err(|source| RecordError::Read { path: path.clone(), source })?;
        let measured: Measurements =
            serde_json::from_slice(&bytes).map_err(|source| RecordError::Malformed { path, source })?;
        let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(Self { folder: name, header, scenarios: measured.scenarios })
    }
}
