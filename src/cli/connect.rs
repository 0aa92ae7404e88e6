//! From the server options of the command line to a server that may be used.

use std::sync::Arc;

use super::args::{ServerArgs, ServerKind};
use super::exit::Failure;
use super::output;
use crate::backend::simulated::Simulation;
use crate::guard::{self, Consent};
use crate::scenario::Scenario;
use crate::server::{self, RunningServer, SecretUri, ServerChoice, ServerOptions};
use crate::source::{self, Problems, SourceText};

const NO_SERVER: &str = "--server simulated is for `patternbench run` and `sweep` alone: a simulated server holds no data, so there is \
                         nothing on it to show, to compare, to look at or to drop";

/// The simulation that the arguments ask for, if they do.
///
/// # Errors
/// Usage, where its file is none, or other options name a server.
pub(super) fn simulation(args: &ServerArgs) -> Result<Option<Simulation>, Failure> {
    let ServerKind::Simulated(path) = &args.server else { return Ok(None) };
    let named = [
        (args.uri.is_some(), "--uri"),
        (args.uri_file.is_some(), "--uri-file"),
        (!args.allow_load.is_empty(), "--allow-load"),
        (args.shared_server, "--shared-server"),
    ];
    if let Some((_, option)) = named.into_iter().find(|(named, _)| *named) {
        return Err(Failure::usage(format!("{option} speaks of a server, and --server simulated uses none")));
    }
    let text = source::read_text(path).map_err(Failure::usage)?;
    Simulation::read(text).map(Some).map_err(|(text, problems)| unfit(&text, &problems, "is no simulated server"))
}

/// Makes sure that a simulation fits the scenarios.
///
/// # Errors
/// Usage, with everything that does not fit.
pub(super) fn fit(simulation: &Simulation, scenarios: &[Arc<Scenario>]) -> Result<(), Failure> {
    let scenarios: Vec<&Scenario> = scenarios.iter().map(Arc::as_ref).collect();
    let what = match scenarios[..] {
        [only] => format!("does not fit the scenario {}", only.name),
        _ => "does not fit the scenarios".to_owned(),
    };
    simulation.fit(&scenarios).map_err(|problems| unfit(simulation.source(), &problems, &what))
}

fn unfit(text: &SourceText, problems: &Problems, what: &str) -> Failure {
    let shown = source::show(text, problems, output::colour_err());
    Failure::usage(format!("{} {what}\n\n{}", text.name(), shown.trim_end()))
}

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
        ServerKind::Simulated(_) => return Err(Failure::usage(NO_SERVER)),
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
    open_as(args, &ServerOptions { cache_bytes, ..options(args)? }).await
}

/// The same for a sweep: servers may have a limit on their memory, and a mongod a smaller cache than it starts with.
///
/// # Errors
/// As [`open`].
pub(super) async fn open_limited(
    args: &ServerArgs,
    cache_bytes: Option<u64>,
    memory_bytes: Option<u64>,
) -> Result<RunningServer, Failure> {
    open_as(args, &ServerOptions { cache_bytes, memory_bytes, lowers_cache: true, ..options(args)? }).await
}

async fn open_as(args: &ServerArgs, options: &ServerOptions) -> Result<RunningServer, Failure> {
    let server = server::open(options).await?;
    for warning in server.warnings() {
        output::tell(&format!("warning: {warning}"));
    }
    guard::judge(server.facts(), &consent(args))?;
    Ok(server)
}
