//! `patternbench run`.

use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::args::{ModeChoice, RunArgs};
use super::exit::{Exit, Failure};
use super::named::Named;
use super::progress::{Display, Progress, duration};
use super::report::{REPORT, write_html};
use super::{aftermath, conditions, connect, growth, interrupts, output};
use crate::backend::simulated::SimulatedServer;
use crate::plan::{Decided, Plan, RunOptions};
use crate::record::{ResultsFolder, RunRecord, Stamp};
use crate::report;
use crate::run::{self, Extent, Interrupt, RunError, RunFinish, RunRequest, Target};
use crate::scenario::Scenario;
use crate::server::{self, DecidedServer, RunningServer};
use crate::units::Rate;
use crate::words::{Isolation, Verdict};

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
    let options = options(args);
    if simulated.is_some() {
        RunError::beside_simulation(&options).map_or(Ok(()), |refusal| Err(Failure::usage(refusal)))?;
    }
    if args.verify_growth && simulated.is_some() {
        return Err(growth::on_simulation());
    }
    let named = Named::by(args, &options)?;
    if args.verify_growth {
        refuse_unfit(args, &options)?;
        return growth::verify(args, options, named, Progress::new(display(args)), interrupt).await;
    }
    let Named { scenarios, plans, broken } = named;
    if let Some(server) = &simulated {
        connect::fit(server.simulation(), &scenarios)?;
    }
    if args.dry_run {
        output::print(&plans.iter().map(outline).collect::<Vec<_>>().join("\n"))?;
        return Ok(broken.iter().map(|(_, failure)| failure.exit).fold(Exit::Done, Exit::max));
    }
    let measured_on = match simulated {
        Some(server) => On::Simulation(server),
        None => On::Server(Box::new(open(args, &options).await?)),
    };
    let folder = ResultsFolder::create(&args.out, Stamp::now(), &run_name(args, &scenarios))?;
    let request = RunRequest {
        target: measured_on.target(args),
        plans,
        options,
        folder: Some(folder.path()),
        extent: Extent::Everything,
    };
    let planned = request.plans.len();
    tell_total(args, &request.plans);
    let mut progress = Progress::new(display(args));
    let finish = run::run(&request, &mut progress, interrupt).await;
    let exit = conclude(args, &finish, folder.path(), measured_on).await?;
    let begun = finish.record.scenarios.len();
    aftermath::lines(&broken, planned, begun, &finish.errors).iter().for_each(|line| output::tell(line));
    Ok(exit.max(aftermath::exit(&broken, &finish.errors)))
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
        cache_bytes: args.cache,
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

async fn open(args: &RunArgs, options: &RunOptions) -> Result<RunningServer, Failure> {
    refuse_unfit(args, options)?;
    connect::open(&args.server, args.cache).await
}

/// What the run itself would refuse, before a server is started and a results folder made for it.
fn refuse_unfit(args: &RunArgs, options: &RunOptions) -> Result<(), Failure> {
    let (on_ours, on_named) = (RunError::lasting_data(options), RunError::own_servers(options));
    let of_mongod = args.cache.and_then(server::refuses_cache).map(RunError::Usage);
    if on_ours.is_none() && on_named.is_none() && of_mongod.is_none() {
        return Ok(());
    }
    let refusal = match server::decide(&connect::options(&args.server)?)?.server {
        DecidedServer::Uri(_) => on_named,
        DecidedServer::Mongod(_) => on_ours.or(of_mongod),
        DecidedServer::Embedded(_) => on_ours,
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

/// Shows what was measured and what went wrong, and weighs the conditions on it.
async fn conclude(args: &RunArgs, finish: &RunFinish, folder: &Path, measured_on: On) -> Result<Exit, Failure> {
    let record = &finish.record;
    let target = folder.join(REPORT);
    write_html(record, &target)?;
    show(args, record, &target)?;
    for error in &finish.errors {
        output::tell(&format!("error: {error}"));
    }
    measured_on.stop().await;
    let failed = conditions::failed(&args.fail_on, record);
    failed.iter().for_each(|what| output::tell(&format!("failed: {what}")));
    let conditions = if failed.is_empty() { Exit::Done } else { Exit::ConditionFailed };
    Ok(conditions.max(if args.control { controlled(record) } else { Exit::Done }))
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
