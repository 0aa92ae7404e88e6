//! A sweep: the same scenario at several values of a parameter, of the cache, or of the mix.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::analysis::{ClaimRecord, IntervalEstimate};
use super::break_even::{BreakEvenRecord, MixComparison};
use super::model::StorageRecord;
use super::run::{Client, Server, Tool};
use crate::units::{Bytes, Micros, Ratio, Seconds};
use crate::words::{CrossoverOutcome, GrowthWord, Metric, Profile, Role, SweepAxis};

/// The version of the layout that this program writes.
pub const SWEEP_SCHEMA: &str = "patternbench.sweep/1";

/// A sweep: what was measured at each value, and what that says together. Every point is a run with a record of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SweepRecord {
    /// The layout's version: [`SWEEP_SCHEMA`].
    pub schema: String,
    /// The program that wrote it.
    pub tool: Tool,
    /// Whether every value that was asked for was tried.
    pub complete: bool,
    /// When it began, RFC 3339 in UTC.
    pub started_at: String,
    /// When it ended; absent while it goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<String>,
    /// The user's name for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The profile.
    pub profile: Profile,
    /// The seed.
    pub seed: u64,
    /// The server measured.
    pub server: Server,
    /// The machine that generated the load.
    pub client: Client,
    /// The scenario.
    pub scenario: SweptScenarioRecord,
    /// Whatever else decides what is measured at a value, as a person writes it: a sweep is only continued under the same.
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
    /// What is varied.
    pub axis: AxisRecord,
    /// The values that were tried, in the order of the axis.
    pub points: Vec<PointRecord>,
    /// How the cost of each operation of each model grows along the axis, where a parameter is varied.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fits: Vec<FitRecord>,
    /// Where the speed-up of each operation passes 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub crossover: Vec<CrossoverRecord>,
    /// The scenario's claims that name a value of the axis (`at`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<SweptClaimRecord>,
    /// Break-even of the first pattern as the mixes measure it, beside what one of them predicts, by workload; where the mix
    /// is varied.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub mixes: BTreeMap<String, MixComparison>,
    /// What a reader must know of how it was measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The scenario of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SweptScenarioRecord {
    /// Its name.
    pub name: String,
    /// Its title.
    pub title: String,
    /// SHA-256 of the scenario file.
    pub file_sha256: String,
    /// Parameters that stay as they are (relaxed Extended JSON).
    pub parameters: BTreeMap<String, Value>,
    /// The models: naive, the pattern that is compared with it first, the others.
    pub models: Vec<SweptModelRecord>,
}

/// A model of a sweep.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SweptModelRecord {
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// One line for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

/// What a sweep varies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AxisRecord {
    /// What kind of thing.
    pub kind: SweepAxis,
    /// Its name: the parameter, `cache`, or `reads:writes`.
    pub name: String,
    /// Further parameters that change with it, value by value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_step: Vec<String>,
    /// The values that were asked for; refinement adds others.
    pub values: Vec<Value>,
    /// The factor that the interval of a crossover was to be narrower than, where values were to be added for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refined_to: Option<Ratio>,
    /// Why no more values were added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refinement: Option<String>,
}

/// A value of the axis, as measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PointRecord {
    /// The value (relaxed Extended JSON): of a parameter, bytes of cache, or the share of reads in percent.
    pub value: Value,
    /// Where it stands on the axis: the parameter's value, bytes of cache, or reads ÷ writes.
    pub at: f64,
    /// Values of the parameters that change with it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub in_step: BTreeMap<String, Value>,
    /// The folder of its run, beside `sweep.json`.
    pub run: String,
    /// Whether it was added in search of a crossover.
    #[serde(default)]
    pub added: bool,
    /// How long it took, loading included.
    pub seconds: Seconds,
    /// Models that failed here, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<PointFailureRecord>,
    /// The storage bill of each model, by workload and model.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub storage: BTreeMap<String, BTreeMap<String, StorageRecord>>,
    /// The servers' cache, as far as it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_bytes: Option<Bytes>,
    /// What disturbed so many of its windows that all of them are used, the disturbed ones too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disturbed: Option<String>,
    /// What was measured of each operation of each model.
    #[serde(default)]
    pub figures: Vec<FigureRecord>,
    /// From which share of reads on the pattern pays off, by workload, as the run here predicts it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub break_even: BTreeMap<String, BreakEvenRecord>,
}

/// What failed at a value. That is part of the curve.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PointFailureRecord {
    /// The workload; absent where the whole point failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workload: Option<String>,
    /// The model; absent where it concerns all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Why.
    pub why: String,
}

/// An operation of a model at a value.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct FigureRecord {
    /// The workload.
    pub workload: String,
    /// The operation, or `all` for the whole mix.
    pub operation: String,
    /// The model.
    pub model: String,
    /// The latency that is compared (response time under open load, else service time), p50 and p95.
    #[serde(default)]
    pub latency: BTreeMap<Metric, FigureInterval>,
    /// Mean service time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_service: Option<Micros>,
    /// Speed-up over naive by p50 and p95; empty for naive itself.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub speedup: BTreeMap<Metric, IntervalEstimate>,
    /// Speed-up over naive by mean service time; absent for naive itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_service_speedup: Option<IntervalEstimate>,
    /// Why this server executes it unlike mongod (†), in this model or in naive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine_limited: Option<String>,
}

/// A latency with the interval of its units.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FigureInterval {
    /// Geometric mean over units; without interval, of all operations together.
    pub value: Micros,
    /// Lower end of the 95 % interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<Micros>,
    /// Upper end of the 95 % interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<Micros>,
    /// Units that the interval is made of; 0 without interval.
    #[serde(default)]
    pub units: u32,
}

/// How the cost of an operation in a model grows along the axis: a + b·nᵏ, fitted on the logarithm of the latency, and the
/// slopes on logarithmic axes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct FitRecord {
    /// The workload.
    pub workload: String,
    /// The operation, or `all`.
    pub operation: String,
    /// The model.
    pub model: String,
    /// Of which latency quantile; absent without any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metric: Option<Metric>,
    /// The part that does not grow, in µs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub a: Option<Micros>,
    /// The factor of the part that grows, in µs; absent where nothing grows beyond noise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub b: Option<f64>,
    /// The exponent; absent where nothing grows beyond noise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub k: Option<f64>,
    /// Lower end of the exponent's 95 % interval; absent where the values leave it open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub k_low: Option<f64>,
    /// Upper end; absent where the values leave it open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub k_high: Option<f64>,
    /// The slope from each value over the decade above it, where the values reach so far; the last ends at the highest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slopes: Vec<SlopeRecord>,
    /// The word for the slope over the highest decade.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub growth: Option<GrowthWord>,
    /// Why something of the above is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The slope of a latency on logarithmic axes: 1 is linear, 0 flat.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SlopeRecord {
    /// From this value of the axis.
    pub from: f64,
    /// To this one.
    pub to: f64,
    /// The slope.
    pub slope: f64,
    /// Lower end of its 95 % interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// Upper end of its 95 % interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
}

/// Where the speed-up of an operation passes 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CrossoverRecord {
    /// The workload.
    pub workload: String,
    /// The operation, or `all`.
    pub operation: String,
    /// The model that is compared with naive.
    pub model: String,
    /// Speed-ups of which quantile; absent without any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metric: Option<Metric>,
    /// Whether it does.
    pub outcome: CrossoverOutcome,
    /// Where, on the axis: the first place, if there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<f64>,
    /// Lower end of its 95 % interval; absent where it lies before the lowest value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// Upper end of its 95 % interval; absent where it lies beyond the highest value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// Further places, if there are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub further: Vec<f64>,
    /// Whether the model is faster than naive above the crossover; where there is none, whether it is so throughout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub faster_above: Option<bool>,
    /// Why it is not known, or what is to be said besides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A claim that names a value of the axis.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SweptClaimRecord {
    /// The folder of the run that judged it; absent where no value that was tried is the one it names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// The workload.
    pub workload: String,
    /// The claim.
    #[serde(flatten)]
    pub claim: ClaimRecord,
}
