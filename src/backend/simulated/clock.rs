//! The clock of a simulated server.

use std::future::Future;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::clock::{Clock, Pacing, VirtualClock, WallClock};

/// A virtual clock or the machine's.
#[derive(Debug, Clone)]
pub enum SimulatedClock {
    /// Virtual time.
    Virtual(VirtualClock),
    /// Real time.
    Wall(WallClock),
}

impl SimulatedClock {
    /// Is busy for so long.
    pub(super) fn spend(&self, duration: Duration) {
        match self {
            Self::Virtual(clock) => clock.spend(duration),
            Self::Wall(clock) => {
                let end = clock.now() + duration;
                while clock.now() < end {
                    std::hint::spin_loop();
                }
            }
        }
    }
}

impl Clock for SimulatedClock {
    fn now(&self) -> Instant {
        match self {
            Self::Virtual(clock) => clock.now(),
            Self::Wall(clock) => clock.now(),
        }
    }

    fn sleep_until(&self, deadline: Instant) -> impl Future<Output = ()> + Send {
        let clock = self.clone();
        async move {
            match clock {
                Self::Virtual(clock) => clock.sleep_until(deadline).await,
                Self::Wall(clock) => clock.sleep_until(deadline).await,
            }
        }
    }

    fn pace(
        &self,
        times: impl Iterator<Item = Instant> + Send + 'static,
        due: impl FnMut() -> ControlFlow<()> + Send + 'static,
    ) -> Pacing {
        match self {
            Self::Virtual(clock) => clock.pace(times, due),
            Self::Wall(clock) => clock.pace(times, due),
        }
    }
}
