//! A model's operations on a server.

use std::sync::Arc;

use super::company::{BackendCompany, Company};
use super::crew::Crew;
use super::work::{Finished, Work};
use crate::backend::{Backend, CallError, MongoBackend};
use crate::operation::{ActorState, ModelProgram, PreparedOperation};

/// A model's program and where it runs.
#[derive(Debug, Clone)]
pub(super) struct Driven<B> {
    pub(super) program: Arc<ModelProgram>,
    pub(super) backend: B,
    /// Its actors and events, over connections of their own.
    pub(super) company: Option<Arc<BackendCompany<B>>>,
}

impl Driven<MongoBackend> {
    /// A model's program over the connections that its place among the plan's models has. Its actors go on from `state`.
    pub(super) fn over(
        crew: &Crew,
        position: usize,
        database: &str,
        program: &Arc<ModelProgram>,
        state: &Arc<ActorState>,
        has_transactions: bool,
    ) -> Self {
        let backend = |client| MongoBackend::new(client, database).with_transactions(has_transactions);
        let company = crew.beside(position).map(|client| {
            let (program, state) = (Arc::clone(program), Arc::clone(state));
            Arc::new(BackendCompany { program, backend: backend(client), state })
        });
        let backend = backend(crew.client(position)).for_windows(program.collections());
        Self { program: Arc::clone(program), backend, company }
    }
}

impl<B: Backend> Work for Driven<B> {
    type Prepared = PreparedOperation<B>;

    fn prepare(&self, operation: usize, number: u64) -> Result<PreparedOperation<B>, CallError> {
        self.program.prepare(&self.backend, operation, number)
    }

    async fn execute(&self, prepared: PreparedOperation<B>) -> Result<Finished, CallError> {
        let done = self.program.execute(&self.backend, prepared, false).await?;
        Ok(Finished { empty: done.empty, expected: done.expected, retries: done.retries })
    }

    fn company(&self) -> Option<Arc<dyn Company>> {
        self.company.as_ref().map(|company| Arc::clone(company) as Arc<dyn Company>)
    }
}
