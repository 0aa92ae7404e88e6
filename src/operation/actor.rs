//! What a model does beside its operations, ready to be executed: turns of actors, and events.

use std::time::Duration;

use bson::{Bson, Document};

use super::execute::Done;
use super::program::ModelProgram;
use super::render::unrendered;
use crate::backend::{Backend, CallError, Watched};
use crate::scenario::{Actor, ModelEvent, Trigger};
use crate::units::Share;
use crate::value::{Names, RenderError, World};

/// Where the numbers begin under which actors take their turns: no operation of a phase has any of them, so nothing that
/// an actor inserts has the identity of what an operation inserts.
const TURNS_FROM: u64 = 1 << 40;
/// Where those of events begin.
const EVENTS_FROM: u64 = 1 << 41;
/// The numbers of one actor or event.
const NUMBERS_EACH: u64 = 1 << 32;

/// An actor of a model.
#[derive(Debug)]
pub struct ActorProgram {
    name: String,
    pub(super) operation: usize,
    drive: Drive,
}

/// What makes an actor act.
#[derive(Debug, Clone)]
pub enum Drive {
    /// Time from the end of a turn to the beginning of the next.
    Every(Duration),
    /// Each of these changes.
    Changes(Watched),
}

impl ActorProgram {
    /// Fills parameters into what drives the actor.
    pub(super) fn new(actor: &Actor, operation: usize, world: &World) -> Result<Self, RenderError> {
        let drive = match &actor.trigger {
            Trigger::Every(every) => Drive::Every(*every),
            Trigger::OnChange { collection, pipeline } => {
                let pipeline =
                    pipeline.as_ref().map(|stages| stages.with_parameters(world.parameters())).transpose()?;
                let stages = pipeline.as_ref().and_then(|stages| stages.as_constant());
                let pipeline = match stages {
                    Some(Bson::Array(stages)) => stages.iter().filter_map(Bson::as_document).cloned().collect(),
                    _ => Vec::new(),
                };
                Drive::Changes(Watched { collection: collection.clone(), pipeline })
            }
        };
        Ok(Self { name: actor.name.clone(), operation, drive })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What makes it act.
    pub fn drive(&self) -> &Drive {
        &self.drive
    }
}

/// An event of a model's windows.
#[derive(Debug)]
pub struct EventProgram {
    name: String,
    at: Share,
    is_last: bool,
    operation: usize,
}

impl EventProgram {
    pub(super) fn new(event: &ModelEvent, operation: usize) -> Self {
        Self { name: event.name.clone(), at: event.at, is_last: event.is_last(), operation }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The share of a window's numbers at which it begins.
    pub fn at(&self) -> Share {
        self.at
    }

    /// Whether it follows the window's last operation.
    pub fn is_last(&self) -> bool {
        self.is_last
    }
}

impl ModelProgram {
    /// Takes a turn of an actor (its place among the model's), the `turn`th of them.
    ///
    /// # Errors
    /// As for an operation.
    pub async fn turn<B: Backend>(
        &self,
        backend: &B,
        actor: usize,
        turn: u64,
        change: Option<Document>,
    ) -> Result<Done, CallError> {
        let names = Names { values: change.into_iter().map(|change| Some(Bson::Document(change))).collect() };
        let number = TURNS_FROM + actor as u64 * NUMBERS_EACH + turn;
        let prepared = self.prepare_named(backend, self.actors()[actor].operation, number, names, false)?;
        self.execute(backend, prepared, false).await
    }

    /// Has an event (its place among the model's) happen, the `time`th time; what it comes to holds its `result`.
    ///
    /// # Errors
    /// As for an operation.
    pub async fn happen<B: Backend>(&self, backend: &B, event: usize, time: u64) -> Result<Done, CallError> {
        let number = EVENTS_FROM + event as u64 * NUMBERS_EACH + time;
        let operation = self.events()[event].operation;
        let names = self.arguments(operation, number).map_err(unrendered)?;
        let prepared = self.prepare_named(backend, operation, number, names, false)?;
        self.execute(backend, prepared, true).await
    }
}
