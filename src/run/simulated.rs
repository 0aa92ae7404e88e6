//! A run on a simulated server: the phases of a run on a server, as far as they mean anything without data.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::bench::{Bench, Contender};
use super::error::RunError;
use super::event::{Event, Listener};
use super::interrupt::Interrupt;
use super::orchestrate::{describe, started, write};
use super::probe::Prober;
use super::request::{Extent, RunFinish, RunRequest};
use super::simulated_parity::Compared;
use super::simulated_stage::SimulatedStage;
use crate::analysis::analyse;
use crate::backend::simulated::{SimulatedModel, SimulatedServer, Time};
use crate::parity::{Sample, stratified};
use crate::plan::{CalibratedPlan, Plan, Ranges};
use crate::record::{ClosingParityRecord, ParityRecord, Retries, ScenarioRecord, Server};
use crate::words::{Phase, Product, ServerSource, Topology};

/// Reads compared after the last round.
const CLOSING_READS: u64 = 200;

/// What a record says in place of a server.
pub fn server_record(server: &SimulatedServer) -> Server {
    let simulation = server.simulation();
    let time = match simulation.time() {
        Time::Virtual => "virtual time",
        Time::Real => "real time",
    };
    Server {
        source: ServerSource::Simulated,
        product: Product::Simulated,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        topology: Topology::Simulated,
        storage_engine: None,
        host: format!("{} ({time})", simulation.source().name()),
        parameters: Vec::new(),
        cache_bytes: None,
        read_concern: "none".to_owned(),
        write_concern: "none".to_owned(),
        retries: Retries { reads: false, writes: false },
        rtt: None,
    }
}

/// Carries out every plan. Errors of one scenario go to `finish`; the one answered ends the run.
pub(super) async fn run_all(
    request: &RunRequest<'_>,
    server: &Arc<SimulatedServer>,
    listener: &mut dyn Listener,
    interrupt: Interrupt,
    finish: &mut RunFinish,
) -> Result<(), RunError> {
    RunError::beside_simulation(&request.options).map_or(Ok(()), Err)?;
    for plan in &request.plans {
        listener.hear(&started(plan, estimate(plan, server)));
        let mut record = describe(plan).await?;
        let run = SimulatedRun { plan, server, listener, interrupt: &interrupt, record: &mut record };
        let outcome = run.carry_out(request).await;
        analyse(&mut record, finish.record.profile);
        finish.record.scenarios.push(record);
        listener.hear(&Event::ScenarioFinished { scenario: plan.scenario.name.clone() });
        write(request, &finish.record)?;
        match outcome {
            Ok(()) => {}
            Err(error) if error.ends_the_run() => return Err(error),
            Err(error) => finish.errors.push(error),
        }
    }
    Ok(())
}

/// Offers the models of a plan whatever rates the prober asks for.
pub(super) async fn probe(
    plan: &Plan,
    server: &Arc<SimulatedServer>,
    prober: &mut dyn Prober,
    listener: &mut dyn Listener,
    interrupt: &Interrupt,
    record: &mut ScenarioRecord,
) -> Result<(), RunError> {
    let mut run = SimulatedRun { plan, server, listener, interrupt, record };
    let models = run.models()?;
    run.compare(&models.iter().collect::<Vec<_>>())?;
    let stage = SimulatedStage::new(server, models);
    let contenders = plan.models.iter().zip(stage.work());
    let contenders = contenders.map(|(place, work)| Contender::new(*place, work)).collect();
    let mut bench = Bench::new(plan, contenders, interrupt.clone(), &stage, run.listener, run.record);
    let done = bench.begin_probing(prober).await?;
    // There are no data to load anew.
    bench.probe(prober, done, false).await?;
    run.record.complete = true;
    Ok(())
}

/// Nothing is loaded, and virtual time takes a moment.
fn estimate(plan: &Plan, server: &SimulatedServer) -> Duration {
    match server.simulation().time() {
        Time::Virtual => Duration::from_secs(1),
        Time::Real => plan.estimate().measure,
    }
}

/// A scenario under a workload while it is simulated.
struct SimulatedRun<'a> {
    plan: &'a Plan,
    server: &'a Arc<SimulatedServer>,
    listener: &'a mut dyn Listener,
    interrupt: &'a Interrupt,
    record: &'a mut ScenarioRecord,
}

impl SimulatedRun<'_> {
    async fn carry_out(mut self, request: &RunRequest<'_>) -> Result<(), RunError> {
        let models = self.models()?;
        self.compare(&models.iter().collect::<Vec<_>>())?;
        if request.extent == Extent::Everything {
            let (standing, calibrated) = self.measure(&models).await?;
            let standing: Vec<_> = standing.iter().map(|position| &models[*position]).collect();
            self.compare_after_rounds(&standing, &calibrated)?;
        }
        self.record.complete = true;
        Ok(())
    }

    fn models(&self) -> Result<Vec<SimulatedModel>, RunError> {
        let operations = || self.plan.workload().operations.iter().map(|operation| operation.name.as_str());
        let simulation = self.server.simulation();
        let model = |name: &String| {
            SimulatedModel::new(simulation, name, operations(), self.plan.seed).ok_or_else(|| RunError::Scenario {
                scenario: self.plan.scenario.name.clone(),
                why: format!("{} has no latency for an operation of model {name}", simulation.source().name()),
            })
        };
        let under = |model: SimulatedModel| model.under(&self.plan.parameters);
        self.plan.models().map(|declared| model(&declared.name).map(under)).collect()
    }

    /// Parity: the same samples as on a server.
    fn compare(&mut self, models: &[&SimulatedModel]) -> Result<(), RunError> {
        let operations = self.plan.workload().operations.len();
        let samples = stratified(operations, |number| self.plan.mix.operation(number), Ranges::parity());
        self.started(Phase::Parity, samples.len() as u64);
        let compared = Compared::of(self.plan, models, &samples);
        let staleness = BTreeMap::new();
        let (operations, mismatches) = (compared.operations, compared.mismatches);
        self.record.parity = Some(ParityRecord { operations, mismatches, staleness });
        self.finished(Phase::Parity, &compared, "operations");
        compared.refuse(self.plan, false)
    }

    /// Calibration and rounds, as often as there are fresh loads. Answers which models still stand (by their position
    /// among the plan's) and what the rounds were.
    async fn measure(&mut self, models: &[SimulatedModel]) -> Result<(Vec<usize>, CalibratedPlan), RunError> {
        let stage = SimulatedStage::new(self.server, models.to_vec());
        let contenders = self.plan.models.iter().zip(stage.work());
        let contenders = contenders.map(|(place, work)| Contender::new(*place, work)).collect();
        let mut bench = Bench::new(self.plan, contenders, self.interrupt.clone(), &stage, self.listener, self.record);
        let mut known = None;
        for restart in 0..self.plan.restarts.max(1) {
            stage.restart(restart);
            let calibrated = bench.calibrate(restart, known.as_ref()).await?;
            stage.measures(&(self.plan.measured_from()..calibrated.closing_from(self.plan)));
            bench.rounds(restart, &calibrated).await?;
            known = Some(calibrated);
        }
        Ok((bench.standing(), known.expect("there is one load at least")))
    }

    /// Closing parity: reads, as on a server.
    fn compare_after_rounds(
        &mut self,
        models: &[&SimulatedModel],
        calibrated: &CalibratedPlan,
    ) -> Result<(), RunError> {
        let from = calibrated.closing_from(self.plan);
        let operations = &self.plan.workload().operations;
        let reads: Vec<_> = (0..operations.len()).filter(|place| operations[*place].returns.is_some()).collect();
        let samples: Vec<Sample> = reads
            .iter()
            .flat_map(|operation| (from..from + CLOSING_READS).map(|number| Sample { number, operation: *operation }))
            .collect();
        self.started(Phase::ClosingParity, 0);
        let compared = Compared::of(self.plan, models, &samples);
        let stands = |name: &String| models.iter().any(|model| model.name() == name);
        let names = self.plan.models().map(|model| &model.name);
        self.record.closing_parity = Some(ClosingParityRecord {
            operations: compared.operations,
            mismatches: compared.mismatches,
            last_write_differences: 0,
            not_compared: names.filter(|name| !stands(name)).cloned().collect(),
        });
        self.finished(Phase::ClosingParity, &compared, "reads");
        compared.refuse(self.plan, true)
    }

    fn started(&mut self, phase: Phase, length: u64) {
        self.listener.hear(&Event::PhaseStarted { phase, length });
    }

    fn finished(&mut self, phase: Phase, compared: &Compared, what: &str) {
        let summary = format!("{} {what}, {} mismatches", compared.operations, compared.mismatches);
        self.listener.hear(&Event::PhaseFinished { phase, summary: Some(summary) });
    }
}
