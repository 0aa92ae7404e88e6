//! A server that was found or started.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use mongodb::Client;
use mongodb::options::ClientOptions;

use super::choice::{DecidedServer, ServerOptions, decide};
use super::connect::{admin_client, host_of, options_of};
use super::error::ServerError;
use super::facts::{Known, ServerFacts, Visible, round_trip};
use super::mongod::refuses_cache;
use super::own_commands::{OwnCommands, counting};
use super::pool::Pool;
use super::process::ServerProcess;
use super::secret::SecretUri;
use super::start::{Recipe, died};
use super::traffic::{Traffic, counting_bytes};
use crate::record::RoundTrip;
use crate::words::ServerSource;

/// How often the end of a server of ours is looked for.
const WATCH: Duration = Duration::from_millis(100);

/// A server to work with. Dropping it stops the server if patternbench started it.
#[derive(Debug)]
pub struct RunningServer {
    options: ClientOptions,
    uri: Option<SecretUri>,
    ours: Option<Ours>,
    facts: ServerFacts,
    why: String,
    warnings: Vec<String>,
    own: Arc<OwnCommands>,
}

/// What only a server of ours has.
#[derive(Debug)]
pub(super) struct Ours {
    pub(super) process: Arc<ServerProcess>,
    /// How to start another of its kind.
    pub(super) recipe: Recipe,
}

/// Finds the server that the options ask for, or starts it, and asks it what it is.
///
/// # Errors
/// Where there is none, it cannot be started or reached, it refuses the credentials, or the options are contradictory.
/// Within ten seconds for a server that does not answer, within `start_limit` for one that patternbench starts.
pub async fn open(options: &ServerOptions) -> Result<RunningServer, ServerError> {
    let decision = decide(options)?;
    if cfg!(not(unix)) && decision.server.source() != ServerSource::Uri {
        return Err(ServerError::Contradiction(
            "patternbench starts servers on Linux and macOS alone; here, name one with --uri".to_owned(),
        ));
    }
    let recipe = match decision.server {
        DecidedServer::Uri(uri) => return open_uri(uri, decision.why).await,
        DecidedServer::Mongod(program) => Recipe::new(ServerSource::Mongod, program, options),
        DecidedServer::Embedded(program) => Recipe::new(ServerSource::Embedded, program, options),
    };
    start(recipe, decision.why).await
}

async fn start(recipe: Recipe, why: String) -> Result<RunningServer, ServerError> {
    let started = recipe.start().await?;
    let (options, known) = (started.options()?, started.known());
    let facts = match gather(&options, None, known).await {
        Ok(facts) => facts,
        Err(error) => return Err(died(&started.process).unwrap_or(error)),
    };
    let ours = Some(Ours { process: Arc::new(started.process), recipe });
    Ok(RunningServer { options, uri: None, ours, facts, why, warnings: Vec::new(), own: Arc::default() })
}

async fn open_uri(uri: SecretUri, why: String) -> Result<RunningServer, ServerError> {
    let (options, warnings) = options_of(&uri).await?;
    let known = Known {
        source: ServerSource::Uri,
        host: host_of(&options),
        named_hosts: uri.hosts().to_vec(),
        srv: uri.is_srv(),
        direct: options.direct_connection == Some(true),
        parameters: Vec::new(),
        cache_bytes: None,
        retry_reads: options.retry_reads != Some(false),
        retry_writes: options.retry_writes != Some(false),
    };
    let facts = gather(&options, Some(&uri), known).await?;
    if facts.foreign_databases == Visible::NotPermitted && !uri.has_credentials() {
        let message = "it wants a user, and the connection string names none".to_owned();
        return Err(ServerError::Authentication { uri: uri.to_string(), message });
    }
    Ok(RunningServer { options, uri: Some(uri), ours: None, facts, why, warnings, own: Arc::default() })
}

async fn gather(options: &ClientOptions, uri: Option<&SecretUri>, known: Known) -> Result<ServerFacts, ServerError> {
    let client = admin_client(options, uri)?;
    let host = known.host.clone();
    let facts = ServerFacts::gather(&client, known).await;
    client.shutdown().immediate(true).await;
    facts.map_err(|failure| failure.into_error("ask the server what it is", &host, uri))
}

impl RunningServer {
    /// A client with exactly `pool` connections, all of them open and used once. It belongs to the runtime that makes
    /// it.
    ///
    /// # Errors
    /// Where the server does not answer or does not open so many connections.
    pub async fn client(&self, pool: u32) -> Result<Client, ServerError> {
        Ok(self.pool(pool).await?.client().clone())
    }

    /// The same with its connections.
    ///
    /// # Errors
    /// As for the client alone.
    pub async fn pool(&self, size: u32) -> Result<Pool, ServerError> {
        let opened = Pool::open(&self.options, self.uri.as_ref(), size, None).await;
        opened.map_err(|error| self.alive().err().unwrap_or(error))
    }

    /// Connections for what patternbench asks and notes for its own sake while it measures; commands over them are counted in
    /// [`own_commands`](Self::own_commands). Counting costs, so no load goes over it.
    ///
    /// # Errors
    /// As [`client`](Self::client).
    pub async fn control(&self, size: u32) -> Result<Pool, ServerError> {
        let opened = Pool::open(&self.options, self.uri.as_ref(), size, Some(counting(&self.own))).await;
        opened.map_err(|error| self.alive().err().unwrap_or(error))
    }

    /// Connections whose messages are counted. Counting costs, so nothing that is timed goes over them.
    ///
    /// # Errors
    /// As [`client`](Self::client).
    pub async fn counted(&self, size: u32, traffic: &Arc<Traffic>) -> Result<Pool, ServerError> {
        let opened = Pool::open(&self.options, self.uri.as_ref(), size, Some(counting_bytes(traffic))).await;
        opened.map_err(|error| self.alive().err().unwrap_or(error))
    }

    /// Commands sent over clients for [`control`](Self::control).
    pub fn own_commands(&self) -> &Arc<OwnCommands> {
        &self.own
    }

    /// What the server is and who else used it when it was opened.
    pub fn facts(&self) -> &ServerFacts {
        &self.facts
    }

    /// Why this server is used, as a clause that completes "… is used: ".
    pub fn why(&self) -> &str {
        &self.why
    }

    /// What of the connection string is not followed.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Whether patternbench started it.
    pub fn is_ours(&self) -> bool {
        self.ours.is_some()
    }

    /// Starts another server of the same kind: the same program, cache and flags over a fresh folder. This one may have
    /// been halted.
    ///
    /// # Errors
    /// Where patternbench did not start this one, or the other cannot be started.
    pub async fn another(&self) -> Result<Self, ServerError> {
        let Some(ours) = &self.ours else {
            let why = "a server that patternbench did not start has no other of its kind".to_owned();
            return Err(ServerError::Contradiction(why));
        };
        start(ours.recipe.clone(), self.why.clone()).await
    }

    /// The same with another cache.
    ///
    /// # Errors
    /// As [`another`](Self::another); and where the program takes no such cache.
    pub async fn another_with_cache(&self, cache_bytes: u64) -> Result<Self, ServerError> {
        let Some(ours) = &self.ours else { return self.another().await };
        if let Some(why) = self.refuses_cache(cache_bytes) {
            return Err(ServerError::Contradiction(why));
        }
        start(ours.recipe.with_cache(cache_bytes), self.why.clone()).await
    }

    /// Why a server of this kind cannot be started with such a cache; `None` where it can, or where none can be started.
    pub fn refuses_cache(&self, cache_bytes: u64) -> Option<String> {
        let lowers = self.ours.as_ref().is_some_and(|ours| ours.recipe.lowers_cache());
        if self.facts.source == ServerSource::Mongod && !lowers { refuses_cache(cache_bytes) } else { None }
    }

    /// The cache that a server of ours was asked to have.
    pub fn asked_cache(&self) -> Option<u64> {
        self.ours.as_ref().map(|ours| ours.recipe.cache_bytes())
    }

    /// Makes a server of ours stand still: it does nothing, and costs nothing but memory, until it goes on. Whoever asks
    /// it something meanwhile waits.
    ///
    /// # Errors
    /// Where the system refuses, or the server is not ours.
    pub fn pause(&self) -> Result<(), ServerError> {
        self.stand_still(true)
    }

    /// Makes a server of ours go on.
    ///
    /// # Errors
    /// Where the system refuses, or the server is not ours.
    pub fn resume(&self) -> Result<(), ServerError> {
        self.stand_still(false)
    }

    fn stand_still(&self, still: bool) -> Result<(), ServerError> {
        let what = if still { "make the server stand still" } else { "make the server go on" };
        let failed =
            |message: String| ServerError::Command { what: what.into(), host: host_of(&self.options), message };
        let ours = self.ours.as_ref().ok_or_else(|| failed("patternbench did not start it".to_owned()))?;
        ours.process.stand_still(still).map_err(|error| failed(error.to_string()))
    }

    /// Connection string of a server of ours; for another the given one without its secrets, only to be shown.
    pub fn shown_uri(&self) -> String {
        match &self.uri {
            Some(uri) => uri.to_string(),
            None => format!("mongodb://{}/?directConnection=true", host_of(&self.options)),
        }
    }

    /// The text without the secrets of this server's connection string.
    pub fn redact(&self, text: &str) -> String {
        self.uri.as_ref().map_or_else(|| text.to_owned(), |uri| uri.redact(text))
    }

    /// Number of the process, of a server of ours.
    pub fn process_id(&self) -> Option<u32> {
        self.process().map(ServerProcess::id)
    }

    /// The folder of a server of ours; it is deleted with the server.
    pub fn folder(&self) -> Option<PathBuf> {
        self.process().map(|process| process.folder().to_owned())
    }

    /// Whether the server is still there, as far as that can be told without asking it: a server that patternbench did
    /// not start is taken to be.
    ///
    /// # Errors
    /// [`ServerError::Died`] with the end of its log, once a server of ours has ended by itself.
    pub fn alive(&self) -> Result<(), ServerError> {
        self.process().and_then(died).map_or(Ok(()), Err)
    }

    /// Waits until a server of ours ends by itself; for others it waits for ever, so use it beside the work.
    pub async fn death(&self) -> ServerError {
        loop {
            match self.alive() {
                Ok(()) if self.is_ours() => tokio::time::sleep(WATCH).await,
                Ok(()) => std::future::pending().await,
                Err(error) => return error,
            }
        }
    }

    /// The last lines of the log of a server of ours; empty for others.
    pub fn log_tail(&self) -> String {
        self.process().map(ServerProcess::log_tail).unwrap_or_default()
    }

    /// Round trip of an empty command: 200 pings on one connection.
    ///
    /// # Errors
    /// Where the server does not answer.
    pub async fn round_trip(&self) -> Result<Option<RoundTrip>, ServerError> {
        let client = self.client(1).await?;
        let measured = round_trip(&client).await;
        client.shutdown().immediate(true).await;
        let failed = |failure: super::connect::AskFailure| {
            failure.into_error("measure the round trip", &self.facts.host, self.uri.as_ref())
        };
        measured.map_err(|failure| self.alive().err().unwrap_or_else(|| failed(failure)))
    }

    /// Stops a server of ours and deletes its folder, which may take a moment; leaves others alone.
    pub async fn stop(self) {
        self.halt().await;
    }

    /// The same for a server that is still to be asked for [another](Self::another) of its kind.
    pub async fn halt(&self) {
        let Some(ours) = &self.ours else { return };
        let process = Arc::clone(&ours.process);
        // A blocking task that is not awaited to its end goes on; nothing is lost if the caller is cancelled.
        let _ = tokio::task::spawn_blocking(move || process.stop_and_clear()).await;
    }

    fn process(&self) -> Option<&ServerProcess> {
        self.ours.as_ref().map(|ours| ours.process.as_ref())
    }
}
