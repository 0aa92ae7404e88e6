//! What a model's operations come to: every draw follows from seed, model, operation and number.

use std::time::Duration;

use rand::RngExt as _;
use rand_distr::StandardNormal;

use super::{Answers, Behaviour, Simulation};
use crate::backend::CallErrorKind;
use crate::units::Share;
use crate::value::{Draw, Parameters};

/// Where an operation stands in the run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moment {
    /// Its number.
    pub number: u64,
    /// How far through the measured numbers it is.
    pub progress: Share,
    /// What it shares with the others of its window.
    pub common: Common,
}

/// What the operations of a window of a model share: a standard normal value for the window, one for the restart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Common {
    window: f64,
    restart: f64,
}

/// What an operation comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Time in service.
    pub latency: Duration,
    /// What then.
    pub outcome: Outcome,
}

/// How an operation ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It does what it says.
    Answered {
        /// Whether it finds nothing.
        empty: bool,
    },
    /// It fails.
    Failed(CallErrorKind),
}

/// A model on a simulated server.
#[derive(Debug, Clone)]
pub struct SimulatedModel {
    name: String,
    seed: u64,
    /// In the order of the workload.
    operations: Vec<SimulatedOperation>,
}

#[derive(Debug, Clone)]
struct SimulatedOperation {
    name: String,
    behaviour: Behaviour,
    /// What multiplies its latencies under the parameters in force.
    growth: f64,
    /// Draws of this model alone.
    own: Draw,
    /// Draws that all models share.
    common: Draw,
}

impl SimulatedModel {
    /// A model with the operations of a workload; `None` where the simulation does not say how one of them behaves.
    pub fn new<'n>(
        simulation: &Simulation,
        name: &str,
        operations: impl Iterator<Item = &'n str>,
        seed: u64,
    ) -> Option<Self> {
        let operation = |operation: &str| {
            Some(SimulatedOperation {
                name: operation.to_owned(),
                behaviour: simulation.behaviour(name, operation)?.clone(),
                growth: 1.0,
                own: Draw::new(seed, &format!("simulated/{name}/{operation}"), 0),
                common: Draw::new(seed, &format!("simulated/{operation}"), 0),
            })
        };
        let operations = operations.map(operation).collect::<Option<_>>()?;
        Some(Self { name: name.to_owned(), seed, operations })
    }

    /// The same under these parameters of the scenario, with which latencies may grow.
    #[must_use]
    pub fn under(mut self, parameters: &Parameters) -> Self {
        for operation in &mut self.operations {
            let grows = operation.behaviour.grows.as_ref();
            operation.growth = grows.map_or(1.0, |grows| grows.factor(parameters));
        }
        self
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What an operation (its place in the workload) comes to at its moment.
    pub fn step(&self, operation: usize, moment: &Moment) -> Step {
        let SimulatedOperation { behaviour, growth, own, .. } = &self.operations[operation];
        let factor = growth * factor(behaviour, moment);
        let mut random = Draw { number: moment.number, ..*own }.generator("latency");
        let latency = behaviour.latency.draw(factor, &mut random);
        let outcome = match &behaviour.errors {
            Some(errors) if happens(errors.share, *own, moment.number, "error") => Outcome::Failed(errors.kind.clone()),
            _ => Outcome::Answered { empty: self.is_empty(operation, moment.number) },
        };
        Step { latency, outcome }
    }

    /// What it answers at a number: `None` where it finds nothing.
    pub fn answer(&self, operation: usize, number: u64) -> Option<u64> {
        if self.is_empty(operation, number) {
            return None;
        }
        let SimulatedOperation { behaviour, own, common, .. } = &self.operations[operation];
        let draw = match behaviour.answers {
            Answers::Agree => common,
            Answers::Differ => own,
        };
        Some(Draw { number, ..*draw }.generator("answer").random())
    }

    /// The name of an operation.
    pub fn operation(&self, operation: usize) -> &str {
        &self.operations[operation].name
    }

    fn is_empty(&self, operation: usize, number: u64) -> bool {
        let SimulatedOperation { behaviour, common, .. } = &self.operations[operation];
        happens(behaviour.empty, *common, number, "empty")
    }

    /// What the operations of a window share.
    pub fn common(&self, restart: u32, window: u64) -> Common {
        let normal = |level: &str, number: u64| {
            let draw = Draw::new(self.seed, &format!("simulated/{}/{restart}", self.name), number);
            draw.generator(level).sample(StandardNormal)
        };
        Common { window: normal("window", window), restart: normal("restart", 0) }
    }
}

/// What multiplies a latency.
fn factor(behaviour: &Behaviour, moment: &Moment) -> f64 {
    let Common { window, restart } = moment.common;
    let drift = 1.0 + behaviour.drift * moment.progress.get();
    drift * (behaviour.between_windows * window + behaviour.between_restarts * restart).exp()
}

/// Whether something happens at a number that does so in this share of all numbers.
fn happens(share: Share, draw: Draw, number: u64, what: &str) -> bool {
    share.get() > 0.0 && Draw { number, ..draw }.generator(what).random::<f64>() < share.get()
}
