//! Actors while they act: turn after turn, on a connection of their own, with counts of their own.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::actor::Drive;
use super::execute::Written;
use super::program::ModelProgram;
use crate::backend::{Backend, CallError, CallErrorKind, ChangePlace, Changes as _};

/// Rounds of turns after which actors that still find something to write will never be idle.
const IDLE_AFTER: u32 = 100_000;
/// How long the server must have told of no change before there is none.
const QUIET: Duration = Duration::from_millis(300);
/// How long it is waited before it is asked again.
const QUIET_POLL: Duration = Duration::from_millis(5);

/// What turns of an actor came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Turns {
    /// Turns taken.
    pub turns: u64,
    /// Requests sent in them.
    pub requests: u64,
    /// What they wrote.
    pub written: Written,
    /// Turns that failed, by kind.
    pub errors: BTreeMap<String, u64>,
    /// What the first of them said.
    pub first_error: Option<String>,
}

/// Where an actor stands between two stretches of work.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ActorPlace {
    /// Turns taken so far.
    turns: u64,
    /// The changes that it has worked off, where changes drive it.
    change: Option<ChangePlace>,
}

/// Where the actors of a model stand while they rest.
#[derive(Debug, Default)]
pub struct ActorState(Mutex<Vec<ActorPlace>>);

impl ActorState {
    /// Actors that have not done anything yet.
    pub fn new(program: &ModelProgram) -> Self {
        Self(Mutex::new(vec![ActorPlace::default(); program.actors().len()]))
    }

    /// Where an actor stands.
    pub fn place(&self, actor: usize) -> ActorPlace {
        self.lock().get(actor).cloned().unwrap_or_default()
    }

    /// Keeps where an actor stands.
    pub fn keep(&self, actor: usize, place: ActorPlace) {
        if let Some(kept) = self.lock().get_mut(actor) {
            *kept = place;
        }
    }

    /// The data were loaded anew: changes before that are none of the actors' business.
    pub fn forget_changes(&self) {
        self.lock().iter_mut().for_each(|place| place.change = None);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<ActorPlace>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether an actor found anything to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Acted {
    /// It did something, and there may be more.
    Worked,
    /// There is nothing to do for now.
    Idle,
}

/// An actor at work.
#[derive(Debug)]
pub struct Acting<P, B: Backend> {
    program: P,
    backend: B,
    actor: usize,
    place: ActorPlace,
    changes: Option<B::Changes>,
    counts: Turns,
}

impl<P: Deref<Target = ModelProgram>, B: Backend> Acting<P, B> {
    /// An actor (its place among the model's) goes to work from where it stands. Where changes drive it, it sees every one
    /// from then on; `patience` is how long the server waits for one.
    ///
    /// # Errors
    /// Where the changes cannot be followed.
    pub async fn begin(
        program: P,
        backend: B,
        actor: usize,
        place: ActorPlace,
        patience: Duration,
    ) -> Result<Self, CallError> {
        let changes = match program.actors()[actor].drive() {
            Drive::Every(_) => None,
            Drive::Changes(watched) => Some(backend.watch(watched, place.change.clone(), patience).await?),
        };
        Ok(Self { program, backend, actor, place, changes, counts: Turns::default() })
    }

    /// Every actor of a model goes to work from the beginning.
    ///
    /// # Errors
    /// Where changes cannot be followed.
    pub async fn begin_all(
        program: P,
        backend: &B,
        state: &ActorState,
        patience: Duration,
    ) -> Result<Vec<Self>, CallError>
    where
        P: Clone,
    {
        let mut all = Vec::new();
        for actor in 0..program.actors().len() {
            let place = state.place(actor);
            all.push(Self::begin(program.clone(), backend.clone(), actor, place, patience).await?);
        }
        Ok(all)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        self.program.actors()[self.actor].name()
    }

    /// The time from the end of a turn to the next; `None` where changes drive it.
    pub fn every(&self) -> Option<Duration> {
        match self.program.actors()[self.actor].drive() {
            Drive::Every(every) => Some(*every),
            Drive::Changes(_) => None,
        }
    }

    /// Takes a turn, if there is reason to.
    ///
    /// # Errors
    /// Why the turn failed; it is counted, and the next may be taken.
    pub async fn act(&mut self) -> Result<Acted, CallError> {
        let change = match &mut self.changes {
            None => None,
            Some(changes) => match changes.next().await {
                Ok(Some(change)) => Some(change),
                Ok(None) => return Ok(Acted::Idle),
                Err(error) => return Err(self.failed(error)),
            },
        };
        let is_driven = change.is_some();
        let turn = self.place.turns;
        self.place.turns += 1;
        self.counts.turns += 1;
        match self.program.turn(&self.backend, self.actor, turn, change).await {
            Ok(done) => {
                self.counts.requests += u64::from(done.round_trips);
                self.counts.written += done.written;
                let worked = is_driven || done.written.documents() > 0;
                Ok(if worked { Acted::Worked } else { Acted::Idle })
            }
            Err(error) => Err(self.failed(error)),
        }
    }

    fn failed(&mut self, error: CallError) -> CallError {
        *self.counts.errors.entry(error.kind.to_string()).or_default() += 1;
        self.counts.first_error.get_or_insert_with(|| error.message.clone());
        error
    }

    /// Rests: what it has done, and where it stands.
    pub fn rest(self) -> (Turns, ActorPlace) {
        let change = self.changes.as_ref().and_then(|changes| changes.place()).or(self.place.change);
        (self.counts, ActorPlace { turns: self.place.turns, change })
    }
}

/// Has actors take turns until none of them finds anything to do. One that changes drive is idle once the server has told
/// of no change for a while: it may tell of one later than it answers the write.
///
/// # Errors
/// The first turn that failed, with the actor's name; also where they never become idle.
pub async fn work_off<P: Deref<Target = ModelProgram>, B: Backend>(
    actors: &mut [Acting<P, B>],
) -> Result<(), (String, CallError)> {
    let is_driven = actors.iter().any(|actor| actor.every().is_none());
    let quiet = if is_driven { QUIET } else { Duration::ZERO };
    let mut last_work = Instant::now();
    let mut turns_left = IDLE_AFTER;
    while turns_left > 0 {
        let mut idle = true;
        for actor in actors.iter_mut() {
            match actor.act().await {
                Ok(acted) => idle &= acted == Acted::Idle,
                Err(error) => return Err((actor.name().to_owned(), error)),
            }
        }
        if !idle {
            turns_left -= 1;
            last_work = Instant::now();
        } else if last_work.elapsed() >= quiet {
            return Ok(());
        } else {
            tokio::time::sleep(QUIET_POLL).await;
        }
    }
    let name = actors.first().map_or_else(String::new, |actor| actor.name().to_owned());
    let message =
        format!("it still writes after {IDLE_AFTER} turns: a turn that finds nothing to do must write nothing");
    Err((name, CallError::new(CallErrorKind::Driver, message)))
}
