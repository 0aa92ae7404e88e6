//! How much each round of a phase runs; the same for every model.

use std::ops::Range;
use std::time::Duration;

use super::load::Load;
use super::mix::Mix;
use super::ranges::Ranges;
use crate::units::Rate;

/// A stall of a second on a busy machine is no saturation: a window has at least this much beyond its planned time.
const MIN_SLACK: Duration = Duration::from_secs(2);
/// Part of a round's operations that run before its window.
const LEAD_IN_SHARE: f64 = 0.2;

/// How much each round of a phase runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RoundPlan {
    /// Operations per round and model.
    pub operations_per_round: u64,
    /// Untimed operations before each window.
    pub lead_in_operations: u64,
    /// How long a window should take: its operations at the offered rate, or in the slower of naive and pattern.
    pub planned: Duration,
    /// How its operations come due.
    pub load: Load,
    ranges: Ranges,
}

/// What rounds are sized by.
#[derive(Debug, Clone, Copy)]
pub(super) struct RoundSize {
    /// How operations come due.
    pub(super) load: Load,
    /// Operations per second of the slower of naive and pattern under this load.
    pub(super) pace: Rate,
    /// How long a window should take.
    pub(super) window: Duration,
    /// The shortest lead-in.
    pub(super) lead_in: Duration,
    /// Operations asked for by number. Then nothing depends on the machine's speed.
    pub(super) operations: Option<u64>,
    /// The first number.
    pub(super) from: u64,
}

impl RoundPlan {
    /// Sizes rounds in whole blocks of the mix, at least one; operations asked for by number are taken as they are.
    pub(super) fn new(mix: &Mix, size: RoundSize) -> Self {
        let pace = size.pace.get().max(f64::MIN_POSITIVE);
        let block = mix.block_length();
        let operations_per_round = size.operations.unwrap_or_else(|| {
            let fitting = (pace * size.window.as_secs_f64() / block as f64).round() as u64;
            fitting.max(1).saturating_mul(block)
        });
        let share = (operations_per_round as f64 * LEAD_IN_SHARE).ceil() as u64;
        let by_time = match size.operations {
            Some(_) => 0,
            None => (pace * size.lead_in.as_secs_f64()).ceil() as u64,
        };
        let lead_in_operations = mix.whole_blocks(share.max(by_time));
        Self {
            operations_per_round,
            lead_in_operations,
            planned: seconds(operations_per_round as f64 / pace),
            load: size.load,
            ranges: Ranges::new(size.from, block, lead_in_operations, operations_per_round),
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

    /// The first number that so many rounds leave free.
    pub const fn free_from(&self, rounds: u32) -> u64 {
        self.ranges.round_from(rounds)
    }

    /// When a window (or lead-in) of so many operations is given up: at twice its planned time.
    ///
    /// Under closed load, what is planned follows the slowest window so far of the models that size the rounds, so that
    /// neither a machine that has become slow nor data that have grown throw a model out. These models themselves are what
    /// the plan is made of; they are given up at eight times that time, since half a second of calibration may be far off
    /// on a busy machine. An offered rate is what it is, for every model.
    pub fn limit(&self, operations: u64, sizes_rounds: bool, slowest: Duration) -> Duration {
        let (factor, whole) = match self.load {
            Load::Open { .. } => (2, self.planned),
            Load::Closed { .. } if sizes_rounds => (8, self.planned.max(slowest)),
            Load::Closed { .. } => (2, self.planned.max(slowest)),
        };
        let planned = whole.mul_f64(operations as f64 / self.operations_per_round.max(1) as f64);
        (planned * factor).max(planned + MIN_SLACK)
    }
}

/// A duration, at most a day: capacities measured on a few operations can be absurdly small.
fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds.clamp(0.0, 86_400.0))
}
