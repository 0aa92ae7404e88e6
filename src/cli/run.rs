//! `patternbench run`.

use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::args::{ModeChoice, RunArgs};
use super::exit::{Exit, Failure};
use super::progress::{Display, Progress, duration};
use super::report::{REPORT, write_html};
use super::{conditions, connect, interrupts, output, select};
use crate::backend::simulated::SimulatedServer;
use crate::plan::{self, Decided, Plan, RunOptions};
use crate::record::{ResultsFolder, RunRecord, Stamp};
use crate::report;
use crate::run::{self, Extent, Interrupt, RunError, RunFinish, RunRequest, Target};
use crate::scenario::{self, Scenario};
use crate::server::{self, DecidedServer, RunningServer};
use crate::units::Rate;
use crate::words::{Isolation, Verdict};

const NOTHING_NAMED: &str = "nothing to run was named; try one of

  patternbench list                     what can be measured
  patternbench run product-list-page    two models of a product list page, about a minute
  patternbench new my-models            a scenario of your own to start from";

/// Measures what the arguments name, on a server or a simulated one.
///
/// # Errors
/// Usage, before anything is touched; or the server cannot be used; or results cannot be written. What goes wrong while
/// measuring is told, and gives the exit code.
pub(super) async fn run(args: &RunArgs, simulated: Option<Arc<SimulatedServer>>) -> Result<Exit, Failure> {
    let interrupt = Interrupt::new();
    interrupts::attended(interrupt.clone(), measure(args, simulated, interrupt)).await
}

async fn measure(
    args: &RunArgs,
    simulated: Option<Arc<SimulatedServer>>,
    interrupt: Interrupt,
) -> Result<Exit, Failure> {
    let scenarios = scenarios(args)?;
    let options = options(args);
    if let Some(server) = &simulated {
        connect::fit(server.simulation(), &scenarios)?;
        RunError::beside_simulation(&options).map_or(Ok(()), |refusal| Err(Failure::usage(refusal)))?;
    }
    let mut plans = Vec::new();
    for scenario in &scenarios {
        plans.extend(plan::plan_scenario(scenario, &options).map_err(Failure::usage)?);
    }
    if args.dry_run {
        output::print(&plans.iter().map(outline).collect::<Vec<_>>().join("\n"))?;
        return Ok(Exit::Done);
    }
    let measured_on = match simulated {
        Some(server) => On::Simulation(server),
        None => On::Server(Box::new(open(args, &options, &scenarios).await?)),
    };
    let folder = ResultsFolder::create(&args.out, Stamp::now(), &run_name(args, &scenarios))?;
    let request = RunRequest {
        target: measured_on.target(args),
        plans,
        options,
        folder: Some(folder.path()),
        extent: Extent::Everything,
    };
    tell_total(args, &request.plans);
    let mut progress = Progress::new(display(args));
    let finish = run::run(&request, &mut progress, interrupt).await;
    conclude(args, &scenarios, &finish, folder.path(), measured_on).await
}

fn scenarios(args: &RunArgs) -> Result<Vec<Arc<Scenario>>, Failure> {
    let named: Vec<&str> = if args.all {
        scenario::builtin_names().collect()
    } else {
        args.scenarios.iter().map(String::as_str).collect()
    };
    if named.is_empty() {
        return Err(Failure::usage(NOTHING_NAMED));
    }
    named.into_iter().map(|word| select::scenario(word).map(Arc::new)).collect()
}

fn options(args: &RunArgs) -> RunOptions {
    RunOptions {
        profile: args.profile,
        set: args.set.clone(),
        models: args.models.clone(),
        mode: match args.mode {
            ModeChoice::Auto => None,
            ModeChoice::Fixed(mode) => Some(mode),
        },
        rate: args.rate.map(Rate::new),
        arrivals: args.arrivals,
        restarts: args.restarts,
        control: args.control,
        isolation: args.isolation.is_some().then_some(Isolation::Process),
        concurrency: args.concurrency,
        rounds: args.rounds,
        round_time: args.round_time.map(Duration::from_secs_f64),
        operations: args.operations,
        seed: args.seed,
        reuse: args.reuse,
        keep_data: args.keep_data,
        label: args.label.clone(),
    }
}

/// What a run measures on.
enum On {
    Server(Box<RunningServer>),
    Simulation(Arc<SimulatedServer>),
}

impl On {
    fn target(&self, args: &RunArgs) -> Target<'_> {
        match self {
            Self::Server(server) => Target::Server { server, consent: connect::consent(&args.server), ends: true },
            Self::Simulation(server) => Target::Simulated(Arc::clone(server)),
        }
    }

    async fn stop(self) {
        match self {
            Self::Server(server) => server.stop().await,
            Self::Simulation(_) => {}
        }
    }
}

async fn open(args: &RunArgs, options: &RunOptions, scenarios: &[Arc<Scenario>]) -> Result<RunningServer, Failure> {
    refuse_unfit(args, options)?;
    let cache_bytes = scenarios.iter().filter_map(|scenario| scenario.cache_bytes).max();
    connect::open(&args.server, cache_bytes).await
}

/// What the run itself would refuse, before a server is started and a results folder made for it.
fn refuse_unfit(args: &RunArgs, options: &RunOptions) -> Result<(), Failure> {
    let (on_ours, on_named) = (RunError::lasting_data(options), RunError::own_servers(options));
    if on_ours.is_none() && on_named.is_none() {
        return Ok(());
    }
    let refusal = match server::decide(&connect::options(&args.server)?)?.server {
        DecidedServer::Uri(_) => on_named,
        DecidedServer::Mongod(_) | DecidedServer::Embedded(_) => on_ours,
    };
    refusal.map_or(Ok(()), |refusal| Err(Failure::usage(refusal)))
}

fn run_name(args: &RunArgs, scenarios: &[Arc<Scenario>]) -> String {
    match (&args.label, scenarios) {
        (Some(label), _) => label.clone(),
        (None, [scenario]) if args.control => format!("{}-control", scenario.name),
        (None, [scenario]) => scenario.name.clone(),
        (None, _) if args.all => "all".to_owned(),
        (None, several) => format!("{}-and-{}-more", several[0].name, several.len() - 1),
    }
}

fn display(args: &RunArgs) -> Display {
    if args.quiet {
        Display::Quiet
    } else if std::io::stderr().is_terminal() {
        Display::Bars
    } else {
        Display::Lines
    }
}

fn outline(plan: &Plan) -> String {
    let mut text = format!("{} ({})\n", plan.scenario.name, plan.workload().name);
    for row in plan.outline() {
        let mark = match row.decided {
            Decided::Now => "",
            Decided::ByCalibration => "  (calibration decides)",
        };
        text.push_str(&format!("  {:<11} {}{mark}\n", row.what, row.value));
    }
    text
}

/// What several plans take together; a single one is told when it begins.
fn tell_total(args: &RunArgs, plans: &[Plan]) {
    if plans.len() > 1 && !args.quiet {
        let seconds: f64 = plans.iter().map(|plan| plan.estimate().total().as_secs_f64()).sum();
        output::tell(&format!("{} workloads, about {} in all", plans.len(), duration(seconds)));
    }
}

/// Shows what was measured and what went wrong, and weighs it.
async fn conclude(
    args: &RunArgs,
    scenarios: &[Arc<Scenario>],
    finish: &RunFinish,
    folder: &Path,
    measured_on: On,
) -> Result<Exit, Failure> {
    let record = &finish.record;
    let target = folder.join(REPORT);
    write_html(record, &target)?;
    show(args, record, &target)?;
    for error in &finish.errors {
        output::tell(&format!("error: {error}"));
    }
    measured_on.stop().await;
    let failed = conditions::failed(&args.fail_on, record, scenarios);
    failed.iter().for_each(|what| output::tell(&format!("failed: {what}")));
    let conditions = if failed.is_empty() { Exit::Done } else { Exit::ConditionFailed };
    let measured = conditions.max(if args.control { controlled(record) } else { Exit::Done });
    Ok(finish.errors.iter().map(RunError::exit).fold(measured, Exit::max))
}

fn show(args: &RunArgs, record: &RunRecord, target: &Path) -> Result<(), Failure> {
    let style = output::style();
    if args.json {
        let text = serde_json::to_string_pretty(record)
            .map_err(|error| Failure::new(Exit::Server, format!("failed to print the record: {error}")))?;
        output::print(&format!("{text}\n"))?;
        output::tell(&format!("report: {}", target.display()));
        return Ok(());
    }
    let text = if args.quiet { report::summary(record, &style) } else { report::terminal(record, &style) };
    output::print(&format!("{}\n\nreport: {}\n", text.trim_end(), target.display()))
}

/// `--control`: a model that is called faster or slower than itself is a fault of harness or machine.
fn controlled(record: &RunRecord) -> Exit {
    let verdicts = record
        .scenarios
        .iter()
        .flat_map(|scenario| scenario.analysis.operations.values())
        .flat_map(|metrics| metrics.values())
        .filter_map(|comparison| comparison.speedup.verdict);
    let told_apart = verdicts.into_iter().any(|verdict| matches!(verdict, Verdict::Faster | Verdict::Slower));
    if told_apart { Exit::ConditionFailed } else { Exit::Done }
}
