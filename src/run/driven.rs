//! A model's operations on a server.

use std::sync::Arc;

use super::work::{Finished, Work};
use crate::backend::{Backend, CallError};
use crate::operation::{ModelProgram, PreparedOperation};

/// A model's program and where it runs.
#[derive(Debug, Clone)]
pub(super) struct Driven<B> {
    pub(super) program: Arc<ModelProgram>,
    pub(super) backend: B,
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
}
