//! What goes on beside a model's operations: its actors and events, each on a connection of its own.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::watch;

use crate::backend::{Backend, CallError};
use crate::operation::{Acting, ActorState, Done, ModelProgram, Turns};
use crate::units::Share;

/// How long the server waits for a change before it says that there is none: also how long an actor that changes drive
/// takes to notice that it is to rest.
const CHANGE_PATIENCE: Duration = Duration::from_millis(20);
/// How long an actor rests after a turn that failed.
const AFTER_FAILURE: Duration = Duration::from_millis(20);

/// An event as a window has to know it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PlannedEvent {
    /// Its name.
    pub(super) name: String,
    /// The share of the window's numbers at which it begins.
    pub(super) at: Share,
    /// Whether it follows the window's last operation.
    pub(super) is_last: bool,
}

/// What an actor did while it worked.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Worked {
    /// The actor.
    pub(super) name: String,
    /// Its turns.
    pub(super) turns: Turns,
}

/// An actor that works until it is told to rest.
pub(super) type AtWork = BoxFuture<'static, Worked>;

/// The actors and events of a model.
pub(super) trait Company: Send + Sync {
    /// The events of its windows.
    fn events(&self) -> Vec<PlannedEvent>;

    /// Has an event happen, the `time`th time.
    fn happen(&self, event: usize, time: u64) -> BoxFuture<'static, Result<Done, CallError>>;

    /// Has every actor go to work; each finishes its turn and rests once `rest` says so. One that cannot begin says why
    /// in its counts.
    fn begin(&self, rest: watch::Receiver<bool>) -> BoxFuture<'static, Vec<AtWork>>;

    /// The data were loaded anew.
    fn renewed(&self);
}

/// The actors and events of a model on a server.
#[derive(Debug)]
pub(super) struct BackendCompany<B> {
    pub(super) program: Arc<ModelProgram>,
    pub(super) backend: B,
    /// Where the actors stand between windows.
    pub(super) state: Arc<ActorState>,
}

impl<B: Backend> Company for BackendCompany<B> {
    fn events(&self) -> Vec<PlannedEvent> {
        let events = self.program.events().iter();
        events
            .map(|event| PlannedEvent { name: event.name().to_owned(), at: event.at(), is_last: event.is_last() })
            .collect()
    }

    fn happen(&self, event: usize, time: u64) -> BoxFuture<'static, Result<Done, CallError>> {
        let (program, backend) = (Arc::clone(&self.program), self.backend.clone());
        Box::pin(async move { program.happen(&backend, event, time).await })
    }

    fn begin(&self, rest: watch::Receiver<bool>) -> BoxFuture<'static, Vec<AtWork>> {
        let (program, backend, state) = (Arc::clone(&self.program), self.backend.clone(), Arc::clone(&self.state));
        Box::pin(async move {
            let mut works = Vec::new();
            for actor in 0..program.actors().len() {
                let name = program.actors()[actor].name().to_owned();
                let place = state.place(actor);
                let beginning =
                    Acting::begin(Arc::clone(&program), backend.clone(), actor, place, CHANGE_PATIENCE).await;
                let work: AtWork = match beginning {
                    Ok(acting) => Box::pin(act(acting, actor, Arc::clone(&state), rest.clone())),
                    Err(error) => Box::pin(std::future::ready(Worked { name, turns: failed(&error) })),
                };
                works.push(work);
            }
            works
        })
    }

    fn renewed(&self) {
        self.state.forget_changes();
    }
}

fn failed(error: &CallError) -> Turns {
    let errors = [(error.kind.to_string(), 1)].into();
    Turns { errors, first_error: Some(error.message.clone()), ..Turns::default() }
}

/// Takes turn after turn until it is told to rest. No turn is broken off.
async fn act<B: Backend>(
    mut acting: Acting<Arc<ModelProgram>, B>,
    actor: usize,
    state: Arc<ActorState>,
    mut rest: watch::Receiver<bool>,
) -> Worked {
    let name = acting.name().to_owned();
    while !*rest.borrow() {
        let failed = acting.act().await.is_err();
        let pause = acting.every().or(failed.then_some(AFTER_FAILURE));
        if let Some(pause) = pause {
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                // Whoever could tell it to rest is gone where this fails.
                told = rest.wait_for(|rest| *rest) => if told.is_err() { break },
            }
        }
    }
    let (turns, place) = acting.rest();
    state.keep(actor, place);
    Worked { name, turns }
}
