//! Connections of the workers: exactly as many as there are workers, all of them opened and used before anything is timed.

use futures_util::future::{join_all, try_join_all};
use mongodb::Client;

use super::data::Databases;
use super::error::RunError;
use crate::server::{Pool, PoolWaits};

/// The connections over which models are measured.
#[derive(Debug)]
pub(super) struct Crew {
    /// One for all models of the plan, or one for each.
    pools: Vec<Pool>,
    size: u32,
}

impl Crew {
    /// Opens connections to the servers of these models, which must not stand still. Models that share a server share its
    /// connections.
    ///
    /// # Errors
    /// Where a server does not open so many.
    pub(super) async fn open(measured: &Databases<'_>, size: u32) -> Result<Self, RunError> {
        let pools = try_join_all(measured.sites().map(|site| site.server.pool(size))).await?;
        Ok(Self { pools, size })
    }

    /// How many connections a model has.
    pub(super) fn size(&self) -> u32 {
        self.size
    }

    /// The connections of a model, by its place among the plan's.
    pub(super) fn client(&self, position: usize) -> &Client {
        self.pool(position).client()
    }

    /// How a model's operations wait for their connections.
    pub(super) fn waits(&self, position: usize) -> &PoolWaits {
        self.pool(position).waits()
    }

    /// Uses the connections of a model until all of them work.
    ///
    /// # Errors
    /// Where they do not.
    pub(super) async fn fill(&self, position: usize) -> Result<(), RunError> {
        Ok(self.pool(position).fill().await?)
    }

    /// Closes them, within a second for each server. Servers must not stand still.
    pub(super) async fn close(&self) {
        join_all(self.pools.iter().map(Pool::close)).await;
    }

    fn pool(&self, position: usize) -> &Pool {
        if let [shared] = self.pools.as_slice() { shared } else { &self.pools[position] }
    }
}
