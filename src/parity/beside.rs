//! What goes on beside the operations while answers are compared: actors work until they are idle before a read of what
//! they bring up to date, and events happen at their share of the operations.

use std::time::Duration;

use super::canonical::Canonical;
use super::compare::{ParityModel, run};
use super::diff::Items;
use super::outcome::ParityError;
use super::project::Fields;
use super::sample::Sample;
use crate::backend::{Backend, CallError, CallErrorKind};
use crate::operation::{Acting, ActorState, Answer, ModelProgram, Traced, work_off};
use crate::record::StalenessRecord;
use crate::scenario::Operation;

/// How long the server waits for a change before it says that there is none: every read of what changes bring up to date
/// waits so long at least.
const CHANGE_PATIENCE: Duration = Duration::from_millis(5);

/// A model while it is compared, with its actors.
#[derive(Debug)]
pub(super) struct Attended<'a, B: Backend> {
    pub(super) model: ParityModel<'a, B>,
    actors: Vec<Acting<&'a ModelProgram, B>>,
    /// Whether anything was written since the actors were last idle.
    behind: bool,
    /// Reads before and after the actors' turns.
    pub(super) staleness: StalenessRecord,
}

impl<'a, B: Backend> Attended<'a, B> {
    /// The model, its actors at work from now on.
    ///
    /// # Errors
    /// Where changes cannot be followed.
    pub(super) async fn new(model: ParityModel<'a, B>) -> Result<Self, ParityError> {
        let state = ActorState::new(model.program);
        let actors = begin(&model, &state).await?;
        Ok(Self { model, actors, behind: true, staleness: StalenessRecord::default() })
    }

    /// Has the events happen that come before the sample at this place among so many.
    ///
    /// # Errors
    /// Where one fails.
    pub(super) async fn events(&mut self, place: usize, samples: usize) -> Result<(), ParityError> {
        for (event, program) in self.model.program.events().iter().enumerate() {
            let at = (program.at().get().clamp(0.0, 1.0) * samples as f64) as usize;
            if at == place {
                self.behind = true;
                let happening = self.model.program.happen(self.model.backend, event, 0).await;
                happening.map_err(|error| beside(&self.model, format!("event {}", program.name()), error))?;
            }
        }
        Ok(())
    }

    /// Runs an operation. A read of fields that follow the truth after a delay is made twice: before the actors' turn, and
    /// for comparison once they are idle.
    ///
    /// # Errors
    /// Where the server is lost or an actor fails.
    pub(super) async fn run(
        &mut self,
        operations: &[Operation],
        sample: Sample,
    ) -> Result<Result<Traced, CallError>, ParityError> {
        let returns = operations[sample.operation].returns.as_ref();
        let eventual = returns.map_or(&[][..], |returns| returns.eventual.as_slice());
        if eventual.is_empty() || self.actors.is_empty() {
            self.behind |= !self.model.program.only_reads(sample.operation);
            return run(operations, self.model, sample).await;
        }
        let reads = self.model.program.only_reads(sample.operation);
        if reads && !self.behind {
            self.staleness.reads += 1;
            return run(operations, self.model, sample).await;
        }
        let before = if reads { Some(run(operations, self.model, sample).await?) } else { None };
        work_off(&mut self.actors)
            .await
            .map_err(|(actor, error)| beside(&self.model, format!("actor {actor}"), error))?;
        self.behind = !reads;
        let after = run(operations, self.model, sample).await?;
        if let (Some(Ok(before)), Ok(after)) = (&before, &after) {
            let fields = Fields::new(eventual);
            self.staleness.reads += 1;
            self.staleness.older += u64::from(shown(before, &fields) != shown(after, &fields));
        }
        Ok(after)
    }
}

/// The fields of an answer, in an order of their own: documents that a read returns in any order are no older for that.
fn shown(traced: &Traced, fields: &Fields) -> Option<Vec<Canonical>> {
    let answer: &Answer = traced.done.answer.as_ref()?;
    let mut items = Items::new(answer, fields).ok()?.compared;
    items.sort();
    Some(items)
}

/// Has a model's actors work from where they stand until they are idle.
///
/// # Errors
/// Where the server is lost, an actor fails, or one never becomes idle.
pub async fn settle<B: Backend>(model: &ParityModel<'_, B>, state: &ActorState) -> Result<(), ParityError> {
    let mut actors = begin(model, state).await?;
    work_off(&mut actors).await.map_err(|(actor, error)| beside(model, format!("actor {actor}"), error))?;
    for (place, actor) in actors.into_iter().enumerate() {
        state.keep(place, actor.rest().1);
    }
    Ok(())
}

async fn begin<'a, B: Backend>(
    model: &ParityModel<'a, B>,
    state: &ActorState,
) -> Result<Vec<Acting<&'a ModelProgram, B>>, ParityError> {
    Acting::begin_all(model.program, model.backend, state, CHANGE_PATIENCE)
        .await
        .map_err(|error| beside(model, "an actor".to_owned(), error))
}

fn beside<B>(model: &ParityModel<'_, B>, what: String, error: CallError) -> ParityError {
    let model = model.program.model().to_owned();
    match error.kind {
        CallErrorKind::Connection | CallErrorKind::Timeout => {
            ParityError::Lost { model, operation: what, number: 0, error: Box::new(error) }
        }
        _ => ParityError::Beside { model, what, error: Box::new(error) },
    }
}
