//! From the server options of the command line to a server that may be used.

use super::args::{ServerArgs, ServerKind};
use super::exit::Failure;
use super::output;
use crate::guard::{self, Consent};
use crate::server::{self, RunningServer, SecretUri, ServerChoice, ServerOptions};

/// What the arguments ask for.
///
/// # Errors
/// Usage, where they contradict each other or hold no connection string.
pub(super) fn options(args: &ServerArgs) -> Result<ServerOptions, Failure> {
    let uri = args
        .uri
        .as_deref()
        .map(SecretUri::parse)
        .transpose()
        .map_err(|problem| Failure::usage(format!("--uri is no connection string: {problem}")))?;
    if uri.as_ref().is_some_and(SecretUri::has_credentials) {
        output::tell("warning: a password in --uri shows in the process list; prefer --uri-file or PATTERNBENCH_URI");
    }
    let named = match &args.server {
        ServerKind::Auto => None,
        ServerKind::Mongod(program) => Some(ServerChoice::Mongod(program.clone())),
        ServerKind::Embedded => Some(ServerChoice::Embedded),
    };
    let choice = ServerChoice::from_arguments(named, uri, args.uri_file.as_deref()).map_err(Failure::usage)?;
    Ok(ServerOptions::new(choice))
}

/// What the user agrees to.
pub(super) fn consent(args: &ServerArgs) -> Consent {
    Consent { allow_load: args.allow_load.clone(), shared_server: args.shared_server }
}

/// Opens the server that the arguments ask for and makes sure that it may be loaded.
///
/// # Errors
/// Usage, or the server cannot be reached or must not be touched.
pub(super) async fn open(args: &ServerArgs, cache_bytes: Option<u64>) -> Result<RunningServer, Failure> {
    let server = server::open(&ServerOptions { cache_bytes, ..options(args)? }).await?;
    for warning in server.warnings() {
        output::tell(&format!("warning: {warning}"));
    }
    guard::judge(server.facts(), &consent(args))?;
    Ok(server)
}
