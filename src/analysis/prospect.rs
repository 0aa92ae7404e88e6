//! Which figures so many operations will give, told before they are measured.

use super::metric::{LATENCIES, MIN_UNITS, least_at_all, least_per_unit};
use crate::words::Metric;

/// What a number of operations suffices for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prospect {
    /// A ratio with its interval, from so many units.
    Interval {
        /// Rounds, or neighbouring rounds joined.
        units: usize,
    },
    /// A ratio of all operations together, without interval or verdict.
    Pooled,
    /// No figure.
    Nothing,
}

/// What a metric of an operation will have that each model does `per_round` times in each of `rounds` rounds, spread
/// evenly over `restarts` fresh loads; no unit joins rounds of two of them.
pub fn prospect(metric: Metric, per_round: u64, rounds: usize, restarts: usize) -> Prospect {
    let restarts = restarts.max(1);
    let units = restarts * units_of(metric, per_round, rounds / restarts);
    if units >= MIN_UNITS {
        return Prospect::Interval { units };
    }
    let in_all = per_round.saturating_mul(rounds as u64);
    if in_all >= least_at_all(metric) { Prospect::Pooled } else { Prospect::Nothing }
}

/// Units that rounds of equal size make.
fn units_of(metric: Metric, per_round: u64, rounds: usize) -> usize {
    let joined = match per_round {
        0 => return 0,
        some => usize::try_from(least_per_unit(metric).div_ceil(some)).unwrap_or(usize::MAX),
    };
    rounds / joined
}

/// The metrics of a latency, in the order shown.
pub fn latency_metrics() -> impl Iterator<Item = Metric> {
    LATENCIES.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_joined_until_each_unit_has_enough() {
        let p95 = |per_round, rounds, restarts| prospect(Metric::P95, per_round, rounds, restarts);
        assert_eq!(p95(100, 10, 1), Prospect::Interval { units: 10 });
        assert_eq!(p95(99, 10, 1), Prospect::Interval { units: 5 }, "two rounds each");
        assert_eq!(p95(49, 10, 1), Prospect::Pooled, "three rounds each would make three units");
        assert_eq!(p95(1, 19, 1), Prospect::Nothing, "19 operations in all");
        assert_eq!(p95(50, 15, 3), Prospect::Interval { units: 6 }, "five rounds each make two units");
        assert_eq!(p95(0, 10, 1), Prospect::Nothing);
    }

    #[test]
    fn metrics_differ_in_what_they_need() {
        let with_hundred = |metric| prospect(metric, 100, 10, 1);
        assert_eq!(with_hundred(Metric::P50), Prospect::Interval { units: 10 });
        assert_eq!(with_hundred(Metric::P99), Prospect::Pooled, "a thousand operations in all");
    }
}
