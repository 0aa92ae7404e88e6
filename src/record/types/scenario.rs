//! A scenario under one workload: plan, comparisons of answers, calibration, events.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::analysis::{AnalysisRecord, ClaimRecord};
use super::model::ModelRecord;
use super::round::RoundRecord;
use crate::units::{Bytes, Micros, Rate, Ratio, Share};
use crate::words::{ArrivalProcess, DataState, Isolation, Mode, OperationKind};

/// One scenario under one workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScenarioRecord {
    /// The scenario's name.
    pub name: String,
    /// Its title.
    pub title: String,
    /// Its summary.
    pub summary: String,
    /// The workload's name.
    pub workload: String,
    /// Whether everything planned for it was measured.
    pub complete: bool,
    /// Why nothing of it can be measured on this server: its naive model, or every pattern, needs what the server lacks.
    /// That is no failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_measurable: Option<String>,
    /// SHA-256 of the scenario file.
    pub file_sha256: String,
    /// Parameters in force (relaxed Extended JSON).
    pub parameters: BTreeMap<String, Value>,
    /// The seed.
    pub seed: u64,
    /// SHA-256 over the dataset's rows.
    pub dataset_sha256: String,
    /// SHA-256 over the rendered arguments of operation numbers 0–9,999 of the measured range.
    pub stream_sha256: String,
    /// The plan.
    pub plan: PlanRecord,
    /// What the scenario file says of its operations, beside their weights.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub declared: BTreeMap<String, DeclaredOperation>,
    /// Comparison of answers before measuring; absent if the run did not get so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parity: Option<ParityRecord>,
    /// Comparison of answers after the last round, of all restarts together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closing_parity: Option<ClosingParityRecord>,
    /// Closed calibration per model.
    #[serde(default)]
    pub calibration: BTreeMap<String, CalibrationRecord>,
    /// The models.
    pub models: Vec<ModelRecord>,
    /// The rounds, in the order run.
    #[serde(default)]
    pub rounds: Vec<RoundRecord>,
    /// What happened besides: lost servers, models that left the comparison.
    #[serde(default)]
    pub events: Vec<EventRecord>,
    /// The comparison, which can be made again from the above.
    #[serde(default)]
    pub analysis: AnalysisRecord,
    /// What became of the scenario's claims.
    #[serde(default)]
    pub claims: Vec<ClaimRecord>,
}

/// The plan of a scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanRecord {
    /// How load is offered.
    pub mode: Mode,
    /// Why this mode, where `auto` chose it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode_reason: Option<String>,
    /// Workers under closed load.
    pub concurrency: u32,
    /// Offered rate in open mode; absent until calibration, unless asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// How operations come due in open mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrivals: Option<ArrivalProcess>,
    /// Workers under open load: enough that a stall does not hold back what comes due meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_workers: Option<u32>,
    /// Rounds, over all restarts.
    pub rounds: u32,
    /// Fresh loads (and, where patternbench started it, fresh servers) that the rounds are spread over.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub restarts: u32,
    /// Rounds at light load: one worker, closed.
    #[serde(default)]
    pub light_load_rounds: u32,
    /// The model that is compared with itself, in a control run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<String>,
    /// Operations per round and model; absent until calibration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operations_per_round: Option<u64>,
    /// Untimed operations before each window; absent until calibration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lead_in_operations: Option<u64>,
    /// For each round, the models in the order run.
    pub order: Vec<Vec<String>>,
    /// What happens to the data.
    pub state: DataState,
    /// Why, where the plan decided it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state_reason: Option<String>,
    /// How much collections and arrays grow over the run, as far as the steps tell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub growth: Vec<GrowthRecord>,
    /// Whether models share a server.
    pub isolation: Isolation,
    /// Why transactions of the scenario are made without being such, in all models; absent where they are, and where
    /// there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without_transactions: Option<String>,
    /// The cache of the servers that the models were measured on, where a certain one was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<CacheRecord>,
    /// The workload's operations and their weights.
    pub mix: BTreeMap<String, f64>,
}

/// The cache that a scenario, or `--cache`, asked of the servers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CacheRecord {
    /// What was asked for.
    pub asked: Bytes,
    /// What the server says that it has; absent where it does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub granted: Option<Bytes>,
    /// Whether patternbench could set it: only on a server that it starts.
    pub set: bool,
}

/// What a scenario file says of an operation, beside its weight.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeclaredOperation {
    /// Whether it writes.
    pub kind: OperationKind,
    /// What its author expects of the pattern.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<ExpectationRecord>,
}

/// What an author expects of an operation, as the file writes it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ExpectationRecord {
    /// The pattern is faster.
    Faster,
    /// The pattern is slower.
    Slower,
    /// No difference.
    Equal,
    /// It depends on the circumstances that the summary names.
    Depends,
    /// A speed-up between these two.
    Ratio(Ratio, Ratio),
}

const fn one() -> u32 {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
const fn is_one(restarts: &u32) -> bool {
    *restarts == 1
}

/// How much a collection, or the arrays in one of its fields, grow between two loads of the data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GrowthRecord {
    /// The model.
    pub model: String,
    /// The collection.
    pub collection: String,
    /// The array field, where it is an array that grows and not the number of documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// Documents (or elements over all documents) added; negative where more are deleted.
    pub added: f64,
    /// Documents (or elements over all documents) loaded, where known before loading; 0 where it starts empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loaded: Option<f64>,
    /// Added ÷ loaded, where both are known: 0.1 is ten percent more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share: Option<Share>,
}

/// Comparison of answers before measuring.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ParityRecord {
    /// Operations compared.
    pub operations: u64,
    /// Operations whose answers differ.
    pub mismatches: u64,
    /// By model with a background actor: reads of `eventual` fields, made before the actor's turn too.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub staleness: BTreeMap<String, StalenessRecord>,
}

/// How often reads returned something older than what the model's background actor had still to bring up to date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct StalenessRecord {
    /// Reads made before the actor's turn and again after it.
    pub reads: u64,
    /// Of these, those that returned something else before.
    pub older: u64,
}

impl StalenessRecord {
    /// The share of older answers; `None` without reads.
    pub fn share(self) -> Option<Share> {
        (self.reads > 0).then(|| Share::new(self.older as f64 / self.reads as f64))
    }
}

/// Comparison of answers after the last round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClosingParityRecord {
    /// Reads compared.
    pub operations: u64,
    /// Reads whose answers differ.
    pub mismatches: u64,
    /// Reads that differ only in fields declared `last_write`.
    pub last_write_differences: u64,
    /// Models that left the comparison and were not compared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_compared: Vec<String>,
}

/// Closed calibration of a model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CalibrationRecord {
    /// Operations per second of the mix with all workers.
    pub capacity: Rate,
    /// 99th percentile of service time with all workers; absent without enough samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p99: Option<Micros>,
    /// Mean service time with one worker; absent where it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub light_load_mean: Option<Micros>,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EventRecord {
    /// When, RFC 3339 in UTC.
    pub at: String,
    /// The model concerned, if one is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What.
    pub what: String,
}
