//! What every clock does.

use std::future::Future;
use std::ops::ControlFlow;
use std::time::Instant;

use super::pacing::Pacing;

/// Tells the time and waits for it. Clones are the same clock.
pub trait Clock: Clone + Send + Sync + 'static {
    /// The time now.
    fn now(&self) -> Instant;

    /// Waits until then. On the wall clock this is good to about a millisecond, which is enough for limits of time; what
    /// must come at its moment is for [`Clock::pace`].
    fn sleep_until(&self, deadline: Instant) -> impl Future<Output = ()> + Send;

    /// Calls `due` at each of these ascending times, as precisely as the clock can and never before them, beside whatever
    /// goes on; ends after the last of them, when `due` answers [`ControlFlow::Break`], or with what is returned. Times
    /// that have passed are due at once.
    fn pace(
        &self,
        times: impl Iterator<Item = Instant> + Send + 'static,
        due: impl FnMut() -> ControlFlow<()> + Send + 'static,
    ) -> Pacing;
}
