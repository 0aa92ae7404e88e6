//! A simulated server while it runs: its clock, its queue, its stalls.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::task::coop;

use super::stalls;
use super::{SimulatedClock, Simulation};
use crate::clock::Clock as _;

/// A simulated server that runs. All models share it, with its queue and its stalls.
#[derive(Debug)]
pub struct SimulatedServer {
    simulation: Simulation,
    clock: SimulatedClock,
    started: Instant,
    /// When each of its places is free again, where their number is limited.
    places: Option<Mutex<BinaryHeap<Reverse<Instant>>>>,
}

impl SimulatedServer {
    /// Starts it on a clock.
    pub fn start(simulation: Simulation, clock: SimulatedClock) -> Self {
        let started = clock.now();
        let free = |places: usize| Mutex::new(std::iter::repeat_n(Reverse(started), places).collect());
        Self { places: simulation.concurrency.map(free), simulation, clock, started }
    }

    /// What was declared.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// Its clock.
    pub fn clock(&self) -> &SimulatedClock {
        &self.clock
    }

    /// Lets the time pass that the load generator needs to prepare an operation.
    pub fn generate(&self) {
        if !self.simulation.generator_cost.is_zero() {
            self.clock.spend(self.simulation.generator_cost);
        }
    }

    /// Serves an operation that was sent now and takes so long in service.
    pub async fn serve(&self, service: Duration) {
        // An operation that takes no time at all would keep others from running.
        coop::consume_budget().await;
        let done = self.admit(self.clock.now(), service);
        self.clock.sleep_until(done).await;
    }

    /// When an operation will be done that arrives at this time. Those who come first are served first; one that is given
    /// up by whoever sent it is served all the same.
    fn admit(&self, arrival: Instant, service: Duration) -> Instant {
        let done = |start: Instant| stalls::done(&self.simulation.stalls, self.started, start, service);
        let Some(places) = &self.places else { return done(arrival) };
        let mut places = places.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(mut next) = places.peek_mut() else { return done(arrival) };
        let done = done(next.0.max(arrival));
        *next = Reverse(done);
        done
    }
}
