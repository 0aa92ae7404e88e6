//! How much each profile measures.

use std::time::Duration;

use crate::words::Profile;

/// Rounds and times of a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProfileTimes {
    /// Rounds.
    pub rounds: u32,
    /// The window of the slower of naive and pattern.
    pub window: Duration,
    /// The shortest lead-in.
    pub lead_in: Duration,
    /// How long the slower of naive and pattern runs in the last chunk of calibration.
    pub calibration: Duration,
    /// The rounds at light load.
    pub light_load: LightLoadTimes,
    /// How long answers are compared after the last round once there are enough of them.
    pub closing_patience: Duration,
}

/// Rounds and times at light load: one worker, closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LightLoadTimes {
    /// Rounds.
    pub rounds: u32,
    /// The window of the slower of naive and pattern.
    pub window: Duration,
}

impl ProfileTimes {
    /// What that profile measures.
    pub const fn of(profile: Profile) -> Self {
        let (rounds, window, lead_in, calibration) = match profile {
            // Smoke gives no verdict, so its windows may sit in each other's wake.
            Profile::Smoke => (2, 500, 100, 150),
            Profile::Quick => (10, 1_500, 500, 400),
            Profile::Standard => (20, 6_000, 500, 400),
            Profile::Nightly => (30, 6_000, 500, 400),
        };
        let (light_load_rounds, light_load_window, closing_patience) = match profile {
            Profile::Smoke => (2, 200, 1),
            // An interval needs five: one may be disturbed, and six put two or three models in every place equally often.
            _ => (6, 500, 15),
        };
        Self {
            rounds,
            window: Duration::from_millis(window),
            lead_in: Duration::from_millis(lead_in),
            calibration: Duration::from_millis(calibration),
            light_load: LightLoadTimes { rounds: light_load_rounds, window: Duration::from_millis(light_load_window) },
            closing_patience: Duration::from_secs(closing_patience),
        }
    }
}
