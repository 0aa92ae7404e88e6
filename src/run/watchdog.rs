//! Notices within seconds that the server is gone.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use bson::doc;
use mongodb::Client;
use tokio::sync::Notify;

use crate::server::RunningServer;

/// How long a server under suspicion may take to answer a ping.
const ANSWER_WAIT: Duration = Duration::from_secs(4);

/// Tells when the server is gone.
pub(super) trait Health {
    /// Waits until the server is gone and says why; for ever while it is there.
    fn lost(&self) -> impl Future<Output = String> + Send;

    /// What to notify when a connection broke, so that the server is asked.
    fn suspicion(&self) -> Arc<Notify>;
}

/// Watches the process of a server of ours, and asks any server where a connection broke.
#[derive(Debug)]
pub(super) struct Watchdog<'a> {
    server: &'a RunningServer,
    /// A connection that no worker can take.
    control: Client,
    suspicion: Arc<Notify>,
}

impl<'a> Watchdog<'a> {
    /// Watches this server, asking over a connection that no worker can take.
    pub(super) fn new(server: &'a RunningServer, control: Client) -> Self {
        Self { server, control, suspicion: Arc::new(Notify::new()) }
    }

    /// Whether the server answers now.
    ///
    /// # Errors
    /// Why not.
    pub(super) async fn ask(&self) -> Result<(), String> {
        let admin = self.control.database("admin");
        let ping = admin.run_command(doc! {"ping": 1});
        match tokio::time::timeout(ANSWER_WAIT, ping).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) => Err(self.server.redact(&error.to_string())),
            Err(_elapsed) => Err(format!("no answer within {} s", ANSWER_WAIT.as_secs())),
        }
    }
}

impl Health for Watchdog<'_> {
    async fn lost(&self) -> String {
        let suspected = async {
            loop {
                self.suspicion.notified().await;
                if let Err(why) = self.ask().await {
                    return format!("{} does not answer any more: {why}", self.server.facts().host);
                }
            }
        };
        tokio::select! {
            died = self.server.death() => died.to_string(),
            silent = suspected => silent,
        }
    }

    fn suspicion(&self) -> Arc<Notify> {
        Arc::clone(&self.suspicion)
    }
}
