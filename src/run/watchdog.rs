//! Notices within seconds that a server is gone.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;

use futures_util::future::{self, select_all};
use tokio::sync::Notify;

use super::site::Site;

/// Tells when the server is gone.
pub(super) trait Health {
    /// Waits until the server is gone and says why; for ever while it is there.
    fn lost(&self) -> impl Future<Output = String> + Send;

    /// What to notify when a connection broke, so that the server is asked.
    fn suspicion(&self) -> Arc<Notify>;
}

/// Watches the processes of servers of ours, and asks any server where a connection broke. One that stands still is not
/// lost.
#[derive(Debug)]
pub(super) struct Watchdog<'a> {
    sites: Vec<Arc<Site<'a>>>,
    suspicion: Arc<Notify>,
}

impl<'a> Watchdog<'a> {
    /// Watches these servers.
    pub(super) fn new(sites: Vec<Arc<Site<'a>>>) -> Self {
        Self { sites, suspicion: Arc::new(Notify::new()) }
    }

    async fn death(&self) -> String {
        if self.sites.is_empty() {
            return future::pending().await;
        }
        select_all(self.sites.iter().map(|site| Box::pin(site.death()))).await.0
    }

    async fn silence(&self) -> String {
        loop {
            self.suspicion.notified().await;
            for site in self.sites.iter().filter(|site| !site.is_paused()) {
                if let Err(why) = site.ask().await {
                    return format!("{} does not answer any more: {why}", site.name());
                }
            }
        }
    }
}

impl Health for Watchdog<'_> {
    async fn lost(&self) -> String {
        let (died, silent) = (pin!(self.death()), pin!(self.silence()));
        future::select(died, silent).await.factor_first().0
    }

    fn suspicion(&self) -> Arc<Notify> {
        Arc::clone(&self.suspicion)
    }
}
