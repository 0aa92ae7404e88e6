//! Connections of the workers: exactly as many as there are workers, all of them opened and used before anything is timed.

use futures_util::future::{join_all, try_join_all};
use mongodb::Client;

use super::data::Databases;
use super::error::RunError;
use crate::plan::Plan;
use crate::server::{Pool, PoolWaits};

/// The connections over which models are measured.
#[derive(Debug)]
pub(super) struct Crew {
    /// One for all models of the plan, or one for each.
    pools: Vec<Pool>,
    size: u32,
    /// Those of each model's actors and events, where it has any: no worker waits for one of them, and none of them for one.
    beside: Vec<Option<Pool>>,
}

impl Crew {
    /// Opens connections to the servers of these models, which must not stand still. Models that share a server share its
    /// connections.
    ///
    /// # Errors
    /// Where a server does not open so many.
    pub(super) async fn open(plan: &Plan, measured: &Databases<'_>, size: u32) -> Result<Self, RunError> {
        let pools = try_join_all(measured.sites().map(|site| site.server.pool(size))).await?;
        let beside = plan.models().zip(measured.models()).map(|(model, placed)| async move {
            match u32::try_from(model.background.len() + model.events.len()).unwrap_or(u32::MAX) {
                0 => Ok(None),
                connections => placed.site.server.pool(connections).await.map(Some),
            }
        });
        let beside = try_join_all(beside).await?;
        Ok(Self { pools, size, beside })
    }

    /// The connections of a model's actors and events, if it has any.
    pub(super) fn beside(&self, position: usize) -> Option<&Client> {
        self.beside.get(position)?.as_ref().map(Pool::client)
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
        self.pool(position).fill().await?;
        match self.beside.get(position) {
            Some(Some(beside)) => Ok(beside.fill().await?),
            _ => Ok(()),
        }
    }

    /// Closes them, within a second for each server. Servers must not stand still.
    pub(super) async fn close(&self) {
        join_all(self.pools.iter().chain(self.beside.iter().flatten()).map(Pool::close)).await;
    }

    fn pool(&self, position: usize) -> &Pool {
        if let [shared] = self.pools.as_slice() { shared } else { &self.pools[position] }
    }
}
