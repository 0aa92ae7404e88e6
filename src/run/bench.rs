//! What calibration and rounds share: the models that run, the workers, and where results go.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::beside::EVENT_PATIENCE;
use super::ending::Moment;
use super::error::RunError;
use super::event::Listener;
use super::interrupt::Interrupt;
use super::judge::Outcomes;
use super::note::note;
use super::stage::Stage;
use super::window::{GRACE, Recorded, Window, WindowEnd, WindowPlan, Workers};
use super::work::Work;
use crate::plan::{CalibratedPlan, Load, Plan};
use crate::record::ScenarioRecord;
use crate::scenario::Model;
use crate::words::{EventOutcome, Phase};

/// A model that runs.
#[derive(Debug)]
pub(super) struct Contender<W> {
    /// Its place in the scenario.
    pub(super) place: usize,
    /// How it does its operations.
    pub(super) work: W,
    /// Whether it is still in the comparison.
    pub(super) stands: bool,
    /// Whether it did not finish a range of numbers that others did: its data are in another state than theirs.
    pub(super) behind: bool,
    outcomes: Outcomes,
}

impl<W> Contender<W> {
    /// A model that has not run yet.
    pub(super) fn new(place: usize, work: W) -> Self {
        Self { place, work, stands: true, behind: false, outcomes: Outcomes::default() }
    }
}

/// What calibration and rounds came to.
#[derive(Debug)]
pub(super) struct Measured {
    /// How much each round ran.
    pub(super) calibrated: CalibratedPlan,
    /// Models still in the comparison, by their position among the plan's.
    pub(super) standing: Vec<usize>,
}

/// The models of a plan, set up to be measured.
pub(super) struct Bench<'a, W, S: Stage> {
    pub(super) plan: &'a Plan,
    pub(super) contenders: Vec<Contender<W>>,
    pub(super) workers: Workers<S::Clock>,
    pub(super) stage: &'a S,
    pub(super) listener: &'a mut dyn Listener,
    pub(super) record: &'a mut ScenarioRecord,
    /// Actors and events of which a failure was told, by model.
    told: BTreeSet<(usize, String)>,
}

impl<'a, W: Work, S: Stage> Bench<'a, W, S> {
    /// Sets the models up.
    pub(super) fn new(
        plan: &'a Plan,
        contenders: Vec<Contender<W>>,
        interrupt: Interrupt,
        stage: &'a S,
        listener: &'a mut dyn Listener,
        record: &'a mut ScenarioRecord,
    ) -> Self {
        let mix = Arc::new(plan.mix.clone());
        let recorded = plan.workload().operations.iter().map(Recorded::from).collect();
        let workers = Workers::new(mix, recorded, interrupt, stage.clock());
        Self { plan, contenders, workers, stage, listener, record, told: BTreeSet::new() }
    }

    /// Models still in the comparison whose data are in the same state as the others', by their place among the plan's.
    pub(super) fn standing(&self) -> Vec<usize> {
        let is_level = |contender: &Contender<W>| contender.stands && !contender.behind;
        (0..self.contenders.len()).filter(|contender| is_level(&self.contenders[*contender])).collect()
    }

    /// Gives a model another way to its operations: over more connections, say.
    pub(super) fn set_work(&mut self, contender: usize, work: W) {
        self.contenders[contender].work = work;
    }

    /// The model as the scenario has it.
    pub(super) fn model(&self, contender: usize) -> &'a Model {
        &self.plan.scenario.models[self.contenders[contender].place]
    }

    /// Does a range of numbers with one model that is not yet ready for it, and keeps only whether it did them all.
    ///
    /// # Errors
    /// Where the run cannot go on.
    pub(super) async fn untimed(
        &mut self,
        contender: usize,
        numbers: std::ops::Range<u64>,
        load: Load,
        limit: std::time::Duration,
    ) -> Result<Window, RunError> {
        self.stage.enter(contender, false).await?;
        let window = self.window(contender, numbers, load, limit, false).await;
        self.check(contender, &window.end)?;
        self.end_if_declared(contender, Moment { phase: Phase::Calibration, round: None }, &window).await;
        self.stage.leave(contender).await;
        if window.end != WindowEnd::Complete {
            self.contenders[contender].behind = true;
        }
        Ok(window)
    }

    /// Does a range of numbers with one model, its background actors beside it; `eventful` where its events happen too.
    pub(super) async fn window(
        &mut self,
        contender: usize,
        numbers: std::ops::Range<u64>,
        load: Load,
        limit: std::time::Duration,
        eventful: bool,
    ) -> Window {
        let ends_when = self.model(contender).ends_when;
        let plan =
            WindowPlan { numbers, load, limit, grace: GRACE, ends_when, eventful: eventful.then_some(EVENT_PATIENCE) };
        let window = self.workers.window(&self.contenders[contender].work, plan, self.stage).await;
        let model = self.model(contender);
        self.contenders[contender].outcomes.add(&window.tally, model);
        self.tell_failures(contender, &window);
        window
    }

    /// Tells of actors and events that fail; of each kind of failure once.
    fn tell_failures(&mut self, contender: usize, window: &Window) {
        let model = self.model(contender).name.clone();
        let actors = window.background.iter().filter_map(|actor| {
            let (failed, why) = (actor.errors.values().sum::<u64>(), actor.first_error.as_ref()?);
            Some((
                actor.name.clone(),
                format!("its actor {}: {failed} turns of {} failed: {why}", actor.name, actor.turns),
            ))
        });
        let failed = window.events.iter().filter(|event| event.outcome != EventOutcome::Complete);
        let events = failed.map(|event| {
            let why = event.why.as_deref().unwrap_or_default();
            (event.name.clone(), format!("its event {} is {}: {why}", event.name, event.outcome))
        });
        for (name, what) in actors.chain(events).collect::<Vec<_>>() {
            if self.told.insert((contender, name)) {
                self.note(Some(&model), what);
            }
        }
    }

    /// Whether the run can go on after a window.
    ///
    /// # Errors
    /// Where the server was lost, the user wishes to end, or the model's operations fail or find nothing too often.
    pub(super) fn check(&self, contender: usize, end: &WindowEnd) -> Result<(), RunError> {
        match end {
            WindowEnd::Interrupted => Err(RunError::Interrupted),
            WindowEnd::Lost(why) => Err(RunError::Lost { why: why.clone() }),
            WindowEnd::Complete | WindowEnd::Saturated | WindowEnd::Ended => {
                self.contenders[contender].outcomes.judge(self.plan, self.model(contender))
            }
        }
    }

    /// Takes a model out of the comparison for the rest of the scenario.
    pub(super) fn leave(&mut self, contender: usize, why: String) {
        self.contenders[contender].stands = false;
        let name = self.model(contender).name.clone();
        self.note(Some(&name), format!("left the comparison: {why}"));
        if let Some(model) = self.record.models.iter_mut().find(|model| model.name == name) {
            model.skipped = Some(why);
        }
    }

    /// Keeps something that happened in the record, and tells it.
    pub(super) fn note(&mut self, model: Option<&str>, what: String) {
        note(self.listener, self.record, model, what);
    }
}

#[cfg(test)]
#[path = "bench_tests.rs"]
mod tests;
