//! Connections to a server: exactly as many as wanted, all of them opened and used before anything is timed; and what is
//! known of their use.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bson::doc;
use futures_util::future::join_all;
use mongodb::Client;
use mongodb::event::EventHandler;
use mongodb::event::cmap::CmapEvent;
use mongodb::event::command::CommandEvent;
use mongodb::options::ClientOptions;
use tokio::time::{Instant, timeout};

use super::connect::{ask, client_of, host_of};
use super::error::ServerError;
use super::secret::SecretUri;
use crate::record::PoolWait;
use crate::units::Micros;

/// How long filling a pool may take.
const FILL_LIMIT: Duration = Duration::from_secs(20);
/// How long it is waited before a pool that is not full is looked at again.
const FILL_POLL: Duration = Duration::from_millis(5);
/// How long closing the connections may take: a server that is gone does not answer.
const CLOSE_LIMIT: Duration = Duration::from_secs(1);

/// Connections that are open, by address and number.
type OpenConnections = Mutex<HashSet<(String, u32)>>;

/// A client with a fixed number of connections, whose waits for one are counted. It belongs to the runtime that makes it.
#[derive(Debug, Clone)]
pub struct Pool {
    client: Client,
    size: u32,
    open: Arc<OpenConnections>,
    waits: Arc<PoolWaits>,
    host: String,
    uri: Option<SecretUri>,
}

impl Pool {
    /// A client with exactly `size` connections, all of them open and used once. With `commands` that hears of each command:
    /// for a client that sends few, or is not timed.
    pub(super) async fn open(
        options: &ClientOptions,
        uri: Option<&SecretUri>,
        size: u32,
        commands: Option<EventHandler<CommandEvent>>,
    ) -> Result<Self, ServerError> {
        let size = size.max(1);
        let (open, waits) = (Arc::new(OpenConnections::default()), Arc::new(PoolWaits::default()));
        let mut options = options.clone();
        options.command_event_handler = commands;
        options.max_pool_size = Some(size);
        options.min_pool_size = Some(size);
        options.max_connecting = Some(size.clamp(2, 16));
        options.cmap_event_handler = Some(EventHandler::callback(keep_in(Arc::clone(&open), Arc::clone(&waits))));
        let host = host_of(&options);
        let client = client_of(options, uri)?;
        ask(&client, doc! {"ping": 1}).await.map_err(|failure| failure.into_error("ping", &host, uri))?;
        let pool = Self { client, size, open, waits, host, uri: uri.cloned() };
        pool.fill().await?;
        Ok(pool)
    }

    /// The client.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Waits for its connections.
    pub fn waits(&self) -> &PoolWaits {
        &self.waits
    }

    /// Uses the connections until all of them work. Those that broke, when their server stood still say, are replaced.
    ///
    /// # Errors
    /// Where the server does not answer or does not open so many connections.
    pub async fn fill(&self) -> Result<(), ServerError> {
        let begin = Instant::now();
        loop {
            // Asked for at once, missing connections are opened at once; else the pool is filled twice a second.
            let answers = join_all((0..self.size).map(|_| ask(&self.client, doc! {"ping": 1}))).await;
            let failure = answers.into_iter().find_map(Result::err);
            let open = self.open_now();
            if failure.is_none() && open >= self.size {
                return Ok(());
            }
            if begin.elapsed() > FILL_LIMIT {
                let what = format!("open {} connections", self.size);
                return Err(match failure {
                    Some(failure) => failure.into_error(&what, &self.host, self.uri.as_ref()),
                    None => {
                        let message = format!("only {open} were opened in time; pass a smaller --concurrency");
                        ServerError::Command { what, host: self.host.clone(), message }
                    }
                });
            }
            tokio::time::sleep(FILL_POLL).await;
        }
    }

    /// Closes the connections.
    pub async fn close(&self) {
        let closing = self.client.clone().shutdown().immediate(true);
        // Where it takes longer, the connections end with their server.
        let _ = timeout(CLOSE_LIMIT, closing.into_future()).await;
    }

    fn open_now(&self) -> u32 {
        u32::try_from(lock(&self.open).len()).unwrap_or(u32::MAX)
    }
}

/// Keeps which connections are open, and the waits for them.
fn keep_in(open: Arc<OpenConnections>, waits: Arc<PoolWaits>) -> impl Fn(CmapEvent) + Send + Sync + 'static {
    move |event| match event {
        // With every operation, so it takes no lock.
        CmapEvent::ConnectionCheckedOut(event) => waits.add(event.duration),
        CmapEvent::ConnectionReady(event) => {
            lock(&open).insert((event.address.to_string(), event.connection_id));
        }
        CmapEvent::ConnectionClosed(event) => {
            lock(&open).remove(&(event.address.to_string(), event.connection_id));
        }
        _ => {}
    }
}

fn lock(open: &OpenConnections) -> MutexGuard<'_, HashSet<(String, u32)>> {
    open.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for the connections of a client since they were last taken: counted with every operation, so three additions and
/// nothing else.
#[derive(Debug, Default)]
pub struct PoolWaits {
    checkouts: AtomicU64,
    nanoseconds: AtomicU64,
    longest: AtomicU64,
}

impl PoolWaits {
    /// Counts one wait.
    pub(super) fn add(&self, wait: Duration) {
        let wait = u64::try_from(wait.as_nanos()).unwrap_or(u64::MAX);
        self.checkouts.fetch_add(1, Ordering::Relaxed);
        self.nanoseconds.fetch_add(wait, Ordering::Relaxed);
        self.longest.fetch_max(wait, Ordering::Relaxed);
    }

    /// What was counted, and begins anew; `None` where no connection was taken. To be called while none is.
    pub fn take(&self) -> Option<PoolWait> {
        let checkouts = self.checkouts.swap(0, Ordering::Relaxed);
        let nanoseconds = self.nanoseconds.swap(0, Ordering::Relaxed);
        let longest = self.longest.swap(0, Ordering::Relaxed);
        (checkouts > 0).then(|| PoolWait {
            checkouts,
            mean: Micros::new(nanoseconds as f64 / 1e3 / checkouts as f64),
            max: Micros::new(longest as f64 / 1e3),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_counted_until_they_are_taken() {
        let waits = PoolWaits::default();
        assert_eq!(waits.take(), None);
        for microseconds in [100, 500, 300] {
            waits.add(Duration::from_micros(microseconds));
        }
        let three = PoolWait { checkouts: 3, mean: Micros::new(300.0), max: Micros::new(500.0) };
        assert_eq!(waits.take(), Some(three));
        assert_eq!(waits.take(), None);
    }
}
