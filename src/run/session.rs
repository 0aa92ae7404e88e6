//! What all scenarios of a run share, first of all its servers.

use std::sync::Arc;

use super::attend::Attendant;
use super::data::Claimant;
use super::error::RunError;
use super::event::Listener;
use super::interrupt::Interrupt;
use super::probe::Prober;
use super::site::{Host, Site};
use crate::guard::ClaimedDatabase;
use crate::server::{RunningServer, ServerError};

/// What all scenarios of a run share.
pub(super) struct Session<'a> {
    /// The server on which models are compared, and measured where they share one.
    pub(super) main: Arc<Site<'a>>,
    /// Servers that the models of the scenario under way have for their own, in the plan's order.
    own: Vec<Arc<Site<'a>>>,
    pub(super) attendant: Attendant<'a>,
    pub(super) claimant: Claimant,
    pub(super) listener: &'a mut dyn Listener,
    /// Who decides which rates are offered, where that is done in place of rounds.
    pub(super) prober: Option<&'a mut dyn Prober>,
    /// Whether the given server goes, with all data, when the run ends.
    given_ends: bool,
    /// Bytes of cache that servers started from now on are to have; `None` for one that was named.
    cache: Option<u64>,
    /// The same where a scenario does not say.
    usual_cache: Option<u64>,
    /// The source database of the scenario that comes next too.
    pub(super) source: Option<ClaimedDatabase>,
}

impl<'a> Session<'a> {
    /// Connects to the given server; `ends` says whether it goes with the run.
    ///
    /// # Errors
    /// Where it does not answer.
    pub(super) async fn open(
        server: &'a RunningServer,
        ends: bool,
        claimant: Claimant,
        listener: &'a mut dyn Listener,
        interrupt: Interrupt,
    ) -> Result<Self, ServerError> {
        let main = Site::open(Host::Given(server), None).await?;
        let attendant = Attendant::new(vec![Arc::clone(&main)], interrupt);
        let given_ends = ends && server.is_ours();
        let cache = server.asked_cache();
        let (usual_cache, own, source, prober) = (cache, Vec::new(), None, None);
        Ok(Self { main, own, attendant, claimant, listener, prober, given_ends, cache, usual_cache, source })
    }

    /// Whether the main server goes, with all data, when the run ends.
    pub(super) fn main_ends(&self) -> bool {
        self.given_ends || self.main.is_started()
    }

    /// Whether the models of the scenario under way have servers of their own.
    pub(super) fn is_isolated(&self) -> bool {
        !self.own.is_empty()
    }

    /// Where the models of the scenario under way are measured: one place for all, or one for each.
    pub(super) fn sites(&self) -> &[Arc<Site<'a>>] {
        if self.is_isolated() { &self.own } else { std::slice::from_ref(&self.main) }
    }

    /// Sees that servers have this cache from now on, or the usual one. Where models share the main server, it is replaced by
    /// a fresh one if it has another.
    ///
    /// # Errors
    /// Where a server cannot be started, or the user wishes to end.
    pub(super) async fn provide_cache(&mut self, wanted: Option<u64>, shared: bool) -> Result<(), RunError> {
        self.cache = wanted.or(self.usual_cache);
        let differs = self.main.server.is_ours() && self.main.server.asked_cache() != self.cache;
        if shared && differs { self.renew().await } else { Ok(()) }
    }

    /// Starts another server of the main one's kind.
    async fn another(&self) -> Result<RunningServer, ServerError> {
        match self.cache {
            Some(bytes) => self.main.server.another_with_cache(bytes).await,
            None => self.main.server.another().await,
        }
    }

    /// Starts a server for each of these models.
    ///
    /// # Errors
    /// Where one cannot be started, or the user wishes to end.
    pub(super) async fn isolate(&mut self, models: &[String]) -> Result<(), RunError> {
        let mut own = Vec::new();
        for model in models {
            let opening = async {
                let server = self.another().await?;
                Site::open(Host::Started(Box::new(server)), Some(model.clone())).await
            };
            own.push(self.attendant.attend(opening).await?);
        }
        self.own = own;
        self.watch(self.own.iter().chain([&self.main]).map(Arc::clone).collect());
        Ok(())
    }

    /// Makes the main server stand still while models are measured on servers of their own, unless its caller may want
    /// something of it.
    ///
    /// # Errors
    /// Where the system refuses.
    pub(super) fn pause_main(&self) -> Result<(), ServerError> {
        if self.main_ends() { self.main.pause() } else { Ok(()) }
    }

    /// Replaces the servers on which models are measured by fresh ones. Their databases are gone then; on a server that its
    /// caller keeps they must have been dropped before.
    ///
    /// # Errors
    /// Where a server cannot be started, or the user wishes to end.
    pub(super) async fn renew(&mut self) -> Result<(), RunError> {
        self.watch(Vec::new());
        if self.is_isolated() {
            let models: Vec<String> = self.own.iter().filter_map(|site| site.tenant().map(str::to_owned)).collect();
            self.end_own().await;
            return self.isolate(&models).await;
        }
        if self.main_ends() {
            self.main.end().await;
        }
        let opening = async {
            let server = self.another().await?;
            Site::open(Host::Started(Box::new(server)), None).await
        };
        self.main = self.attendant.attend(opening).await?;
        self.watch(vec![Arc::clone(&self.main)]);
        Ok(())
    }

    /// Stops the models' own servers, if they have any.
    ///
    /// # Errors
    /// Where the main server does not go on.
    pub(super) async fn reunite(&mut self) -> Result<(), RunError> {
        self.watch(vec![Arc::clone(&self.main)]);
        self.end_own().await;
        self.attendant.attend(self.main.resume()).await
    }

    async fn end_own(&mut self) {
        for site in self.own.drain(..) {
            site.end().await;
        }
    }

    /// Stops the servers that the run has started.
    pub(super) async fn end(mut self) {
        self.end_own().await;
        if self.main.is_started() {
            self.main.end().await;
        }
    }

    fn watch(&mut self, sites: Vec<Arc<Site<'a>>>) {
        self.attendant = Attendant::new(sites, self.attendant.interrupt.clone());
    }
}
