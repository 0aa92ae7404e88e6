//! The read share at which two models cost the same: as one run predicts it, and as a sweep over mixes measures it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::{Micros, Ratio, Share};
use crate::words::{BreakEvenAnswer, OperationKind};

/// From which read share on a model costs less than naive, in total service time. The weights within reads and within
/// writes are the mix's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BreakEvenRecord {
    /// What the rounds say.
    pub answer: BreakEvenAnswer,
    /// The share of reads at which both models cost the same; absent where no mix has them cost the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_share: Option<Share>,
    /// Lower end of the shares for which the rounds do not tell which model costs less (95 %); absent where these reach
    /// down to a mix without reads, and where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<Share>,
    /// Their upper end; absent where they reach up to a mix without writes, and where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<Share>,
    /// Which operations pay for the model: with `read` it costs less above the share, with `write` below it. Absent where
    /// both do, or neither.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pays: Option<OperationKind>,
    /// The read share of the mix that was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mix: Option<Share>,
    /// What a read costs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reads: Option<KindCost>,
    /// What a write costs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writes: Option<KindCost>,
    /// Units that the interval is made of: rounds, neighbouring rounds joined, or restarts.
    #[serde(default)]
    pub units: u64,
    /// The share with a delete-one-unit jackknife interval, which knows no open ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jackknife: Option<ShareInterval>,
    /// Operations that this server executes unlike mongod in one of the two models; they are in the figures.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limited: Vec<String>,
    /// Why there is no share or no interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Further models against naive.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub others: BTreeMap<String, BreakEvenRecord>,
}

/// Mean service time of the operations of a kind, by their weights among each other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KindCost {
    /// The operations.
    pub operations: Vec<String>,
    /// What one of them takes in naive: the mean over units.
    pub naive: Micros,
    /// What it takes in the other model.
    pub pattern: Micros,
}

/// A share with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ShareInterval {
    /// The share.
    pub share: Share,
    /// Lower end; it may lie below 0.
    pub low: Share,
    /// Upper end; it may lie above 1.
    pub high: Share,
}

/// Break-even as measured at several mixes, beside what one of the runs predicts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MixComparison {
    /// The mixes measured, by their read share.
    pub points: Vec<MixPoint>,
    /// What they say.
    pub answer: BreakEvenAnswer,
    /// The read share at which both models cost the same: where the difference of their mean service times passes zero on a
    /// straight line between neighbouring mixes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_share: Option<Share>,
    /// Lower end of the shares at which the 95 % interval of the difference holds zero; absent where these reach the lowest share measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<Share>,
    /// Their upper end; absent where these reach the highest share measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<Share>,
    /// With `read` the pattern costs less above the share, with `write` below it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pays: Option<OperationKind>,
    /// What the run at one of these mixes predicts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predicted: Option<BreakEvenRecord>,
    /// Whether prediction and measurement agree within their intervals; absent where one of them says nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agree: Option<bool>,
    /// Why they do not agree, or cannot be compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The pattern against naive at one mix.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MixPoint {
    /// The share of operations that read.
    pub read_share: Share,
    /// Mean service time of the mix, naive ÷ pattern; absent where it was not compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<Ratio>,
    /// What an operation of the mix takes in naive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub naive: Option<Micros>,
    /// Lower end of the ratio's 95 % interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<Ratio>,
    /// Upper end of its 95 % interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<Ratio>,
    /// What a read costs in naive and in the pattern at this mix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reads: Option<(Micros, Micros)>,
    /// What a write costs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writes: Option<(Micros, Micros)>,
    /// Whether the pattern surely costs more here: its whole interval lies below 1.
    #[serde(default)]
    pub loses: bool,
}
