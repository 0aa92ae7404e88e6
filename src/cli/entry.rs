//! From the process's arguments to its exit code.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use tokio::runtime::{Builder, Runtime};

use super::args::{Cli, Command, ServerArgs};
use super::exit::{Exit, Failure};
use super::{
    capacity, check, clean, compare, completions, connect, doctor, interrupts, list, new, output, report, results, run,
    schema, show, sweep, trend,
};
use crate::backend::simulated::{SimulatedClock, SimulatedServer, Time};
use crate::clock::{VirtualClock, WallClock};

/// So long may work go on that nobody waits for any more (hashing a large dataset after an interrupt, say).
const LAST_WORK: Duration = Duration::from_secs(2);

/// Runs the program.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    match dispatch(cli.command) {
        Ok(exit) => exit.into(),
        Err(failure) => {
            output::tell(&format!("error: {}", failure.message));
            failure.exit.into()
        }
    }
}

fn dispatch(command: Command) -> Result<Exit, Failure> {
    match command {
        Command::List(args) => list::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Trend(args) => trend::run(&args),
        Command::Results(args) => results::run(&args),
        Command::New(args) => new::run(&args),
        Command::Schema(args) => schema::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Show(args) => on_runtime(interrupts::abandoned(show::run(&args))),
        Command::Check(args) => on_runtime(interrupts::abandoned(check::run(&args))),
        Command::Doctor(args) => on_runtime(interrupts::abandoned(doctor::run(&args))),
        Command::Clean(args) => on_runtime(interrupts::abandoned(clean::run(&args))),
        Command::Run(args) => measure(&args.server, async |server| run::run(&args, server).await),
        Command::Sweep(args) => measure(&args.server, async |server| sweep::run(&args, server).await),
        Command::Capacity(args) => measure(&args.server, async |server| capacity::run(&args, server).await),
    }
}

/// Measures on a server, or simulates one; in virtual time on the runtime that makes it pass.
fn measure(
    args: &ServerArgs,
    command: impl AsyncFnOnce(Option<Arc<SimulatedServer>>) -> Result<Exit, Failure>,
) -> Result<Exit, Failure> {
    let Some(simulation) = connect::simulation(args)? else { return on_runtime(command(None)) };
    let start = |simulation, clock| Some(Arc::new(SimulatedServer::start(simulation, clock)));
    match simulation.time() {
        Time::Real => on_runtime(command(start(simulation, SimulatedClock::Wall(WallClock)))),
        Time::Virtual => {
            let (clock, runtime) = VirtualClock::runtime().map_err(no_runtime)?;
            drive(runtime, command(start(simulation, SimulatedClock::Virtual(clock))))
        }
    }
}

/// Drives a command that talks to a server. Dropping it on a signal stops what it started.
fn on_runtime(command: impl Future<Output = Result<Exit, Failure>>) -> Result<Exit, Failure> {
    drive(Builder::new_multi_thread().enable_all().build().map_err(no_runtime)?, command)
}

fn drive(runtime: Runtime, command: impl Future<Output = Result<Exit, Failure>>) -> Result<Exit, Failure> {
    let done = runtime.block_on(command);
    runtime.shutdown_timeout(LAST_WORK);
    done
}

fn no_runtime(error: std::io::Error) -> Failure {
    Failure::new(Exit::Server, format!("failed to start worker threads: {error}"))
}
