//! When operations are due under open load.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rand_distr::{Distribution as _, Exp1};
use rand_pcg::Pcg64;

use crate::units::Rate;
use crate::words::ArrivalProcess;

/// Tells this use of the seed from others.
const ARRIVALS_STREAM: u64 = 0x6172_7269_7661_6c73;
/// Slots from one checkpoint to the next: few enough to walk between two, many enough that checkpoints take little room.
const STRIDE: usize = 32;

/// The times at which the slots of a window are due. Each is a function of its place alone, to the nanosecond, whoever
/// asks and however late.
#[derive(Debug, Clone)]
pub struct Schedule {
    start: Instant,
    gap: Nanos,
    /// Of random arrivals.
    checkpoints: Option<Arc<[Checkpoint]>>,
}

/// A time in ns: sums of gaps must not be rounded.
type Nanos = f64;

/// The state of random arrivals at every [`STRIDE`]th slot.
#[derive(Debug, Clone)]
struct Checkpoint {
    time: Nanos,
    draws: Pcg64,
}

impl Schedule {
    /// The times of so many slots at this rate, the first of them due at `start`. Constant arrivals are due at
    /// `start + k ÷ rate`; the gaps of a Poisson process are independent draws, by the seed, of the exponential
    /// distribution whose mean is 1 ÷ rate.
    pub fn new(start: Instant, rate: Rate, arrivals: ArrivalProcess, seed: u64, slots: u64) -> Self {
        let gap = 1e9 / rate.get();
        let checkpoints = match arrivals {
            ArrivalProcess::Constant => None,
            ArrivalProcess::Poisson => Some(checkpoints(gap, seed, slots)),
        };
        Self { start, gap, checkpoints }
    }

    /// The same times counted from another start.
    #[must_use]
    pub fn starting(self, start: Instant) -> Self {
        Self { start, ..self }
    }

    /// When the first slot is due.
    pub const fn start(&self) -> Instant {
        self.start
    }

    /// When a slot is due, counted from 0.
    pub fn time(&self, slot: u64) -> Instant {
        let after_start = match &self.checkpoints {
            None => slot as f64 * self.gap,
            Some(checkpoints) => random(checkpoints, self.gap, slot),
        };
        self.start + Duration::from_nanos(after_start.round() as u64)
    }
}

fn checkpoints(gap: Nanos, seed: u64, slots: u64) -> Arc<[Checkpoint]> {
    let first = Checkpoint { time: 0.0, draws: Pcg64::new(u128::from(seed), u128::from(ARRIVALS_STREAM)) };
    let strides = slots.div_ceil(STRIDE as u64).max(1);
    let all = std::iter::successors(Some(first), |last| Some(last.clone().walk(gap, STRIDE)));
    all.take(usize::try_from(strides).unwrap_or(usize::MAX)).collect()
}

/// The time of a slot, from the checkpoint before it; slots beyond those planned follow on from the last one.
fn random(checkpoints: &[Checkpoint], gap: Nanos, slot: u64) -> Nanos {
    let slot = usize::try_from(slot).unwrap_or(usize::MAX);
    let before = (slot / STRIDE).min(checkpoints.len() - 1);
    checkpoints[before].clone().walk(gap, slot - before * STRIDE).time
}

impl Checkpoint {
    /// Goes on by so many gaps.
    fn walk(mut self, gap: Nanos, slots: usize) -> Self {
        for _ in 0..slots {
            let draw: f64 = Exp1.sample(&mut self.draws);
            self.time += gap * draw;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLOTS: u64 = 20_000;
    const RATE: f64 = 2_000.0;

    fn poisson(seed: u64) -> Schedule {
        Schedule::new(Instant::now(), Rate::new(RATE), ArrivalProcess::Poisson, seed, SLOTS)
    }

    /// Gaps in multiples of the mean.
    fn gaps(schedule: &Schedule) -> Vec<f64> {
        let gap = |slot| (schedule.time(slot + 1) - schedule.time(slot)).as_secs_f64() * RATE;
        (0..SLOTS - 1).map(gap).collect()
    }

    #[test]
    fn constant_arrivals_are_equally_far_apart_however_long_the_window() {
        let start = Instant::now();
        // 3 µs and a third: a rate whose gap is no whole number of nanoseconds.
        let schedule = Schedule::new(start, Rate::new(300_000.0), ArrivalProcess::Constant, 1, 1);
        for slot in [0, 1, 2, 300, 299_999, 30_000_001, 3_000_000_000] {
            let exact = slot as f64 / 300_000.0;
            let error = (schedule.time(slot) - start).as_secs_f64() - exact;
            assert!(error.abs() < 1e-9, "slot {slot} is off by {error} s");
        }
    }

    #[test]
    fn gaps_of_poisson_arrivals_have_the_mean_of_the_rate() {
        let gaps = gaps(&poisson(1));
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        // An exponential distribution's standard deviation is its mean.
        let standard_error = 1.0 / (gaps.len() as f64).sqrt();
        assert!((mean - 1.0).abs() < 4.0 * standard_error, "{mean}");
    }

    #[test]
    fn gaps_of_poisson_arrivals_are_exponential_and_independent() {
        let mut gaps = gaps(&poisson(1));
        let count = gaps.len() as f64;
        let lagged: f64 = gaps.windows(2).map(|pair| (pair[0] - 1.0) * (pair[1] - 1.0)).sum::<f64>() / count;
        assert!(lagged.abs() < 4.0 / count.sqrt(), "neighbours correlate by {lagged}");
        // Kolmogorov–Smirnov: beyond 1.95 ÷ √n lies one sample in a thousand.
        gaps.sort_by(f64::total_cmp);
        let distance = gaps.iter().enumerate().map(|(place, gap)| {
            let expected = 1.0 - (-gap).exp();
            (expected - place as f64 / count).abs().max(((place + 1) as f64 / count - expected).abs())
        });
        let distance = distance.fold(0.0, f64::max);
        assert!(distance < 1.95 / count.sqrt(), "{distance}");
    }

    #[test]
    fn a_seed_is_a_schedule() {
        let start = Instant::now();
        let times = |seed| {
            let schedule = poisson(seed).starting(start);
            // Backwards: who asks, and when, makes no difference.
            (0..1_000).rev().map(|slot| schedule.time(slot)).collect::<Vec<_>>()
        };
        assert_eq!(times(7), times(7));
        assert_ne!(times(7), times(8));
        assert!(times(7).iter().rev().is_sorted());
        assert_eq!(times(7).last(), Some(&start), "the first is due at the start");
    }

    #[test]
    fn what_lies_beyond_the_slots_planned_goes_on_as_it_would_have() {
        let start = Instant::now();
        let short = Schedule::new(start, Rate::new(RATE), ArrivalProcess::Poisson, 3, 10);
        let long = Schedule::new(start, Rate::new(RATE), ArrivalProcess::Poisson, 3, SLOTS);
        assert!((0..200).all(|slot| short.time(slot) == long.time(slot)));
    }

    #[test]
    fn a_rate_of_nothing_is_due_never_and_no_panic() {
        let start = Instant::now();
        let schedule = Schedule::new(start, Rate::new(0.0), ArrivalProcess::Constant, 1, 10);
        assert_eq!(schedule.time(0), start);
        assert!(schedule.time(1) > start + Duration::from_secs(1_000_000));
    }
}
