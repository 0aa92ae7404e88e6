//! The whole run: scenario after scenario, and a record that is whole at any time.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::data::Claimant;
use super::describe;
use super::error::RunError;
use super::event::{Event, Listener};
use super::evidence::SmallEvidence;
use super::interrupt::Interrupt;
use super::machine::this_machine;
use super::note::{keep, note};
use super::request::{Extent, RunFinish, RunRequest, Target};
use super::scenario_run::{Afterwards, ScenarioRun};
use super::session::Session;
use super::simulated;
use super::support::Supported;
use crate::analysis::analyse;
use crate::guard::{Consent, Owner, Reuse, judge};
use crate::operation::ModelProgram;
use crate::plan::{Plan, RunOptions, stream_sha256};
use crate::record::{self, RunRecord, SCHEMA, ScenarioRecord, Server, Stamp, Tool};
use crate::server::RunningServer;

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
        server: server_of(&request.target),
        client: this_machine(),
        scenarios: Vec::new(),
    }
}

/// What a record says of the server that is measured on.
pub fn server_of(target: &Target<'_>) -> Server {
    match target {
        Target::Server { server, .. } => server.facts().record(None),
        Target::Simulated(server) => simulated::server_record(server),
    }
}

/// Errors of one scenario go to `finish`; the one answered ends the run.
async fn run_all(
    request: &RunRequest<'_>,
    listener: &mut dyn Listener,
    interrupt: Interrupt,
    finish: &mut RunFinish,
) -> Result<(), RunError> {
    match &request.target {
        Target::Server { server, consent, ends } => {
            check(&request.options, server, consent)?;
            let session = open(&request.options, server, *ends, listener, interrupt).await?;
            run_on_server(request, session, finish).await
        }
        Target::Simulated(server) => simulated::run_all(request, server, listener, interrupt, finish).await,
    }
}

async fn run_on_server(
    request: &RunRequest<'_>,
    mut session: Session<'_>,
    finish: &mut RunFinish,
) -> Result<(), RunError> {
    let server = Arc::clone(&session.main);
    let rtt = session.attendant.attend(server.server.round_trip()).await?;
    finish.record.server = server.server.facts().record(rtt);
    drop(server);
    let outcome = run_plans(request, &mut session, finish).await;
    let is_gone = session.main_ends() || matches!(outcome, Err(RunError::Lost { .. }));
    let outcome = match session.source.take() {
        Some(source) if !is_gone => outcome.and(source.drop_database().await.map_err(RunError::from)),
        _ => outcome,
    };
    session.end().await;
    outcome
}

async fn run_plans(
    request: &RunRequest<'_>,
    session: &mut Session<'_>,
    finish: &mut RunFinish,
) -> Result<(), RunError> {
    for (place, plan) in request.plans.iter().enumerate() {
        let afterwards = afterwards(request, place);
        let outcome = run_plan(session, plan, afterwards, request.extent, &mut finish.record).await;
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
pub(super) fn check(options: &RunOptions, server: &RunningServer, consent: &Consent) -> Result<(), RunError> {
    let refusal = if server.is_ours() { RunError::lasting_data(options) } else { RunError::own_servers(options) };
    if let Some(refusal) = refusal {
        return Err(refusal);
    }
    Ok(judge(server.facts(), consent)?)
}

/// Opens what all scenarios of a run share.
pub(super) async fn open<'a>(
    options: &RunOptions,
    server: &'a RunningServer,
    ends: bool,
    listener: &'a mut dyn Listener,
    interrupt: Interrupt,
) -> Result<Session<'a>, RunError> {
    let run = format!("{}-{}", Stamp::now().compact(), std::process::id());
    let claimant = Claimant {
        owner: Owner::this_process(&run),
        reuse: if options.reuse { Reuse::Matching } else { Reuse::Never },
    };
    Ok(Session::open(server, ends, claimant, listener, interrupt).await?)
}

fn afterwards(request: &RunRequest<'_>, place: usize) -> Afterwards {
    let name = |plan: &Plan| plan.scenario.name.clone();
    let next = request.plans.get(place + 1);
    if next.map(name) == Some(name(&request.plans[place])) {
        Afterwards::KeepSource
    } else if request.options.keep_data {
        Afterwards::Keep
    } else if next.is_none() {
        Afterwards::End
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
    let supported = Supported::of(plan, session.main.server.facts());
    session.listener.hear(&started(&supported.plan, supported.plan.estimate().total()));
    let whole = session.attendant.attend(describe(plan)).await?;
    let (mut scenario, outcome) = carry_out(session, supported, &whole, afterwards, extent).await;
    analyse(&mut scenario, record.profile);
    record.scenarios.push(scenario);
    session.listener.hear(&Event::ScenarioFinished { scenario: plan.scenario.name.clone() });
    outcome
}

/// Carries out what of a plan the server supports. A model that turns out not to be supported while its collections are
/// made is left out, and the others begin again.
pub(super) async fn carry_out(
    session: &mut Session<'_>,
    mut supported: Supported,
    whole: &ScenarioRecord,
    afterwards: Afterwards,
    extent: Extent,
) -> (ScenarioRecord, Result<(), RunError>) {
    let mut told = 0;
    loop {
        let mut record = supported.record(whole);
        for (place, (model, why)) in supported.skipped().enumerate() {
            let what = format!("skipped: {why}");
            if place < told {
                keep(&mut record, Some(model), what);
            } else {
                note(session.listener, &mut record, Some(model), what);
            }
        }
        told = supported.skipped().count();
        if let Some(why) = record.not_measurable.clone() {
            note(session.listener, &mut record, None, format!("not measurable on this server: {why}"));
            // No other scenario is to take the data for its own.
            let outcome = match session.source.take() {
                Some(source) => source.drop_database().await.map_err(RunError::from),
                None => Ok(()),
            };
            return (record, outcome);
        }
        let plan = supported.plan.clone();
        let run = ScenarioRun {
            session,
            plan: &plan,
            record: &mut record,
            extent,
            observed: BTreeMap::new(),
            small: SmallEvidence::default(),
        };
        match run.carry_out(afterwards).await {
            Err(RunError::Unsupported { model, why, .. }) if record.rounds.is_empty() => supported.skip(&model, why),
            outcome => return (record, outcome),
        }
    }
}

/// A scenario under a workload begins.
pub(super) fn started(plan: &Plan, estimate: Duration) -> Event {
    Event::ScenarioStarted {
        scenario: plan.scenario.name.clone(),
        workload: plan.workload().name.clone(),
        models: plan.models().map(|model| model.name.clone()).collect(),
        estimate_seconds: estimate.as_secs_f64(),
    }
}

/// The record before anything was measured, with the fingerprints of data and operations.
pub(super) async fn describe(plan: &Plan) -> Result<ScenarioRecord, RunError> {
    let fingerprints = {
        let plan = plan.clone();
        tokio::task::spawn_blocking(move || fingerprints(&plan))
    };
    let (dataset, stream) =
        fingerprints.await.unwrap_or_else(|failure| std::panic::resume_unwind(failure.into_panic()))?;
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

pub(super) fn write(request: &RunRequest<'_>, record: &RunRecord) -> Result<(), RunError> {
    if let Some(folder) = request.folder {
        record.write_atomically(folder)?;
    }
    Ok(())
}
