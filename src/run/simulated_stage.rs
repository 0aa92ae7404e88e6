//! The stage that simulates: declared latencies on a clock that may be a virtual one.

use std::future::Future;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

use super::error::RunError;
use super::stage::{Observed, Stage};
use super::watchdog::Health;
use super::work::{Finished, Work};
use crate::backend::CallError;
use crate::backend::simulated::{Common, Moment, Outcome, SimulatedClock, SimulatedModel, SimulatedServer, Step};
use crate::units::Share;

/// Where the models are simulated.
#[derive(Debug)]
pub(super) struct SimulatedStage {
    server: Arc<SimulatedServer>,
    /// By their place among the plan's models.
    models: Vec<Arc<Simulated>>,
    suspicion: Arc<Notify>,
}

/// A model and where it stands in the run.
#[derive(Debug)]
struct Simulated {
    model: SimulatedModel,
    standing: Mutex<Standing>,
}

/// Where a model stands in the run.
#[derive(Debug, Clone)]
struct Standing {
    restart: u32,
    /// Windows that it has entered since the restart.
    windows: u64,
    common: Common,
    /// The measured numbers, once they are known.
    measured: Range<u64>,
}

impl SimulatedStage {
    /// The stage of a plan's models, in its order.
    pub(super) fn new(server: &Arc<SimulatedServer>, models: Vec<SimulatedModel>) -> Self {
        let simulated = |model: SimulatedModel| {
            let standing = Standing { restart: 0, windows: 0, common: model.common(0, 0), measured: 0..0 };
            Arc::new(Simulated { model, standing: Mutex::new(standing) })
        };
        Self {
            server: Arc::clone(server),
            models: models.into_iter().map(simulated).collect(),
            suspicion: Arc::new(Notify::new()),
        }
    }

    /// How the models do their operations, in the plan's order.
    pub(super) fn work(&self) -> impl Iterator<Item = SimulatedWork> {
        self.models
            .iter()
            .map(|simulated| SimulatedWork { server: Arc::clone(&self.server), simulated: Arc::clone(simulated) })
    }

    /// A fresh load of all models.
    pub(super) fn restart(&self, restart: u32) {
        self.models
            .iter()
            .for_each(|model| model.change(|standing| (standing.restart, standing.windows) = (restart, 0)));
    }

    /// Says which numbers are measured, so that drift knows how far it is.
    pub(super) fn measures(&self, numbers: &Range<u64>) {
        self.models.iter().for_each(|model| model.change(|standing| standing.measured = numbers.clone()));
    }
}

impl Simulated {
    fn change(&self, change: impl FnOnce(&mut Standing)) {
        let mut standing = self.standing.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut standing);
        standing.common = self.model.common(standing.restart, standing.windows);
    }

    fn moment(&self, number: u64) -> Moment {
        let standing = self.standing.lock().unwrap_or_else(PoisonError::into_inner);
        Moment { number, progress: progress(&standing.measured, number), common: standing.common }
    }
}

/// How far through the measured numbers a number is; those of other phases have not begun.
fn progress(measured: &Range<u64>, number: u64) -> Share {
    if !measured.contains(&number) {
        return Share::new(0.0);
    }
    Share::new((number - measured.start) as f64 / (measured.end - measured.start) as f64)
}

impl Health for SimulatedStage {
    fn lost(&self) -> impl Future<Output = String> + Send {
        std::future::pending()
    }

    fn suspicion(&self) -> Arc<Notify> {
        Arc::clone(&self.suspicion)
    }
}

impl Stage for SimulatedStage {
    type Clock = SimulatedClock;

    fn clock(&self) -> SimulatedClock {
        self.server.clock().clone()
    }

    async fn enter(&self, contender: usize, _fresh: bool) -> Result<(), RunError> {
        self.models[contender].change(|standing| standing.windows += 1);
        Ok(())
    }

    async fn begin(&self, _contender: usize) {}

    async fn end(&self, _contender: usize) -> Observed {
        Observed::default()
    }

    async fn leave(&self, _contender: usize) {}
}

/// A model's operations on a simulated server.
#[derive(Debug, Clone)]
pub(super) struct SimulatedWork {
    server: Arc<SimulatedServer>,
    simulated: Arc<Simulated>,
}

impl Work for SimulatedWork {
    type Prepared = Step;

    fn prepare(&self, operation: usize, number: u64) -> Result<Step, CallError> {
        self.server.generate();
        Ok(self.simulated.model.step(operation, &self.simulated.moment(number)))
    }

    async fn execute(&self, step: Step) -> Result<Finished, CallError> {
        self.server.serve(step.latency).await;
        match step.outcome {
            Outcome::Answered { empty } => Ok(Finished { empty, ..Finished::default() }),
            Outcome::Failed(kind) => Err(CallError::new(kind, "declared by the simulation")),
        }
    }
}
