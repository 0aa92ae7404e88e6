//! Starts a server: a process over a fresh folder that answers.

use std::ffi::OsString;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bson::doc;
use mongodb::options::{ClientOptions, ServerMonitoringMode};
use tokio::net::TcpStream;
use tokio::time::Instant;

use super::choice::{DEFAULT_CACHE_BYTES, ServerOptions};
use super::connect::{admin_client, ask, options_of_ours};
use super::error::ServerError;
use super::facts::{Known, configured_cache};
use super::memory::MemoryGroup;
use super::process::{ServerFolder, ServerProcess, stands_back};
use super::{embedded, mongod};
use crate::words::ServerSource;

/// How often a server that is starting is looked at.
const POLL: Duration = Duration::from_millis(10);
/// How often another port is tried when the free one was taken before mongod bound it.
const PORT_TRIES: u32 = 3;
/// How often the driver looks by itself at a server of ours. We watch its process; the driver would take one that stands
/// still for lost, and close its connections.
const RARELY: Duration = Duration::from_secs(24 * 60 * 60);

/// How a server is started, so that another can be started likewise.
#[derive(Debug, Clone)]
pub(super) struct Recipe {
    source: ServerSource,
    program: PathBuf,
    cache_bytes: u64,
    lowers_cache: bool,
    memory_bytes: Option<u64>,
    embedded_flags: Vec<String>,
    start_limit: Duration,
    path: Option<OsString>,
}

impl Recipe {
    /// How to start this program as these options ask.
    pub(super) fn new(source: ServerSource, program: PathBuf, options: &ServerOptions) -> Self {
        Self {
            source,
            program,
            cache_bytes: options.cache_bytes.unwrap_or(DEFAULT_CACHE_BYTES),
            lowers_cache: options.lowers_cache,
            memory_bytes: options.memory_bytes,
            embedded_flags: options.embedded_flags.clone(),
            start_limit: options.start_limit,
            path: options.surroundings.path.clone(),
        }
    }

    /// The same with another cache.
    pub(super) fn with_cache(&self, cache_bytes: u64) -> Self {
        Self { cache_bytes, ..self.clone() }
    }

    /// The cache asked for.
    pub(super) const fn cache_bytes(&self) -> u64 {
        self.cache_bytes
    }

    /// Whether a mongod may be given a smaller cache than it starts with.
    pub(super) const fn lowers_cache(&self) -> bool {
        self.lowers_cache
    }

    /// The process of a server with these arguments.
    fn spawn(&self, arguments: &[OsString], folder: ServerFolder) -> Result<ServerProcess, ServerError> {
        let group = match self.memory_bytes {
            Some(bytes) => Some(MemoryGroup::create(bytes).map_err(|why| cannot_start(&self.program, &why))?),
            None => None,
        };
        let spawned = ServerProcess::spawn(&self.program, arguments, self.path.as_deref(), folder, group);
        spawned.map_err(|error| cannot_start(&self.program, &error))
    }

    /// The flags that bear on what is measured, and a limit that does.
    fn parameters(&self, flags: Vec<String>) -> Vec<String> {
        let limit = self.memory_bytes.map(|bytes| format!("memory.max {bytes}"));
        limit.into_iter().chain(flags).collect()
    }

    /// Starts a server.
    ///
    /// # Errors
    /// Where it cannot be started, ends by itself, or does not answer in time.
    pub(super) async fn start(&self) -> Result<Started, ServerError> {
        if self.source == ServerSource::Mongod { start_mongod(self).await } else { start_embedded(self).await }
    }
}

/// A server of ours that answers.
#[derive(Debug)]
pub(super) struct Started {
    pub(super) process: ServerProcess,
    address: String,
    source: ServerSource,
    parameters: Vec<String>,
    cache_bytes: u64,
}

impl Started {
    /// What clients of it have in common.
    ///
    /// # Errors
    /// Where its address is none.
    pub(super) fn options(&self) -> Result<ClientOptions, ServerError> {
        let mut options = options_of_ours(&self.address)?;
        options.server_monitoring_mode = Some(ServerMonitoringMode::Poll);
        options.heartbeat_freq = Some(RARELY);
        Ok(options)
    }

    /// What is known of it without asking.
    pub(super) fn known(&self) -> Known {
        Known {
            source: self.source,
            host: self.address.clone(),
            named_hosts: vec![self.address.clone()],
            srv: false,
            direct: true,
            parameters: stands_back().into_iter().chain(self.parameters.iter().cloned()).collect(),
            cache_bytes: Some(self.cache_bytes),
            retry_reads: true,
            retry_writes: true,
        }
    }
}

async fn start_embedded(recipe: &Recipe) -> Result<Started, ServerError> {
    let Recipe { program, cache_bytes, start_limit, .. } = recipe;
    let cannot_start = |error: std::io::Error| cannot_start(program, &error);
    let folder = ServerFolder::create().map_err(cannot_start)?;
    let arguments = embedded::arguments(&folder, *cache_bytes, &recipe.embedded_flags).map_err(cannot_start)?;
    let process = recipe.spawn(&arguments, folder)?;
    let (deadline, seconds) = (Instant::now() + *start_limit, start_limit.as_secs());
    let address =
        until(&process, deadline, seconds, async || embedded::ready_address(&process.log()).map(str::to_owned)).await?;
    let parameters = recipe.parameters(embedded::measured_flags(*cache_bytes));
    Ok(Started { process, address, source: ServerSource::Embedded, parameters, cache_bytes: *cache_bytes })
}

async fn start_mongod(recipe: &Recipe) -> Result<Started, ServerError> {
    let mut tries = 0;
    loop {
        tries += 1;
        match try_mongod(recipe).await {
            Err(ServerError::Died { log_tail, .. }) if tries < PORT_TRIES && log_tail.contains("already in use") => {}
            outcome => return outcome,
        }
    }
}

async fn try_mongod(recipe: &Recipe) -> Result<Started, ServerError> {
    let Recipe { program, cache_bytes, start_limit, .. } = recipe;
    let cannot_start = |error: std::io::Error| cannot_start(program, &error);
    let folder = ServerFolder::create().map_err(cannot_start)?;
    let port = mongod::free_port().map_err(cannot_start)?;
    let arguments = mongod::arguments(&folder, port, *cache_bytes).map_err(cannot_start)?;
    let process = recipe.spawn(&arguments, folder)?;
    let address = format!("127.0.0.1:{port}");
    let (deadline, seconds) = (Instant::now() + *start_limit, start_limit.as_secs());
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
    let granted = mongod::granted_cache(*cache_bytes);
    let mut parameters = recipe.parameters(mongod::measured_flags(granted));
    if recipe.lowers_cache && *cache_bytes < granted {
        parameters.push(lower_cache(&client, &address, *cache_bytes).await?);
    }
    client.shutdown().immediate(true).await;
    let cache_bytes = if recipe.lowers_cache { *cache_bytes } else { granted };
    Ok(Started { process, address, source: ServerSource::Mongod, parameters, cache_bytes })
}

/// Gives a running mongod a smaller cache than it starts with, and makes sure that it has it. Answers the setting.
async fn lower_cache(client: &mongodb::Client, address: &str, wanted: u64) -> Result<String, ServerError> {
    let mebibytes = wanted >> 20;
    let refused = |why: String| {
        ServerError::Contradiction(format!(
            "a cache of {mebibytes} MiB: mongod starts with no less than {} MiB, and {why}; grow the data instead, or try it \
             on the embedded server",
            mongod::LEAST_CACHE_OF_MONGOD >> 20
        ))
    };
    let setting = format!("cache_size={wanted}");
    let set = ask(client, doc! {"setParameter": 1, "wiredTigerEngineRuntimeConfig": &setting}).await;
    set.map_err(|failure| {
        refused(format!("does not take less while it runs ({})", failure.into_error("set its cache", address, None)))
    })?;
    let status = ask(client, doc! {"serverStatus": 1}).await;
    let status = status.map_err(|failure| failure.into_error("ask for its cache", address, None))?;
    match configured_cache(&status) {
        Some(granted) if granted == wanted => Ok(format!("wiredTigerEngineRuntimeConfig {setting}")),
        Some(granted) => Err(refused(format!("says that it still has {} MiB after it was told", granted >> 20))),
        None => Err(refused("does not say what it has after it was told".to_owned())),
    }
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

fn cannot_start(program: &Path, error: &dyn std::fmt::Display) -> ServerError {
    ServerError::CannotStart { program: program.to_owned(), message: error.to_string() }
}

/// The error that it is, where a server of ours has ended by itself.
pub(super) fn died(process: &ServerProcess) -> Option<ServerError> {
    let ended = process.ended()?;
    let program = process.program().to_owned();
    Some(ServerError::Died { program, status: ended.status, log_tail: ended.log_tail, log: ended.log })
}
