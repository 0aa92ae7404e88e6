//! `patternbench capacity`.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::capacity_args::{CapacityArgs, CapacityCondition};
use super::exit::{Exit, Failure};
use super::progress::{Display, Progress};
use super::report::REPORT;
use super::{connect, interrupts, output, select};
use crate::backend::simulated::SimulatedServer;
use crate::plan::{self, Plan, RunOptions};
use crate::record::{self, CAPACITY_FILE, CapacityModel, CapacityRecord, Objective, ResultsFolder, Server, Stamp};
use crate::report;
use crate::run::{Event, Interrupt, Listener, RunError, Target, simulated_server_record};
use crate::server::RunningServer;
use crate::study::{CapacityFinish, CapacityRequest, capacity, capacity_begun, capacity_refusal, hold};
use crate::units::{Rate, Seconds};
use crate::words::{Isolation, Phase, Role};

/// Searches for the capacity of each model, on a server or a simulated one.
///
/// # Errors
/// Usage, before anything is touched; or the server cannot be used; or results cannot be written. What goes wrong while
/// measuring is told, and gives the exit code.
pub(super) async fn run(args: &CapacityArgs, simulated: Option<Arc<SimulatedServer>>) -> Result<Exit, Failure> {
    let interrupt = Interrupt::new();
    interrupts::attended(interrupt.clone(), measure(args, simulated, interrupt)).await
}

async fn measure(
    args: &CapacityArgs,
    simulated: Option<Arc<SimulatedServer>>,
    interrupt: Interrupt,
) -> Result<Exit, Failure> {
    let options = options(args);
    let plan = planned(args, &options)?;
    check_operation(args, &plan)?;
    match simulated {
        Some(server) => {
            RunError::beside_simulation(&options).map_or(Ok(()), |refusal| Err(Failure::usage(refusal)))?;
            connect::fit(server.simulation(), std::slice::from_ref(&plan.scenario))?;
            let told = simulated_server_record(&server);
            study(args, options, plan, told, Target::Simulated(server), interrupt).await
        }
        None => {
            let server: RunningServer = connect::open(&args.server, args.cache).await?;
            let told = server.facts().record(None);
            let target = Target::Server { server: &server, consent: connect::consent(&args.server), ends: true };
            let done = study(args, options, plan, told, target, interrupt).await;
            server.stop().await;
            done
        }
    }
}

fn options(args: &CapacityArgs) -> RunOptions {
    RunOptions {
        profile: args.profile,
        set: args.set.clone(),
        models: args.models.clone(),
        arrivals: args.arrivals,
        isolation: args.isolation.is_some().then_some(Isolation::Process),
        cache_bytes: args.cache,
        concurrency: args.concurrency,
        seed: args.seed,
        label: args.label.clone(),
        ..RunOptions::default()
    }
}

/// The plan of the workload that is named, else of the first.
fn planned(args: &CapacityArgs, options: &RunOptions) -> Result<Plan, Failure> {
    let scenario = Arc::new(select::scenario(&args.scenario)?);
    let mut plans = plan::plan_scenario(&scenario, options).map_err(Failure::usage)?;
    let Some(wanted) = &args.workload else { return Ok(plans.swap_remove(0)) };
    match plans.iter().position(|plan| plan.workload().name == *wanted) {
        Some(place) => Ok(plans.swap_remove(place)),
        None => {
            let known: Vec<&str> = plans.iter().map(|plan| plan.workload().name.as_str()).collect();
            Err(Failure::usage(format!(
                "scenario {} has no workload `{wanted}`; it has {}",
                scenario.name,
                known.join(", ")
            )))
        }
    }
}

fn check_operation(args: &CapacityArgs, plan: &Plan) -> Result<(), Failure> {
    let Some(wanted) = &args.operation else { return Ok(()) };
    let mut timed = plan.workload().operations.iter().filter(|operation| !operation.counted_only);
    if timed.any(|operation| operation.name == *wanted) {
        return Ok(());
    }
    let timed = plan.workload().operations.iter().filter(|operation| !operation.counted_only);
    let known: Vec<&str> = timed.map(|operation| operation.name.as_str()).collect();
    let workload = &plan.workload().name;
    Err(Failure::usage(format!("workload {workload} times no operation `{wanted}`; it times {}", known.join(", "))))
}

fn objective(args: &CapacityArgs) -> Objective {
    Objective {
        latencies: args.bounds(),
        errors: args.errors,
        operation: args.operation.clone(),
        hold: args.hold.map_or_else(|| hold(args.profile), Seconds::new),
        rate: args.rate.map(Rate::new),
    }
}

async fn study(
    args: &CapacityArgs,
    options: RunOptions,
    plan: Plan,
    server: Server,
    target: Target<'_>,
    interrupt: Interrupt,
) -> Result<Exit, Failure> {
    let begun = capacity_begun(&plan, server, objective(args), args.label.clone());
    let (folder, record) = match &args.resume {
        None => {
            let name = args.label.clone().unwrap_or_else(|| format!("{}-capacity", plan.scenario.name));
            let folder = ResultsFolder::create(&args.out, Stamp::now(), &name)?;
            (folder.path().to_owned(), begun)
        }
        Some(named) => resumed(args, named.as_deref(), begun)?,
    };
    record.write_atomically(&folder)?;
    let request = CapacityRequest { target, plan, options, record, folder: &folder };
    let finish = capacity(request, &mut Told(Progress::new(display(args)), args.quiet), interrupt).await;
    conclude(args, &finish, &folder)
}

/// The study to go on with: the one named, or the last that fits in the folder for results.
fn resumed(
    args: &CapacityArgs,
    named: Option<&Path>,
    begun: CapacityRecord,
) -> Result<(PathBuf, CapacityRecord), Failure> {
    let go_on = |folder: PathBuf, mut earlier: CapacityRecord| {
        earlier.resumed_at.push(record::now());
        earlier.finished_at = None;
        earlier.objective.rate = begun.objective.rate;
        (folder, earlier)
    };
    if let Some(folder) = named {
        let folder = if folder.is_dir() { folder } else { folder.parent().unwrap_or(folder) };
        let earlier = CapacityRecord::read(folder).map_err(Failure::usage)?;
        return match capacity_refusal(&earlier, &begun) {
            Some(why) => Err(Failure::usage(format!("cannot go on with {}: {why}", folder.display()))),
            None => Ok(go_on(folder.to_owned(), earlier)),
        };
    }
    let mut folders: Vec<PathBuf> = std::fs::read_dir(&args.out)
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default();
    folders.sort();
    let fits = |folder: PathBuf| {
        let earlier = CapacityRecord::read(&folder).ok()?;
        (!earlier.complete && capacity_refusal(&earlier, &begun).is_none()).then_some((folder, earlier))
    };
    let last = folders.into_iter().rev().filter(|folder| folder.join(CAPACITY_FILE).is_file()).find_map(fits);
    let (folder, earlier) = last.ok_or_else(|| {
        Failure::usage(format!(
            "there is no interrupted study of this scenario and objective in {}; name its folder with --resume=FOLDER",
            args.out.display()
        ))
    })?;
    Ok(go_on(folder, earlier))
}

fn display(args: &CapacityArgs) -> Display {
    if args.quiet {
        Display::Quiet
    } else if std::io::stderr().is_terminal() {
        Display::Bars
    } else {
        Display::Lines
    }
}

/// Shows what was found and what went wrong, and weighs the condition on it.
fn conclude(args: &CapacityArgs, finish: &CapacityFinish, folder: &Path) -> Result<Exit, Failure> {
    let record = &finish.record;
    let target = folder.join(REPORT);
    write_html(record, &target)?;
    if args.json {
        let text = serde_json::to_string_pretty(record)
            .map_err(|error| Failure::new(Exit::Server, format!("failed to print the record: {error}")))?;
        output::print(&format!("{text}\n"))?;
        output::tell(&format!("report: {}", target.display()));
    } else {
        let style = output::style();
        let text = if args.quiet { report::capacity_answer(record, &style) } else { report::capacity(record, &style) };
        output::print(&format!("{}\n\nreport: {}\n", text.trim_end(), target.display()))?;
    }
    let mut exit = Exit::Done;
    if let Some(error) = &finish.error {
        output::tell(&format!("error: {error}"));
        exit = error.exit();
        if exit == Exit::Interrupted {
            output::tell(&format!("--resume={} goes on with it", folder.display()));
        }
    }
    let failed = args.fail_on.map_or_else(Vec::new, |condition| failed(condition, record));
    failed.iter().for_each(|what| output::tell(&format!("failed: {what}")));
    Ok(if failed.is_empty() { exit } else { exit.max(Exit::ConditionFailed) })
}

/// What failed of the condition, a line each: the patterns whose whole interval lies below the rate that is wanted.
fn failed(condition: CapacityCondition, record: &CapacityRecord) -> Vec<String> {
    let CapacityCondition::Objective = condition;
    let Some(wanted) = record.objective.rate else { return Vec::new() };
    let misses = |model: &&CapacityModel| {
        let high = model.answer.as_ref().and_then(|answer| answer.high);
        model.role == Role::Pattern && high.is_some_and(|high| high < wanted)
    };
    let missed = record.models.iter().filter(misses);
    missed.map(|model| format!("{} does not sustain {:.0}/s within the objective", model.name, wanted.get())).collect()
}

/// `patternbench report` over the folder of a study.
///
/// # Errors
/// The record cannot be read, or the report cannot be written.
pub(super) fn report(path: &Path, html: Option<Option<&Path>>) -> Result<(), Failure> {
    let record = CapacityRecord::read(path).map_err(Failure::usage)?;
    let Some(target) = html else { return output::print(&report::capacity(&record, &output::style())) };
    let beside = || if path.is_dir() { path.join(REPORT) } else { path.with_file_name(REPORT) };
    let target = target.map_or_else(beside, Path::to_owned);
    write_html(&record, &target)?;
    output::print(&format!("wrote {}\n", target.display()))
}

/// Whether a path is the record of a study of capacity, or its folder.
pub(super) fn is_study(path: &Path) -> bool {
    if path.is_dir() {
        path.join(CAPACITY_FILE).is_file()
    } else {
        path.file_name().is_some_and(|name| name == CAPACITY_FILE)
    }
}

fn write_html(record: &CapacityRecord, target: &Path) -> Result<(), Failure> {
    record::write_atomically(target, report::capacity_html(record).as_bytes()).map_err(Failure::from)
}

/// Tells each window in a line of its own.
struct Told(Progress, bool);

impl Listener for Told {
    fn hear(&mut self, event: &Event) {
        match event {
            Event::Planned { .. } => {}
            Event::PhaseFinished { phase: Phase::Measured, summary } => {
                self.0.hear(&Event::PhaseFinished { phase: Phase::Measured, summary: None });
                if let Some(said) = summary.as_ref().filter(|_| !self.1) {
                    output::tell(&format!("  {said}"));
                }
            }
            other => self.0.hear(other),
        }
    }
}
