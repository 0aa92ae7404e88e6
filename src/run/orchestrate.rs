//! The whole run: scenario after scenario, and a record that is whole at any time.

use std::collections::BTreeMap;

use super::attend::Attendant;
use super::data::Claimant;
use super::describe;
use super::error::RunError;
use super::event::{Event, Listener};
use super::interrupt::Interrupt;
use super::machine::this_machine;
use super::request::{Extent, RunFinish, RunRequest};
use super::scenario_run::{Afterwards, ScenarioRun, Session};
use super::watchdog::Watchdog;
use crate::analysis::analyse;
use crate::guard::{Owner, Reuse, judge};
use crate::load::LoadOptions;
use crate::operation::ModelProgram;
use crate::plan::{Plan, stream_sha256};
use crate::record::{self, RunRecord, SCHEMA, ScenarioRecord, Stamp, Tool};

/// Connections for markers, signs of life and pings.
const CONTROL_CONNECTIONS: u32 = 3;

/// Measures every plan of the request. Never prints: the listener hears what happens. Ends early when the interrupt is
/// triggered, when the server is lost, or when it may not be used; an error of one scenario leaves the others alone.
pub async fn run(request: &RunRequest<'_>, listener: &mut dyn Listener, interrupt: Interrupt) -> RunFinish {
    let mut finish = RunFinish { record: empty_record(request), errors: Vec::new() };
    if let Err(error) = run_all(request, listener, interrupt, &mut finish).await {
        finish.errors.push(error);
    }
    let measured_all = finish.record.scenarios.len() == request.plans.len();
    finish.record.complete =
        finish.errors.is_empty() && measured_all && finish.record.scenarios.iter().all(|scenario| scenario.complete);
    finish.record.finished_at = Some(record::now());
    if let Err(error) = write(request, &finish.record) {
        finish.errors.push(error);
    }
    finish
}

fn empty_record(request: &RunRequest<'_>) -> RunRecord {
    RunRecord {
        schema: SCHEMA.to_owned(),
        tool: Tool { version: env!("CARGO_PKG_VERSION").to_owned() },
        complete: false,
        started_at: record::now(),
        finished_at: None,
        label: request.options.label.clone(),
        profile: request.options.profile,
        server: request.server.facts().record(None),
        client: this_machine(),
        scenarios: Vec::new(),
    }
}

/// Errors of one scenario go to `finish`; the one answered ends the run.
async fn run_all(
    request: &RunRequest<'_>,
    listener: &mut dyn Listener,
    interrupt: Interrupt,
    finish: &mut RunFinish,
) -> Result<(), RunError> {
    check(request)?;
    let mut session = open(request, listener, interrupt).await?;
    let rtt = session.attendant.attend(request.server.round_trip()).await?;
    finish.record.server = request.server.facts().record(rtt);
    let outcome = run_plans(request, &mut session, finish).await;
    let is_gone = session.server_ends || matches!(outcome, Err(RunError::Lost { .. }));
    match session.source.take() {
        Some(source) if !is_gone => outcome.and(source.drop_database().await.map_err(RunError::from)),
        _ => outcome,
    }
}

async fn run_plans(
    request: &RunRequest<'_>,
    session: &mut Session<'_>,
    finish: &mut RunFinish,
) -> Result<(), RunError> {
    for (place, plan) in request.plans.iter().enumerate() {
        let outcome = run_plan(session, plan, afterwards(request, place), request.extent, &mut finish.record).await;
        write(request, &finish.record)?;
        match outcome {
            Ok(()) => {}
            Err(error) if error.ends_the_run() => return Err(error),
            Err(error) => finish.errors.push(error),
        }
    }
    Ok(())
}

/// What the user asked must fit the server, before anything is touched.
fn check(request: &RunRequest<'_>) -> Result<(), RunError> {
    if request.server.is_ours()
        && let Some(refusal) = RunError::lasting_data(&request.options)
    {
        return Err(refusal);
    }
    Ok(judge(request.server.facts(), &request.consent)?)
}

async fn open<'a>(
    request: &RunRequest<'a>,
    listener: &'a mut dyn Listener,
    interrupt: Interrupt,
) -> Result<Session<'a>, RunError> {
    let server = request.server;
    let control = server.client(CONTROL_CONNECTIONS).await?;
    let loading = u32::try_from(LoadOptions::default().connections + 1).unwrap_or(u32::MAX);
    let run = format!("{}-{}", Stamp::now().compact(), std::process::id());
    Ok(Session {
        server,
        attendant: Attendant { watchdog: Watchdog::new(server, control.clone()), interrupt },
        claimant: Claimant {
            client: control,
            owner: Owner::this_process(&run),
            reuse: if request.options.reuse { Reuse::Matching } else { Reuse::Never },
        },
        client: server.client(loading).await?,
        listener,
        server_ends: server_ends(request),
        source: None,
    })
}

fn server_ends(request: &RunRequest<'_>) -> bool {
    request.server_ends && request.server.is_ours()
}

fn afterwards(request: &RunRequest<'_>, place: usize) -> Afterwards {
    let name = |plan: &Plan| plan.scenario.name.clone();
    let next = request.plans.get(place + 1);
    if next.map(name) == Some(name(&request.plans[place])) {
        Afterwards::KeepSource
    } else if request.options.keep_data {
        Afterwards::Keep
    } else if next.is_none() && server_ends(request) {
        Afterwards::LeaveToServer
    } else {
        Afterwards::Drop
    }
}

async fn run_plan(
    session: &mut Session<'_>,
    plan: &Plan,
    afterwards: Afterwards,
    extent: Extent,
    record: &mut RunRecord,
) -> Result<(), RunError> {
    session.listener.hear(&Event::ScenarioStarted {
        scenario: plan.scenario.name.clone(),
        workload: plan.workload().name.clone(),
        models: plan.models().map(|model| model.name.clone()).collect(),
        estimate_seconds: plan.estimate().total().as_secs_f64(),
    });
    let mut scenario = describe(session, plan).await?;
    let run = ScenarioRun { session, plan, record: &mut scenario, extent, observed: BTreeMap::new() };
    let outcome = run.carry_out(afterwards).await;
    analyse(&mut scenario, record.profile);
    record.scenarios.push(scenario);
    session.listener.hear(&Event::ScenarioFinished { scenario: plan.scenario.name.clone() });
    outcome
}

/// The record before anything was measured, with the fingerprints of data and operations.
async fn describe(session: &Session<'_>, plan: &Plan) -> Result<ScenarioRecord, RunError> {
    let fingerprints = {
        let plan = plan.clone();
        tokio::task::spawn_blocking(move || fingerprints(&plan))
    };
    let waiting =
        async { fingerprints.await.unwrap_or_else(|failure| std::panic::resume_unwind(failure.into_panic())) };
    let (dataset, stream) = session.attendant.attend(waiting).await?;
    Ok(describe::scenario(plan, dataset, stream))
}

/// `dataset_sha256` and `stream_sha256`.
fn fingerprints(plan: &Plan) -> Result<(String, String), RunError> {
    let broken = |error: crate::value::RenderError| RunError::Scenario {
        scenario: plan.scenario.name.clone(),
        why: error.to_string(),
    };
    let dataset = plan.world.sha256().map_err(broken)?;
    // Arguments are the same for all models.
    let program = ModelProgram::new(&plan.scenario, plan.workload_index, plan.models[0], plan.world.clone());
    let program = program.map_err(broken)?;
    let stream = stream_sha256(plan, |operation, number| program.arguments(operation, number))?;
    Ok((dataset, stream))
}

fn write(request: &RunRequest<'_>, record: &RunRecord) -> Result<(), RunError> {
    if let Some(folder) = request.folder {
        record.write_atomically(folder)?;
    }
    Ok(())
}
