//! The highest rate that each model sustains within an objective: what `capacity` finds.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::run::{Client, Server, Tool};
use super::scenario::EventRecord;
use crate::units::{Micros, Rate, Seconds, Share};
use crate::words::{ArrivalProcess, CapacityFound, Metric, ProbeOutcome, Profile, Role};

/// The version of the layout that this program writes.
pub const CAPACITY_SCHEMA: &str = "patternbench.capacity/1";

/// The capacity of the models of a scenario under one workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CapacityRecord {
    /// The layout's version: [`CAPACITY_SCHEMA`].
    pub schema: String,
    /// The program that wrote it.
    pub tool: Tool,
    /// Whether every model's search came to its end.
    pub complete: bool,
    /// When the study began, RFC 3339 in UTC.
    pub started_at: String,
    /// When it ended; absent while it goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<String>,
    /// When it was taken up again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resumed_at: Vec<String>,
    /// The user's name for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The profile: it decides the size of the data, and how many windows are spent at most.
    pub profile: Profile,
    /// The server measured.
    pub server: Server,
    /// The machine that generated the load.
    pub client: Client,
    /// The scenario's name.
    pub scenario: String,
    /// Its title.
    pub title: String,
    /// The workload's name.
    pub workload: String,
    /// SHA-256 of the scenario file.
    pub file_sha256: String,
    /// SHA-256 over the dataset's rows; absent until they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dataset_sha256: Option<String>,
    /// Parameters in force (relaxed Extended JSON).
    pub parameters: BTreeMap<String, Value>,
    /// The seed.
    pub seed: u64,
    /// What is asked of every rate.
    pub objective: Objective,
    /// How operations come due.
    pub arrivals: ArrivalProcess,
    /// Workers of every window, the same for all models; absent until calibrated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workers: Option<u32>,
    /// Why data are not loaded anew although they grow; absent where they are, as soon as they have grown by a tenth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub growing: Option<String>,
    /// The models, in the order of the file.
    pub models: Vec<CapacityModel>,
    /// What happened besides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<EventRecord>,
}

/// What a rate must be sustained within, in every window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Objective {
    /// Upper bounds of response time by metric.
    pub latencies: BTreeMap<Metric, Micros>,
    /// Operations that may fail, of all.
    pub errors: Share,
    /// The operation whose response times are judged; absent for the whole mix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// How long a rate is held in a window.
    pub hold: Seconds,
    /// The rate that is asked for, where one is: the report says who sustains it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
}

/// A model's capacity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CapacityModel {
    /// Its name.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// One line for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Why it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
    /// Operations per second under closed load: where the search begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibrated: Option<Rate>,
    /// The windows, in the order run.
    #[serde(default)]
    pub probes: Vec<ProbeRecord>,
    /// What they say; absent without windows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<CapacityAnswer>,
    /// Latency over rate, by ascending rate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curve: Vec<RatePoint>,
    /// The rate at which the latency passes twice that of the lowest rate, interpolated; absent where it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub knee: Option<Rate>,
}

/// One window of one model at one rate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProbeRecord {
    /// The window's number in the study, over all models, from 0.
    pub number: u32,
    /// Operations due per second.
    pub rate: Rate,
    /// When it began, RFC 3339 in UTC.
    pub started_at: String,
    /// How long it took, to the end of its last operation.
    pub seconds: Seconds,
    /// Operations planned, of the whole mix.
    pub planned: u64,
    /// Operations done per second, failures included.
    pub achieved_rate: Rate,
    /// Operations judged: timed ones of the operation asked for, or of the whole mix.
    pub count: u64,
    /// Operations that failed, of all.
    pub errors: Share,
    /// Response times by metric; a figure without enough operations is absent.
    #[serde(default)]
    pub latencies: BTreeMap<Metric, Micros>,
    /// 95th percentile of service time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_p95: Option<Micros>,
    /// Median pacer lag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lag_p50: Option<Micros>,
    /// 95th percentile of pacer lag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lag_p95: Option<Micros>,
    /// What it says of the objective.
    pub outcome: ProbeOutcome,
    /// Why it does not say that the rate holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What disturbed it. Such a window counts only where too few others do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disturbed: Vec<String>,
    /// Whether its data were loaded anew before it.
    #[serde(default)]
    pub fresh: bool,
    /// Response times: base64 of an HdrHistogram V2-deflate, in µs; absent without samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<String>,
}

/// The highest rate that a model sustains.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CapacityAnswer {
    /// What is known of it.
    pub found: CapacityFound,
    /// The rate at which half of the windows hold; with `at_least` the highest rate that held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Lower end of its 95 % interval; absent where the windows set none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<Rate>,
    /// Upper end of its 95 % interval; absent where the windows set none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<Rate>,
    /// Windows that it is made of.
    pub windows: u64,
    /// Windows left out since something disturbed them.
    #[serde(default)]
    pub left_out: u64,
    /// Why there is no rate or no interval, and what must be said of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The latency that is judged, at one rate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RatePoint {
    /// Operations due per second.
    pub rate: Rate,
    /// Geometric mean over the windows at that rate, of the first metric of the objective.
    pub latency: Micros,
    /// The lowest of them.
    pub low: Micros,
    /// The highest.
    pub high: Micros,
    /// Windows at that rate.
    pub windows: u64,
    /// Those of them that held.
    pub held: u64,
}
