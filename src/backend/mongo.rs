//! The backend that measures: calls sent through the driver's CRUD API, as applications send them.

use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use bson::RawDocumentBuf;
use mongodb::options::WriteConcern;
use mongodb::{Client, ClientSession, Collection, Database};

use super::{Backend, Call, CallError, CallErrorKind, ChangePlace, Keep, MongoChanges, PreparedCall, Reply, Watched};
use crate::server::{Traffic, TrafficCount};

/// How long a call may take before it counts as lost. Generous: it bounds a wait for a server that hangs, and is far
/// beyond every latency that is recorded.
const TIME_LIMIT: Duration = Duration::from_secs(300);

/// Sends the calls of one model to its database through the driver.
#[derive(Debug, Clone)]
pub struct MongoBackend {
    database: Database,
    /// Made once, since making one takes a good part of the time that rendering a call takes.
    collections: Arc<HashMap<String, Collection<RawDocumentBuf>>>,
    time_limit: Duration,
    /// Whether calls outside of transactions are held to the limit.
    is_bounded: bool,
    has_transactions: bool,
    traffic: Option<Arc<Traffic>>,
}

impl MongoBackend {
    /// Sends calls to that database of that client, with the client's concerns and retries.
    pub fn new(client: &Client, database: &str) -> Self {
        Self {
            database: client.database(database),
            collections: Arc::default(),
            time_limit: TIME_LIMIT,
            is_bounded: true,
            has_transactions: true,
            traffic: None,
        }
    }

    /// The same for timed windows: it has these collections at hand, and leaves it to the window to end a call.
    #[must_use]
    pub fn for_windows<'a>(mut self, collections: impl Iterator<Item = &'a str>) -> Self {
        self.collections =
            Arc::new(collections.map(|name| (name.to_owned(), self.database.collection(name))).collect());
        self.is_bounded = false;
        self
    }

    /// The same, told whether the server has transactions (default: it has).
    #[must_use]
    pub fn with_transactions(self, has_transactions: bool) -> Self {
        Self { has_transactions, ..self }
    }

    /// The same with another limit of time for a call (default 300 s), after which it fails as
    /// [`CallErrorKind::Timeout`].
    #[must_use]
    pub fn with_time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = limit;
        self
    }

    /// The same with the counter of its client's messages.
    #[must_use]
    pub fn counted_by(mut self, traffic: Arc<Traffic>) -> Self {
        self.traffic = Some(traffic);
        self
    }

    /// The database that calls are sent to.
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// What comes of something sent, if it comes in time.
    async fn in_time<T>(&self, sent: impl Future<Output = Result<T, CallError>>) -> Result<T, CallError> {
        match tokio::time::timeout(self.time_limit, sent).await {
            Ok(reply) => reply,
            Err(_) => {
                let limit = self.time_limit.as_secs_f64();
                Err(CallError::new(CallErrorKind::Timeout, format!("the server did not reply within {limit} s")))
            }
        }
    }
}

impl Backend for MongoBackend {
    type Prepared = PreparedCall;
    type Session = ClientSession;
    type Changes = MongoChanges;

    fn prepare(&self, call: Call) -> Result<PreparedCall, CallError> {
        let name = call.collection().name();
        let collection = self.collections.get(name).cloned().unwrap_or_else(|| self.database.collection(name));
        PreparedCall::new(&self.database, collection, call)
    }

    async fn execute(&self, prepared: PreparedCall, keep: Keep) -> Result<Reply, CallError> {
        if self.is_bounded { self.in_time(prepared.send(None, keep)).await } else { prepared.send(None, keep).await }
    }

    fn traffic(&self) -> Option<TrafficCount> {
        self.traffic.as_deref().map(Traffic::so_far)
    }

    fn has_transactions(&self) -> bool {
        self.has_transactions
    }

    fn time_limit(&self) -> Duration {
        self.time_limit
    }

    async fn session(&self) -> Result<ClientSession, CallError> {
        Ok(self.database.client().start_session().await?)
    }

    async fn begin(&self, session: &mut ClientSession) -> Result<(), CallError> {
        // The read concern is the client's, which is the run's.
        let beginning = session.start_transaction().write_concern(WriteConcern::majority());
        self.in_time(async { beginning.await.map_err(CallError::from) }).await
    }

    async fn execute_in(
        &self,
        session: &mut ClientSession,
        prepared: PreparedCall,
        keep: Keep,
    ) -> Result<Reply, CallError> {
        self.in_time(prepared.send(Some(session), keep)).await
    }

    async fn commit(&self, session: &mut ClientSession) -> Result<(), CallError> {
        self.in_time(async { session.commit_transaction().await.map_err(CallError::from) }).await
    }

    async fn abort(&self, session: &mut ClientSession) -> Result<(), CallError> {
        self.in_time(async { session.abort_transaction().await.map_err(CallError::from) }).await
    }

    async fn watch(
        &self,
        watched: &Watched,
        from: Option<ChangePlace>,
        patience: Duration,
    ) -> Result<MongoChanges, CallError> {
        MongoChanges::open(&self.database, watched, from, patience).await
    }
}
