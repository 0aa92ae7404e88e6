//! How long a run will take, roughly and rather too long than too short.

use std::time::Duration;

use super::profile::ProfileTimes;
use super::resolve::Plan;

/// Documents that a server takes in per second: a cautious guess for two cores, indexes included.
const LOAD_RATE: f64 = 12_000.0;
/// Comparing answers, before and after.
const PARITY: Duration = Duration::from_secs(3);
/// Growing chunks before the last one take about as long as it.
const CALIBRATION_CHUNKS: u32 = 2;

/// The estimated parts of a run's duration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Estimate {
    /// Loading source and models.
    pub load: Duration,
    /// Comparing answers, before and after.
    pub parity: Duration,
    /// Calibration, lead-ins and windows.
    pub measure: Duration,
}

impl Estimate {
    /// The whole.
    pub fn total(&self) -> Duration {
        self.load + self.parity + self.measure
    }

    pub(super) fn of(plan: &Plan) -> Self {
        let documents: u64 = plan.scenario.dataset.iter().filter_map(|set| plan.world.count(&set.name)).sum();
        let models = u32::try_from(plan.models.len()).unwrap_or(u32::MAX);
        let copies = f64::from(models) + 1.0;
        let times = ProfileTimes::of(plan.profile);
        let window = plan.window + plan.lead_in.max(plan.window.mul_f64(0.2));
        Self {
            load: Duration::from_secs_f64(documents as f64 * copies / LOAD_RATE),
            parity: PARITY,
            measure: (window * plan.rounds + times.calibration * CALIBRATION_CHUNKS) * models,
        }
    }
}
