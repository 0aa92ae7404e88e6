//! Each model of a scenario at two sizes of its data, in interleaved rounds: how the cost of its operations grows.
//!
//! The larger data play naive and the smaller ones the pattern, so that ratio and interval are those of any comparison: a
//! ratio above 1 is the factor by which the larger data are slower. Answers are not compared.

use std::sync::Arc;

use super::bench::{Bench, Contender};
use super::crew::Crew;
use super::data::{Databases, Size};
use super::describe;
use super::driven::Driven;
use super::error::RunError;
use super::event::Listener;
use super::interrupt::Interrupt;
use super::orchestrate::{check, open};
use super::server_stage::ServerStage;
use super::session::Session;
use super::support::Supported;
use crate::analysis::analyse;
use crate::evidence;
use crate::guard::{ClaimedDatabase, Consent};
use crate::operation::{ActorState, ModelProgram};
use crate::plan::{Plan, RunOptions, Sizes};
use crate::record::ScenarioRecord;
use crate::scenario::Need;
use crate::server::RunningServer;
use crate::words::Role;

/// What came of a model at two sizes.
#[derive(Debug)]
pub struct SizedModel {
    /// The model.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// What was measured of it.
    pub outcome: SizedOutcome,
}

/// What was measured of a model at two sizes.
#[derive(Debug)]
pub enum SizedOutcome {
    /// The comparison, the larger data as naive.
    Measured(Box<ScenarioRecord>),
    /// The server does not have what the model needs.
    Skipped(String),
    /// It could not be measured.
    Failed(RunError),
}

/// What is measured at two sizes.
#[derive(Debug)]
pub struct SizesRequest<'a> {
    /// The server.
    pub server: &'a RunningServer,
    /// What the user has agreed to.
    pub consent: Consent,
    /// Whether the server is stopped afterwards where patternbench started it.
    pub ends: bool,
    /// What the user asked for, from which the plans were made.
    pub options: RunOptions,
    /// What to measure, in this order.
    pub sizes: Vec<Sizes>,
}

/// What came of it.
#[derive(Debug, Default)]
pub struct SizesFinish {
    /// The models of each, in order; fewer than asked for where an error ended it.
    pub measured: Vec<Vec<SizedModel>>,
    /// What ended it early.
    pub error: Option<RunError>,
}

/// The source databases of both sizes, while models follow each other.
type Sources = [Option<ClaimedDatabase>; 2];

/// Measures every model of these at both sizes, one after another. Never prints: the listener hears what happens.
pub async fn run_sizes(request: &SizesRequest<'_>, listener: &mut dyn Listener, interrupt: Interrupt) -> SizesFinish {
    let mut finish = SizesFinish::default();
    if let Err(error) = measure_all(request, listener, interrupt, &mut finish.measured).await {
        finish.error = Some(error);
    }
    finish
}

/// What was measured goes to `measured`; the error answered ended it.
async fn measure_all(
    request: &SizesRequest<'_>,
    listener: &mut dyn Listener,
    interrupt: Interrupt,
    measured: &mut Vec<Vec<SizedModel>>,
) -> Result<(), RunError> {
    check(&request.options, request.server, &request.consent)?;
    let mut session = open(&request.options, request.server, request.ends, listener, interrupt).await?;
    let mut outcome = Ok(());
    for sizes in &request.sizes {
        let mut models = Vec::new();
        outcome = measure_scenario(&mut session, sizes, &mut models).await;
        measured.push(models);
        if outcome.is_err() {
            break;
        }
    }
    session.end().await;
    outcome
}

/// Measures the models of a scenario, one after another, over the same sources.
async fn measure_scenario(
    session: &mut Session<'_>,
    sizes: &Sizes,
    models: &mut Vec<SizedModel>,
) -> Result<(), RunError> {
    let supported = Supported::of(&sizes.small, session.main.server.facts());
    let mut sources: Sources = [None, None];
    for place in &sizes.small.models {
        let model = &sizes.small.scenario.models[*place];
        let skipped = supported.skipped().find(|(name, _)| *name == model.name).map(|(_, why)| why.to_owned());
        let outcome = match skipped {
            Some(why) => SizedOutcome::Skipped(why),
            None => match measure_model(session, sizes, *place, &mut sources).await {
                Ok(record) => SizedOutcome::Measured(Box::new(record)),
                Err(RunError::Unsupported { why, .. }) => SizedOutcome::Skipped(why),
                Err(error) if error.ends_the_run() => return Err(error),
                Err(error) => SizedOutcome::Failed(error),
            },
        };
        models.push(SizedModel { name: model.name.clone(), role: model.role, outcome });
    }
    if session.main_ends() {
        // Quicker than dropping large databases.
        return session.renew().await;
    }
    for source in sources.into_iter().flatten() {
        source.drop_database().await?;
    }
    Ok(())
}

/// Loads a model at both sizes and measures them against each other.
async fn measure_model<'a>(
    session: &mut Session<'a>,
    sizes: &Sizes,
    place: usize,
    sources: &mut Sources,
) -> Result<ScenarioRecord, RunError> {
    let plans = sizes.of_model(place);
    let main = std::slice::from_ref(&session.main);
    let mut claimed = Vec::new();
    for (plan, source) in plans.iter().zip(sources.iter_mut()) {
        claimed.push(session.claimant.claim_all(plan, Size::Measured, main, source.take()).await?);
    }
    let mut outcome = load_all(session, &plans, &mut claimed).await;
    let small_and_large: [Databases<'a>; 2] = claimed.try_into().expect("one for each size");
    let [small, large] = small_and_large;
    // The larger data play naive.
    let databases = large.beside(small);
    let mut record = describe::scenario(&sizes.pair(place), String::new(), String::new());
    if outcome.is_ok() {
        outcome = measure_rounds(session, sizes, place, &databases, &mut record).await;
    }
    let [mut large, mut small] = databases.apart();
    match &outcome {
        Err(RunError::Lost { .. }) => {}
        Err(error) if error.ends_the_run() && session.main_ends() => {}
        Err(error) if error.ends_the_run() => {
            // What cannot be dropped is found by `clean`; there is an error to report already.
            let _ = large.drop_all(false).await;
            let _ = small.drop_all(false).await;
        }
        _ => *sources = [release(session, small).await?, release(session, large).await?],
    }
    outcome.map(|()| record)
}

async fn load_all(session: &mut Session<'_>, plans: &[Plan; 2], claimed: &mut [Databases<'_>]) -> Result<(), RunError> {
    for (plan, databases) in plans.iter().zip(claimed) {
        databases.load(plan, &session.attendant, session.listener).await?;
        databases.mark_used().await?;
    }
    let flushing = async {
        evidence::flush(session.main.client()).await.map_err(|error| RunError::Lost { why: error.to_string() })
    };
    session.attendant.attend(flushing).await.map(drop)
}

/// Lets go of a model's database and keeps the source for the next model. On a server that goes with the run it goes with
/// the server.
async fn release(session: &Session<'_>, mut databases: Databases<'_>) -> Result<Option<ClaimedDatabase>, RunError> {
    if session.main_ends() {
        return Ok(databases.into_source());
    }
    Ok(databases.drop_all(true).await?)
}

/// Calibrates and runs the rounds, the two sizes in turn.
async fn measure_rounds<'a>(
    session: &mut Session<'a>,
    sizes: &Sizes,
    place: usize,
    databases: &Databases<'a>,
    record: &mut ScenarioRecord,
) -> Result<(), RunError> {
    let pair = sizes.pair(place);
    let has_transactions = session.main.server.facts().lacks(Need::Transactions).is_none();
    let Session { attendant, listener, .. } = session;
    let crew = Arc::new(attendant.attend(Crew::open(&pair, databases, pair.concurrency)).await?);
    let large_first = [&sizes.large, &sizes.small];
    let mut contenders = Vec::new();
    for (position, (plan, placed)) in large_first.into_iter().zip(databases.models()).enumerate() {
        let program = ModelProgram::new(&plan.scenario, plan.workload_index, place, Arc::clone(&plan.world));
        let program = program
            .map_err(|error| RunError::Scenario { scenario: plan.scenario.name.clone(), why: error.to_string() })?;
        let state = Arc::new(ActorState::new(&program));
        let work = Driven::over(&crew, position, placed.name(), &Arc::new(program), &state, has_transactions);
        contenders.push(Contender::new(position, work));
    }
    let stage = ServerStage::new(&pair, databases, attendant, false, crew)?;
    let interrupt = attendant.interrupt.clone();
    let mut bench = Bench::new(&pair, contenders, interrupt, &stage, *listener, record);
    let calibrated = bench.calibrate(0, None).await?;
    bench.rounds(0, &calibrated).await?;
    stage.crew().close().await;
    // What disturbed a window moves a median by percents; what is looked for is a factor.
    record.rounds.iter_mut().for_each(|window| window.disturbed.clear());
    analyse(record, pair.profile);
    Ok(())
}
