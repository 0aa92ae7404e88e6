//! The comparison of models and what became of claims.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::break_even::BreakEvenRecord;
use super::round::is_zero;
use crate::units::{Micros, Rate, Ratio, Seconds, Share};
use crate::words::{Bottleneck, ClaimMetric, ClaimOutcome, Metric, Verdict};

/// The comparison of a scenario's models.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct AnalysisRecord {
    /// By operation (`all` is the whole mix), then by metric.
    #[serde(default)]
    pub operations: BTreeMap<String, BTreeMap<Metric, ComparisonRecord>>,
    /// How each model bore the load.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub load: BTreeMap<String, LoadAnalysis>,
    /// What a window's place in its round, and the model before it, did to latencies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub order_effects: Vec<OrderEffect>,
    /// What the events of the models did to the operations around them; absent where there are no events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub around_event: Option<AroundEventRecord>,
    /// From which read share on the pattern costs less; absent where the scenario does not say which operations write.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub break_even: Option<BreakEvenRecord>,
}

/// Operations around the events of the models: from where the first event of a round begins to where the slowest model's
/// ends, at most 60 % of the round's numbers, the same part in every model.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct AroundEventRecord {
    /// Rounds in which an event happened within the window.
    pub rounds: u64,
    /// Where that part of the round begins, on average; absent without such rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Share>,
    /// Where it ends, on average.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Share>,
    /// Rounds in which an event went on after that part.
    #[serde(default)]
    pub cut: u64,
    /// By operation (`all` is the whole mix), then by model compared with naive.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub operations: BTreeMap<String, BTreeMap<String, AroundComparison>>,
    /// What became of each model's events.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub models: BTreeMap<String, Vec<EventSummary>>,
}

/// Latencies around the events, naive against another model, paired by round; without verdict.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct AroundComparison {
    /// The 95th percentile; figures are geometric means over rounds.
    pub p95: SideRecord,
    /// The longest.
    pub max: SideRecord,
}

/// An event of a model over all rounds; means are over those in which it was completed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct EventSummary {
    /// The event.
    pub name: String,
    /// Windows that it belongs to.
    pub rounds: u64,
    /// Windows in which it was completed.
    pub complete: u64,
    /// Mean time from its beginning to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<Seconds>,
    /// Mean number of documents that its updates matched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matched: Option<f64>,
    /// Mean number of documents written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<f64>,
    /// Mean number of requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests: Option<f64>,
    /// Attempts repeated, over all windows.
    #[serde(default)]
    pub retries: u64,
    /// Mean of its `result`, where that is a number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<f64>,
}

/// How a model bore the load of its measured windows.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct LoadAnalysis {
    /// Rate offered ÷ closed capacity; absent in closed mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub utilisation: Option<Share>,
    /// Operations done per second over its windows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub achieved_rate: Option<Rate>,
    /// Mean operations under way at the server (Little's law: rate × mean service time).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_flight: Option<Ratio>,
    /// Operations that came due while every worker was busy, of all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backlogged: Option<Share>,
    /// Median pacer lag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lag_p50: Option<Micros>,
    /// 95th percentile of pacer lag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lag_p95: Option<Micros>,
    /// What could not keep up, if anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bottleneck: Option<Bottleneck>,
    /// How that shows, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How the load generator was late, for people: its lag is no small part of the response times compared, and a verdict
    /// on them needs service times, which hold none of it, to say the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late: Option<String>,
}

/// An effect of the order of windows on the log p95 of the whole mix, naive and the models compared with it taken together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OrderEffect {
    /// The place in the round, from 0, whose effect it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<u32>,
    /// The model that ran directly before, whose effect it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Windows it is estimated from.
    pub windows: u64,
    /// Latency ÷ what the model and the round would make expect: 1.02 is two percent slower.
    pub factor: Ratio,
    /// Lower end of its 95 % interval.
    pub low: Ratio,
    /// Upper end of its 95 % interval.
    pub high: Ratio,
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
    /// The same of service times, where response times are compared; without verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<SideRecord>,
    /// The same at light load (one worker, closed: service times); without verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub light_load: Option<SideRecord>,
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
    /// The same of service times, where response times are compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<SideRecord>,
    /// The same at light load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub light_load: Option<SideRecord>,
}

/// A comparison that stands beside the headline: figures, ratio, interval, and its units.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct SideRecord {
    /// The naive model's figure, in µs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub naive: Option<f64>,
    /// The other model's figure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<f64>,
    /// Ratio, interval, reason and units; never a verdict.
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
    /// The same ratio by other methods, and whether the units can be taken as independent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checks: Option<ChecksRecord>,
}

/// Cross-checks of a paired ratio.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ChecksRecord {
    /// Ratio of the figures of all operations together, with a delete-one-unit jackknife interval on the log scale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jackknife: Option<IntervalEstimate>,
    /// Hodges–Lehmann estimate with the interval of Wilcoxon's signed ranks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hodges_lehmann: Option<IntervalEstimate>,
    /// Lag-1 autocorrelation of the log ratios around their linear trend, before any joining; from 20 units of one load
    /// of the data on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub autocorrelation: Option<TestRecord>,
    /// Linear trend of the log ratios, per unit, before any joining; from 20 units of one load of the data on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trend: Option<TestRecord>,
    /// Why neighbouring rounds were joined beyond what the number of operations asks for, if they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joined: Option<String>,
    /// Where the methods disagree beyond the interval: how, and why that can be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disagreement: Option<String>,
}

/// A ratio with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IntervalEstimate {
    /// The ratio.
    pub ratio: Ratio,
    /// Lower end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<Ratio>,
    /// Upper end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<Ratio>,
}

/// A statistic and its test against none.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TestRecord {
    /// The statistic.
    pub estimate: f64,
    /// Two-sided p of the hypothesis that there is none.
    pub p: f64,
}

/// The paired ratio of one unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UnitRatio {
    /// The fresh load of the data that its rounds belong to, from 0. Where units are of several, the interval is over
    /// the geometric mean of each.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub restart: u32,
    /// The rounds joined into the unit.
    pub rounds: Vec<u32>,
    /// Naive's figure in the unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub naive: Option<f64>,
    /// The other model's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<f64>,
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
    /// The ratio at light load, where the claim speaks of a latency.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub light_load: Option<IntervalEstimate>,
    /// What became of it; absent until analysed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<ClaimOutcome>,
    /// Why it is inconclusive or was not tested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Who says so.
    pub source: String,
}
