//! What calibration and rounds share: the models that run, the workers, and where results go.

use std::sync::Arc;

use super::error::RunError;
use super::event::Listener;
use super::interrupt::Interrupt;
use super::judge::Outcomes;
use super::note::note;
use super::watchdog::Health;
use super::window::{GRACE, Window, WindowEnd, WindowPlan, Workers};
use super::work::Work;
use crate::plan::{CalibratedPlan, Plan};
use crate::record::ScenarioRecord;
use crate::scenario::Model;

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
pub(super) struct Bench<'a, W, H> {
    pub(super) plan: &'a Plan,
    pub(super) contenders: Vec<Contender<W>>,
    pub(super) workers: Workers,
    pub(super) health: &'a H,
    pub(super) listener: &'a mut dyn Listener,
    pub(super) record: &'a mut ScenarioRecord,
}

impl<'a, W: Work, H: Health> Bench<'a, W, H> {
    /// Sets the models up.
    pub(super) fn new(
        plan: &'a Plan,
        contenders: Vec<Contender<W>>,
        interrupt: Interrupt,
        health: &'a H,
        listener: &'a mut dyn Listener,
        record: &'a mut ScenarioRecord,
    ) -> Self {
        let mix = Arc::new(plan.mix.clone());
        let workers = Workers::new(plan.concurrency, mix, plan.workload().operations.len(), interrupt);
        Self { plan, contenders, workers, health, listener, record }
    }

    /// Calibrates, and runs all rounds.
    ///
    /// # Errors
    /// Where the server was lost, the user wishes to end, or operations fail or find nothing too often.
    pub(super) async fn measure(&mut self) -> Result<Measured, RunError> {
        let calibrated = self.calibrate().await?;
        self.rounds(&calibrated).await?;
        let standing = (0..self.contenders.len()).filter(|contender| self.contenders[*contender].stands).collect();
        Ok(Measured { calibrated, standing })
    }

    /// The model as the scenario has it.
    pub(super) fn model(&self, contender: usize) -> &'a Model {
        &self.plan.scenario.models[self.contenders[contender].place]
    }

    /// Does a range of numbers with one model.
    pub(super) async fn window(
        &mut self,
        contender: usize,
        numbers: std::ops::Range<u64>,
        limit: std::time::Duration,
    ) -> Window {
        let ends_when = self.model(contender).ends_when;
        let plan = WindowPlan { numbers, limit, grace: GRACE, ends_when };
        let window = self.workers.window(&self.contenders[contender].work, plan, self.health).await;
        let model = self.model(contender);
        self.contenders[contender].outcomes.add(&window.tally, model);
        window
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
