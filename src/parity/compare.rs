//! Parity before measuring: the same operations in the same order on every model, writes included.

use futures_util::future::{join_all, try_join_all};

use super::beside::Attended;
use super::judge::{Judge, Ran};
use super::outcome::{ParityError, ParityOutcome};
use super::sample::Sample;
use crate::backend::{Backend, CallError, CallErrorKind};
use crate::operation::{ModelProgram, Traced};
use crate::scenario::Operation;

/// A model to be compared, and where its data are.
#[derive(Debug)]
pub struct ParityModel<'a, B> {
    /// Its operations.
    pub program: &'a ModelProgram,
    /// Its database.
    pub backend: &'a B,
}

impl<B> Clone for ParityModel<'_, B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<B> Copy for ParityModel<'_, B> {}

/// Runs the samples on every model, one after another in their order, and compares what the models answer at each number
/// with the first one's. `operations` are the workload's; `progress` hears the number of samples done. A model that reaches
/// its declared end leaves the comparison and is named.
///
/// # Errors
/// Where the server is lost. That models differ or fail is an outcome.
pub async fn compare<B: Backend>(
    operations: &[Operation],
    models: &[ParityModel<'_, B>],
    samples: &[Sample],
    progress: &mut (dyn FnMut(u64) + Send),
) -> Result<ParityOutcome, ParityError> {
    let judge = Judge::new(operations, false);
    let mut outcome = ParityOutcome::default();
    let mut present = try_join_all(models.iter().map(|model| Attended::new(*model))).await?;
    for (place, sample) in samples.iter().enumerate() {
        // Models do not see each other's databases: at one number they may run beside each other.
        let results = join_all(present.iter_mut().map(|model| async move {
            model.events(place, samples.len()).await?;
            model.run(operations, *sample).await
        }));
        let results = results.await;
        let mut runs = Vec::with_capacity(present.len());
        let mut staying = Vec::with_capacity(present.len());
        for (attended, result) in present.into_iter().zip(results) {
            let (program, result) = (attended.model.program, result?);
            if has_ended(program, &result) {
                outcome.not_compared.push(program.model().to_owned());
            } else {
                staying.push(attended);
                runs.push(Ran { program, result });
            }
        }
        present = staying;
        judge.judge(*sample, runs, &mut outcome);
        progress(place as u64 + 1);
    }
    for attended in &mut present {
        attended.events(samples.len(), samples.len()).await?;
        if attended.staleness.reads > 0 {
            outcome.staleness.insert(attended.model.program.model().to_owned(), attended.staleness);
        }
    }
    Ok(outcome)
}

/// Runs one operation on one model; a lost server is an error of the comparison, any other failure is for the judge.
pub(super) async fn run<B: Backend>(
    operations: &[Operation],
    model: ParityModel<'_, B>,
    sample: Sample,
) -> Result<Result<Traced, CallError>, ParityError> {
    match model.program.trace(model.backend, sample.operation, sample.number).await {
        // No step sets a limit of time of its own: what timed out hangs, and what follows would hang as long.
        Err(error) if matches!(error.kind, CallErrorKind::Connection | CallErrorKind::Timeout) => {
            Err(ParityError::Lost {
                model: model.program.model().to_owned(),
                operation: operations[sample.operation].name.clone(),
                number: sample.number,
                error: Box::new(error),
            })
        }
        result => Ok(result),
    }
}

fn has_ended(program: &ModelProgram, result: &Result<Traced, CallError>) -> bool {
    matches!(result, Err(error) if error.name().is_some() && error.name() == program.ends_when())
}
