//! A window: workers do the operations of a number range, each timed from request sent to answer complete, until all
//! are done or something ends it.

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{Notify, watch};
use tokio::task::{JoinSet, coop};

use super::interrupt::Interrupt;
use super::recorder::{Tally, Times};
use super::source::{ClosedSource, Ticket, TicketSource};
use super::watchdog::Health;
use super::work::Work;
use crate::backend::CallErrorKind;
use crate::plan::Mix;
use crate::record::Stamp;
use crate::words::ErrorName;

/// How long operations under way may go on after a window was given up: what they say is worth having, since an
/// operation that takes long is the reason.
pub(super) const GRACE: Duration = Duration::from_secs(5);

/// What a window is to do.
#[derive(Debug, Clone)]
pub(super) struct WindowPlan {
    /// The operation numbers, each done once.
    pub(super) numbers: Range<u64>,
    /// When it is given up.
    pub(super) limit: Duration,
    /// How long operations under way may go on then ([`GRACE`]).
    pub(super) grace: Duration,
    /// An error that ends the model's run as a result.
    pub(super) ends_when: Option<ErrorName>,
}

/// How a window ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WindowEnd {
    /// All its operations were done.
    Complete,
    /// Its limit of time passed.
    Saturated,
    /// The model came to its declared end.
    Ended,
    /// The user wished the run to end.
    Interrupted,
    /// The server is gone, and why.
    Lost(String),
}

/// What a window yielded.
#[derive(Debug)]
pub(super) struct Window {
    /// Counts and latencies.
    pub(super) tally: Tally,
    /// When it began.
    pub(super) started_at: Stamp,
    /// How long it took, from its start to the end of its last operation.
    pub(super) elapsed: Duration,
    /// How it ended.
    pub(super) end: WindowEnd,
}

impl Window {
    /// Operations done per second, failures included.
    pub(super) fn rate(&self) -> f64 {
        let seconds = self.elapsed.as_secs_f64();
        if seconds > 0.0 { self.tally.attempts() as f64 / seconds } else { 0.0 }
    }
}

/// What windows share: the mix, the workers' tallies, and the user's wish.
#[derive(Debug)]
pub(super) struct Workers {
    mix: Arc<Mix>,
    operations: usize,
    shards: Vec<Tally>,
    interrupt: Interrupt,
}

impl Workers {
    /// So many workers for a workload of so many operations.
    pub(super) fn new(count: u32, mix: Arc<Mix>, operations: usize, interrupt: Interrupt) -> Self {
        Self { mix, operations, shards: vec![Tally::new(operations); count as usize], interrupt }
    }

    /// Does a window in closed mode.
    pub(super) async fn window<W: Work>(&mut self, work: &W, plan: WindowPlan, health: &impl Health) -> Window {
        let source = Arc::new(ClosedSource::new(plan.numbers.clone()));
        self.run(work, plan, source, health).await
    }

    async fn run<W: Work, S: TicketSource>(
        &mut self,
        work: &W,
        plan: WindowPlan,
        source: Arc<S>,
        health: &impl Health,
    ) -> Window {
        let signals = Arc::new(Signals::new());
        let mut tasks = JoinSet::new();
        let started_at = Stamp::now();
        let start = Instant::now();
        for mut shard in self.shards.drain(..) {
            shard.reset();
            let worker = Worker {
                work: work.clone(),
                mix: Arc::clone(&self.mix),
                source: Arc::clone(&source),
                signals: Arc::clone(&signals),
                suspicion: health.suspicion(),
                ends_when: plan.ends_when,
            };
            tasks.spawn(worker.run(shard));
        }
        let end = self.supervise(&mut tasks, &plan, source.as_ref(), &signals, health).await;
        let elapsed = start.elapsed();
        let mut tally = Tally::new(self.operations);
        self.shards.iter().for_each(|shard| tally.merge(shard));
        Window { tally, started_at, elapsed, end }
    }

    /// Waits for the workers and ends the window early where there is reason to.
    async fn supervise<S: TicketSource>(
        &mut self,
        tasks: &mut JoinSet<Tally>,
        plan: &WindowPlan,
        source: &S,
        signals: &Signals,
        health: &impl Health,
    ) -> WindowEnd {
        let mut end = WindowEnd::Complete;
        let mut limit = Box::pin(tokio::time::sleep(plan.limit));
        // Watched over the whole window: a question that is under way when the limit passes must still be answered.
        let mut lost = Box::pin(health.lost());
        loop {
            let open = end == WindowEnd::Complete;
            tokio::select! {
                joined = tasks.join_next() => match joined {
                    Some(Ok(shard)) => self.shards.push(shard),
                    Some(Err(failure)) => std::panic::resume_unwind(failure.into_panic()),
                    None => return end,
                },
                () = self.interrupt.wait(), if end != WindowEnd::Interrupted => {
                    end = WindowEnd::Interrupted;
                    signals.cancel();
                }
                why = &mut lost, if open || end == WindowEnd::Saturated => {
                    end = WindowEnd::Lost(why);
                    signals.cancel();
                }
                () = signals.ended.notified(), if open => {
                    end = WindowEnd::Ended;
                    source.halt();
                    limit.as_mut().reset(tokio::time::Instant::now() + plan.grace);
                }
                () = &mut limit, if !signals.is_cancelled() => {
                    if open {
                        end = WindowEnd::Saturated;
                        source.halt();
                        limit.as_mut().reset(tokio::time::Instant::now() + plan.grace);
                    } else {
                        signals.cancel();
                    }
                }
            }
        }
    }
}

/// What supervisor and workers tell each other.
#[derive(Debug)]
struct Signals {
    cancelled: watch::Sender<bool>,
    ended: Notify,
}

impl Signals {
    fn new() -> Self {
        Self { cancelled: watch::Sender::new(false), ended: Notify::new() }
    }

    /// Abandons operations under way.
    fn cancel(&self) {
        self.cancelled.send_replace(true);
    }

    fn is_cancelled(&self) -> bool {
        *self.cancelled.borrow()
    }
}

/// One worker: takes a number, prepares its operation, times it, records it, and so on.
struct Worker<W, S> {
    work: W,
    mix: Arc<Mix>,
    source: Arc<S>,
    signals: Arc<Signals>,
    suspicion: Arc<Notify>,
    ends_when: Option<ErrorName>,
}

impl<W: Work, S: TicketSource> Worker<W, S> {
    async fn run(self, mut shard: Tally) -> Tally {
        let mut cancelled = self.signals.cancelled.subscribe();
        tokio::select! {
            // It fails only when the sender is gone, and `self` holds it.
            _ = cancelled.wait_for(|cancelled| *cancelled) => {}
            () = self.take_all(&mut shard) => {}
        }
        shard
    }

    async fn take_all(&self, shard: &mut Tally) {
        while let Some(ticket) = self.source.next().await {
            self.one(ticket, shard).await;
        }
    }

    async fn one(&self, ticket: Ticket, shard: &mut Tally) {
        let operation = self.mix.operation(ticket.number);
        let prepared = match self.work.prepare(operation, ticket.number) {
            Ok(prepared) => prepared,
            Err(error) => {
                shard.failed(operation, error);
                // Nothing was awaited, and others want to run too.
                return coop::consume_budget().await;
            }
        };
        let sent = Instant::now();
        let outcome = self.work.execute(prepared).await;
        let complete = Instant::now();
        match outcome {
            Ok(finished) => shard.finished(operation, Times { intended: ticket.intended, sent, complete }, &finished),
            Err(error) => {
                match &error.kind {
                    CallErrorKind::Named(name) if Some(*name) == self.ends_when => self.signals.ended.notify_one(),
                    CallErrorKind::Connection => self.suspicion.notify_one(),
                    _ => {}
                }
                shard.failed(operation, error);
            }
        }
    }
}

#[cfg(test)]
#[path = "window_tests.rs"]
mod tests;
