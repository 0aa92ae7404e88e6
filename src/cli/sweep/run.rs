//! From the arguments of `patternbench sweep` to a study, and what comes of it.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::super::args::ModeChoice;
use super::super::exit::{Exit, Failure};
use super::super::progress::{Display, Progress, duration};
use super::super::report::REPORT;
use super::super::{aftermath, connect, interrupts, output, select};
use super::args::SweepArgs;
use super::progress::SweepProgress;
use super::{begun, present};
use crate::backend::simulated::SimulatedServer;
use crate::plan::RunOptions;
use crate::record::{ResultsFolder, Stamp, SweepRecord};
use crate::report;
use crate::run::{Interrupt, RunError, Target};
use crate::scenario::Scenario;
use crate::server::{self, DecidedServer, RunningServer};
use crate::study::{
    Axis, AxisChoice, AxisError, Refinement, SweepFinish, SweepRequest, empty_sweep, plan_point, sweep, usual_load,
    values_of,
};
use crate::units::{Bytes, Rate};
use crate::words::{ArrivalProcess, Isolation, Product, SweepAxis};

/// The factor of `--refine` without one.
const USUAL_FACTOR: f64 = 1.25;
/// The most values that a refined sweep tries.
const MOST_VALUES: usize = 12;

/// Measures what the arguments name, value by value, on a server or a simulated one.
///
/// # Errors
/// Usage, before anything is touched; or the server cannot be used; or results cannot be written. What goes wrong while
/// measuring is told, and gives the exit code.
pub(in crate::cli) async fn run(args: &SweepArgs, simulated: Option<Arc<SimulatedServer>>) -> Result<Exit, Failure> {
    let interrupt = Interrupt::new();
    interrupts::attended(interrupt.clone(), measure(args, simulated, interrupt)).await
}

/// What is to be measured, before a server is looked for.
struct Wanted {
    scenario: Arc<Scenario>,
    axis: Axis,
    options: RunOptions,
    refinement: Option<Refinement>,
}

async fn measure(
    args: &SweepArgs,
    simulated: Option<Arc<SimulatedServer>>,
    interrupt: Interrupt,
) -> Result<Exit, Failure> {
    let wanted = wanted(args)?;
    let seconds = estimate(&wanted)?;
    if let Some(server) = &simulated {
        refuse_beside_simulation(args)?;
        connect::fit(server.simulation(), &[Arc::clone(&wanted.scenario)])?;
    }
    if args.dry_run {
        return output::print(&outline(&wanted, seconds)).map(|()| Exit::Done);
    }
    let server = match &simulated {
        Some(_) => None,
        None => Some(open(args, &wanted).await?),
    };
    let outcome = measure_on(args, &wanted, server.as_ref(), simulated, interrupt, seconds).await;
    if let Some(server) = server {
        server.stop().await;
    }
    outcome
}

async fn measure_on(
    args: &SweepArgs,
    wanted: &Wanted,
    server: Option<&RunningServer>,
    simulated: Option<Arc<SimulatedServer>>,
    interrupt: Interrupt,
    seconds: f64,
) -> Result<Exit, Failure> {
    let target = match (server, simulated) {
        (Some(server), _) => Target::Server { server, consent: connect::consent(&args.server), ends: false },
        (None, Some(server)) => Target::Simulated(server),
        (None, None) => return Err(Failure::new(Exit::Server, "there is no server to measure on")),
    };
    let Wanted { scenario, axis, options, refinement } = wanted;
    let asked =
        empty_sweep(scenario, options, axis, *refinement, &target, settings(args, options)).map_err(Failure::usage)?;
    let (folder, mut known) = results(args, scenario, asked)?;
    known.notes = notes(args, axis, &known);
    if !args.quiet && server.is_some() {
        output::tell(&format!("{} values, about {}", axis.values.len(), duration(seconds)));
    }
    let request = SweepRequest {
        target,
        options: options.clone(),
        scenario: Arc::clone(scenario),
        axis: axis.clone(),
        refinement: *refinement,
        folder: &folder,
        known,
    };
    let mut progress = SweepProgress::new(Progress::new(display(args)), axis.kind, args.quiet);
    let finish = sweep(&request, &mut progress, interrupt).await;
    conclude(args, &finish, &folder)
}

fn wanted(args: &SweepArgs) -> Result<Wanted, Failure> {
    let scenario = Arc::new(select::scenario(&args.scenario)?);
    let choice = choice(args)?;
    let mut options = options(args);
    let axis = values_of(&scenario, &options, &choice).map_err(axis_failure)?;
    if axis.kind == SweepAxis::Cache {
        // All values are to be measured alike, and small caches are not shared.
        options.isolation = Some(Isolation::Process);
    }
    let has_load = args.mode.is_some() || args.rate.is_some();
    let options = usual_load(options, &scenario, &axis, has_load);
    let refinement = match args.refine {
        None => None,
        Some(_) if !axis.in_step.is_empty() => {
            let why = "--refine adds values of one parameter, and several change in step; name one with --param";
            return Err(Failure::usage(why));
        }
        Some(factor) => Some(Refinement { factor: factor.unwrap_or(USUAL_FACTOR), limit: MOST_VALUES }),
    };
    Ok(Wanted { scenario, axis, options, refinement })
}

fn axis_failure(error: AxisError) -> Failure {
    Failure::usage(error)
}

fn choice(args: &SweepArgs) -> Result<AxisChoice, Failure> {
    let sizes = args.cache.as_ref().filter(|sizes| sizes.len() > 1);
    let named = !args.param.is_empty() || args.around.is_some() || args.mix.is_some();
    match (sizes, args.around, &args.mix) {
        (Some(_), ..) if named => Err(Failure::usage(
            "several sizes of --cache are what is varied; leave --param, --around and --mix out, or name one size",
        )),
        (Some(sizes), ..) => Ok(AxisChoice::Cache(sizes.iter().copied().map(Bytes::new).collect())),
        (None, _, Some(shares)) => {
            Ok(AxisChoice::Mix(shares.as_ref().map(|shares| shares.0.clone()).unwrap_or_default()))
        }
        (None, Some(middle), None) => match args.param.as_slice() {
            [] => Ok(AxisChoice::Around { parameter: None, middle }),
            [one] if one.values.is_empty() => Ok(AxisChoice::Around { parameter: Some(one.name.clone()), middle }),
            _ => Err(Failure::usage(
                "--around chooses the values itself; name one parameter without values: --param NAME --around 100",
            )),
        },
        (None, None, None) if args.param.is_empty() && args.resume.is_some() => {
            begun::choice(args.resume.as_deref().unwrap_or(Path::new("")), &args.out)
        }
        (None, None, None) => {
            let named = args.param.iter().map(|param| (param.name.clone(), param.values.clone()));
            Ok(AxisChoice::Parameters(named.collect()))
        }
    }
}

fn options(args: &SweepArgs) -> RunOptions {
    let one_cache = args.cache.as_deref().and_then(|sizes| if let [one] = sizes { Some(*one) } else { None });
    RunOptions {
        profile: args.profile,
        set: args.set.clone(),
        models: args.models.clone(),
        mode: match args.mode {
            None | Some(ModeChoice::Auto) => None,
            Some(ModeChoice::Fixed(mode)) => Some(mode),
        },
        rate: args.rate.map(Rate::new),
        arrivals: args.arrivals,
        cache_bytes: one_cache,
        concurrency: args.concurrency,
        rounds: args.rounds,
        round_time: args.round_time.map(Duration::from_secs_f64),
        operations: args.operations,
        seed: args.seed,
        label: args.label.clone(),
        ..RunOptions::default()
    }
}

/// Whatever decides what is measured at a value besides scenario, parameters and profile.
fn settings(args: &SweepArgs, options: &RunOptions) -> BTreeMap<String, String> {
    let mut settings = BTreeMap::new();
    let mut set = |name: &str, value: Option<String>| {
        settings.extend(value.map(|value| (name.to_owned(), value)));
    };
    set("mode", Some(options.mode.map_or("auto".to_owned(), |mode| mode.to_string())));
    set("models", options.models.as_ref().map(|models| models.join(",")));
    set("rate", options.rate.map(|rate| rate.get().to_string()));
    set(
        "arrivals",
        Some(options.arrivals).filter(|known| *known != ArrivalProcess::Constant).map(|known| known.to_string()),
    );
    set("concurrency", options.concurrency.map(|workers| workers.to_string()));
    set("rounds", options.rounds.map(|rounds| rounds.to_string()));
    set("round_time", options.round_time.map(|time| format!("{}s", time.as_secs_f64())));
    set("operations", options.operations.map(|operations| operations.to_string()));
    set("cache", options.cache_bytes.map(|bytes| format!("{bytes}B")));
    set("server_memory", args.server_memory.map(|bytes| format!("{bytes}B")));
    settings
}

/// What the values take together, as far as plans can tell; every value is planned, so that nothing is begun that cannot
/// be done.
fn estimate(wanted: &Wanted) -> Result<f64, Failure> {
    let mut seconds = 0.0;
    for value in &wanted.axis.values {
        let (_, plans) = plan_point(&wanted.scenario, &wanted.options, value).map_err(axis_failure)?;
        seconds += plans.iter().map(|plan| plan.estimate().total().as_secs_f64()).sum::<f64>();
    }
    Ok(seconds)
}

fn outline(wanted: &Wanted, seconds: f64) -> String {
    let Wanted { scenario, axis, options, refinement } = wanted;
    let values: Vec<String> = axis.values.iter().map(|value| value.said(axis.kind)).collect();
    let mut text = format!("{} over {}\n", scenario.name, axis.name);
    let mut row = |what: &str, said: String| text.push_str(&format!("  {what:<11} {said}\n"));
    row("values", values.join("; "));
    let rounds = options.rounds.unwrap_or_default();
    let load = match (options.mode, options.concurrency) {
        (None, _) => "as `run` chooses it".to_owned(),
        (Some(mode), Some(workers)) => format!("{mode}, {workers} at a time"),
        (Some(mode), None) => mode.to_string(),
    };
    row("load", format!("{rounds} rounds at each value; {load}"));
    if let Some(refinement) = refinement {
        row(
            "refinement",
            format!(
                "until crossovers lie within a factor of {}; {} values at most",
                refinement.factor, refinement.limit
            ),
        );
    }
    row("reused", "the server between values; within a value its source data for all models and workloads".to_owned());
    row("estimate", format!("about {} for these values", duration(seconds)));
    text
}

/// What a simulated server cannot do.
fn refuse_beside_simulation(args: &SweepArgs) -> Result<(), Failure> {
    let needed = [(args.cache.is_some(), "--cache"), (args.server_memory.is_some(), "--server-memory")];
    match needed.into_iter().find(|(asked, _)| *asked) {
        Some((_, option)) => {
            Err(Failure::usage(format!("{option} does not go with --server simulated: a simulated server has none")))
        }
        None => Ok(()),
    }
}

async fn open(args: &SweepArgs, wanted: &Wanted) -> Result<RunningServer, Failure> {
    let decided = server::decide(&connect::options(&args.server)?)?.server;
    if matches!(decided, DecidedServer::Uri(_)) {
        let ours = [
            (wanted.axis.kind == SweepAxis::Cache, "several sizes of --cache"),
            (args.server_memory.is_some(), "--server-memory"),
        ];
        if let Some((_, option)) = ours.into_iter().find(|(asked, _)| *asked) {
            return Err(Failure::usage(format!(
                "{option} needs servers that patternbench starts; leave it or the connection string (--uri, --uri-file, \
                 PATTERNBENCH_URI) out"
            )));
        }
    } else if let Some(why) = args.server_memory.and_then(server::refuses_memory_limit) {
        return Err(Failure::usage(RunError::Usage(why)));
    }
    connect::open_limited(&args.server, wanted.options.cache_bytes, args.server_memory).await
}

/// Where results go, and what is known already.
fn results(args: &SweepArgs, scenario: &Scenario, asked: SweepRecord) -> Result<(PathBuf, SweepRecord), Failure> {
    if let Some(word) = &args.resume {
        let folder = begun::folder(word, &args.out)?;
        let known = begun::go_on(&folder, &asked)?;
        return Ok((folder, known));
    }
    let name = args.label.clone().unwrap_or_else(|| format!("{}-sweep", scenario.name));
    let folder = ResultsFolder::create(&args.out, Stamp::now(), &name)?;
    Ok((folder.path().to_owned(), asked))
}

/// What a reader must know of how it is measured.
fn notes(args: &SweepArgs, axis: &Axis, known: &SweepRecord) -> Vec<String> {
    let mut notes = Vec::new();
    if known.server.product != Product::Simulated {
        notes.push(
            "Between values the server is kept; within one, all models and workloads are built from the same source data. Data \
             are loaded anew for each value: a model that operations have written to is not what a run begins with."
                .to_owned(),
        );
    }
    if axis.kind == SweepAxis::Cache {
        notes.push(match args.server_memory {
            Some(bytes) => format!(
                "Each server has {} MiB of memory at most (cgroup v2), pages of files that the operating system keeps for it \
                 included.",
                bytes >> 20
            ),
            None => "The operating system keeps files in memory that the servers' cache does not hold: a read that misses the \
                     cache need not wait for a disk. --server-memory limits both together."
                .to_owned(),
        });
    }
    notes
}

fn display(args: &SweepArgs) -> Display {
    if args.quiet {
        Display::Quiet
    } else if std::io::stderr().is_terminal() {
        Display::Bars
    } else {
        Display::Lines
    }
}

/// Shows what was measured and what went wrong.
fn conclude(args: &SweepArgs, finish: &SweepFinish, folder: &Path) -> Result<Exit, Failure> {
    present::write_all(&finish.record, folder)?;
    let target = folder.join(REPORT);
    if args.json {
        let text = serde_json::to_string_pretty(&finish.record)
            .map_err(|error| Failure::new(Exit::Server, format!("failed to print the record: {error}")))?;
        output::print(&format!("{text}\n"))?;
        output::tell(&format!("report: {}", target.display()));
    } else {
        let style = output::style();
        let record = &finish.record;
        let text =
            if args.quiet { report::sweep_summary(record, &style) } else { report::sweep_terminal(record, &style) };
        output::print(&format!("{}\n\nreport: {}\n", text.trim_end(), target.display()))?;
    }
    for error in &finish.errors {
        output::tell(&format!("error: {error}"));
    }
    if !finish.record.complete {
        let again = format!("go on with it: the same command with --resume {}", folder.display());
        output::tell(&again);
    }
    Ok(aftermath::exit(&[], &finish.errors))
}
