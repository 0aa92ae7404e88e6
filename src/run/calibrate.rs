//! Closed calibration: how many operations a second each model does, so that rounds can be sized.

use std::ops::Range;
use std::time::Duration;

use super::bench::Bench;
use super::error::RunError;
use super::event::Event;
use super::watchdog::Health;
use super::window::{Window, WindowEnd};
use super::work::Work;
use crate::plan::{CalibratedPlan, ProfileTimes, Ranges};
use crate::record::CalibrationRecord;
use crate::units::Rate;
use crate::words::Phase;

/// Operations that each worker does at least in the first chunk.
const FIRST_EACH: u64 = 4;
/// How much larger a chunk may be than the one before: the first are too short to be trusted.
const MAX_GROWTH: f64 = 8.0;
/// How long a model that sizes the rounds may take for a chunk.
const REFERENCE_LIMIT: Duration = Duration::from_secs(60);
/// How much longer than these any other model may take before it is left behind.
const OTHERS_FACTOR: u32 = 4;
const OTHERS_AT_LEAST: Duration = Duration::from_secs(2);

impl<W: Work, H: Health> Bench<'_, W, H> {
    /// Runs growing chunks of numbers, each with every model, until the slowest of those that size the rounds has run
    /// long enough; the capacities are those of the last chunk. Where operations were asked for by number there is one
    /// chunk, so that counts and data do not depend on the machine's speed.
    ///
    /// # Errors
    /// Where the server was lost, the user wishes to end, or operations fail too often.
    pub(super) async fn calibrate(&mut self) -> Result<CalibratedPlan, RunError> {
        // How many chunks there will be shows only on the way.
        self.listener.hear(&Event::PhaseStarted { phase: Phase::Calibration, length: 0 });
        let mut left = Ranges::calibration(self.plan.mix.block_length());
        let mut size = self.first_chunk();
        let slowest = loop {
            let numbers = left.start..left.end.min(left.start + size);
            left.start = numbers.end;
            let slowest = self.chunk(&numbers).await?;
            match self.next_chunk(size, slowest) {
                Some(next) if left.start + self.plan.mix.block_length() <= left.end => size = next,
                _ => break slowest,
            }
        };
        let calibrated = CalibratedPlan::new(self.plan, slowest.rate);
        self.record.plan.operations_per_round = Some(calibrated.operations_per_round);
        self.record.plan.lead_in_operations = Some(calibrated.lead_in_operations);
        self.record.plan.state = calibrated.state(self.plan);
        let summary = self.calibration_summary(&calibrated);
        self.listener.hear(&Event::PhaseFinished { phase: Phase::Calibration, summary: Some(summary) });
        Ok(calibrated)
    }

    fn first_chunk(&self) -> u64 {
        let mix = &self.plan.mix;
        match self.plan.operations {
            Some(operations) => mix.whole_blocks(operations.div_ceil(5)),
            None => mix.whole_blocks(u64::from(self.plan.concurrency) * FIRST_EACH),
        }
    }

    /// The size of the next chunk, or `None` when the last one was long enough.
    fn next_chunk(&self, size: u64, slowest: Slowest) -> Option<u64> {
        let wanted = ProfileTimes::of(self.plan.profile).calibration;
        if self.plan.operations.is_some() || slowest.gave_up || slowest.elapsed >= wanted {
            return None;
        }
        // A little more than it seems to need, so that the next chunk is the last.
        let factor = 1.2 * wanted.as_secs_f64() / slowest.elapsed.as_secs_f64().max(1e-6);
        Some(self.plan.mix.whole_blocks((size as f64 * factor.clamp(1.5, MAX_GROWTH)) as u64))
    }

    /// Runs these numbers with every model that is not behind: first those that size the rounds, then the others, who
    /// may take a few times as long.
    async fn chunk(&mut self, numbers: &Range<u64>) -> Result<Slowest, RunError> {
        let mut slowest: Option<Slowest> = None;
        let (references, others): (Vec<usize>, Vec<usize>) =
            (0..self.contenders.len()).partition(|contender| self.plan.sizes_rounds(self.contenders[*contender].place));
        for (place, contender) in references.iter().chain(&others).enumerate() {
            if self.contenders[*contender].behind {
                continue;
            }
            let is_reference = place < references.len();
            let limit = match slowest {
                Some(slowest) if !is_reference => (slowest.elapsed * OTHERS_FACTOR).max(OTHERS_AT_LEAST),
                _ => REFERENCE_LIMIT,
            };
            let window = self.window(*contender, numbers.clone(), limit).await;
            self.note_capacity(*contender, &window);
            self.check(*contender, &window.end)?;
            if is_reference {
                let this = Slowest::of(&window);
                slowest = Some(slowest.map_or(this, |slowest| slowest.or(this)));
            }
        }
        Ok(slowest.expect("a plan has a model that sizes the rounds"))
    }

    fn note_capacity(&mut self, contender: usize, window: &Window) {
        if window.end != WindowEnd::Complete {
            self.contenders[contender].behind = true;
        }
        if window.tally.attempts() > 0 {
            let capacity = CalibrationRecord { capacity: Rate::new(window.rate()), light_load_mean: None };
            self.record.calibration.insert(self.model(contender).name.clone(), capacity);
        }
    }

    fn calibration_summary(&self, calibrated: &CalibratedPlan) -> String {
        let capacities: Vec<String> = (0..self.contenders.len())
            .filter_map(|contender| {
                let name = &self.model(contender).name;
                let capacity = self.record.calibration.get(name)?.capacity.get();
                Some(format!("{name} {capacity:.0}/s"))
            })
            .collect();
        format!("{}; {} operations per round", capacities.join(", "), calibrated.operations_per_round)
    }
}

/// The slowest so far of the models that size the rounds.
#[derive(Debug, Clone, Copy)]
struct Slowest {
    rate: Rate,
    elapsed: Duration,
    gave_up: bool,
}

impl Slowest {
    fn of(window: &Window) -> Self {
        let gave_up = window.end != WindowEnd::Complete;
        Self { rate: Rate::new(window.rate()), elapsed: window.elapsed, gave_up }
    }

    fn or(self, other: Self) -> Self {
        let slower = if other.rate < self.rate { other } else { self };
        Self { gave_up: self.gave_up || other.gave_up, ..slower }
    }
}
