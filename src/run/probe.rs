//! Windows at rates that somebody decides from what came before: what a search for capacity is made of.

use std::time::Duration;

use super::bench::Bench;
use super::ending::Moment;
use super::error::RunError;
use super::event::Event;
use super::rounds::Turn;
use super::stage::Stage;
use super::window::WindowEnd;
use super::work::Work;
use crate::plan::Load;
use crate::record::{RoundRecord, ScenarioRecord};
use crate::units::Rate;
use crate::words::{Phase, RoundOutcome};

/// Part of a window's operations that run before it at the same rate, untimed.
const LEAD_IN_SHARE: f64 = 0.2;
/// A stall of a second on a busy machine is no saturation: a window has at least this much beyond its planned time.
const MIN_SLACK: Duration = Duration::from_secs(2);

/// A window that is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Probe {
    /// The model.
    pub model: String,
    /// Operations due per second.
    pub rate: Rate,
    /// Operations of the window.
    pub operations: u64,
}

/// A window that was done.
#[derive(Debug)]
pub struct Probed {
    /// What was asked for.
    pub probe: Probe,
    /// What came of it.
    pub window: RoundRecord,
    /// Whether the model's data were loaded anew before it.
    pub fresh: bool,
}

/// Decides which rates are offered.
pub trait Prober: Send {
    /// Whether the models' capacities are known from before, so that nothing is calibrated.
    fn is_calibrated(&self) -> bool;

    /// Hears, once, what is measured: its models, and their capacities where these were calibrated.
    fn begin(&mut self, record: &ScenarioRecord);

    /// Workers of every window.
    fn workers(&self) -> u32;

    /// The next window; `None` ends the study.
    fn next(&mut self) -> Option<Probe>;

    /// Hears what came of it, and answers with a line worth telling.
    ///
    /// # Errors
    /// Where it cannot be kept.
    fn hear(&mut self, probed: Probed) -> Result<String, RunError>;
}

/// How far a model has come.
#[derive(Debug, Clone, Copy)]
struct Stand {
    /// Its next operation number. Models are offered different rates, so each counts for itself.
    next: u64,
    /// Operations since its data were loaded.
    since_load: u64,
}

impl<W: Work, S: Stage> Bench<'_, W, S> {
    /// Calibrates the models unless that is known from before, and tells the prober what there is. Answers how many
    /// operations of each model that took.
    ///
    /// # Errors
    /// As for calibrating.
    pub(super) async fn begin_probing(&mut self, prober: &mut dyn Prober) -> Result<u64, RunError> {
        let mut done = 0;
        if !prober.is_calibrated() {
            self.listener.hear(&Event::PhaseStarted { phase: Phase::Calibration, length: 0 });
            let calibrated = self.choose().await?;
            done = calibrated.used.iter().map(|(_, numbers)| numbers.end - numbers.start).sum();
            let capacities = self.record.calibration.iter();
            let told: Vec<String> =
                capacities.map(|(model, known)| format!("{model} {:.0}/s", known.capacity.get())).collect();
            let summary = Some(told.join(", "));
            self.listener.hear(&Event::PhaseFinished { phase: Phase::Calibration, summary });
        }
        prober.begin(self.record);
        Ok(done)
    }

    /// Does the windows that the prober asks for, until it asks for no more, on data that so many operations have grown
    /// already; where `reloads`, they are loaded anew once they have outgrown what was loaded.
    ///
    /// # Errors
    /// Where the server was lost, the user wishes to end, or a window cannot be kept.
    pub(super) async fn probe(
        &mut self,
        prober: &mut dyn Prober,
        since_load: u64,
        reloads: bool,
    ) -> Result<(), RunError> {
        let from = Stand { next: self.plan.measured_from(), since_load };
        let mut stands = vec![from; self.contenders.len()];
        let reloads = reloads && self.plan.grows_along().is_none();
        let mut number = 0;
        while let Some(probe) = prober.next() {
            let named = |contender: &usize| self.model(*contender).name == probe.model;
            let Some(contender) = (0..self.contenders.len()).find(named) else {
                return Err(RunError::Usage(format!("there is no model {} to offer a rate to", probe.model)));
            };
            let stand = &mut stands[contender];
            let fresh = reloads && self.plan.outgrown(self.model(contender), stand.since_load);
            if fresh {
                stand.since_load = 0;
            }
            self.listener.hear(&Event::PhaseStarted { phase: Phase::Measured, length: 1 });
            let window = self.offer(Turn::alone(contender, number), &probe, prober.workers(), stand, fresh).await?;
            number += 1;
            let summary = Some(prober.hear(Probed { probe, window, fresh })?);
            self.listener.hear(&Event::PhaseFinished { phase: Phase::Measured, summary });
        }
        Ok(())
    }

    /// Offers a rate to a model: a lead-in, then a window.
    async fn offer(
        &mut self,
        turn: Turn,
        probe: &Probe,
        workers: u32,
        stand: &mut Stand,
        fresh: bool,
    ) -> Result<RoundRecord, RunError> {
        let contender = turn.contender;
        // Where models are offered different rates, none is behind another.
        self.contenders[contender].behind = false;
        self.stage.enter(contender, fresh).await?;
        if fresh && let Some(company) = self.contenders[contender].work.company() {
            company.renewed();
        }
        let (rate, arrivals, seed) = (probe.rate, self.plan.arrivals, self.plan.seed);
        let load = |part: u64| Load::Open { workers, rate, arrivals, seed }.of_window(2 * u64::from(turn.local) + part);
        let before = self.plan.mix.whole_blocks((probe.operations as f64 * LEAD_IN_SHARE).ceil() as u64);
        let lead_in = self.window(contender, self.take(stand, before), load(0), limit(before, rate), false).await;
        goes_on(&lead_in.end)?;
        self.listener.hear(&Event::WindowStarted {
            phase: Phase::Measured,
            round: turn.local,
            model: probe.model.clone(),
        });
        self.stage.begin(contender).await;
        let numbers = self.take(stand, probe.operations);
        let window = self.window(contender, numbers, load(1), limit(probe.operations, rate), false).await;
        let observed = self.stage.end(contender).await;
        goes_on(&window.end)?;
        let moment = Moment { phase: Phase::Measured, round: Some(turn.local) };
        let ended = if lead_in.end == WindowEnd::Ended { &lead_in } else { &window };
        self.end_if_declared(contender, moment, ended).await;
        self.stage.leave(contender).await;
        let record = self.recorded(turn, Phase::Measured, &window, observed, probe.operations);
        let mut record = record.expect("a window of a server that is there is kept");
        if lead_in.end == WindowEnd::Ended {
            record.outcome = RoundOutcome::Ended;
        }
        self.listener
            .hear(&Event::WindowFinished { record: Box::new(record.clone()), p95: window.tally.service_p95() });
        Ok(record)
    }

    /// The model's next numbers. They begin with a block of the mix.
    fn take(&self, stand: &mut Stand, operations: u64) -> std::ops::Range<u64> {
        let start = stand.next.next_multiple_of(self.plan.mix.block_length());
        stand.next = start + operations;
        stand.since_load += operations;
        start..stand.next
    }
}

/// When a window of so many operations is given up.
fn limit(operations: u64, rate: Rate) -> Duration {
    let planned = Duration::from_secs_f64((operations as f64 / rate.get()).clamp(0.0, 86_400.0));
    (planned * 2).max(planned + MIN_SLACK)
}

/// Whether the study can go on after a window. Operations that fail are for its objective to judge.
fn goes_on(end: &WindowEnd) -> Result<(), RunError> {
    match end {
        WindowEnd::Interrupted => Err(RunError::Interrupted),
        WindowEnd::Lost(why) => Err(RunError::Lost { why: why.clone() }),
        WindowEnd::Complete | WindowEnd::Saturated | WindowEnd::Ended => Ok(()),
    }
}
