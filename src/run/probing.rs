//! A study that offers rates: the phases of a run up to calibration, then whatever windows are asked for.

use std::sync::Arc;

use super::error::RunError;
use super::event::{Event, Listener};
use super::interrupt::Interrupt;
use super::orchestrate::{carry_out, check, describe, open, started};
use super::probe::Prober;
use super::request::{Extent, Target};
use super::scenario_run::Afterwards;
use super::simulated;
use super::support::Supported;
use crate::guard::Consent;
use crate::plan::{Plan, RunOptions};
use crate::record::ScenarioRecord;
use crate::server::RunningServer;

/// On what rates are offered.
#[derive(Debug)]
pub struct ProbesRequest<'a> {
    /// What to measure on.
    pub target: Target<'a>,
    /// The scenario under its workload.
    pub plan: Plan,
    /// What the user asked for, from which the plan was made.
    pub options: RunOptions,
}

/// What came of it, besides what the prober heard.
#[derive(Debug, Default)]
pub struct ProbesFinish {
    /// The scenario: its models with their storage bill, calibration and events, and no round; absent where it was not
    /// begun.
    pub record: Option<ScenarioRecord>,
    /// What ended it early.
    pub error: Option<RunError>,
}

/// Loads the models, compares their answers on small data, calibrates them unless that is known, and offers them the rates
/// that the prober asks for. Never prints: the listener hears what happens.
pub async fn offer_rates(
    request: &ProbesRequest<'_>,
    prober: &mut dyn Prober,
    listener: &mut dyn Listener,
    interrupt: Interrupt,
) -> ProbesFinish {
    let mut finish = ProbesFinish::default();
    let outcome = match &request.target {
        Target::Server { server, consent, ends } => {
            let server = Given { server, consent, ends: *ends };
            on_server(request, &server, prober, listener, interrupt, &mut finish.record).await
        }
        Target::Simulated(server) => {
            let server = Arc::clone(server);
            on_simulation(request, &server, prober, listener, &interrupt, &mut finish.record).await
        }
    };
    finish.error = outcome.err();
    finish
}

/// The server that was given.
struct Given<'r> {
    server: &'r RunningServer,
    consent: &'r Consent,
    ends: bool,
}

async fn on_server(
    request: &ProbesRequest<'_>,
    given: &Given<'_>,
    prober: &mut dyn Prober,
    listener: &mut dyn Listener,
    interrupt: Interrupt,
    record: &mut Option<ScenarioRecord>,
) -> Result<(), RunError> {
    let plan = &request.plan;
    check(&request.options, given.server, given.consent)?;
    let mut session = open(&request.options, given.server, given.ends, listener, interrupt).await?;
    session.prober = Some(prober);
    let supported = Supported::of(plan, session.main.server.facts());
    session.listener.hear(&started(&supported.plan, plan.estimate().total()));
    let outcome = match session.attendant.attend(describe(plan)).await {
        Ok(whole) => {
            let extent = Extent::Everything;
            let (scenario, outcome) = carry_out(&mut session, supported, &whole, Afterwards::End, extent).await;
            *record = Some(scenario);
            outcome
        }
        Err(error) => Err(error),
    };
    session.listener.hear(&Event::ScenarioFinished { scenario: plan.scenario.name.clone() });
    let outcome = match session.source.take() {
        Some(source) if !session.main_ends() && !matches!(outcome, Err(RunError::Lost { .. })) => {
            outcome.and(source.drop_database().await.map_err(RunError::from))
        }
        _ => outcome,
    };
    session.end().await;
    outcome
}

async fn on_simulation(
    request: &ProbesRequest<'_>,
    server: &Arc<crate::backend::simulated::SimulatedServer>,
    prober: &mut dyn Prober,
    listener: &mut dyn Listener,
    interrupt: &Interrupt,
    record: &mut Option<ScenarioRecord>,
) -> Result<(), RunError> {
    let plan = &request.plan;
    RunError::beside_simulation(&request.options).map_or(Ok(()), Err)?;
    listener.hear(&started(plan, std::time::Duration::from_secs(1)));
    let scenario = record.insert(describe(plan).await?);
    let outcome = simulated::probe(plan, server, prober, listener, interrupt, scenario).await;
    listener.hear(&Event::ScenarioFinished { scenario: plan.scenario.name.clone() });
    outcome
}
