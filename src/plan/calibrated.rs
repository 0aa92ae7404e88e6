//! The plan once calibration has said how much work fills a window.

use std::ops::Range;
use std::time::Duration;

use super::ranges::Ranges;
use super::resolve::Plan;
use crate::units::Rate;

/// A stall of a second on a busy machine is no saturation: a window has at least this much beyond its planned time.
const MIN_SLACK: Duration = Duration::from_secs(2);
/// Part of a round's operations that run before its window.
const LEAD_IN_SHARE: f64 = 0.2;

/// How much each round runs; the same for every model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CalibratedPlan {
    /// Operations per round and model.
    pub operations_per_round: u64,
    /// Untimed operations before each window.
    pub lead_in_operations: u64,
    /// How long the slower of naive and pattern should take for a window.
    pub planned: Duration,
    ranges: Ranges,
}

impl CalibratedPlan {
    /// Sizes the rounds for the capacity of the slower of naive and pattern, in whole blocks of the mix, at least one.
    /// Operations asked for by number are taken as they are.
    pub fn new(plan: &Plan, slower: Rate) -> Self {
        let capacity = slower.get().max(f64::MIN_POSITIVE);
        let block = plan.mix.block_length();
        let operations_per_round = plan.operations.unwrap_or_else(|| {
            let fitting = (capacity * plan.window.as_secs_f64() / block as f64).round() as u64;
            fitting.max(1).saturating_mul(block)
        });
        let share = (operations_per_round as f64 * LEAD_IN_SHARE).ceil() as u64;
        // Operations asked for by number give the same counts on any machine, so nothing depends on capacity then.
        let by_time = match plan.operations {
            Some(_) => 0,
            None => (capacity * plan.lead_in.as_secs_f64()).ceil() as u64,
        };
        let lead_in_operations = plan.mix.whole_blocks(share.max(by_time));
        Self {
            operations_per_round,
            lead_in_operations,
            planned: seconds(operations_per_round as f64 / capacity),
            ranges: Ranges::new(block, lead_in_operations, operations_per_round),
        }
    }

    /// The untimed numbers before the window of a round.
    pub const fn lead_in(&self, round: u32) -> Range<u64> {
        self.ranges.lead_in(round)
    }

    /// The numbers of a round's window.
    pub const fn window(&self, round: u32) -> Range<u64> {
        self.ranges.window(round)
    }

    /// The first number of closing parity.
    pub const fn closing_from(&self, rounds: u32) -> u64 {
        self.ranges.closing_from(rounds)
    }

    /// When a window (or lead-in) of so many operations is given up: at twice its planned time. What is planned follows
    /// the slowest window so far of the models that size the rounds, so that neither a machine that has become slow nor
    /// data that have grown throw a model out. These models themselves are what the plan is made of; they are given up at
    /// eight times that time, since half a second of calibration may be far off on a busy machine.
    pub fn limit(&self, operations: u64, sizes_rounds: bool, slowest: Duration) -> Duration {
        let factor = if sizes_rounds { 8 } else { 2 };
        let planned = self.planned.max(slowest);
        let planned = planned.mul_f64(operations as f64 / self.operations_per_round.max(1) as f64);
        (planned * factor).max(planned + MIN_SLACK)
    }
}

/// A duration, at most a day: capacities measured on a few operations can be absurdly small.
fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds.clamp(0.0, 86_400.0))
}
