//! What `compare` says of two runs, or of two groups of runs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::run::{Client, Server, Tool};
use crate::units::{Ratio, Share};
use crate::words::{Basis, Change, Metric, Profile, Repetition, Role, Sameness, Side};

/// The version of the layout that this program writes.
pub const COMPARE_SCHEMA: &str = "patternbench.compare/1";

/// A comparison of two runs, or of two groups of runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CompareRecord {
    /// The layout's version: [`COMPARE_SCHEMA`].
    pub schema: String,
    /// The program that compared.
    pub tool: Tool,
    /// What is compared with.
    pub base: ComparedSide,
    /// What is judged.
    pub new: ComparedSide,
    /// Whether both sides are the same runs: then nothing is judged.
    #[serde(default)]
    pub same: bool,
    /// The practical threshold: a change up to this is none.
    pub threshold: Share,
    /// What a speed-up is taken to vary by from run to run (standard deviation of its logarithm) where too few runs are
    /// compared to estimate it.
    pub run_to_run: Share,
    /// Changes for the worse that count, over all scenarios.
    pub regressions: u64,
    /// Changes for the better that count, over all scenarios.
    pub improvements: u64,
    /// What differs between the runs besides their figures.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<DifferenceRecord>,
    /// What one side has and the other has not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<MissingRecord>,
    /// The scenarios and workloads that both sides have, in the order of the new run.
    pub scenarios: Vec<ComparedScenario>,
}

impl CompareRecord {
    /// Every change that was looked at, with its scenario: speed-ups and figures.
    pub fn changes(&self) -> impl Iterator<Item = (&ComparedScenario, &ChangeRecord)> {
        self.scenarios.iter().flat_map(|scenario| {
            scenario.speedups.iter().chain(&scenario.figures).map(move |change| (scenario, change))
        })
    }

    /// The changes that count and say this.
    pub fn judged(&self, verdict: Change) -> impl Iterator<Item = (&ComparedScenario, &ChangeRecord)> {
        self.changes().filter(move |(_, change)| change.verdict == Some(verdict) && change.engine_limited.is_none())
    }
}

/// One side of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComparedSide {
    /// How it was named.
    pub asked: String,
    /// Its runs, from the oldest to the latest.
    pub runs: Vec<ComparedRun>,
}

impl ComparedSide {
    /// The latest of its runs.
    pub fn latest(&self) -> Option<&ComparedRun> {
        self.runs.last()
    }
}

/// A run of a comparison.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComparedRun {
    /// Where its record was read.
    pub path: String,
    /// When it began, RFC 3339 in UTC.
    pub started_at: String,
    /// The user's name for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Whether everything that was planned was measured.
    pub complete: bool,
    /// The profile.
    pub profile: Profile,
    /// The program that measured.
    pub tool: Tool,
    /// The server measured.
    pub server: Server,
    /// The machine that generated the load.
    pub client: Client,
}

/// Something that differs between the two sides besides their figures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DifferenceRecord {
    /// Why it makes runs incomparable, and the word of `--allow-different` that lifts it; absent where it is but a warning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sameness: Option<Sameness>,
    /// The scenario and workload concerned; absent where it concerns the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scenario: Option<String>,
    /// What differs.
    pub what: String,
    /// How it is in the base; absent where it is not set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// How it is in the new run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<String>,
}

/// Something that only one side has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MissingRecord {
    /// The side that has it not.
    pub from: Side,
    /// The scenario and workload.
    pub scenario: String,
    /// The model; absent where the whole scenario is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The operation; absent where all of them are missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// Why, where the run says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// A scenario under a workload that both sides have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComparedScenario {
    /// The scenario's name.
    pub name: String,
    /// The workload's name.
    pub workload: String,
    /// Its title.
    pub title: String,
    /// The runs of the base that have it.
    pub base_runs: u64,
    /// The runs of the new side that have it.
    pub new_runs: u64,
    /// What must be known of its figures, for people.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// How the speed-ups changed: new ÷ base, below 1 the model lost against naive.
    pub speedups: Vec<ChangeRecord>,
    /// How the figures of each model changed: new ÷ base.
    pub figures: Vec<ChangeRecord>,
    /// What changed of the evidence: facts, not estimates.
    pub evidence: Vec<EvidenceChange>,
}

/// How a figure changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ChangeRecord {
    /// The operation; `all` is the whole mix.
    pub operation: String,
    /// The model.
    pub model: String,
    /// Its role.
    pub role: Role,
    /// The metric that speaks: the one asked for, or p50 where p95 has too few operations for an interval.
    pub metric: Metric,
    /// Of which times, or of which rates.
    pub basis: Basis,
    /// The base's figure: a speed-up, µs, or operations per second; of several runs the geometric mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<f64>,
    /// The new runs' figure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<f64>,
    /// New ÷ base.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<Ratio>,
    /// Lower end of its 95 % interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<Ratio>,
    /// Upper end of its 95 % interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<Ratio>,
    /// What the interval is made of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repetition: Option<Repetition>,
    /// How much the figure varies from run to run (standard deviation of its logarithm), where runs tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_to_run: Option<Share>,
    /// The factor, up or down, from which on these runs would tell a change, where they do not decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shows_from: Option<Ratio>,
    /// What it says; absent where `reason` says why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Change>,
    /// Why there is no figure, no interval, no verdict, or no clear one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Why the server executes it unlike mongod, on both sides (†): then the verdict does not count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine_limited: Option<String>,
}

/// Something of the evidence that changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EvidenceChange {
    /// The model.
    pub model: String,
    /// The operation; absent where it concerns the model's data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// Where: a step, a collection, the storage bill.
    pub place: String,
    /// What: `index`, `keys_examined`, `round_trips` …
    pub what: String,
    /// How it was, a text or a number; absent where there was none.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub base: Value,
    /// How it is; absent where there is none.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub new: Value,
    /// Whether that is for the worse; absent where it is neither.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worse: Option<bool>,
}
