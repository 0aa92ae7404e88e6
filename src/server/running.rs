//! A server that was found or started.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bson::doc;
use mongodb::Client;
use mongodb::options::ClientOptions;
use tokio::net::TcpStream;
use tokio::time::Instant;

use super::choice::{DEFAULT_CACHE_BYTES, DecidedServer, ServerOptions, decide};
use super::connect::{admin_client, ask, host_of, open_client, options_of, options_of_ours};
use super::error::ServerError;
use super::facts::{Known, ServerFacts, Visible, round_trip};
use super::process::{ServerFolder, ServerProcess};
use super::secret::SecretUri;
use super::{embedded, mongod};
use crate::record::RoundTrip;
use crate::words::ServerSource;

/// How often a server that is starting is looked at.
const POLL: Duration = Duration::from_millis(10);
/// How often the end of a server of ours is looked for.
const WATCH: Duration = Duration::from_millis(100);
/// How often another port is tried when the free one was taken before mongod bound it.
const PORT_TRIES: u32 = 3;

/// A server to work with. Dropping it stops the server if patternbench started it.
#[derive(Debug)]
pub struct RunningServer {
    options: ClientOptions,
    uri: Option<SecretUri>,
    process: Option<ServerProcess>,
    facts: ServerFacts,
    why: String,
    warnings: Vec<String>,
}

/// Finds the server that the options ask for, or starts it, and asks it what it is.
///
/// # Errors
/// Where there is none, it cannot be started or reached, it refuses the credentials, or the options are contradictory.
/// Within ten seconds for a server that does not answer, within `start_limit` for one that patternbench starts.
pub async fn open(options: &ServerOptions) -> Result<RunningServer, ServerError> {
    let decision = decide(options)?;
    let cache_bytes = options.cache_bytes.unwrap_or(DEFAULT_CACHE_BYTES);
    if cfg!(not(unix)) && decision.server.source() != ServerSource::Uri {
        return Err(ServerError::Contradiction(
            "patternbench starts servers on Linux and macOS alone; here, name one with --uri".to_owned(),
        ));
    }
    let started = match decision.server {
        DecidedServer::Uri(uri) => return open_uri(uri, decision.why).await,
        DecidedServer::Mongod(program) => start_mongod(&program, cache_bytes, options).await?,
        DecidedServer::Embedded(program) => start_embedded(&program, cache_bytes, options).await?,
    };
    started.into_server(decision.why).await
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
    Ok(RunningServer { options, uri: Some(uri), process: None, facts, why, warnings })
}

async fn gather(options: &ClientOptions, uri: Option<&SecretUri>, known: Known) -> Result<ServerFacts, ServerError> {
    let client = admin_client(options, uri)?;
    let host = known.host.clone();
    let facts = ServerFacts::gather(&client, known).await;
    client.shutdown().immediate(true).await;
    facts.map_err(|failure| failure.into_error("ask the server what it is", &host, uri))
}

/// A server of ours that answers.
struct Started {
    process: ServerProcess,
    address: String,
    source: ServerSource,
    parameters: Vec<String>,
    cache_bytes: u64,
}

impl Started {
    async fn into_server(self, why: String) -> Result<RunningServer, ServerError> {
        let options = options_of_ours(&self.address)?;
        let known = Known {
            source: self.source,
            host: self.address.clone(),
            named_hosts: vec![self.address],
            srv: false,
            direct: true,
            parameters: self.parameters,
            cache_bytes: Some(self.cache_bytes),
            retry_reads: true,
            retry_writes: true,
        };
        let facts = match gather(&options, None, known).await {
            Ok(facts) => facts,
            Err(error) => return Err(died(&self.process).unwrap_or(error)),
        };
        Ok(RunningServer { options, uri: None, process: Some(self.process), facts, why, warnings: Vec::new() })
    }
}

async fn start_embedded(program: &Path, cache_bytes: u64, options: &ServerOptions) -> Result<Started, ServerError> {
    let cannot_start = |error: std::io::Error| cannot_start(program, &error);
    let folder = ServerFolder::create().map_err(cannot_start)?;
    let arguments = embedded::arguments(&folder, cache_bytes, &options.embedded_flags).map_err(cannot_start)?;
    let path = options.surroundings.path.as_deref();
    let process = ServerProcess::spawn(program, &arguments, path, folder).map_err(cannot_start)?;
    let deadline = Instant::now() + options.start_limit;
    let seconds = options.start_limit.as_secs();
    let address =
        until(&process, deadline, seconds, async || embedded::ready_address(&process.log()).map(str::to_owned)).await?;
    let parameters = embedded::measured_flags(cache_bytes);
    Ok(Started { process, address, source: ServerSource::Embedded, parameters, cache_bytes })
}

async fn start_mongod(program: &Path, cache_bytes: u64, options: &ServerOptions) -> Result<Started, ServerError> {
    let mut tries = 0;
    loop {
        tries += 1;
        match try_mongod(program, cache_bytes, options).await {
            Err(ServerError::Died { log_tail, .. }) if tries < PORT_TRIES && log_tail.contains("already in use") => {}
            outcome => return outcome,
        }
    }
}

async fn try_mongod(program: &Path, cache_bytes: u64, options: &ServerOptions) -> Result<Started, ServerError> {
    let cannot_start = |error: std::io::Error| cannot_start(program, &error);
    let folder = ServerFolder::create().map_err(cannot_start)?;
    let port = mongod::free_port().map_err(cannot_start)?;
    let arguments = mongod::arguments(&folder, port, cache_bytes).map_err(cannot_start)?;
    let path = options.surroundings.path.as_deref();
    let process = ServerProcess::spawn(program, &arguments, path, folder).map_err(cannot_start)?;
    let address = format!("127.0.0.1:{port}");
    let deadline = Instant::now() + options.start_limit;
    let seconds = options.start_limit.as_secs();
    until(&process, deadline, seconds, async || TcpStream::connect(&address).await.ok()).await?;
    let client = admin_client(&options_of_ours(&address)?, None)?;
    until(&process, deadline, seconds, async || ask(&client, doc! {"ping": 1}).await.ok()).await?;
    let initiated = ask(&client, mongod::initiate(port)).await;
    initiated.map_err(|failure| {
        died(&process).unwrap_or_else(|| failure.into_error("make the server a replica set", &address, None))
    })?;
    until(&process, deadline, seconds, async || {
        let hello = ask(&client, doc! {"hello": 1}).await.ok()?;
        hello.get_bool("isWritablePrimary").ok().filter(|&primary| primary)
    })
    .await?;
    client.shutdown().immediate(true).await;
    let cache_bytes = mongod::granted_cache(cache_bytes);
    let parameters = mongod::measured_flags(cache_bytes);
    Ok(Started { process, address, source: ServerSource::Mongod, parameters, cache_bytes })
}

/// Tries until there is an answer, the server has died, or the time is up.
async fn until<T, F: Future<Output = Option<T>>>(
    process: &ServerProcess,
    deadline: Instant,
    seconds: u64,
    mut attempt: impl FnMut() -> F,
) -> Result<T, ServerError> {
    loop {
        let answer = tokio::time::timeout_at(deadline, attempt()).await;
        if let Ok(Some(answer)) = answer {
            return Ok(answer);
        }
        if let Some(error) = died(process) {
            return Err(error);
        }
        if Instant::now() >= deadline {
            let log_tail = process.log_tail();
            return Err(ServerError::NotReady { program: process.program().to_owned(), seconds, log_tail });
        }
        tokio::time::sleep(POLL).await;
    }
}

fn cannot_start(program: &Path, error: &std::io::Error) -> ServerError {
    ServerError::CannotStart { program: program.to_owned(), message: error.to_string() }
}

fn died(process: &ServerProcess) -> Option<ServerError> {
    let ended = process.ended()?;
    let program = process.program().to_owned();
    Some(ServerError::Died { program, status: ended.status, log_tail: ended.log_tail, log: ended.log })
}

impl RunningServer {
    /// A client with exactly `pool` connections, all of them open and used once. It belongs to the runtime that makes
    /// it.
    ///
    /// # Errors
    /// Where the server does not answer or does not open so many connections.
    pub async fn client(&self, pool: u32) -> Result<Client, ServerError> {
        let opened = open_client(&self.options, self.uri.as_ref(), pool).await;
        opened.map_err(|error| self.alive().err().unwrap_or(error))
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
        self.process.is_some()
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
        self.process.as_ref().map(ServerProcess::id)
    }

    /// The folder of a server of ours; it is deleted with the server.
    pub fn folder(&self) -> Option<PathBuf> {
        self.process.as_ref().map(|process| process.folder().to_owned())
    }

    /// Whether the server is still there, as far as that can be told without asking it: a server that patternbench did
    /// not start is taken to be.
    ///
    /// # Errors
    /// [`ServerError::Died`] with the end of its log, once a server of ours has ended by itself.
    pub fn alive(&self) -> Result<(), ServerError> {
        self.process.as_ref().and_then(died).map_or(Ok(()), Err)
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
        self.process.as_ref().map(ServerProcess::log_tail).unwrap_or_default()
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
        // A blocking task that is not awaited to its end goes on; nothing is lost if the caller is cancelled.
        let _ = tokio::task::spawn_blocking(move || drop(self)).await;
    }
}
