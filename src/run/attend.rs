//! Long work that ends at once when a server is lost or the user wishes so.

use std::future::Future;
use std::sync::Arc;

use super::error::RunError;
use super::interrupt::Interrupt;
use super::site::Site;
use super::watchdog::{Health, Watchdog};

/// Stands beside long work.
#[derive(Debug)]
pub(super) struct Attendant<'a> {
    pub(super) watchdog: Watchdog<'a>,
    pub(super) interrupt: Interrupt,
}

impl<'a> Attendant<'a> {
    /// Watches these servers and hears this interrupt.
    pub(super) fn new(sites: Vec<Arc<Site<'a>>>, interrupt: Interrupt) -> Self {
        Self { watchdog: Watchdog::new(sites), interrupt }
    }

    /// Waits for the work, unless the user wishes the run to end or a server is lost; then the work is abandoned.
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
