//! What the user asked of a run, before it is resolved against a scenario.

use std::time::Duration;

use crate::units::Rate;
use crate::words::{ArrivalProcess, Isolation, Mode, Profile};

/// The most workers that one run may have: each holds a connection and a histogram per operation.
pub const MAX_CONCURRENCY: u32 = 256;
const MAX_DEFAULT_CONCURRENCY: u32 = 8;

/// What the user asked of a run; what is `None` follows from profile and machine.
#[derive(Debug, Clone, PartialEq)]
pub struct RunOptions {
    /// How much to measure.
    pub profile: Profile,
    /// Parameters changed, as typed; of two for the same parameter the last stands.
    pub set: Vec<(String, String)>,
    /// Only these models; the naive one always runs.
    pub models: Option<Vec<String>>,
    /// How load is offered; `None` lets the plan decide.
    pub mode: Option<Mode>,
    /// Operations due per second under open load; `None` takes it from calibration.
    pub rate: Option<Rate>,
    /// How operations come due under open load.
    pub arrivals: ArrivalProcess,
    /// Fresh loads (and fresh servers, where patternbench starts them) that are measured, at least 1.
    pub restarts: u32,
    /// Compare one model with itself: the one named by `models`, else the first pattern.
    pub control: bool,
    /// Whether each model gets a server process of its own; `None` does as the scenario says.
    pub isolation: Option<Isolation>,
    /// Bytes of cache of servers that patternbench starts; `None` does as the scenario says.
    pub cache_bytes: Option<u64>,
    /// Workers under closed load.
    pub concurrency: Option<u32>,
    /// Rounds.
    pub rounds: Option<u32>,
    /// How long a window should take.
    pub round_time: Option<Duration>,
    /// Operations per round and model, in place of what calibration would choose.
    pub operations: Option<u64>,
    /// What all randomness follows from.
    pub seed: u64,
    /// Take data that an earlier run kept, where they match.
    pub reuse: bool,
    /// Leave the data on the server.
    pub keep_data: bool,
    /// The user's name for the run.
    pub label: Option<String>,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            profile: Profile::Quick,
            set: Vec::new(),
            models: None,
            mode: None,
            rate: None,
            arrivals: ArrivalProcess::Constant,
            restarts: 1,
            control: false,
            isolation: None,
            cache_bytes: None,
            concurrency: None,
            rounds: None,
            round_time: None,
            operations: None,
            seed: 1,
            reuse: false,
            keep_data: false,
            label: None,
        }
    }
}

impl RunOptions {
    /// Workers: as asked, or two for each core but at most eight.
    pub(super) fn workers(&self) -> u32 {
        self.concurrency.unwrap_or_else(|| {
            let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
            u32::try_from(2 * cores).unwrap_or(u32::MAX).min(MAX_DEFAULT_CONCURRENCY)
        })
    }
}
