//! Closed calibration, with all workers and with one: what each model can do, from which the plan chooses rate and rounds.

use std::ops::Range;
use std::time::Duration;

use super::bench::Bench;
use super::error::RunError;
use super::event::Event;
use super::stage::Stage;
use super::window::{Window, WindowEnd};
use super::work::Work;
use crate::plan::{CalibratedPlan, Capacity, Load, ProfileTimes};
use crate::record::CalibrationRecord;
use crate::units::{Micros, Rate};
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

/// What one calibration yields: the slowest of the models that size the rounds, and the numbers used.
struct Calibrated {
    slowest: Slowest,
    used: Range<u64>,
}

impl<W: Work, S: Stage> Bench<'_, W, S> {
    /// Finds the capacity of every model with all workers, then with one, and chooses load and rounds by it.
    ///
    /// After a restart the plan is `known`: then fresh data are brought to the same state by the same numbers, and nothing
    /// is chosen anew.
    ///
    /// # Errors
    /// Where the server was lost, the user wishes to end, or operations fail too often.
    pub(super) async fn calibrate(
        &mut self,
        restart: u32,
        known: Option<&CalibratedPlan>,
    ) -> Result<CalibratedPlan, RunError> {
        // How many chunks there will be shows only on the way.
        self.listener.hear(&Event::PhaseStarted { phase: Phase::Calibration, length: 0 });
        let calibrated = match known {
            Some(known) => {
                self.warm_up(known).await?;
                known.clone()
            }
            None => self.choose().await?,
        };
        let summary = known.is_none().then(|| self.calibration_summary(&calibrated));
        self.listener.hear(&Event::PhaseFinished { phase: Phase::Calibration, summary });
        if known.is_none() {
            self.listener.hear(&Event::Planned { rows: calibrated.outline(self.plan) });
        }
        self.light_load(restart, &calibrated).await?;
        Ok(calibrated)
    }

    /// Finds the capacity of every model with all workers, then with one.
    ///
    /// # Errors
    /// As for calibrating.
    pub(super) async fn choose(&mut self) -> Result<CalibratedPlan, RunError> {
        let (full_numbers, light_numbers) = CalibratedPlan::calibration_numbers(self.plan);
        let full = Load::Closed { workers: self.plan.concurrency };
        let at_full = self.grow(full, full_numbers).await?;
        let light = Load::Closed { workers: 1 };
        let capacity = Capacity { slower: at_full.slowest.rate, p99: at_full.slowest.p99 };
        let mut calibrated = CalibratedPlan::new(self.plan, capacity);
        calibrated.used.push((full, at_full.used));
        // Models that took too long for a few operations at full load are not tried at light load.
        if self.reference_is_level() {
            let at_light = self.grow(light, light_numbers.clone()).await?;
            let left = at_light.used.end..light_numbers.end;
            calibrated.size_light_load(self.plan, at_light.slowest.rate, left);
            calibrated.used.push((light, at_light.used));
        }
        self.keep_plan(&calibrated);
        Ok(calibrated)
    }

    /// Whether a model that sizes the rounds has done all numbers so far.
    fn reference_is_level(&self) -> bool {
        self.contenders.iter().any(|contender| !contender.behind && self.plan.sizes_rounds(contender.place))
    }

    fn keep_plan(&mut self, calibrated: &CalibratedPlan) {
        let rounds = &calibrated.rounds;
        let plan = &mut self.record.plan;
        plan.mode = rounds.load.mode();
        plan.mode_reason = calibrated.reason.clone().or(plan.mode_reason.take());
        plan.rate = rounds.load.rate();
        plan.arrivals = rounds.load.rate().map(|_| self.plan.arrivals);
        plan.open_workers = rounds.load.rate().map(|_| rounds.load.workers());
        plan.operations_per_round = Some(rounds.operations_per_round);
        plan.lead_in_operations = Some(rounds.lead_in_operations);
        plan.light_load_rounds = if calibrated.light_load.is_some() { plan.light_load_rounds } else { 0 };
        (plan.state, plan.state_reason) = calibrated.state(self.plan);
        plan.growth = calibrated.growth(self.plan);
    }

    /// Runs growing chunks of numbers, each with every model, until the slowest of those that size the rounds has run
    /// long enough; the capacities are those of the last chunk. Where operations were asked for by number there is one
    /// chunk, so that counts and data do not depend on the machine's speed.
    async fn grow(&mut self, load: Load, numbers: Range<u64>) -> Result<Calibrated, RunError> {
        let mut left = numbers.clone();
        let mut size = self.first_chunk(load);
        loop {
            let chunk = left.start..left.end.min(left.start + size);
            left.start = chunk.end;
            let slowest = self.chunk(load, &chunk).await?;
            match self.next_chunk(size, slowest) {
                Some(next) if left.start + self.plan.mix.block_length() <= left.end => size = next,
                _ => return Ok(Calibrated { slowest, used: numbers.start..left.start }),
            }
        }
    }

    fn first_chunk(&self, load: Load) -> u64 {
        let mix = &self.plan.mix;
        match self.plan.operations {
            Some(operations) => mix.whole_blocks(operations.div_ceil(5)),
            None => mix.whole_blocks(u64::from(load.workers()) * FIRST_EACH),
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
    async fn chunk(&mut self, load: Load, numbers: &Range<u64>) -> Result<Slowest, RunError> {
        let (mut slowest, mut ended): (Option<Slowest>, Option<Slowest>) = (None, None);
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
            let window = self.untimed(*contender, numbers.clone(), load, limit).await?;
            if window.end == WindowEnd::Ended {
                // It sizes no round any more.
                ended = Some(Slowest::of(&window));
                continue;
            }
            self.note_capacity(*contender, load, &window);
            if is_reference {
                let this = Slowest::of(&window);
                slowest = Some(slowest.map_or(this, |slowest| slowest.or(this)));
            }
        }
        Ok(slowest.or(ended).expect("a model that sizes the rounds is level when a chunk begins"))
    }

    fn note_capacity(&mut self, contender: usize, load: Load, window: &Window) {
        if window.tally.attempts() == 0 {
            return;
        }
        let name = self.model(contender).name.clone();
        if load.workers() == 1
            && let Some(known) = self.record.calibration.get_mut(&name)
        {
            known.light_load_mean = window.tally.service_mean();
            if self.plan.concurrency > 1 {
                return;
            }
        }
        let light_load_mean = self.record.calibration.get(&name).and_then(|known| known.light_load_mean);
        let capacity = Rate::new(window.rate());
        let p99 = window.tally.service_quantile(0.99);
        self.record.calibration.insert(name, CalibrationRecord { capacity, p99, light_load_mean });
    }

    /// Brings fresh data to the state that the rounds start from, and server and connections to working temperature.
    async fn warm_up(&mut self, known: &CalibratedPlan) -> Result<(), RunError> {
        for (load, numbers) in &known.used {
            for contender in 0..self.contenders.len() {
                if self.contenders[contender].stands {
                    self.untimed(contender, numbers.clone(), *load, REFERENCE_LIMIT).await?;
                }
            }
        }
        Ok(())
    }

    fn calibration_summary(&self, calibrated: &CalibratedPlan) -> String {
        let capacities: Vec<String> = (0..self.contenders.len())
            .filter_map(|contender| {
                let name = &self.model(contender).name;
                let capacity = self.record.calibration.get(name)?.capacity.get();
                Some(format!("{name} {capacity:.0}/s"))
            })
            .collect();
        let rounds = &calibrated.rounds;
        let load = match rounds.load {
            Load::Closed { workers } => format!("closed, {workers} workers"),
            Load::Open { rate, workers, .. } => format!("open at {:.0}/s, {workers} workers", rate.get()),
        };
        format!("{}; {load}; {} operations per round", capacities.join(", "), rounds.operations_per_round)
    }
}

/// The slowest so far of the models that size the rounds.
#[derive(Debug, Clone, Copy)]
struct Slowest {
    rate: Rate,
    elapsed: Duration,
    p99: Duration,
    gave_up: bool,
}

impl Slowest {
    fn of(window: &Window) -> Self {
        let p99 = window.tally.service_quantile(0.99).map_or(0.0, Micros::get);
        Self {
            rate: Rate::new(window.rate()),
            elapsed: window.elapsed,
            p99: Duration::from_secs_f64(p99 / 1e6),
            gave_up: window.end != WindowEnd::Complete,
        }
    }

    fn or(self, other: Self) -> Self {
        let slower = if other.rate < self.rate { other } else { self };
        Self { gave_up: self.gave_up || other.gave_up, p99: self.p99.max(other.p99), ..slower }
    }
}
