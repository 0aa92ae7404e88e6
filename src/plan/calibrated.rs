//! The plan once calibration has said what the models can do.

use std::ops::Range;
use std::time::Duration;

use super::choice::LoadChoice;
use super::load::Load;
use super::options::MAX_CONCURRENCY;
use super::preferred::preferred;
use super::ranges::Ranges;
use super::resolve::{MAX_RATE, Plan};
use super::round::{RoundPlan, RoundSize};
use crate::units::Rate;

/// Part of the slower model's capacity that open load offers at most.
pub const OFFERED_SHARE: f64 = 0.6;
/// A slower model below this capacity is measured under closed load: at a lower rate a window holds too few operations.
pub const LEAST_OPEN_CAPACITY: f64 = 50.0;

/// What calibration found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Capacity {
    /// Closed capacity of the slower of naive and pattern.
    pub slower: Rate,
    /// 99th percentile of service time, of the slower of the two.
    pub p99: Duration,
}

/// How much each round runs; the same for every model.
#[derive(Debug, Clone, PartialEq)]
pub struct CalibratedPlan {
    /// The measured rounds.
    pub rounds: RoundPlan,
    /// The rounds at light load.
    pub light_load: Option<RoundPlan>,
    /// Why the rounds have this load, where calibration decided it.
    pub reason: Option<String>,
    /// The numbers that calibration has used: all of them bring fresh data to the state that the rounds start from.
    pub used: Vec<(Load, Range<u64>)>,
}

impl CalibratedPlan {
    /// The numbers that calibration may use at full and at light load.
    pub fn calibration_numbers(plan: &Plan) -> (Range<u64>, Range<u64>) {
        let block = plan.mix.block_length();
        (Ranges::calibration(block), Ranges::light_load(block))
    }

    /// Chooses the load and sizes the rounds.
    pub fn new(plan: &Plan, capacity: Capacity) -> Self {
        let (load, reason) = choose(plan, capacity);
        let pace = load.rate().unwrap_or(capacity.slower);
        let size = RoundSize {
            load,
            pace,
            window: plan.window_at(pace),
            lead_in: plan.lead_in,
            operations: plan.operations,
            from: plan.measured_from(),
        };
        Self { rounds: RoundPlan::new(&plan.mix, size), light_load: None, reason, used: Vec::new() }
    }

    /// Sizes the rounds at light load, from the numbers that are left for them.
    pub fn size_light_load(&mut self, plan: &Plan, slower: Rate, left: Range<u64>) {
        let size = |operations| RoundSize {
            load: Load::Closed { workers: 1 },
            pace: slower,
            window: plan.light_load_window_at(slower),
            lead_in: Duration::ZERO,
            operations,
            from: left.start,
        };
        let rounds = u64::from(plan.light_load.rounds).max(1);
        let fitting = |sized: &RoundPlan| sized.free_from(plan.light_load.rounds) <= left.end;
        let sized = RoundPlan::new(&plan.mix, size(plan.operations.map(|operations| operations.div_ceil(5))));
        let sized = if fitting(&sized) {
            sized
        } else {
            // Operations so quick that their numbers run out: shorter windows hold plenty of them.
            let each = (left.end.saturating_sub(left.start) / rounds).saturating_mul(2) / 3;
            RoundPlan::new(&plan.mix, size(Some((each / plan.mix.block_length()).max(1) * plan.mix.block_length())))
        };
        self.light_load = fitting(&sized).then_some(sized);
    }

    /// The first number of closing parity.
    pub fn closing_from(&self, plan: &Plan) -> u64 {
        self.rounds.free_from(plan.rounds_per_restart())
    }

    /// What the rounds' workers and their connections must suffice for.
    pub fn workers(&self) -> u32 {
        self.rounds.load.workers()
    }
}

fn choose(plan: &Plan, capacity: Capacity) -> (Load, Option<String>) {
    let closed = Load::Closed { workers: plan.concurrency };
    let offered = preferred(Rate::new((capacity.slower.get() * OFFERED_SHARE).min(MAX_RATE)));
    let capacity_found = capacity.slower.get();
    let share = offered.get() / capacity_found.max(f64::MIN_POSITIVE) * 100.0;
    let chosen =
        format!("{share:.0} % of the slower capacity ({capacity_found:.0}/s), rounded down to a preferred number");
    match plan.load {
        LoadChoice::Closed => (closed, None),
        LoadChoice::Open { rate: Some(rate) } => (open(plan, rate, capacity), None),
        LoadChoice::Open { rate: None } => (open(plan, offered, capacity), Some(format!("the rate is {chosen}"))),
        LoadChoice::Auto if capacity.slower.get() < LEAST_OPEN_CAPACITY => {
            let reason = format!(
                "the slower capacity is {:.1}/s; under {LEAST_OPEN_CAPACITY:.0}/s an open rate would leave too few operations",
                capacity.slower.get()
            );
            (closed, Some(reason))
        }
        LoadChoice::Auto => (open(plan, offered, capacity), Some(chosen)),
    }
}

/// Open load with at least twice as many workers as are busy when every operation takes as long as the 99th percentile
/// (Little's law): fewer would hold back what comes due while the server is slow.
fn open(plan: &Plan, rate: Rate, capacity: Capacity) -> Load {
    let busy = (2.0 * rate.get() * capacity.p99.as_secs_f64()).ceil().clamp(1.0, f64::from(MAX_CONCURRENCY));
    let workers = (busy as u32).max(plan.concurrency);
    Load::Open { workers, rate, arrivals: plan.arrivals, seed: plan.seed }
}
