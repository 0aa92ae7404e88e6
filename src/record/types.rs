//! The types of `run.json`. Names in it are a contract: other programs rely on them.
//!
//! Durations are microseconds unless the name says otherwise. A figure without a sample is absent, never 0 or NaN.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::units::{Bytes, Micros, Rate, Ratio, Seconds, Share};
use crate::words::{
    ClaimMetric, ClaimOutcome, DataState, Isolation, Metric, Mode, Phase, Product, Profile, Role, RoundOutcome,
    ServerSource, Topology, Verdict,
};

/// The version of the layout that this program writes.
pub const SCHEMA: &str = "patternbench.run/1";

/// One run: everything that is shown is made from this alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunRecord {
    /// The layout's version: [`SCHEMA`].
    pub schema: String,
    /// The program that wrote it.
    pub tool: Tool,
    /// Whether everything that was planned was measured.
    pub complete: bool,
    /// When the run began, RFC 3339 in UTC.
    pub started_at: String,
    /// When it ended; absent while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<String>,
    /// The user's name for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The profile.
    pub profile: Profile,
    /// The server measured.
    pub server: Server,
    /// The machine that generated the load.
    pub client: Client,
    /// One entry per scenario and workload, in the order measured.
    pub scenarios: Vec<ScenarioRecord>,
}

/// The program that wrote a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tool {
    /// Its version.
    pub version: String,
}

/// The server measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Server {
    /// Where it came from.
    pub source: ServerSource,
    /// What it is, told by what it cannot fake.
    pub product: Product,
    /// The product's own version.
    pub version: String,
    /// The shape of the deployment.
    pub topology: Topology,
    /// The storage engine, as it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage_engine: Option<String>,
    /// `host:port`, without credentials.
    pub host: String,
    /// Flags that patternbench started it with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<String>,
    /// Cache size, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_bytes: Option<Bytes>,
    /// Read concern set.
    pub read_concern: String,
    /// Write concern set.
    pub write_concern: String,
    /// Whether the driver retries reads and writes.
    pub retries: Retries,
    /// Round trip of an empty command before the rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rtt: Option<RoundTrip>,
}

/// Whether the driver retries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Retries {
    /// Reads.
    pub reads: bool,
    /// Writes.
    pub writes: bool,
}

/// Round trip to the server.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RoundTrip {
    /// Median.
    pub p50: Micros,
    /// 95th percentile.
    pub p95: Micros,
}

/// The machine that generated the load.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Client {
    /// Operating system and version.
    pub os: String,
    /// Processor model.
    pub cpu: String,
    /// Cores that may be used.
    pub cores: u32,
    /// Memory.
    pub memory_bytes: Bytes,
}

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
    /// Comparison of answers before measuring; absent if the run did not get so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parity: Option<ParityRecord>,
    /// Comparison of answers after the last round.
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
    /// Workers.
    pub concurrency: u32,
    /// Offered rate in open mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Rounds.
    pub rounds: u32,
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
    /// Whether models share a server.
    pub isolation: Isolation,
    /// The workload's operations and their weights.
    pub mix: BTreeMap<String, f64>,
}

/// Comparison of answers before measuring.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ParityRecord {
    /// Operations compared.
    pub operations: u64,
    /// Operations whose answers differ.
    pub mismatches: u64,
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
    /// Mean service time with one worker; absent where it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub light_load_mean: Option<Micros>,
}

/// A model as measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelRecord {
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// One line for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Why it was not measured, or not to the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
    /// Loading; absent if it was not loaded by this run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<LoadRecord>,
    /// The storage bill after loading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage: Option<StorageRecord>,
    /// Its collections.
    #[serde(default)]
    pub collections: Vec<CollectionRecord>,
    /// Its operations by name.
    #[serde(default)]
    pub operations: BTreeMap<String, ModelOperationRecord>,
}

/// Loading of a model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoadRecord {
    /// Documents written.
    pub documents: u64,
    /// Time taken, indexes included.
    pub seconds: Seconds,
}

/// The storage bill of a model: three figures of bytes, since each costs something else.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StorageRecord {
    /// Documents stored.
    pub documents: u64,
    /// Uncompressed bytes of documents.
    pub data_bytes: Bytes,
    /// Bytes on disk, where the server tells them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage_bytes: Option<Bytes>,
    /// Bytes of indexes.
    pub index_bytes: Bytes,
    /// Collections.
    pub collections: u64,
    /// Indexes, those on `_id` included.
    pub indexes: u64,
}

/// A collection of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CollectionRecord {
    /// Its name.
    pub name: String,
    /// Options of its creation (relaxed Extended JSON).
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub options: Value,
    /// Its indexes' keys and options.
    #[serde(default)]
    pub indexes: Vec<Value>,
    /// One of its documents, long strings and arrays shortened.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub sample: Value,
    /// Documents as stored (for time series: buckets).
    pub stored_documents: u64,
    /// Documents as the application sees them.
    pub logical_documents: u64,
}

/// An operation of a model.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ModelOperationRecord {
    /// The steps as sent, with the arguments of the first parity operation (relaxed Extended JSON).
    #[serde(default)]
    pub steps: Vec<Value>,
    /// How its cost is said to grow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub growth: Option<String>,
    /// Why this server executes it unlike mongod (†).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine_limited: Option<String>,
    /// Mean requests per operation in parity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round_trips: Option<f64>,
}

/// One window of one model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RoundRecord {
    /// The round, from 0.
    pub round: u32,
    /// `measured` or `light_load`.
    pub phase: Phase,
    /// The model.
    pub model: String,
    /// Its place in the round's order, from 0.
    pub position: u32,
    /// When its window began, RFC 3339 in UTC.
    pub started_at: String,
    /// How long its window took.
    pub seconds: Seconds,
    /// Operations planned.
    pub planned: u64,
    /// Operations done per second, failures included.
    pub achieved_rate: Rate,
    /// How it ended.
    pub outcome: RoundOutcome,
    /// What disturbed it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disturbed: Vec<String>,
    /// Figures by operation.
    pub operations: BTreeMap<String, OperationRound>,
}

/// An operation in one window.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct OperationRound {
    /// Operations that did what they say, and are in the histograms.
    pub count: u64,
    /// Of these, reads that found nothing.
    #[serde(default)]
    pub empty: u64,
    /// Errors that are answers, by name; these operations are in `count` too.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub expected: BTreeMap<String, u64>,
    /// Failures by kind; in no histogram.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub errors: BTreeMap<String, u64>,
    /// Latencies above 60 s, recorded as 60 s.
    #[serde(default)]
    pub above_range: u64,
    /// Service time: base64 of an HdrHistogram V2-deflate, in µs; absent without samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    /// Response time, likewise; absent in closed mode, where there is no intended start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<String>,
    /// Pacer lag, likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pacer_lag: Option<String>,
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

/// The comparison of a scenario's models.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct AnalysisRecord {
    /// By operation (`all` is the whole mix), then by metric.
    #[serde(default)]
    pub operations: BTreeMap<String, BTreeMap<Metric, ComparisonRecord>>,
}

/// Naive against the first pattern model, for one operation and metric.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ComparisonRecord {
    /// The naive model's figure: µs for latencies, operations per second for throughput.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub naive: Option<f64>,
    /// The pattern model's figure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<f64>,
    /// The comparison itself.
    #[serde(flatten)]
    pub speedup: SpeedupRecord,
    /// Further models against naive.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub others: BTreeMap<String, OtherComparison>,
    /// Share of the pattern's speed-up (on the log scale) that the model `tuned` gets by query and index alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tuning_share: Option<Share>,
}

/// A further model against naive.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct OtherComparison {
    /// The naive model's figure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub naive: Option<f64>,
    /// The further model's figure (called so that the keys are those of the first pattern).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<f64>,
    /// The comparison itself.
    #[serde(flatten)]
    pub speedup: SpeedupRecord,
}

/// A speed-up with its interval, or the reason why there is none.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct SpeedupRecord {
    /// Naive ÷ pattern (for throughput pattern ÷ naive): above 1 the pattern is better.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speedup: Option<Ratio>,
    /// Lower end of the 95 % interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<Ratio>,
    /// Upper end of the 95 % interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<Ratio>,
    /// What it says; absent for metrics without verdict and where `reason` says why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// Why there is no interval or no verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The ratio of each unit, in order: what the interval is computed from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub units: Vec<UnitRatio>,
}

/// The paired ratio of one unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UnitRatio {
    /// The rounds joined into the unit.
    pub rounds: Vec<u32>,
    /// The ratio.
    pub ratio: Ratio,
}

/// What became of a claim.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClaimRecord {
    /// The operation, or `all`.
    pub operation: String,
    /// Of what.
    pub metric: ClaimMetric,
    /// The bound, as a person reads it: `≥ 5`, `≤ 0.5`, `1.05 … 1.2`.
    pub wanted: String,
    /// Lower bound of the claim, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<Ratio>,
    /// Upper bound of the claim, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<Ratio>,
    /// Parameters under which it is claimed, where they are not the defaults.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub at: BTreeMap<String, Value>,
    /// The ratio measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<Ratio>,
    /// Lower end of its interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<Ratio>,
    /// Upper end of its interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<Ratio>,
    /// What became of it; absent until analysed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<ClaimOutcome>,
    /// Why it is inconclusive or was not tested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Who says so.
    pub source: String,
}
