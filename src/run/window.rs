//! A window: workers do the operations of a number range, each timed from request sent to answer complete and, under
//! open load, from when it was due, until all are done or something ends it.

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::task::{JoinSet, coop};

use super::arrivals::Schedule;
use super::beside::{Actors, Events, Progress};
use super::gate::{Gate, Slot};
use super::interrupt::Interrupt;
use super::numbers::Numbers;
use super::recorder::Recorder;
use super::slices::Slicing;
use super::tally::{Tally, Times};
use super::watchdog::Health;
use super::work::Work;
use super::writer::{Note, Writer};
use crate::backend::CallErrorKind;
use crate::clock::{Clock, Pacing};
use crate::plan::{Load, Mix};
use crate::record::{BackgroundRecord, IntervalRecord, RoundEventRecord, Stamp};
use crate::scenario::Operation;
use crate::words::ErrorName;

/// How long operations under way may go on after a window was given up: what they say is worth having, since an
/// operation that takes long is the reason.
pub(super) const GRACE: Duration = Duration::from_secs(5);
/// How long before the first operation is due the workers start: long enough to stand ready then.
const RUN_UP: Duration = Duration::from_millis(5);

/// What a window is to do.
#[derive(Debug, Clone)]
pub(super) struct WindowPlan {
    /// The operation numbers, each done once.
    pub(super) numbers: Range<u64>,
    /// How they come due, and how many workers do them.
    pub(super) load: Load,
    /// When it is given up, counted from its start.
    pub(super) limit: Duration,
    /// How long operations under way may go on then ([`GRACE`]).
    pub(super) grace: Duration,
    /// An error that ends the model's run as a result.
    pub(super) ends_when: Option<ErrorName>,
    /// Whether the events of the model happen, and latencies are kept by slice; how long the window waits then for events
    /// once its operations are done.
    pub(super) eventful: Option<Duration>,
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
    /// How long it took, from its start (under open load: from when its first operation was due) to the end of its last
    /// operation.
    pub(super) elapsed: Duration,
    /// How it ended.
    pub(super) end: WindowEnd,
    /// Workers that did it.
    pub(super) workers: u32,
    /// Second by second, without operations that are only counted.
    pub(super) intervals: Vec<IntervalRecord>,
    /// Processor time of the pacer; `None` under closed load, and where the operating system does not tell.
    pub(super) pacer_cpu: Option<Duration>,
    /// What the model's actors did meanwhile.
    pub(super) background: Vec<BackgroundRecord>,
    /// What became of its events.
    pub(super) events: Vec<RoundEventRecord>,
    /// Latencies by operation and slice, where they are kept.
    pub(super) slices: Vec<Vec<String>>,
}

impl Window {
    /// Operations done per second, failures included.
    pub(super) fn rate(&self) -> f64 {
        let seconds = self.elapsed.as_secs_f64();
        if seconds > 0.0 { self.tally.attempts() as f64 / seconds } else { 0.0 }
    }
}

/// An operation of the workload, as windows know it.
#[derive(Debug, Clone)]
pub(super) struct Recorded {
    /// Its name.
    pub(super) name: String,
    /// Whether its latencies say nothing.
    pub(super) counted_only: bool,
}

impl From<&Operation> for Recorded {
    fn from(operation: &Operation) -> Self {
        Self { name: operation.name.clone(), counted_only: operation.counted_only }
    }
}

impl Recorded {
    /// Its name, where its latencies say something.
    fn timed(&self) -> Option<&str> {
        (!self.counted_only).then_some(self.name.as_str())
    }
}

/// What windows share: the mix, the recorder, and the user's wish.
#[derive(Debug)]
pub(super) struct Workers<C> {
    mix: Arc<Mix>,
    operations: Vec<Recorded>,
    /// Made for the first window, and used again.
    recorder: Option<Arc<Recorder>>,
    interrupt: Interrupt,
    clock: C,
}

impl<C: Clock> Workers<C> {
    /// Workers for a workload of these operations.
    pub(super) fn new(mix: Arc<Mix>, operations: Vec<Recorded>, interrupt: Interrupt, clock: C) -> Self {
        Self { mix, operations, recorder: None, interrupt, clock }
    }

    /// Does a window.
    pub(super) async fn window<W: Work>(&mut self, work: &W, plan: WindowPlan, health: &impl Health) -> Window {
        let company = work.company();
        let actors = match &company {
            Some(company) => Some(Actors::begin(&**company).await),
            None => None,
        };
        let (first, count) = (plan.numbers.start, plan.numbers.end.saturating_sub(plan.numbers.start));
        let events = company.filter(|_| plan.eventful.is_some()).map(|company| Events::planned(&company, first, count));
        let milestones = events.as_ref().map_or_else(Vec::new, |events| events.milestones(first));
        let started_at = Stamp::now();
        let gate = self.gate(&plan).map(Arc::new);
        let start = gate.as_ref().map_or_else(|| self.clock.now(), |gate| gate.schedule().start());
        let recorder = self.recorder();
        if plan.eventful.is_some() {
            recorder.keep_slices();
        }
        recorder.begin(start, plan.limit + plan.grace, gate.is_some());
        let worker = Worker {
            work: work.clone(),
            mix: Arc::clone(&self.mix),
            numbers: Arc::new(Numbers::new(plan.numbers.clone(), milestones)),
            slicing: plan.eventful.map(|_| Slicing::new(&plan.numbers)),
            gate,
            recorder: Arc::clone(&recorder),
            ended: Arc::new(Notify::new()),
            suspicion: health.suspicion(),
            ends_when: plan.ends_when,
            clock: self.clock.clone(),
        };
        let happening = events.map(|events| {
            let (numbers, gate, clock) = (Arc::clone(&worker.numbers), worker.gate.clone(), self.clock.clone());
            events.begin(Progress { start, numbers, first, gate, clock })
        });
        let mut tasks = JoinSet::new();
        for _ in 0..plan.load.workers() {
            tasks.spawn(worker.clone().run());
        }
        let pacing = worker.gate.as_ref().map(|gate| self.pace(gate, &plan));
        let end = self.supervise(&mut tasks, &plan, start, &worker, health).await;
        let elapsed = self.clock.now().saturating_duration_since(start);
        let pacer_cpu = match pacing {
            Some(pacing) => pacing.end().await,
            None => None,
        };
        let abandoned = matches!(end, WindowEnd::Interrupted | WindowEnd::Lost(_));
        let events = match happening {
            Some(happening) => happening.finish(plan.eventful.filter(|_| !abandoned)).await,
            None => Vec::new(),
        };
        let background = match actors {
            Some(actors) => actors.rest(abandoned).await,
            None => Vec::new(),
        };
        let wanted: Vec<Option<&str>> = self.operations.iter().map(Recorded::timed).collect();
        Window {
            tally: recorder.tally(),
            started_at,
            elapsed,
            end,
            workers: plan.load.workers(),
            intervals: recorder.intervals(&wanted),
            pacer_cpu,
            background,
            events,
            slices: if plan.eventful.is_some() { recorder.slices() } else { Vec::new() },
        }
    }

    /// What workers wait at under open load.
    fn gate(&self, plan: &WindowPlan) -> Option<Gate> {
        let Load::Open { workers, rate, arrivals, seed } = plan.load else { return None };
        let slots = plan.numbers.end.saturating_sub(plan.numbers.start);
        let schedule = Schedule::new(self.clock.now(), rate, arrivals, seed, slots);
        // Drawing the times of a long window takes time of its own.
        Some(Gate::new(schedule.starting(self.clock.now() + RUN_UP), workers as usize))
    }

    /// Opens the gate for each number of the window when it is due.
    fn pace(&self, gate: &Arc<Gate>, plan: &WindowPlan) -> Pacing {
        let slots = 0..plan.numbers.end.saturating_sub(plan.numbers.start);
        let (schedule, gate) = (gate.schedule().clone(), Arc::clone(gate));
        self.clock.pace(slots.map(move |slot| schedule.time(slot)), move || gate.release())
    }

    /// One shard for each thread that executes workers.
    fn recorder(&mut self) -> Arc<Recorder> {
        let operations = self.operations.len();
        let new = || Arc::new(Recorder::new(operations, Handle::current().metrics().num_workers()));
        Arc::clone(self.recorder.get_or_insert_with(new))
    }

    /// Waits for the workers and ends the window early where there is reason to.
    async fn supervise<W: Work>(
        &self,
        tasks: &mut JoinSet<()>,
        plan: &WindowPlan,
        start: Instant,
        worker: &Worker<W, C>,
        health: &impl Health,
    ) -> WindowEnd {
        let mut end = WindowEnd::Complete;
        let mut abandoned = false;
        let mut limit = Box::pin(self.clock.sleep_until(start + plan.limit));
        // Watched over the whole window: a question that is under way when the limit passes must still be answered.
        let mut lost = Box::pin(health.lost());
        loop {
            let open = end == WindowEnd::Complete;
            tokio::select! {
                joined = tasks.join_next() => match joined {
                    Some(Ok(())) => {}
                    Some(Err(failure)) if failure.is_cancelled() => {}
                    Some(Err(failure)) => std::panic::resume_unwind(failure.into_panic()),
                    None => return end,
                },
                () = self.interrupt.wait(), if end != WindowEnd::Interrupted => {
                    end = WindowEnd::Interrupted;
                    abandoned = true;
                }
                why = &mut lost, if open || end == WindowEnd::Saturated => {
                    end = WindowEnd::Lost(why);
                    abandoned = true;
                }
                () = worker.ended.notified(), if open => {
                    end = WindowEnd::Ended;
                    worker.halt();
                    limit.set(self.clock.sleep_until(self.clock.now() + plan.grace));
                }
                () = &mut limit, if !abandoned => {
                    if open {
                        end = WindowEnd::Saturated;
                        worker.halt();
                        limit.set(self.clock.sleep_until(self.clock.now() + plan.grace));
                    } else {
                        abandoned = true;
                    }
                }
            }
            if abandoned {
                // Operations under way end here. Workers need not ask for it, which costs them nothing while they work.
                tasks.abort_all();
            }
        }
    }
}

/// One worker: takes a number, prepares its operation, waits until it is due, times it, records it, and so on.
#[derive(Clone)]
struct Worker<W, C> {
    work: W,
    mix: Arc<Mix>,
    numbers: Arc<Numbers>,
    /// Where latencies are kept by slice.
    slicing: Option<Slicing>,
    /// Under open load.
    gate: Option<Arc<Gate>>,
    recorder: Arc<Recorder>,
    /// Told when the model came to its declared end.
    ended: Arc<Notify>,
    suspicion: Arc<Notify>,
    ends_when: Option<ErrorName>,
    clock: C,
}

impl<W: Work, C: Clock> Worker<W, C> {
    async fn run(self) {
        let mut writer = self.recorder.writer();
        while let Some(number) = self.numbers.next() {
            let operation = self.mix.operation(number);
            let prepared = self.work.prepare(operation, number);
            // An operation that could not be prepared takes its slot all the same: the others keep theirs.
            let due = match &self.gate {
                None => None,
                Some(gate) => match gate.slot().await {
                    Some(slot) => Some(slot),
                    None => return,
                },
            };
            match prepared {
                Ok(prepared) => self.one(operation, number, prepared, due, &mut writer).await,
                Err(error) => {
                    writer.failed(operation, error);
                    // Perhaps nothing was awaited, and others want to run too.
                    coop::consume_budget().await;
                }
            }
        }
    }

    async fn one(&self, operation: usize, number: u64, prepared: W::Prepared, due: Option<Slot>, writer: &mut Writer) {
        let sent = self.clock.now();
        let outcome = self.work.execute(prepared).await;
        let complete = self.clock.now();
        match outcome {
            Ok(finished) => {
                let slice = self.slicing.map(|slicing| slicing.of(number));
                writer.note(Note { operation, slice, times: Times { due, sent, complete }, finished });
            }
            Err(error) => {
                match &error.kind {
                    CallErrorKind::Named(name) if Some(*name) == self.ends_when => self.ended.notify_one(),
                    CallErrorKind::Connection => self.suspicion.notify_one(),
                    _ => {}
                }
                writer.failed(operation, error);
            }
        }
    }

    /// Has all workers end after what they are doing.
    fn halt(&self) {
        self.numbers.halt();
        self.gate.iter().for_each(|gate| gate.halt());
    }
}

#[cfg(test)]
#[path = "window_tests.rs"]
mod tests;
