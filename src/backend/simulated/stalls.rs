//! Times at which the whole server stands still.

use std::time::{Duration, Instant};

/// A stall that comes again and again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stall {
    /// When the first begins, from the server's start.
    pub after: Duration,
    /// From one's begin to the next's; longer than each lasts.
    pub every: Duration,
    /// How long each lasts.
    pub lasts: Duration,
}

impl Stall {
    /// The stall that is under way at a time since the server's start, or the next: its begin.
    fn begin(&self, time: Duration) -> Duration {
        let Some(since_first) = time.checked_sub(self.after) else { return self.after };
        let every = self.every.as_nanos().max(1);
        let into = duration(since_first.as_nanos() % every);
        let last = time - into;
        if into < self.lasts { last } else { last + self.every }
    }
}

/// When work that begins at `start` is done by a server (started at `origin`) that stands still in these stalls.
pub(super) fn done(stalls: &[Stall], origin: Instant, start: Instant, mut work: Duration) -> Instant {
    let mut time = start.saturating_duration_since(origin);
    while let Some((begin, lasts)) = stalls.iter().map(|stall| (stall.begin(time), stall.lasts)).min() {
        let until = begin.saturating_sub(time);
        if begin > time && work <= until {
            break;
        }
        work -= until;
        time = begin + lasts;
    }
    origin + time + work
}

fn duration(nanos: u128) -> Duration {
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}
