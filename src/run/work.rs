//! What a worker does over and over: one operation of one model, prepared outside of its time.

use std::future::Future;
use std::sync::Arc;

use super::company::Company;
use crate::backend::CallError;
use crate::words::ErrorName;

/// Does the operations of one model. Clones share connections.
pub(super) trait Work: Clone + Send + Sync + 'static {
    /// An operation rendered and ready to send.
    type Prepared: Send + 'static;

    /// Renders the operation (its place in the workload) with the arguments that its number has.
    fn prepare(&self, operation: usize, number: u64) -> Result<Self::Prepared, CallError>;

    /// Carries it out to its end.
    fn execute(&self, prepared: Self::Prepared) -> impl Future<Output = Result<Finished, CallError>> + Send;

    /// What goes on beside the operations, if anything does.
    fn company(&self) -> Option<Arc<dyn Company>> {
        None
    }
}

/// An operation that did what it says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Finished {
    /// Whether it is a read that found nothing.
    pub empty: bool,
    /// Errors that were answers.
    pub expected: Vec<ErrorName>,
    /// Attempts beyond the first.
    pub retries: u32,
}
