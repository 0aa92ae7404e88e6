//! Transactions, as the drivers' `withTransaction` makes them: the body again where it met another transaction, the
//! commit again where its outcome is unknown, with pauses between attempts and an end to them.

use std::time::{Duration, Instant};

use super::blocks::BlockDone;
use super::execute::Execution;
use super::identity::mixed;
use super::tree::BlockProgram;
use crate::backend::{Backend, CallError, Remedy};

/// How long drivers go on with attempts; here the time that a call has may end them before.
const ATTEMPTS_UP_TO: Duration = Duration::from_secs(120);
/// The pause before the second attempt, on average half of it; each further one is longer by half.
const FIRST_PAUSE: Duration = Duration::from_millis(5);
const PAUSE_GROWTH: f64 = 1.5;
/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// How an attempt ended without being committed.
enum Failed {
    /// It met another: the whole is to be begun anew.
    Transient(CallError),
    /// For good.
    Finally(CallError),
}

impl<'a, B: Backend> Execution<'a, B> {
    /// Runs a block in a transaction; where the server has none, its steps are sent one after the other. An error that
    /// the block expects aborts it and is kept.
    pub(super) async fn transaction(&mut self, block: &'a BlockProgram, done: &mut BlockDone) -> Result<(), CallError> {
        let outcome = if self.backend.has_transactions() {
            self.session = Some(self.backend.session().await?);
            let outcome = self.attempts(block, done).await;
            self.session = None;
            outcome
        } else {
            done.attempts += 1;
            self.body(block).await
        };
        let Err(error) = outcome else { return Ok(()) };
        match error.name().filter(|name| block.expect.contains(name)) {
            Some(name) => {
                self.forget(block);
                self.last_read = None;
                self.done.expected.push(name);
                done.error.get_or_insert(name);
                Ok(())
            }
            None => Err(error),
        }
    }

    async fn attempts(&mut self, block: &'a BlockProgram, done: &mut BlockDone) -> Result<(), CallError> {
        let started = Instant::now();
        let limit = self.backend.time_limit().min(ATTEMPTS_UP_TO);
        let turn = (self.each.clone(), self.turn);
        for attempt in 1.. {
            done.attempts += 1;
            let met = match self.attempt(block, started + limit).await {
                Ok(()) => return Ok(()),
                Err(Failed::Finally(error)) => return Err(error),
                Err(Failed::Transient(error)) => error,
            };
            let pause = self.pause(attempt);
            if started.elapsed() + pause >= limit {
                let tried = format!("not committed after {attempt} attempts in {} s", limit.as_secs_f64());
                return Err(met.at(tried).at(block.place()));
            }
            tokio::time::sleep(pause).await;
            self.done.retries += 1;
            (self.each, self.turn) = turn.clone();
            self.last_read = None;
            self.forget(block);
        }
        Ok(())
    }

    /// Runs the body once and commits it, or aborts it.
    async fn attempt(&mut self, block: &'a BlockProgram, deadline: Instant) -> Result<(), Failed> {
        if let Some(session) = &mut self.session {
            self.backend.begin(session).await.map_err(Failed::Finally)?;
        }
        let Err(error) = self.body(block).await else { return self.commit(deadline).await };
        if let Some(session) = &mut self.session {
            self.done.round_trips += 1;
            // Why it is aborted is what counts; a server that cannot be told forgets it by itself.
            let _ = self.backend.abort(session).await;
        }
        Err(match error.remedy {
            Some(Remedy::BeginAnew) => Failed::Transient(error),
            _ => Failed::Finally(error),
        })
    }

    async fn commit(&mut self, deadline: Instant) -> Result<(), Failed> {
        let Some(session) = &mut self.session else { return Ok(()) };
        loop {
            self.done.round_trips += 1;
            let Err(error) = self.backend.commit(session).await else { return Ok(()) };
            match error.remedy {
                Some(Remedy::CommitAgain) if Instant::now() < deadline => self.done.retries += 1,
                Some(Remedy::BeginAnew) => return Err(Failed::Transient(error.at("commit"))),
                _ => return Err(Failed::Finally(error.at("commit"))),
            }
        }
    }

    /// The pause after so many attempts: random, so that those who met do not meet again, and a function of the seed.
    fn pause(&self, attempts: u32) -> Duration {
        let random = mixed(self.random_seed() ^ mixed(u64::from(attempts)));
        let jitter = (random >> 11) as f64 / (1_u64 << 53) as f64;
        let grown = FIRST_PAUSE.as_secs_f64() * PAUSE_GROWTH.powi(i32::try_from(attempts).unwrap_or(i32::MAX) - 1);
        Duration::from_secs_f64(jitter * grown.min(LONGEST_PAUSE.as_secs_f64()))
    }
}
