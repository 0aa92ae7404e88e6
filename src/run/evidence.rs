//! Evidence in a run: steps explained on the small data and, where that is quick, on the measured ones; which indexes the
//! rounds used. Nothing of it happens inside a window.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{join_all, try_join_all};
use mongodb::Database;

use super::data::Databases;
use super::error::RunError;
use super::event::Event;
use super::scenario_run::ScenarioRun;
use super::session::Session;
use crate::backend::MongoBackend;
use crate::evidence::{
    EvidenceError, Explainer, Gathered, IndexCounts, calls_of, index_counts, index_use, not_run, too_slow,
};
use crate::operation::TracedCall;
use crate::plan::Plan;
use crate::record::EvidenceRecord;
use crate::scenario::{Model, ModelOperation};
use crate::server::{Pool, Traffic};
use crate::value::Parameters;
use crate::words::{DataSize, EvidenceFlag, Phase, Product};

/// How long the server may take to explain a step on the small data.
const ON_SMALL_DATA: Duration = Duration::from_secs(5);
/// How long the server may take to explain a step on the measured data.
const ON_MEASURED_DATA: Duration = Duration::from_secs(2);
/// Time for all steps of a scenario on the measured data.
const IN_ALL: Duration = Duration::from_secs(10);
/// Connections over which the models are compared and their messages counted.
const COUNTED_CONNECTIONS: u32 = 1;

/// What explaining on the small data has shown of a step, for explaining it again on the measured data.
#[derive(Debug)]
struct Known {
    /// The model, by its place among the plan's.
    model: usize,
    operation: String,
    call: TracedCall,
    small: EvidenceRecord,
    took: Duration,
}

/// What explaining on the small data has shown.
#[derive(Debug, Default)]
pub(super) struct SmallEvidence {
    steps: Vec<Known>,
    /// Documents loaded of each model, in the plan's order.
    pub(super) documents: Vec<u64>,
}

/// Clients whose messages are counted: one for each model, so that the models can be compared side by side.
#[derive(Debug)]
pub(super) struct CountedClients {
    clients: Vec<(Pool, Arc<Traffic>)>,
}

impl CountedClients {
    /// Opens them.
    ///
    /// # Errors
    /// Where a server does not answer.
    pub(super) async fn open(databases: &Databases<'_>) -> Result<Self, RunError> {
        let clients = try_join_all(databases.models().map(|placed| async move {
            let traffic = Arc::default();
            let pool = placed.site.server.counted(COUNTED_CONNECTIONS, &traffic).await?;
            Ok::<_, RunError>((pool, traffic))
        }));
        Ok(Self { clients: clients.await? })
    }

    /// A backend for each model's database, told whether the server has transactions.
    pub(super) fn backends(&self, databases: &Databases<'_>, has_transactions: bool) -> Vec<MongoBackend> {
        let pairs = self.clients.iter().zip(databases.models());
        pairs
            .map(|((pool, traffic), placed)| {
                let backend = MongoBackend::new(pool.client(), placed.name()).counted_by(Arc::clone(traffic));
                backend.with_transactions(has_transactions)
            })
            .collect()
    }

    /// Closes them.
    pub(super) async fn close(self) {
        join_all(self.clients.iter().map(|(pool, _)| pool.close())).await;
    }
}

impl ScenarioRun<'_, '_> {
    /// Explains every step on the small data, with the arguments of the first parity operation in which it ran.
    ///
    /// # Errors
    /// Where the server is lost or the user wishes the run to end.
    pub(super) async fn explain_small(&mut self, small: &Databases<'_>) -> Result<(), RunError> {
        let plan = self.plan;
        self.begin_explaining(plan.models().map(|model| steps_of(plan, model)).sum());
        for (place, model) in plan.models().enumerate() {
            let explaining = Explaining::of(self, small, place, &plan.parity_parameters);
            for operation in &plan.workload().operations {
                let Some(done) = model.operations.get(&operation.name) else { continue };
                let calls = self.observed.get(&model.name).and_then(|calls| calls.get(&operation.name));
                let calls = calls.cloned().unwrap_or_default();
                for step in 0..calls_of(done).len() {
                    let Some(call) = calls.iter().find(|call| call.step == step) else {
                        self.keep_evidence(place, &operation.name, not_run(step, done));
                        continue;
                    };
                    let asking = explaining.step(DataSize::Parity, ON_SMALL_DATA, call, done);
                    let Gathered { record, took } = self.session.attendant.attend(asking).await?;
                    let known = Known {
                        model: place,
                        operation: operation.name.clone(),
                        call: call.clone(),
                        small: record.clone(),
                        took,
                    };
                    self.small.steps.push(known);
                    self.keep_evidence(place, &operation.name, record);
                }
            }
        }
        self.finish_explaining(DataSize::Parity);
        Ok(())
    }

    /// Explains on the measured data what can be expected to take little time there. Data that are as small as those of
    /// parity would show the same again.
    ///
    /// # Errors
    /// Where the server is lost or the user wishes the run to end.
    pub(super) async fn explain_measured(&mut self, measured: &Databases<'_>) -> Result<(), RunError> {
        let plan = self.plan;
        let SmallEvidence { steps, documents } = std::mem::take(&mut self.small);
        if plan.parameters == plan.parity_parameters || steps.is_empty() {
            return Ok(());
        }
        self.begin_explaining(steps.len());
        let mut left = IN_ALL;
        for known in steps.iter().filter(|known| known.small.not_explained.is_none()) {
            let model = &plan.scenario.models[plan.models[known.model]];
            let Some(done) = model.operations.get(&known.operation) else { continue };
            let limit = ON_MEASURED_DATA.min(left);
            if self.expected(known, &documents) > limit {
                self.keep_evidence(known.model, &known.operation, too_slow(&known.small));
                continue;
            }
            let explaining = Explaining::of(self, measured, known.model, &plan.parameters);
            let asking = explaining.step(DataSize::Measured, limit, &known.call, done);
            let Gathered { record, took } = self.session.attendant.attend(asking).await?;
            left = left.saturating_sub(took);
            self.keep_evidence(known.model, &known.operation, record);
        }
        self.finish_explaining(DataSize::Measured);
        Ok(())
    }

    /// How long a step may be expected to take, if its cost grows with the documents of its model.
    fn expected(&self, known: &Known, small: &[u64]) -> Duration {
        let documents = |documents: u64| documents.max(1) as f64;
        let of_small = small.get(known.model).copied().map_or(1.0, documents);
        let of_measured = self.record.models[known.model].storage.map_or(of_small, |bill| documents(bill.documents));
        known.took.mul_f64((of_measured / of_small).max(1.0))
    }

    fn begin_explaining(&mut self, steps: usize) {
        self.session.listener.hear(&Event::PhaseStarted { phase: Phase::Evidence, length: steps as u64 });
    }

    fn keep_evidence(&mut self, place: usize, operation: &str, record: EvidenceRecord) {
        let kept = self.record.models[place].operations.get_mut(operation);
        kept.into_iter().for_each(|kept| kept.evidence.push(record.clone()));
        let on_these = self.evidence().filter(|kept| kept.data == record.data).count() as u64;
        self.session.listener.hear(&Event::PhaseProgress { done: on_these });
    }

    fn evidence(&self) -> impl Iterator<Item = &EvidenceRecord> {
        self.record.models.iter().flat_map(|model| model.operations.values()).flat_map(|operation| &operation.evidence)
    }

    fn finish_explaining(&mut self, data: DataSize) {
        let of_these: Vec<_> = self.evidence().filter(|record| record.data == data).collect();
        let explained = of_these.iter().filter(|record| record.not_explained.is_none()).count();
        let flagged = |flag: &EvidenceFlag| of_these.iter().filter(|record| record.flags.contains(flag)).count();
        let flags: Vec<String> = EvidenceFlag::ALL
            .iter()
            .map(|flag| (flag, flagged(flag)))
            .filter(|(_, steps)| *steps > 0)
            .map(|(flag, steps)| format!("{steps} with {}", flag.word().replace('_', " ")))
            .collect();
        let of = format!("{explained} of {} steps explained on the {} data", of_these.len(), said(data));
        let summary = if flags.is_empty() { of } else { format!("{of}: {}", flags.join(", ")) };
        self.session.listener.hear(&Event::PhaseFinished { phase: Phase::Evidence, summary: Some(summary) });
    }

    /// How often each index was used so far, by model; `None` where the server does not tell, which is kept.
    ///
    /// # Errors
    /// Where the server is lost or the user wishes the run to end.
    pub(super) async fn count_index_use(
        &mut self,
        measured: &Databases<'_>,
    ) -> Result<Option<Vec<IndexCounts>>, RunError> {
        let mut counts = Vec::new();
        for (place, model) in self.plan.models().enumerate() {
            let database = measured.model(place).for_loading();
            // Operations address partitions as their arguments say, so that an unused one says nothing.
            let counting = index_counts(&database, model.unpartitioned());
            let asking = async { Ok::<_, RunError>(counting.await) };
            match self.session.attendant.attend(asking).await? {
                Ok(counted) => counts.push(counted),
                Err(error) if error.is_server_lost() => return Err(lost(&error)),
                Err(error) => {
                    self.keep_not_counted(&error);
                    return Ok(None);
                }
            }
        }
        Ok(Some(counts))
    }

    fn keep_not_counted(&mut self, error: &EvidenceError) {
        for model in &mut self.record.models {
            let use_of_indexes = model.index_use.get_or_insert_default();
            use_of_indexes.indexes.clear();
            use_of_indexes.not_counted = Some(error.to_string());
        }
    }

    /// Keeps what the rounds so far have used of the indexes.
    pub(super) fn keep_index_use(&mut self, counted: &[IndexCounts]) {
        for (model, used) in self.record.models.iter_mut().zip(index_use(counted)) {
            model.index_use = Some(used);
        }
    }
}

/// A model whose steps are explained on its database.
struct Explaining {
    database: Database,
    product: Product,
    time_series: BTreeSet<String>,
}

impl Explaining {
    fn of(run: &ScenarioRun<'_, '_>, databases: &Databases<'_>, place: usize, parameters: &Parameters) -> Self {
        let Session { main, .. } = &*run.session;
        let model = &run.plan.scenario.models[run.plan.models[place]];
        let series = model.collections.iter().filter(|collection| collection.has_option("timeseries", parameters));
        Self {
            database: databases.model(place).for_loading(),
            product: main.server.facts().product,
            time_series: series.map(|collection| collection.name.clone()).collect(),
        }
    }

    async fn step(
        &self,
        data: DataSize,
        limit: Duration,
        call: &TracedCall,
        operation: &ModelOperation,
    ) -> Result<Gathered, RunError> {
        let (database, time_series) = (&self.database, &self.time_series);
        let explainer = Explainer { database, product: self.product, data, time_series, limit };
        explainer.step(call, operation).await.map_err(|error| lost(&error))
    }
}

fn lost(error: &EvidenceError) -> RunError {
    RunError::Lost { why: error.to_string() }
}

fn steps_of(plan: &Plan, model: &Model) -> usize {
    let operations = &plan.workload().operations;
    let steps = operations.iter().filter_map(|operation| model.operations.get(&operation.name));
    steps.map(|operation| calls_of(operation).len()).sum()
}

const fn said(data: DataSize) -> &'static str {
    match data {
        DataSize::Parity => "small",
        DataSize::Measured => "measured",
    }
}
