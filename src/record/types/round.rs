//! Windows: what one model did in one round.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::units::{Bytes, Micros, Rate, Seconds};
use crate::words::{EventOutcome, Phase, RoundOutcome};

/// One window of one model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RoundRecord {
    /// The round, from 0.
    pub round: u32,
    /// Which fresh load of the data it belongs to, from 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub restart: u32,
    /// `measured` or `light_load`.
    pub phase: Phase,
    /// The model.
    pub model: String,
    /// Its place in the round's order, from 0.
    pub position: u32,
    /// When its window began, RFC 3339 in UTC.
    pub started_at: String,
    /// How long its window took, to the end of its last operation.
    pub seconds: Seconds,
    /// Workers that sent its operations.
    #[serde(default)]
    pub workers: u32,
    /// Operations planned.
    pub planned: u64,
    /// Operations done per second, failures included.
    pub achieved_rate: Rate,
    /// How it ended.
    pub outcome: RoundOutcome,
    /// What disturbed it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disturbed: Vec<String>,
    /// How long operations waited for a connection of the driver's pool; absent where the backend has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pool_wait: Option<PoolWait>,
    /// Processor time, as far as the operating system tells.
    #[serde(default, skip_serializing_if = "CpuRecord::is_empty")]
    pub cpu: CpuRecord,
    /// Resident memory at the window's end.
    #[serde(default, skip_serializing_if = "MemoryRecord::is_empty")]
    pub memory: MemoryRecord,
    /// What the server's own counters rose by, our own questions subtracted; empty where foreign connections exist or the
    /// server does not tell.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub server_counters: BTreeMap<String, i64>,
    /// The window second by second: response times under open load, service times under closed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub intervals: Vec<IntervalRecord>,
    /// What the model's background actors did beside its operations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub background: Vec<BackgroundRecord>,
    /// What became of the model's events.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<RoundEventRecord>,
    /// Figures by operation.
    pub operations: BTreeMap<String, OperationRound>,
}

/// Slices of equal size that a window's operation numbers are cut into where models have events.
pub const SLICES: usize = 20;

/// What a background actor did in a window.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct BackgroundRecord {
    /// The actor.
    pub name: String,
    /// Turns taken.
    pub turns: u64,
    /// Requests sent in them.
    pub requests: u64,
    /// Documents that its updates matched.
    #[serde(default, skip_serializing_if = "is_none_at_all")]
    pub matched: u64,
    /// Documents changed, inserted or deleted.
    pub written: u64,
    /// Turns that failed, by kind.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub errors: BTreeMap<String, u64>,
    /// What the first failure said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_error: Option<String>,
}

/// What became of an event in a window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RoundEventRecord {
    /// The event.
    pub name: String,
    /// How many operations of the window come before it.
    pub number: u64,
    /// When it began, counted from the window's start; absent where its number never came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Seconds>,
    /// When it ended; absent where it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<Seconds>,
    /// Operations of the window that had come due by its end (closed load: that had been sent).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_number: Option<u64>,
    /// How it ended.
    pub outcome: EventOutcome,
    /// Why it is not complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Requests sent for it.
    #[serde(default, skip_serializing_if = "is_none_at_all")]
    pub requests: u64,
    /// Documents that its updates matched.
    #[serde(default, skip_serializing_if = "is_none_at_all")]
    pub matched: u64,
    /// Documents changed, inserted or deleted.
    #[serde(default, skip_serializing_if = "is_none_at_all")]
    pub written: u64,
    /// Attempts that were repeated.
    #[serde(default, skip_serializing_if = "is_none_at_all")]
    pub retries: u64,
    /// The value of its `result`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Value>,
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
    /// Attempts beyond the first of the operations in `count`: of transactions, of commits, of calls that are sent again
    /// after an error.
    #[serde(default, skip_serializing_if = "is_none_at_all")]
    pub retries: u64,
    /// Operations that came due while every worker was busy: they waited for the server, not for the pacer.
    #[serde(default, skip_serializing_if = "is_none_at_all")]
    pub backlogged: u64,
    /// Latencies above 60 s, recorded as 60 s.
    #[serde(default)]
    pub above_range: u64,
    /// Service time: base64 of an HdrHistogram V2-deflate, in µs; absent without samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    /// Response time, likewise; absent in closed mode, where there is no intended start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<String>,
    /// Pacer lag, likewise: actual minus intended start of the operations for which a worker stood ready. What waited for
    /// a worker is counted in `backlogged`, and its wait is in the response time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pacer_lag: Option<String>,
    /// Where models have events: the latency that is compared (response time under open load, else service time) in each
    /// of 20 slices of the window's operation numbers, in order; an empty text is a slice without samples.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slices: Vec<String>,
}

/// Waits for a connection.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PoolWait {
    /// Connections taken from the pool.
    pub checkouts: u64,
    /// Mean wait.
    pub mean: Micros,
    /// Longest wait.
    pub max: Micros,
}

/// Processor time in a window, in µs; two cores in full use for a second are 2,000,000.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct CpuRecord {
    /// Of this process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<Micros>,
    /// Of the thread that hands out intended start times; it is in `client` too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pacer: Option<Micros>,
    /// Of the server, where patternbench started it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<Micros>,
    /// Of all other processes of this machine, where client and server can be told from them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub foreign: Option<Micros>,
    /// Taken away by the hypervisor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steal: Option<Micros>,
}

impl CpuRecord {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Resident memory.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct MemoryRecord {
    /// Of this process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_bytes: Option<Bytes>,
    /// Of the server, where patternbench started it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_bytes: Option<Bytes>,
}

impl MemoryRecord {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// One second of a window, of one operation. Quantiles are good to one percent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IntervalRecord {
    /// Seconds since the window's start, in which the operation ended: 0 is the first second.
    pub second: u32,
    /// The operation.
    pub operation: String,
    /// Operations that ended, failures left out.
    pub count: u64,
    /// Median latency.
    pub p50: Micros,
    /// 95th percentile of latency.
    pub p95: Micros,
    /// Longest latency.
    pub max: Micros,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
pub(super) const fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands out references")]
const fn is_none_at_all(count: &u64) -> bool {
    *count == 0
}
