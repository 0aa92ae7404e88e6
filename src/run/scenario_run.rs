//! One scenario under one workload, from claiming its databases to dropping them.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::{FutureExt as _, TryFutureExt as _};
use mongodb::Client;

use super::attend::Attendant;
use super::bench::{Bench, Contender, Measured};
use super::data::{Claimant, Databases, Size};
use super::driven::Driven;
use super::error::RunError;
use super::event::Listener;
use super::limits::CallsByOperation;
use super::note::note;
use super::request::Extent;
use crate::backend::MongoBackend;
use crate::evidence;
use crate::guard::ClaimedDatabase;
use crate::load::LoadedModel;
use crate::operation::ModelProgram;
use crate::plan::Plan;
use crate::record::ScenarioRecord;
use crate::server::RunningServer;
use crate::value::World;

/// What all scenarios of a run share.
pub(super) struct Session<'a> {
    pub(super) server: &'a RunningServer,
    pub(super) attendant: Attendant<'a>,
    pub(super) claimant: Claimant,
    /// Connections for loading and comparing.
    pub(super) client: Client,
    pub(super) listener: &'a mut dyn Listener,
    /// Whether the server, with all data, goes when the run ends.
    pub(super) server_ends: bool,
    /// The source database of the scenario that comes next too.
    pub(super) source: Option<ClaimedDatabase>,
}

/// What becomes of the data after a scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Afterwards {
    /// They go.
    Drop,
    /// The models' go, the source is wanted again.
    KeepSource,
    /// They stay for later runs.
    Keep,
    /// Their server goes, and they with it.
    LeaveToServer,
}

impl Afterwards {
    /// The same when no other scenario follows after all.
    const fn at_the_end(self, server_ends: bool) -> Self {
        match self {
            Self::Keep => Self::Keep,
            _ if server_ends => Self::LeaveToServer,
            _ => Self::Drop,
        }
    }
}

/// A scenario under a workload while it runs.
pub(super) struct ScenarioRun<'s, 'a> {
    pub(super) session: &'s mut Session<'a>,
    pub(super) plan: &'s Plan,
    pub(super) record: &'s mut ScenarioRecord,
    pub(super) extent: Extent,
    /// The first call of each step, by model and operation, as parity saw them.
    pub(super) observed: BTreeMap<String, CallsByOperation>,
}

impl ScenarioRun<'_, '_> {
    /// Carries the plan out. Whatever happens, the record holds what was measured, and the data are dropped or kept
    /// where the server can still be asked to.
    ///
    /// # Errors
    /// Why it did not come to its planned end.
    pub(super) async fn carry_out(mut self, afterwards: Afterwards) -> Result<(), RunError> {
        // All databases are claimed before any is touched.
        let parity = self.session.claimant.claim_all(self.plan, Size::Parity, None).await?;
        if self.extent == Extent::Answers {
            self.compare_small(parity).await?;
            self.record.complete = true;
            return Ok(());
        }
        let source = self.session.source.take();
        let mut measured = match self.session.claimant.claim_all(self.plan, Size::Measured, source).await {
            Ok(measured) => measured,
            Err(refused) => {
                self.clean_up(parity, Afterwards::Drop).await;
                return Err(refused.into());
            }
        };
        let outcome = self.measure(parity, &mut measured).await;
        match &outcome {
            // Asking a server that is gone would only take time.
            Err(RunError::Lost { .. }) => {}
            Err(error) if error.ends_the_run() => {
                let afterwards = afterwards.at_the_end(self.session.server_ends);
                self.clean_up(measured, afterwards).await;
            }
            _ => self.clean_up(measured, afterwards).await,
        }
        outcome
    }

    async fn measure(&mut self, parity: Databases, measured: &mut Databases) -> Result<(), RunError> {
        self.compare_small(parity).await?;
        let session = &mut *self.session;
        let loaded = measured.load(self.plan, &session.client, &session.attendant, session.listener).await?;
        self.keep_loaded(loaded);
        self.keep_storage(measured).await?;
        self.mark_engine_limited(measured).await?;
        measured.mark_used().await?;
        let Measured { calibrated, standing } = self.measure_rounds(measured).await?;
        // Whoever took the databases meanwhile has changed what was measured.
        measured.mark_used().await?;
        self.compare_after_rounds(measured, &standing, &calibrated).await?;
        self.record.complete = true;
        Ok(())
    }

    /// Calibration and rounds.
    async fn measure_rounds(&mut self, measured: &Databases) -> Result<Measured, RunError> {
        let server = self.session.server;
        // Exactly as many connections as workers, all of them used before anything is timed.
        let client = self.session.attendant.attend(server.client(self.plan.concurrency)).await?;
        let contenders = self
            .programs(&self.plan.world)?
            .into_iter()
            .zip(&measured.models)
            .zip(&self.plan.models)
            .map(|((program, database), place)| {
                let backend = MongoBackend::new(&client, database.name().as_str());
                Contender::new(*place, Driven { program, backend })
            })
            .collect();
        let session = &mut *self.session;
        let interrupt = session.attendant.interrupt.clone();
        let health = &session.attendant.watchdog;
        let mut bench = Bench::new(self.plan, contenders, interrupt, health, session.listener, self.record);
        let outcome = bench.measure().await;
        client.shutdown().immediate(true).await;
        outcome
    }

    /// The programs of the plan's models, in its order.
    pub(super) fn programs(&self, world: &Arc<World>) -> Result<Vec<Arc<ModelProgram>>, RunError> {
        let plan = self.plan;
        let program = |place: &usize| {
            ModelProgram::new(&plan.scenario, plan.workload_index, *place, Arc::clone(world)).map(Arc::new)
        };
        plan.models.iter().map(program).collect::<Result<_, _>>().map_err(|error| self.broken(error))
    }

    /// The scenario cannot be carried out as written.
    pub(super) fn broken(&self, why: impl std::fmt::Display) -> RunError {
        RunError::Scenario { scenario: self.plan.scenario.name.clone(), why: why.to_string() }
    }

    pub(super) fn keep_loaded(&mut self, loaded: Vec<Option<LoadedModel>>) {
        let mut notes = Vec::new();
        for (model, loaded) in self.record.models.iter_mut().zip(loaded) {
            match loaded {
                Some(loaded) => {
                    model.load = Some(loaded.load);
                    model.collections = loaded.collections;
                    notes.extend(loaded.notes.into_iter().map(|note| (model.name.clone(), note)));
                }
                None => notes.push((model.name.clone(), "takes data that an earlier run kept".to_owned())),
            }
        }
        for (model, note) in notes {
            self.note(Some(&model), note);
        }
    }

    /// The storage bill. A server that does not tell it leaves the figures out.
    async fn keep_storage(&mut self, measured: &Databases) -> Result<(), RunError> {
        let flushing = evidence::flush(&self.session.client).map_err(|error| RunError::Lost { why: error.to_string() });
        if !self.session.attendant.attend(flushing).await? {
            self.note(None, "this server does not write its data to disk on demand: sizes may be too small".to_owned());
        }
        let product = self.session.server.facts().product;
        for (position, model) in self.plan.models().enumerate() {
            let collections = model.collections.iter().map(|collection| collection.name.as_str());
            let database = self.session.client.database(measured.models[position].name().as_str());
            let asking = evidence::storage(&database, collections, product).map(Ok::<_, RunError>);
            match self.session.attendant.attend(asking).await? {
                Ok(bill) => self.record.models[position].storage = Some(bill),
                Err(error) if error.is_server_lost() => return Err(RunError::Lost { why: error.to_string() }),
                Err(error) => self.note(Some(&model.name), format!("no storage bill: {error}")),
            }
        }
        Ok(())
    }

    /// Drops, keeps or leaves data. What cannot be dropped is told, and found later by `clean`.
    pub(super) async fn clean_up(&mut self, data: Databases, afterwards: Afterwards) {
        let outcome = match afterwards {
            Afterwards::Drop => data.drop_all(false).await.map(drop),
            Afterwards::KeepSource => data.drop_all(true).await.map(|source| self.session.source = source),
            Afterwards::Keep => data.keep_all().await,
            Afterwards::LeaveToServer => Ok(()),
        };
        if let Err(left) = outcome {
            self.note(None, format!("data were left on the server ({left}); `patternbench clean` drops them"));
        }
    }

    /// Keeps something that happened in the record, and tells it.
    pub(super) fn note(&mut self, model: Option<&str>, what: String) {
        note(self.session.listener, self.record, model, what);
    }
}
