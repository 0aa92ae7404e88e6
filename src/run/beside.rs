//! Actors and events of one window, from its beginning to its end.

use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::company::{Company, PlannedEvent, Worked};
use super::gate::Gate;
use super::numbers::{Milestone, Numbers};
use crate::backend::CallError;
use crate::clock::Clock;
use crate::operation::{Answer, Done};
use crate::record::{BackgroundRecord, RoundEventRecord};
use crate::units::Seconds;
use crate::words::EventOutcome;

/// How long a window waits for its events once its operations are done.
pub(super) const EVENT_PATIENCE: Duration = Duration::from_secs(20);
/// How long an event whose number came right before the end may take to begin.
const BEGIN_PATIENCE: Duration = Duration::from_millis(200);
/// How long it waits for actors to finish their turns.
const TURN_PATIENCE: Duration = Duration::from_secs(5);

/// Actors at work.
#[derive(Debug)]
pub(super) struct Actors {
    rest: watch::Sender<bool>,
    working: Vec<JoinHandle<Worked>>,
}

impl Actors {
    /// Has the actors of a model go to work. They see whatever is written from then on.
    pub(super) async fn begin(company: &dyn Company) -> Self {
        let (rest, told) = watch::channel(false);
        let working = company.begin(told).await.into_iter().map(tokio::spawn).collect();
        Self { rest, working }
    }

    /// Has them finish their turns and rest; what they did. Where the window was broken off (`abandoned`) nobody waits.
    pub(super) async fn rest(self, abandoned: bool) -> Vec<BackgroundRecord> {
        // Nobody listens where none is at work.
        let _ = self.rest.send(true);
        let patience = if abandoned { Duration::ZERO } else { TURN_PATIENCE };
        let resting = self.working.into_iter().map(|mut task| async move {
            match timeout(patience, &mut task).await {
                Ok(Ok(worked)) => Some(record(worked)),
                Ok(Err(failure)) if failure.is_panic() => std::panic::resume_unwind(failure.into_panic()),
                _ => {
                    task.abort();
                    None
                }
            }
        });
        join_all(resting).await.into_iter().flatten().collect()
    }
}

fn record(worked: Worked) -> BackgroundRecord {
    let turns = worked.turns;
    BackgroundRecord {
        name: worked.name,
        turns: turns.turns,
        requests: turns.requests,
        matched: turns.written.matched,
        written: turns.written.documents(),
        errors: turns.errors,
        first_error: turns.first_error,
    }
}

/// How far a window is, as its events have to know it.
pub(super) struct Progress<C> {
    pub(super) start: Instant,
    pub(super) numbers: Arc<Numbers>,
    pub(super) first: u64,
    /// Under open load.
    pub(super) gate: Option<Arc<Gate>>,
    pub(super) clock: C,
}

impl<C: Clock> Progress<C> {
    fn elapsed(&self) -> Seconds {
        self.clock.now().saturating_duration_since(self.start).into()
    }

    /// Operations that have come due under open load, and those handed out under closed load.
    fn operations(&self) -> u64 {
        match &self.gate {
            Some(gate) => gate.released(),
            None => self.numbers.position().saturating_sub(self.first),
        }
    }
}

/// The events of a window, before it begins.
pub(super) struct Events {
    company: Arc<dyn Company>,
    planned: Vec<Planned>,
    /// Which time it is that they happen.
    time: u64,
}

/// An event before its window begins.
struct Planned {
    /// Its place among the model's.
    place: usize,
    event: PlannedEvent,
    /// How many operations of the window come before it.
    number: u64,
    /// Told when its number is handed out or, where it follows the last operation, when that is done.
    reached: Arc<Notify>,
}

/// Events under way, those at the window's end last.
pub(super) struct Happening {
    events: Vec<Under>,
}

/// An event under way.
struct Under {
    /// What is to be said of it if it does not come to its end.
    planned: RoundEventRecord,
    started: watch::Receiver<Option<Seconds>>,
    task: JoinHandle<RoundEventRecord>,
    /// What to tell once the last operation is done.
    last: Option<Arc<Notify>>,
}

impl Events {
    /// The events of a window over so many numbers from the first.
    pub(super) fn planned(company: &Arc<dyn Company>, first: u64, count: u64) -> Self {
        let planned = |(place, event): (usize, PlannedEvent)| {
            let share = event.at.get().clamp(0.0, 1.0);
            let within = ((share * count as f64) as u64).min(count.saturating_sub(1));
            let number = if event.is_last { count } else { within };
            Planned { place, event, number, reached: Arc::default() }
        };
        let planned = company.events().into_iter().enumerate().map(planned).collect();
        // What an event inserts has identities of its own in every window.
        Self { company: Arc::clone(company), planned, time: first % (1 << 32) }
    }

    /// The numbers that they wait for.
    pub(super) fn milestones(&self, first: u64) -> Vec<Milestone> {
        let within = self.planned.iter().filter(|planned| !planned.event.is_last);
        let milestone =
            |planned: &Planned| Milestone { number: first + planned.number, reached: Arc::clone(&planned.reached) };
        within.map(milestone).collect()
    }

    /// Has each happen when its number is handed out, and those at the window's end once that is told.
    pub(super) fn begin<C: Clock>(self, progress: Progress<C>) -> Happening {
        let progress = Arc::new(progress);
        let events = self.planned.into_iter().map(|planned| {
            let Planned { place, event, number, reached } = planned;
            let record = unfinished(&event.name, number);
            let (told, started) = watch::channel(None);
            let last = event.is_last.then(|| Arc::clone(&reached));
            let happening = self.company.happen(place, self.time);
            let waiting = Waiting { happening, number, reached, is_last: event.is_last, started: told };
            let task = tokio::spawn(waiting.happen(Arc::clone(&progress), record.clone()));
            Under { planned: record, started, task, last }
        });
        Happening { events: events.collect() }
    }
}

/// An event that waits for its number.
struct Waiting<F> {
    happening: F,
    number: u64,
    reached: Arc<Notify>,
    is_last: bool,
    started: watch::Sender<Option<Seconds>>,
}

impl<F: Future<Output = Result<Done, CallError>>> Waiting<F> {
    async fn happen<C: Clock>(self, progress: Arc<Progress<C>>, planned: RoundEventRecord) -> RoundEventRecord {
        self.reached.notified().await;
        // Under open load a worker takes a number long before its operation is due.
        if let (Some(gate), false) = (&progress.gate, self.is_last) {
            progress.clock.sleep_until(gate.schedule().time(self.number)).await;
        }
        let start = progress.elapsed();
        let _ = self.started.send(Some(start));
        let outcome = self.happening.await;
        let ended = RoundEventRecord {
            start: Some(start),
            end: Some(progress.elapsed()),
            end_number: Some(progress.operations()),
            ..planned
        };
        match outcome {
            Ok(done) => complete(ended, &done),
            Err(error) => RoundEventRecord { outcome: EventOutcome::Failed, why: Some(error.to_string()), ..ended },
        }
    }
}

fn complete(ended: RoundEventRecord, done: &Done) -> RoundEventRecord {
    let result = match &done.answer {
        Some(Answer::Value(value)) => Some(value.clone().into_relaxed_extjson()),
        _ => None,
    };
    RoundEventRecord {
        outcome: EventOutcome::Complete,
        why: None,
        requests: u64::from(done.round_trips),
        matched: done.written.matched,
        written: done.written.documents(),
        retries: u64::from(done.retries),
        result,
        ..ended
    }
}

fn unfinished(name: &str, number: u64) -> RoundEventRecord {
    RoundEventRecord {
        name: name.to_owned(),
        number,
        start: None,
        end: None,
        end_number: None,
        outcome: EventOutcome::Unfinished,
        why: Some("the window ended before its number came".to_owned()),
        requests: 0,
        matched: 0,
        written: 0,
        retries: 0,
        result: None,
    }
}

impl Happening {
    /// Waits for the events once the window's operations are done, those at its end last; what became of them. Nobody
    /// waits (`None`) where the window was broken off.
    pub(super) async fn finish(self, patience: Option<Duration>) -> Vec<RoundEventRecord> {
        let abandoned = patience.is_none();
        let patience = patience.unwrap_or_default();
        let (last, within): (Vec<_>, Vec<_>) = self.events.into_iter().partition(|event| event.last.is_some());
        let mut happened = join_all(within.into_iter().map(|event| event.finish(patience))).await;
        for event in last {
            // In their order, after all others: they look at what became of the data.
            event.last.iter().filter(|_| !abandoned).for_each(|reached| reached.notify_one());
            happened.push(event.finish(patience).await);
        }
        happened
    }
}

impl Under {
    async fn finish(mut self, patience: Duration) -> RoundEventRecord {
        // A number that no worker takes any more is not waited for.
        if self.last.is_none() {
            let beginning = self.started.wait_for(Option::is_some);
            if timeout(BEGIN_PATIENCE.min(patience), beginning).await.is_err() {
                self.task.abort();
                return self.planned;
            }
        }
        match timeout(patience, &mut self.task).await {
            Ok(Ok(record)) => record,
            Ok(Err(failure)) if failure.is_panic() => std::panic::resume_unwind(failure.into_panic()),
            _ => {
                self.task.abort();
                let why = match patience.is_zero() {
                    true => "its window was broken off".to_owned(),
                    false => format!("ended with its window, {:.1} s after the last operation", patience.as_secs_f64()),
                };
                RoundEventRecord { start: *self.started.borrow(), why: Some(why), ..self.planned }
            }
        }
    }
}
