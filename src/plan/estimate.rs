//! How long a run will take, roughly and rather too long than too short.

use std::time::Duration;

use super::profile::ProfileTimes;
use super::resolve::Plan;
use crate::units::Rate;
use crate::words::{DataState, Isolation};

/// Documents that a server takes in per second: a cautious guess for two cores, indexes included.
const LOAD_RATE: f64 = 12_000.0;
/// Dropping and making a database and its indexes.
const PER_LOAD: Duration = Duration::from_millis(300);
/// Comparing answers on small data, which are loaded for it.
const PARITY: Duration = Duration::from_secs(2);
/// Comparing answers after the rounds of a restart.
const CLOSING: Duration = Duration::from_secs(1);
/// Growing chunks before the last one take about as long as it, and it is planned a fifth longer than it needs to be.
const CALIBRATION_CHUNKS: f64 = 2.2;
/// Starting a server of our own.
const SERVER_START: Duration = Duration::from_secs(2);
/// Part of a round's operations that run before its window.
const LEAD_IN_SHARE: f64 = 0.2;
/// A slower model takes longer than the window that is planned for the slower of naive and pattern, and data grow.
const OVERRUN: f64 = 1.1;

/// The estimated parts of a run's duration, over all restarts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Estimate {
    /// Loading source and models.
    pub load: Duration,
    /// Comparing answers on small data before.
    pub parity: Duration,
    /// Calibration with all workers and with one.
    pub calibration: Duration,
    /// Rounds at light load.
    pub light_load: Duration,
    /// Lead-ins and windows, with what is loaded anew for them.
    pub measure: Duration,
    /// Comparing answers after the rounds.
    pub closing: Duration,
}

impl Estimate {
    /// The whole.
    pub fn total(&self) -> Duration {
        self.load + self.parity + self.calibration + self.light_load + self.measure + self.closing
    }

    pub(super) fn of(plan: &Plan) -> Self {
        let models = u32::try_from(plan.models.len()).unwrap_or(u32::MAX);
        let times = ProfileTimes::of(plan.profile);
        let window = window_time(plan);
        let round = window + plan.lead_in.max(window.mul_f64(LEAD_IN_SHARE));
        let reloads = if plan.state == Some(DataState::Reload) { plan.rounds * models } else { 0 };
        let reload = load_time(plan.documents_of_largest_model());
        // With all workers and with one; a restart runs the same numbers again.
        let calibration = times.calibration.mul_f64(2.0 * CALIBRATION_CHUNKS) * models;
        let light_window = plan.light_load.window.mul_f64(1.0 + LEAD_IN_SHARE);
        Self {
            load: load_of_a_restart(plan) * plan.restarts,
            parity: PARITY,
            calibration: calibration * plan.restarts,
            light_load: light_window * (plan.light_load.rounds * plan.restarts) * models,
            measure: (round * plan.rounds * models).mul_f64(OVERRUN) + reload * reloads,
            closing: CLOSING * plan.restarts,
        }
    }
}

/// Loading source and models once, on servers of their own where models are isolated.
fn load_of_a_restart(plan: &Plan) -> Duration {
    let documents: u64 = plan.scenario.dataset.iter().filter_map(|set| plan.world.count(&set.name)).sum();
    let models = u32::try_from(plan.models.len()).unwrap_or(u32::MAX);
    let databases = load_time(documents) * models;
    match plan.isolation {
        Isolation::Shared => load_time(documents) + databases,
        // Each has a source of its own.
        Isolation::Process => databases * 2 + SERVER_START * models,
    }
}

/// Loading so many documents into one database.
pub(super) fn load_time(documents: u64) -> Duration {
    PER_LOAD + Duration::from_secs_f64(documents as f64 / LOAD_RATE)
}

/// How long a window takes: at a known rate, operations asked for by number decide it; without one nothing can be told of
/// them, and the profile's window stands.
pub(super) fn window_time(plan: &Plan) -> Duration {
    match (operations_known(plan), plan.load.rate()) {
        (Some(operations), Some(rate)) => {
            Duration::from_secs_f64((operations as f64 / rate.get().max(0.1)).min(86_400.0))
        }
        _ => plan.window,
    }
}

/// Operations per round and model, as far as they are known before calibration: asked for by number, or due at a known rate
/// in whole blocks of the mix, at least one.
pub(super) fn operations_known(plan: &Plan) -> Option<u64> {
    let due = |rate: Rate| {
        let block = plan.mix.block_length();
        let blocks = (rate.get() * plan.window.as_secs_f64() / block as f64).round().max(1.0) as u64;
        blocks.saturating_mul(block)
    };
    plan.operations.or_else(|| plan.load.rate().map(due))
}
