//! `patternbench run`.

use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::args::{ModeChoice, RunArgs};
use super::exit::{Exit, Failure};
use super::progress::{Display, Progress};
use super::report::{REPORT, write_html};
use super::{connect, interrupts, output, select};
use crate::plan::{self, Decided, Plan, RunOptions};
use crate::record::{ResultsFolder, RunRecord, Stamp};
use crate::report;
use crate::run::{self, Extent, Interrupt, RunError, RunFinish, RunRequest};
use crate::scenario::{self, Scenario};
use crate::server::{self, DecidedServer, RunningServer};
use crate::words::ClaimOutcome;

const NOTHING_NAMED: &str = "nothing to run was named; try one of

  patternbench list                     what can be measured
  patternbench run product-list-page    two models of a product list page, about a minute
  patternbench new my-models            a scenario of your own to start from";

/// Measures what the arguments name.
///
/// # Errors
/// Usage, before anything is touched; or the server cannot be used; or results cannot be written. What goes wrong while
/// measuring is told, and gives the exit code.
pub(super) async fn run(args: &RunArgs) -> Result<Exit, Failure> {
    let interrupt = Interrupt::new();
    interrupts::attended(interrupt.clone(), measure(args, interrupt)).await
}

async fn measure(args: &RunArgs, interrupt: Interrupt) -> Result<Exit, Failure> {
    let scenarios = scenarios(args)?;
    let options = options(args);
    let mut plans = Vec::new();
    for scenario in &scenarios {
        plans.extend(plan::plan_scenario(scenario, &options).map_err(Failure::usage)?);
    }
    if args.dry_run {
        output::print(&plans.iter().map(outline).collect::<Vec<_>>().join("\n"))?;
        return Ok(Exit::Done);
    }
    refuse_lasting_data(args, &options)?;
    let cache_bytes = scenarios.iter().filter_map(|scenario| scenario.cache_bytes).max();
    let server = connect::open(&args.server, cache_bytes).await?;
    let folder = ResultsFolder::create(&args.out, Stamp::now(), &run_name(args, &scenarios))?;
    let request = RunRequest {
        server: &server,
        consent: connect::consent(&args.server),
        plans,
        options,
        folder: Some(folder.path()),
        server_ends: true,
        extent: Extent::Everything,
    };
    let mut progress = Progress::new(display(args));
    let finish = run::run(&request, &mut progress, interrupt).await;
    conclude(args, &finish, folder.path(), server).await
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

/// What the run itself would refuse, before a server is started and a results folder made for it.
fn refuse_lasting_data(args: &RunArgs, options: &RunOptions) -> Result<(), Failure> {
    let Some(refusal) = RunError::lasting_data(options) else { return Ok(()) };
    match server::decide(&connect::options(&args.server)?)?.server {
        DecidedServer::Uri(_) => Ok(()),
        DecidedServer::Mongod(_) | DecidedServer::Embedded(_) => Err(Failure::usage(refusal)),
    }
}

fn run_name(args: &RunArgs, scenarios: &[Arc<Scenario>]) -> String {
    match (&args.label, scenarios) {
        (Some(label), _) => label.clone(),
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

/// Shows what was measured and what went wrong, and weighs it.
async fn conclude(args: &RunArgs, finish: &RunFinish, folder: &Path, server: RunningServer) -> Result<Exit, Failure> {
    let record = &finish.record;
    let target = folder.join(REPORT);
    write_html(record, &target)?;
    show(args, record, &target)?;
    for error in &finish.errors {
        output::tell(&format!("error: {error}"));
    }
    server.stop().await;
    let measured = if args.fail_on.is_empty() { Exit::Done } else { judged(record) };
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

/// `--fail-on claim`.
fn judged(record: &RunRecord) -> Exit {
    let refuted = record
        .scenarios
        .iter()
        .flat_map(|scenario| &scenario.claims)
        .any(|claim| claim.outcome == Some(ClaimOutcome::Refuted));
    if refuted { Exit::ConditionFailed } else { Exit::Done }
}
