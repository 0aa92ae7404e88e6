//! Which server to use, and why.

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::embedded;
use super::error::ServerError;
use super::secret::SecretUri;
use crate::words::ServerSource;

/// The environment variable that names a server.
pub const URI_VARIABLE: &str = "PATTERNBENCH_URI";
/// The environment variable that names another embedded server's program.
pub const EMBEDDED_VARIABLE: &str = "PATTERNBENCH_SECANTUSD";
/// Cache of a server that patternbench starts, unless a scenario asks for another.
pub const DEFAULT_CACHE_BYTES: u64 = 1 << 30;

/// The most that is read of a file that holds a connection string.
const MAX_URI_FILE: u64 = 64 << 10;

/// Which server the user asks for.
#[derive(Debug, Clone, Default)]
pub enum ServerChoice {
    /// `PATTERNBENCH_URI`, else `mongod` on `PATH`, else the embedded server.
    #[default]
    Auto,
    /// The server of this connection string.
    Uri(SecretUri),
    /// A `mongod` that patternbench starts: this program, or the one on `PATH`.
    Mongod(Option<PathBuf>),
    /// The embedded server.
    Embedded,
}

impl ServerChoice {
    /// What `--server`, `--uri` and `--uri-file` mean together. `server` is the choice that `--server` made, if it was
    /// given with anything but `auto`.
    ///
    /// # Errors
    /// Where they contradict each other, where the file cannot be read, and where it holds no connection string.
    pub fn from_arguments(
        server: Option<Self>,
        uri: Option<SecretUri>,
        file: Option<&Path>,
    ) -> Result<Self, ServerError> {
        let uri = match (uri, file) {
            (Some(_), Some(_)) => {
                return Err(ServerError::Contradiction(
                    "--uri and --uri-file name a server each; pass one of them".into(),
                ));
            }
            (None, Some(file)) => Some(read_uri(file)?),
            (uri, None) => uri,
        };
        match (server, uri) {
            (Some(_), Some(uri)) if uri.has_credentials() => Err(ServerError::Contradiction(
                "--server starts a server of its own, which takes no credentials; leave --server or the connection \
                 string out"
                    .into(),
            )),
            (Some(_), Some(_)) => Err(ServerError::Contradiction(
                "--server starts a server and the connection string names another; leave one of them out".into(),
            )),
            (Some(server), None) => Ok(server),
            (None, Some(uri)) => Ok(Self::Uri(uri)),
            (None, None) => Ok(Self::Auto),
        }
    }
}

fn read_uri(file: &Path) -> Result<SecretUri, ServerError> {
    let failed = |message: String| ServerError::UriFile { file: file.to_owned(), message };
    let mut text = String::new();
    let opened = std::fs::File::open(file).map_err(|error| failed(error.to_string()))?;
    let read = opened.take(MAX_URI_FILE + 1).read_to_string(&mut text);
    if read.map_err(|error| failed(error.to_string()))? as u64 > MAX_URI_FILE {
        return Err(failed(format!("it is larger than {} KiB", MAX_URI_FILE >> 10)));
    }
    SecretUri::parse(&text).map_err(|problem| ServerError::BadUri { file: Some(file.to_owned()), problem })
}

/// What of this process's environment decides which server is used.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// `PATTERNBENCH_URI`.
    pub uri: Option<String>,
    /// `PATTERNBENCH_SECANTUSD`: the embedded server's program instead of the cache folder's.
    pub embedded: Option<PathBuf>,
    /// `PATH`.
    pub path: Option<OsString>,
    /// The user's cache folder.
    pub cache: Option<PathBuf>,
}

impl Surroundings {
    /// Those of this process.
    pub fn of_this_process() -> Self {
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        Self {
            uri: variable(URI_VARIABLE).map(|uri| uri.to_string_lossy().into_owned()),
            embedded: variable(EMBEDDED_VARIABLE).map(PathBuf::from),
            path: variable("PATH"),
            cache: embedded::cache_folder(variable("XDG_CACHE_HOME"), variable("HOME")),
        }
    }

    /// The program of that name on `PATH`.
    fn on_path(&self, name: &str) -> Option<PathBuf> {
        std::env::split_paths(self.path.as_ref()?).map(|folder| folder.join(name)).find(|file| is_program(file))
    }
}

/// How to find or start a server.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// Which server.
    pub choice: ServerChoice,
    /// Cache of a server that patternbench starts ([`DEFAULT_CACHE_BYTES`] unless given).
    pub cache_bytes: Option<u64>,
    /// Whether a mongod may be given a smaller cache than it starts with, by its runtime setting.
    pub lowers_cache: bool,
    /// The most memory that a server which patternbench starts may have.
    pub memory_bytes: Option<u64>,
    /// Further flags for the embedded server.
    pub embedded_flags: Vec<String>,
    /// How long a server that patternbench starts may take to answer.
    pub start_limit: Duration,
    /// What decides besides.
    pub surroundings: Surroundings,
}

impl ServerOptions {
    /// This choice, in the surroundings of this process.
    pub fn new(choice: ServerChoice) -> Self {
        Self {
            choice,
            cache_bytes: None,
            lowers_cache: false,
            memory_bytes: None,
            embedded_flags: Vec::new(),
            start_limit: Duration::from_secs(60),
            surroundings: Surroundings::of_this_process(),
        }
    }
}

/// The server that will be used.
#[derive(Debug, Clone)]
pub struct Decision {
    /// Which.
    pub server: DecidedServer,
    /// Why this one, as a clause that completes "… is used: ".
    pub why: String,
}

/// A server that is found or started.
#[derive(Debug, Clone)]
pub enum DecidedServer {
    /// The server of this connection string.
    Uri(SecretUri),
    /// This program, started as a single-node replica set.
    Mongod(PathBuf),
    /// This program, started as the embedded server.
    Embedded(PathBuf),
}

impl DecidedServer {
    /// Where the server comes from, as the record names it.
    pub fn source(&self) -> ServerSource {
        match self {
            Self::Uri(_) => ServerSource::Uri,
            Self::Mongod(_) => ServerSource::Mongod,
            Self::Embedded(_) => ServerSource::Embedded,
        }
    }
}

/// Decides which server is used, without touching one.
///
/// # Errors
/// Where a program is not there, or `PATTERNBENCH_URI` is no connection string.
pub fn decide(options: &ServerOptions) -> Result<Decision, ServerError> {
    let surroundings = &options.surroundings;
    match &options.choice {
        ServerChoice::Uri(uri) => Ok(decision(DecidedServer::Uri(uri.clone()), "a connection string was given")),
        ServerChoice::Mongod(Some(program)) => {
            let program = existing(program, "the path after --server mongod= must name a program")?;
            Ok(decision(DecidedServer::Mongod(program), "--server asks for it"))
        }
        ServerChoice::Mongod(None) => {
            let program = surroundings.on_path("mongod").ok_or_else(|| ServerError::NoProgram {
                program: "mongod".into(),
                remedy: "it is not on PATH; `patternbench doctor` tells how to get it, --server mongod=PATH names it"
                    .into(),
            })?;
            Ok(decision(DecidedServer::Mongod(program), "--server asks for it"))
        }
        ServerChoice::Embedded => {
            Ok(decision(DecidedServer::Embedded(embedded_program(surroundings)?), "--server asks for it"))
        }
        ServerChoice::Auto => auto(surroundings),
    }
}

fn auto(surroundings: &Surroundings) -> Result<Decision, ServerError> {
    if let Some(uri) = &surroundings.uri {
        let uri = SecretUri::parse(uri).map_err(|problem| ServerError::BadUri {
            file: Some(format!("the environment variable {URI_VARIABLE}").into()),
            problem,
        })?;
        return Ok(decision(DecidedServer::Uri(uri), "PATTERNBENCH_URI names it"));
    }
    if let Some(program) = surroundings.on_path("mongod") {
        return Ok(decision(DecidedServer::Mongod(program), "no connection string was given, and mongod is on PATH"));
    }
    let program = embedded_program(surroundings)?;
    Ok(decision(DecidedServer::Embedded(program), "no connection string was given, and no mongod is on PATH"))
}

fn decision(server: DecidedServer, why: &str) -> Decision {
    Decision { server, why: why.to_owned() }
}

fn embedded_program(surroundings: &Surroundings) -> Result<PathBuf, ServerError> {
    if let Some(program) = &surroundings.embedded {
        return existing(program, "PATTERNBENCH_SECANTUSD must name the embedded server's program");
    }
    let remedy = format!(
        "it is not built yet; run scripts/server once (about five minutes), or `{}`, or pass --uri",
        embedded::install_command(surroundings.cache.as_deref())
    );
    match &surroundings.cache {
        Some(cache) => existing(&embedded::program(cache), &remedy),
        None => Err(ServerError::NoProgram {
            program: embedded::PROGRAM.into(),
            remedy: "neither HOME nor XDG_CACHE_HOME names the user's cache folder; set PATTERNBENCH_SECANTUSD".into(),
        }),
    }
}

fn existing(program: &Path, remedy: &str) -> Result<PathBuf, ServerError> {
    if is_program(program) {
        // A relative path would be looked for in the server's own folder.
        return Ok(std::path::absolute(program).unwrap_or_else(|_| program.to_owned()));
    }
    Err(ServerError::NoProgram { program: program.to_owned(), remedy: remedy.to_owned() })
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file()
}
