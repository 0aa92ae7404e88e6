//! Long work that ends at once when the server is lost or the user wishes so.

use std::future::Future;

use super::error::RunError;
use super::interrupt::Interrupt;
use super::watchdog::{Health, Watchdog};

/// Stands beside long work.
#[derive(Debug)]
pub(super) struct Attendant<'a> {
    pub(super) watchdog: Watchdog<'a>,
    pub(super) interrupt: Interrupt,
}

impl Attendant<'_> {
    /// Waits for the work, unless the user wishes the run to end or the server is lost; then the work is abandoned.
    ///
    /// # Errors
    /// The work's error, [`RunError::Interrupted`], or [`RunError::Lost`].
    pub(super) async fn attend<T, E: Into<RunError>>(
        &self,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, RunError> {
        tokio::select! {
            biased;
            () = self.interrupt.wait() => Err(RunError::Interrupted),
            done = work => done.map_err(Into::into),
            why = self.watchdog.lost() => Err(RunError::Lost { why }),
        }
    }
}
