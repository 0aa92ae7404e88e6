//! Longer windows for models that are slow.

use std::time::Duration;

use super::resolve::Plan;
use crate::units::Rate;

/// Operations that each round should hold of every timed operation, and the longest window that is borne for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch {
    /// Operations.
    pub each: u64,
    /// The longest window.
    pub longest: Duration,
}

impl Plan {
    /// How long a window should take at this pace: as planned, or as much longer as every timed operation needs to be done
    /// often enough, within what is borne.
    pub(super) fn window_at(&self, pace: Rate) -> Duration {
        let Some(stretch) = self.stretch else { return self.window };
        let timed = self.workload().operations.iter().enumerate().filter(|(_, operation)| !operation.counted_only);
        let rarest = timed.map(|(place, _)| self.mix.per_block(place)).filter(|count| *count > 0).min();
        let Some(rarest) = rarest else { return self.window };
        let numbers = stretch.each.div_ceil(rarest) * self.mix.block_length();
        let needed = Duration::from_secs_f64((numbers as f64 / pace.get().max(0.1)).min(86_400.0));
        self.window.max(needed.min(stretch.longest))
    }
}
