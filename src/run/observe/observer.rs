//! Observes one window after another on a server.

use std::sync::{Arc, Mutex, PoisonError};

use mongodb::Client;

use super::counters::{Answer, Counters};
use super::neighbour::is_elsewhere;
use super::reading::{Reading, Units, Usage};
use crate::analysis::{Disturbance, disturbances};
use crate::run::stage::Observed;
use crate::server::{PoolWaits, RunningServer};

/// Observes windows on a server, one at a time: nothing is read while one runs.
#[derive(Debug)]
pub(in crate::run) struct Observer {
    /// The server's process, where it is ours.
    process: Option<u32>,
    /// Whether the server is certainly not among this machine's other processes.
    tells_others: bool,
    units: Units,
    counters: Counters,
    begun: Mutex<Option<Begun>>,
}

/// What was known right before a window.
#[derive(Debug)]
struct Begun {
    answer: Answer,
    reading: Reading,
}

impl Observer {
    /// An observer of windows on this server, which must answer. `control` is a client of the server for control.
    pub(in crate::run) async fn new(server: &RunningServer, control: Client) -> Self {
        let own = Arc::clone(server.own_commands());
        Self {
            process: server.process_id(),
            tells_others: server.process_id().is_some() || is_elsewhere(server.facts()).await,
            units: Units::of_this_system(),
            counters: Counters::try_out(control, own, server.facts()).await,
            begun: Mutex::new(None),
        }
    }

    /// What the run should be told once: what cannot be observed, and why.
    pub(in crate::run) fn note(&self) -> Option<String> {
        self.counters.note()
    }

    /// Begins, right before a window. `waits` are those for the connections that its workers use.
    pub(in crate::run) async fn begin(&self, waits: &PoolWaits) {
        let answer = self.counters.ask().await;
        waits.take();
        // The last thing before the window, so that nothing of the above is in it.
        let begun = Begun { answer, reading: Reading::now(self.process) };
        *self.begun.lock().unwrap_or_else(PoisonError::into_inner) = Some(begun);
    }

    /// What was observed since, right after the window.
    pub(in crate::run) async fn end(&self, waits: &PoolWaits) -> Observed {
        let reading = Reading::now(self.process);
        let pool_wait = waits.take();
        let begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(begun) = begun else { return Observed::default() };
        let answer = self.counters.ask().await;
        let usage = reading.since(&begun.reading, self.tells_others, self.units);
        let restarted = usage.server_replaced || answer.life.is_another_than(&begun.answer.life);
        Observed {
            disturbed: in_words(&usage, restarted),
            cpu: usage.cpu,
            memory: usage.memory,
            server_counters: self.counters.between(&begun.answer, &answer),
            pool_wait,
        }
    }
}

fn in_words(usage: &Usage, restarted: bool) -> Vec<String> {
    disturbances(&usage.cpu, usage.capacity, restarted).iter().map(Disturbance::to_string).collect()
}
