//! The backend that measures: calls sent through the driver's CRUD API, as applications send them.

use std::time::Duration;

use mongodb::{Client, Database};

use super::{Backend, Call, CallError, CallErrorKind, Keep, PreparedCall, Reply};

/// How long a call may take before it counts as lost. Generous: it bounds a wait for a server that hangs, and is far
/// beyond every latency that is recorded.
const TIME_LIMIT: Duration = Duration::from_secs(300);

/// Sends the calls of one model to its database through the driver.
#[derive(Debug, Clone)]
pub struct MongoBackend {
    database: Database,
    time_limit: Duration,
}

impl MongoBackend {
    /// Sends calls to that database of that client, with the client's concerns and retries.
    pub fn new(client: &Client, database: &str) -> Self {
        Self { database: client.database(database), time_limit: TIME_LIMIT }
    }

    /// The same with another limit of time for a call (default 300 s), after which it fails as
    /// [`CallErrorKind::Timeout`].
    #[must_use]
    pub fn with_time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = limit;
        self
    }

    /// The database that calls are sent to.
    pub fn database(&self) -> &Database {
        &self.database
    }
}

impl Backend for MongoBackend {
    type Prepared = PreparedCall;

    fn prepare(&self, call: Call) -> Result<PreparedCall, CallError> {
        PreparedCall::new(&self.database, call)
    }

    async fn execute(&self, prepared: PreparedCall, keep: Keep) -> Result<Reply, CallError> {
        match tokio::time::timeout(self.time_limit, prepared.send(keep)).await {
            Ok(reply) => reply,
            Err(_) => {
                let limit = self.time_limit.as_secs_f64();
                Err(CallError::new(CallErrorKind::Timeout, format!("the server did not reply within {limit} s")))
            }
        }
    }
}
