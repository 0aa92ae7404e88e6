//! A server of a run, with the connections that the run has to it, and whether it stands still.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bson::doc;
use futures_util::TryFutureExt as _;
use futures_util::future::{join, try_join};
use mongodb::Client;
use tokio::sync::OnceCell;

use super::error::RunError;
use super::observe::Observer;
use crate::load::LoadOptions;
use crate::server::{Pool, RunningServer, ServerError};

/// Connections for markers, signs of life and pings.
const CONTROL_CONNECTIONS: u32 = 3;
/// How long a server under suspicion may take to answer a ping.
const ANSWER_WAIT: Duration = Duration::from_secs(4);

/// A server: the one that the run was given, or one that it started besides.
#[derive(Debug)]
pub(super) enum Host<'a> {
    /// The caller's.
    Given(&'a RunningServer),
    /// The run's own; it goes with the run at the latest.
    Started(Box<RunningServer>),
}

impl Deref for Host<'_> {
    type Target = RunningServer;

    fn deref(&self) -> &RunningServer {
        match self {
            Self::Given(server) => server,
            Self::Started(server) => server,
        }
    }
}

/// A server with the connections that a run has to it.
#[derive(Debug)]
pub(super) struct Site<'a> {
    pub(super) server: Host<'a>,
    /// Connections that no worker can take: for markers, signs of life and pings.
    control: Pool,
    /// Connections for loading and comparing.
    loading: Pool,
    /// The model that has it for its own.
    tenant: Option<String>,
    paused: AtomicBool,
    observer: OnceCell<Observer>,
}

impl<'a> Site<'a> {
    /// Connects to a server; `tenant` is the model that has it for its own.
    ///
    /// # Errors
    /// Where it does not answer.
    pub(super) async fn open(server: Host<'a>, tenant: Option<String>) -> Result<Arc<Self>, ServerError> {
        let loading = u32::try_from(LoadOptions::default().connections + 1).unwrap_or(u32::MAX);
        let control = server.control(CONTROL_CONNECTIONS).await?;
        let loading = server.pool(loading).await?;
        let (paused, observer) = (AtomicBool::new(false), OnceCell::new());
        Ok(Arc::new(Self { server, control, loading, tenant, paused, observer }))
    }

    /// Connections that no worker can take.
    pub(super) fn control(&self) -> &Client {
        self.control.client()
    }

    /// Connections for loading and comparing.
    pub(super) fn client(&self) -> &Client {
        self.loading.client()
    }

    /// Who observes windows on it; it must answer when it is first asked for.
    pub(super) async fn observer(&self) -> &Observer {
        self.observer.get_or_init(|| Observer::new(&self.server, self.control().clone())).await
    }

    /// Whether the run started it.
    pub(super) fn is_started(&self) -> bool {
        matches!(self.server, Host::Started(_))
    }

    /// The model that has it for its own.
    pub(super) fn tenant(&self) -> Option<&str> {
        self.tenant.as_deref()
    }

    /// Whether it stands still, so that no answer is to be expected of it.
    pub(super) fn is_paused(&self) -> bool {
        self.paused.load(Ordering::SeqCst)
    }

    /// Makes it stand still.
    ///
    /// # Errors
    /// Where the system refuses.
    pub(super) fn pause(&self) -> Result<(), ServerError> {
        self.paused.store(true, Ordering::SeqCst);
        self.server.pause()
    }

    /// Makes it go on, where it stands still, and waits until its connections work again: a server may have dropped some
    /// on the way.
    ///
    /// # Errors
    /// Where they do not.
    pub(super) async fn resume(&self) -> Result<(), RunError> {
        if !self.is_paused() {
            return Ok(());
        }
        self.server.resume()?;
        let filling = try_join(self.control.fill(), self.loading.fill());
        filling.map_err(|error| RunError::Lost { why: format!("{} did not go on: {error}", self.name()) }).await?;
        self.paused.store(false, Ordering::SeqCst);
        Ok(())
    }

    /// Whether it answers now.
    ///
    /// # Errors
    /// Why not.
    pub(super) async fn ask(&self) -> Result<(), String> {
        let admin = self.control().database("admin");
        let ping = admin.run_command(doc! {"ping": 1});
        match tokio::time::timeout(ANSWER_WAIT, ping).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(self.server.redact(&error.to_string())),
            Err(_elapsed) => Err(format!("no answer within {} s", ANSWER_WAIT.as_secs())),
        }
    }

    /// Waits until it ends by itself, if patternbench started it, and says how.
    pub(super) async fn death(&self) -> String {
        let died = self.server.death().await;
        match &self.tenant {
            Some(model) => format!("the server of model {model}: {died}"),
            None => died.to_string(),
        }
    }

    /// Its address, and whose it is.
    pub(super) fn name(&self) -> String {
        let host = &self.server.facts().host;
        self.tenant.as_ref().map_or_else(|| host.clone(), |model| format!("{host} (of model {model})"))
    }

    /// Stops it where patternbench started it. Nothing is asked of it any more.
    pub(super) async fn end(&self) {
        // Only a server that goes on lets go of its connections, without which none would look for it at its port, which
        // another may come to have.
        let _ = self.server.resume();
        join(self.control.close(), self.loading.close()).await;
        self.server.halt().await;
    }
}
